package prediction

import (
	"math"
	"slices"
)

// The most that the model itself remembers.
const (
	keptRecent   = 400 // items used last in the project
	keptOften    = 128 // items used most, fading slowly
	keptFresh    = 64  // items that became known, or came back, without a use
	keptSessions = 64
	keptActorRow = 64
	keptOwn      = 64 // items that one actor used last
	keptTrail    = 8  // steps of a session
	restSeconds  = hour / 2
	keptFolders  = 512
)

// recency is what was used last: in the project, by each actor, in each open session.
type recency struct {
	Recent   []ID // newest first
	Fresh    []ID
	Often    []often
	Last     []ID    // items of the last step
	Sessions []trail // latest last
	Actors   []person
	Folders  []folderHeat
	Moves    moves
}

// trail is what a session did last.
type trail struct {
	Key     uint64 // the session's name; without one, the actor
	Session uint64 // by which items know the session
	At      int64
	Steps   int64
	Latest  [][]ID // last steps that used anything, latest last
}

// person is what an actor did last.
type person struct {
	Actor uint64
	Last  []ID // items of the last step
	Own   []ID // newest first
}

// often is an item with the logarithm of its slowly fading count, extrapolated back to step 0.
type often struct {
	Item   ID
	Weight float64
}

// folderHeat is a folder with the fading count of its uses, as of its last use.
type folderHeat struct {
	Folder uint32
	Heat   float64
	Step   int64
}

// at returns the count at a step.
func (f *folderHeat) at(step int64) float64 {
	return f.Heat * math.Pow(folderFade, float64(step-f.Step))
}

func (r *recency) trail(key uint64) *trail {
	for k := range r.Sessions {
		if r.Sessions[k].Key == key {
			return &r.Sessions[k]
		}
	}
	return nil
}

func (r *recency) person(actor uint64) *person {
	for k := range r.Actors {
		if r.Actors[k].Actor == actor {
			return &r.Actors[k]
		}
	}
	return nil
}

// visit makes the question's session and actor the latest ones.
func (r *recency) visit(q question, uses bool, m *Model) *trail {
	if !uses {
		return &trail{}
	}
	t := trail{Key: q.trail, Session: q.session}
	if old := r.trail(q.trail); old != nil && !q.start {
		t = *old
	} else {
		m.Sessions++
	}
	t.At = q.now
	r.Sessions = slices.DeleteFunc(r.Sessions, func(s trail) bool { return s.Key == q.trail })
	r.Sessions = append(last(r.Sessions, keptSessions-1), t)
	p := person{Actor: q.actor}
	if old := r.person(q.actor); old != nil {
		p = *old
	}
	r.Actors = slices.DeleteFunc(r.Actors, func(p person) bool { return p.Actor == q.actor })
	r.Actors = append(last(r.Actors, keptActorRow-1), p)
	return &r.Sessions[len(r.Sessions)-1]
}

// used moves an item to the front.
func (r *recency) used(it *Item, actor uint64, step int64) {
	r.Recent = toFront(r.Recent, it.ID, keptRecent)
	if p := r.person(actor); p != nil {
		p.Own = toFront(p.Own, it.ID, keptOwn)
	}
	r.keepOften(it.ID, math.Log2(it.Stepwise[3])+stepFade()[3]*float64(step))
	r.warm(it.Place.folder(), step)
}

// keepOften keeps the items with the highest slowly fading counts. Since all fade at the same rate, the order
// of counts extrapolated back to step 0 does not change.
func (r *recency) keepOften(id ID, weight float64) {
	least := 0
	for k := range r.Often {
		if r.Often[k].Item == id {
			r.Often[k].Weight = weight
			return
		}
		if r.Often[k].Weight < r.Often[least].Weight {
			least = k
		}
	}
	switch {
	case len(r.Often) < keptOften:
		r.Often = append(r.Often, often{id, weight})
	case r.Often[least].Weight < weight:
		r.Often[least] = often{id, weight}
	}
}

const folderFade = 0.97 // per step

// warm counts a use of a folder.
func (r *recency) warm(folder uint32, step int64) {
	coldest := 0
	for k := range r.Folders {
		f := &r.Folders[k]
		if f.Folder == folder {
			f.Heat, f.Step = f.at(step)+1, step
			return
		}
		if f.Step < r.Folders[coldest].Step {
			coldest = k
		}
	}
	if len(r.Folders) < keptFolders {
		r.Folders = append(r.Folders, folderHeat{folder, 1, step})
		return
	}
	r.Folders[coldest] = folderHeat{folder, 1, step}
}

// heats returns the counts of all known folders at a step.
func (r *recency) heats(step int64) map[uint32]float64 {
	h := make(map[uint32]float64, len(r.Folders))
	for k := range r.Folders {
		h[r.Folders[k].Folder] = r.Folders[k].at(step)
	}
	return h
}

// heat returns the fading count of a folder's uses at a step.
func (r *recency) heat(folder uint32, step int64) float64 {
	for k := range r.Folders {
		if f := &r.Folders[k]; f.Folder == folder {
			return f.at(step)
		}
	}
	return 0
}

func (r *recency) addFresh(id ID) { r.Fresh = toFront(r.Fresh, id, keptFresh) }

// forget drops an item from what was used last.
func (r *recency) forget(id ID) {
	is := func(v ID) bool { return v == id }
	r.Recent = slices.DeleteFunc(r.Recent, is)
	r.Fresh = slices.DeleteFunc(r.Fresh, is)
	r.Often = slices.DeleteFunc(r.Often, func(o often) bool { return o.Item == id })
}

// append records the end of a step.
func (r *recency) append(q question, t *trail, used []*Item) {
	ids := make([]ID, len(used))
	for k, it := range used {
		ids[k] = it.ID
	}
	t.Steps++
	t.Latest = append(last(t.Latest, keptTrail-1), ids)
	r.person(q.actor).Last = ids
	r.Last = ids
}

// last returns a copy of the last n elements at most.
func last[T any](list []T, n int) []T {
	return slices.Clone(list[max(0, len(list)-n):])
}
