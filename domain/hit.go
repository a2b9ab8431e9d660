package domain

import "time"

// Hit is one answer to a search.
type Hit struct {
	ID           string    `json:"id"`
	Score        float64   `json:"score"` // higher is better, comparable within one answer
	Snippet      string    `json:"snippet"`
	Summary      string    `json:"summary,omitempty"`
	Project      string    `json:"project"`
	Tags         []string  `json:"tags,omitempty"`
	Tier         Tier      `json:"tier,omitempty"` // "" of a message
	Timestamp    time.Time `json:"timestamp"`
	Metadata     Metadata  `json:"metadata,omitempty"`
	Why          string    `json:"why,omitempty"` // in a few words, why it matched
	SupersededBy string    `json:"superseded_by,omitempty"`
	Origin       Origin    `json:"origin,omitempty"`
	SessionID    string    `json:"session_id,omitempty"`
	Seq          int64     `json:"seq,omitempty"` // the event that the message is, or that the context was saved in
	SavedAt      time.Time `json:"-"`             // for whom it is quoted to; of a message when it was said
}

// IsMessage tells a message of a session from a context, which may be of one too.
func (h Hit) IsMessage() bool { return h.Tier == "" }
