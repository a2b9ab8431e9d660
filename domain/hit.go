package domain

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

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

// NoContext is the error that there are no contexts with ids, which are said as a reader
// should see them. A search lists messages, too, and these are opened in another way.
func NoContext(said string, ids ...string) error {
	hint := FindContexts
	if slices.ContainsFunc(ids, isMessageID) {
		hint = OpenMessage
	}
	return Advise(NotFound("no context has the id %s", said), hint)
}

// isMessageID recognises the id of a hit that is a message: SESSION/SEQ.
func isMessageID(id string) bool {
	session, seq, ok := strings.Cut(id, "/")
	_, err := strconv.ParseUint(seq, 10, 63)
	return ok && session != "" && err == nil
}
