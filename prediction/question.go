package prediction

import (
	"math"
	"slices"
	"time"
)

// Query asks what will be needed next.
type Query struct {
	Now     time.Time
	Session string        // "" if there is none
	Actor   string        // "" if unknown
	After   []ID          // the current items, in place of what the session used last
	Also    []ID          // further candidates, such as pinned ones
	Horizon time.Duration // of the probability; 0 means a day
}

// question is a query with what the model remembers about the session and the actor.
type question struct {
	now     int64
	trail   uint64 // the key of the session's trail
	session uint64 // by which items know the session
	actor   uint64
	start   bool // nothing was used in this session yet
	steps   int64
	context []cue
	before  []ID // what was used one step before
	order   []ID // the session's last items, newest first
	also    []ID
}

// cue is one of the current items, which show what is being worked on.
type cue struct {
	id     ID
	weight float64
	latest bool // of the session's last step
}

const (
	cueFade  = 0.6
	cueItems = 12 // per step
)

// question looks up what the model remembers. A clock that was set back counts as standing still.
func (m *Model) question(query Query) question {
	q := question{now: max(query.Now.Unix(), m.Now), trail: hash64(query.Session), actor: hash64(query.Actor), also: query.Also}
	if query.Session == "" {
		q.trail = ^q.actor
	}
	t := m.recency.trail(q.trail)
	if t != nil && query.Session == "" && q.now-t.At > restSeconds {
		t = nil
	}
	switch {
	case t != nil:
		q.session = t.Session
	case query.Session == "": // not the one that the actor had before the rest
		q.session = q.trail - uint64(q.now)
	default:
		q.session = q.trail
	}
	q.start = t == nil || len(t.Latest) == 0
	switch {
	case len(query.After) > 0:
		q.follow(query.After)
	case q.start:
		q.begin(m.recency.person(q.actor), m.recency.Last)
	default:
		q.resume(t)
	}
	return q
}

// follow asks what comes after the given items.
func (q *question) follow(after []ID) {
	q.start = false
	q.cue(after, 1, true)
	q.before, q.order = after, after
}

// begin handles the start of a session: what the actor and the project used last takes the place of its own
// items.
func (q *question) begin(p *person, projectLast []ID) {
	if p != nil {
		q.cue(p.Last, 0.6, false)
		q.before = p.Last
	}
	q.cue(projectLast, 0.4, false)
}

// resume handles the middle of a session: its last steps count, the latest most.
func (q *question) resume(t *trail) {
	q.steps = t.Steps
	weight := 1.0
	for k := len(t.Latest) - 1; k >= 0; k-- {
		q.cue(t.Latest[k], weight, k == len(t.Latest)-1)
		weight *= cueFade
		for j := len(t.Latest[k]) - 1; j >= 0; j-- {
			if id := t.Latest[k][j]; !slices.Contains(q.order, id) {
				q.order = append(q.order, id)
			}
		}
	}
	q.before = t.Latest[len(t.Latest)-1]
}

func (q *question) cue(ids []ID, weight float64, latest bool) {
	ids = ids[:min(len(ids), cueItems)]
	w := weight / math.Sqrt(float64(len(ids)))
	for _, id := range ids {
		if k := slices.IndexFunc(q.context, func(c cue) bool { return c.id == id }); k >= 0 {
			q.context[k].weight += w
		} else {
			q.context = append(q.context, cue{id, w, latest})
		}
	}
}

// contextIDs returns the items whose rows are needed before the candidates are known.
func (q *question) contextIDs() []ID {
	var ids []ID
	for _, c := range q.context {
		ids = append(ids, c.id)
	}
	return append(append(ids, q.before...), q.order...)
}
