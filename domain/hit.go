package domain

import "time"

// Hit is one result of a search.
type Hit struct {
	ID           string    `json:"id"`
	Score        float64   `json:"score"` // higher is better; comparable within one answer
	Snippet      string    `json:"snippet"`
	Summary      string    `json:"summary,omitempty"`
	Project      string    `json:"project"`
	Tags         []string  `json:"tags,omitempty"`
	Tier         Tier      `json:"tier,omitempty"` // "" for a message
	Timestamp    time.Time `json:"timestamp"`
	Metadata     Metadata  `json:"metadata,omitempty"`
	Why          string    `json:"why,omitempty"` // why it matched, in a few words
	SupersededBy string    `json:"superseded_by,omitempty"`
	Origin       Origin    `json:"origin,omitempty"`
	SessionID    string    `json:"session_id,omitempty"`
	Seq          int64     `json:"seq,omitempty"` // the event of the message, or in which the context was saved
	SavedAt      time.Time `json:"-"`             // for the label of a quotation; of a message, when it was said
}

// IsMessage reports whether the hit is a message of a session and not a context.
func (h Hit) IsMessage() bool { return h.Tier == "" }
