package transcript

import (
	"cmp"
	"regexp"
	"strconv"
	"sync"
	"time"

	"wake/domain"
)

// claudeNames are the names of a conversation: the one that a person gave it, the
// client's, and which have counted.
type claudeNames struct {
	Own   string   `json:"own,omitempty"`
	Given string   `json:"given,omitempty"`
	Told  []string `json:"told,omitempty"` // hashes, the latest last
}

// title records a name of a conversation. A summary row names the conversation of its
// leaf; at the head of a file, this is the conversation continued there.
func (c *claude) title(row *claudeRow, at time.Time, out *sink) {
	c.Session = cmp.Or(row.SessionID, c.Session)
	names, s := &c.Names, c.Sessions[c.Session]
	if s != nil {
		names = &s.Names
	}
	switch {
	case row.ownTitle():
		names.Own = row.CustomTitle // "" once it is taken back
	case row.Type == "summary" && s != nil && row.LeafUUID != "" && row.LeafUUID != c.LastUUID:
		return
	case row.Type == "summary" && failedSummary().MatchString(row.Summary):
		return
	default:
		names.Given = cmp.Or(row.AITitle, row.Summary, names.Given)
	}
	if s != nil {
		names.tell(c.Session, at, out)
	}
}

func (n *claudeNames) title() string { return cmp.Or(n.Own, n.Given) }

// tell emits the name that counts, if it is another than before. The client repeats its
// rows, so a name that comes back has the key of its occurrence.
func (n *claudeNames) tell(session string, at time.Time, out *sink) {
	hash := shortHash(n.title())
	if n.title() == "" || len(n.Told) > 0 && n.Told[len(n.Told)-1] == hash {
		return
	}
	key := hash
	if nth := countOf(n.Told, hash) + 1; nth > 1 {
		key += ":" + strconv.Itoa(nth)
	}
	n.Told = newest(append(n.Told, hash))
	out.event(session, at, domain.RowKey("title", key), rowRef{}, domain.About{Title: n.title()})
}

// failedSummary finds what early versions took for a conversation's name when the model that
// they asked for one could not be reached.
var failedSummary = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(Invalid API key|API Error: [45]\d\d |Credit balance is too low$|Claude AI usage limit reached\|)|· Please run /login$`)
})
