package prediction

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"
)

// Kind says what happened to an item in a step.
type Kind uint8

// What may happen to an item.
const (
	Read      Kind = iota // it was opened
	Changed               // it was written
	Created               // it was saved: its first use
	Known                 // it exists, but was not used now
	Forgotten             // it is gone
)

// Use is one access in the log.
type Use struct {
	Item         ID // never 0
	Kind         Kind
	Cause        ID     // of a created item; 0: none
	Dependencies int    // of a created item
	Label        string // of a created or known item: its path, or its tags
}

// Step is what one session did at one moment: accesses that belong together.
type Step struct {
	Position int64 // position of its last row in the log, which becomes the model's watermark
	At       time.Time
	Session  string // "" if unknown; then half an hour without a step begins a new session
	Actor    string
	Past     bool // reported afterwards, so nobody could have asked for a prediction at the time
	Uses     []Use
}

// Items stores the rows of items.
type Items interface {
	// Load returns the rows of the known ids, in any order. [Model.Advance] may change these
	// rows and returns those that it changed.
	Load(ids []ID) ([]*Item, error)
}

// Memory keeps the rows of items in a map.
type Memory map[ID]*Item

// Load implements [Items].
func (m Memory) Load(ids []ID) ([]*Item, error) {
	list := make([]*Item, 0, len(ids))
	for _, id := range ids {
		if it := m[id]; it != nil {
			list = append(list, it)
		}
	}
	return list, nil
}

// Model is what is known about one project, a fold over its access log. Its size is bounded. It is not safe
// for concurrent use. Create one with [NewModel], or read one with [Model.UnmarshalBinary].
type Model struct {
	Watermark int64 // position of the last step processed
	Now       int64 // seconds since 1970 of the latest step; never goes back
	Steps     int64 // steps processed
	Alive     int64 // items known and not forgotten
	Sessions  int64 // sessions seen

	recency   recency
	ensemble  ensemble
	foresight foresight
	Record    Record

	vectorRoom []vector // scratch, see [Model.vectors]
}

// NewModel returns the model of a project in which nothing has happened yet.
func NewModel() *Model {
	return &Model{ensemble: newEnsemble(), foresight: newForesight()}
}

// Advance processes the next step of the log: it ranks as if asked just before the step, notes how well it
// did, learns, and then remembers the step. It returns the rows that changed, including new ones, in a fixed
// order. After an error nothing has changed. A step at or before the watermark is refused, so that none
// counts twice.
func (m *Model) Advance(step Step, items Items) (changed []*Item, err error) {
	if step.Position <= m.Watermark {
		return nil, fmt.Errorf("step at position %d is not behind the watermark %d: take steps in the order of the log, or begin with a new model", step.Position, m.Watermark)
	}
	if slices.ContainsFunc(step.Uses, func(u Use) bool { return u.Item == 0 || u.Kind > Forgotten }) {
		return nil, fmt.Errorf("step at position %d uses item 0 or an unknown kind: items are numbered from 1", step.Position)
	}
	q := m.question(Query{Now: step.At, Session: step.Session, Actor: step.Actor})
	rows := newRowset(items)
	err = rows.add(slices.Concat(q.contextIDs(), step.ids()))
	if used := usedBefore(step, rows); err == nil && m.asks(q, step) && (len(used) > 0 || q.start) {
		err = m.learn(q, rows, used)
	}
	if err != nil {
		return nil, fmt.Errorf("load items for step %d: %w", step.Position, err)
	}
	m.Watermark, m.Now = step.Position, q.now
	m.remember(q, step, rows)
	return rows.changed(), nil
}

// The first everyStep steps are all learned from. After that, session starts and one in oneIn other steps
// are: the weights have settled by then, and a log of a million accesses is processed within minutes.
const (
	everyStep = 20_000
	oneIn     = 4
)

func (m *Model) asks(q question, step Step) bool {
	return step.uses() && !step.Past && (q.start || m.Steps < everyStep || m.Steps%oneIn == 0)
}

// ids lists the items that a step names.
func (s *Step) ids() []ID {
	var ids []ID
	for _, u := range s.Uses {
		ids = append(ids, u.Item, u.Cause)
	}
	return ids
}

// uses reports whether the step uses an item, rather than only making one known or forgotten.
func (s *Step) uses() bool { return s.size() > 0 }

// usedBefore returns the used items of the step that could have been predicted.
func usedBefore(step Step, rows *rowset) []ID {
	var list []ID
	for _, u := range step.Uses {
		it := rows.get(u.Item)
		if (u.Kind == Read || u.Kind == Changed) && it != nil && !it.Gone && !slices.Contains(list, u.Item) {
			list = append(list, u.Item)
		}
	}
	return list
}

// rowset holds the loaded rows.
type rowset struct {
	from    Items
	byID    map[ID]*Item // nil for an item that is not known
	touched map[ID]*Item // those that changed
}

func newRowset(from Items) *rowset {
	return &rowset{from: from, byID: map[ID]*Item{}, touched: map[ID]*Item{}}
}

func (r *rowset) get(id ID) *Item { return r.byID[id] }

// all returns the rows of the known ids, in their order.
func (r *rowset) all(ids []ID) []*Item {
	list := make([]*Item, 0, len(ids))
	for _, id := range ids {
		if it := r.get(id); it != nil {
			list = append(list, it)
		}
	}
	return list
}

// touch notes that a row changes.
func (r *rowset) touch(it *Item) { r.touched[it.ID] = it }

// changed returns the touched rows in the order of their ids.
func (r *rowset) changed() []*Item {
	return slices.SortedFunc(maps.Values(r.touched), func(a, b *Item) int { return cmp.Compare(a.ID, b.ID) })
}

// add loads the ids that are not loaded yet.
func (r *rowset) add(ids []ID) error {
	var missing []ID
	for _, id := range ids {
		if _, ok := r.byID[id]; !ok && id != 0 {
			r.byID[id] = nil
			missing = append(missing, id)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	found, err := r.from.Load(missing)
	for _, it := range found {
		r.byID[it.ID] = it
	}
	return err
}
