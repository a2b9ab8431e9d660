package prediction

import (
	"math"
	"slices"
)

// ID identifies a context within its project: the number of its row.
type ID int64

// The most that an [Item] keeps.
const (
	keptEdges  = 32 // neighbours of one kind
	keptActors = 6  // actors who used it last
	keptKids   = 8  // newest effects
)

// Edge is a link to another item with a fading count.
type Edge struct {
	To     ID
	Weight float32
}

// ActorUse summarises one actor's use of an item.
type ActorUse struct {
	Actor uint64 // hash of the actor's name
	Count int
	Step  int64   // of the last use
	Heat  float64 // count that halves every 100 steps, as of Step
}

// Item is the bounded memory of one item, a row that a store keeps beside the context. Its size does not grow
// with use.
type Item struct {
	ID           ID
	Gone         bool // forgotten, so not a candidate
	History      History
	Created      int64  // seconds since 1970
	Born         int64  // the project's step when it became known
	BornIn       uint64 // the session in which it did, by hash; 0: none known
	Cause        ID     // 0: none known
	Kids         []ID   // newest effects, newest first
	KidCount     int    // all effects ever
	Dependencies int
	Place        Place

	Daily    [4]float64 // fading counts by time, with the half-lives of spanHalf, as of the last access
	Stepwise [4]float64 // fading counts by steps, with the rates of stepFade; a use in a larger step counts less
	Actors   []ActorUse
	Edited   bool       // the last use changed it
	Gap      Mean       // of ln(1 + minutes) between uses
	Clock    [2]float64 // fading mean of the cosine and sine of the time of day of its uses

	Session      uint64 // the last session that used it
	SessionUses  int    // its uses there
	SessionStep  int64  // the session's step of the last use
	SessionCount int    // sessions that ever used it
	LastSize     int    // items in the step of its last use
	Size         Mean   // of the logarithm of the number of items in the steps that used it

	Starts    int     // sessions that began with it
	StartHeat float64 // fading count of these sessions
	People    int     // actors who used it; one that was dropped from Actors counts again
	Newcomers int     // those of People for whom it was the first use in the project

	After     []Edge  // what was used one step later
	AfterSum  float64 // fading count of steps that After covers
	Beside    []Edge  // what was used in the same step, or soon after in the same session
	BesideSum float64
}

// Mean is a mean and variance in which older values fade.
type Mean struct {
	N, Mean, Var float64
}

// add adds a value; older ones fade by a fifth.
func (m *Mean) add(x float64) {
	m.N = 0.8*m.N + 1
	d := x - m.Mean
	m.Mean += d / m.N
	m.Var += (d*(x-m.Mean) - m.Var) / m.N
}

// spanHalf returns the half-lives, in seconds, of [Item.Daily]; stepFade the rates per step, in halvings, of
// [Item.Stepwise].
func spanHalf() [4]float64 { return [4]float64{hour, day, 7 * day, 30 * day} }
func stepFade() [4]float64 { return [4]float64{.3, .05, .01, .002} }

const actorFade = 0.01 // halvings per step of [ActorUse.Heat]

// newItem returns an item that became known at the given second and step and was not used yet. The label says
// where it belongs: a path, or its tags.
func newItem(id ID, created, step int64, label string) *Item {
	return &Item{ID: id, Created: created, Born: step, Place: placeOf(label)}
}

// lastUse returns the last use, or the time when the item became known.
func (it *Item) lastUse() Visit {
	if last, seen := it.History.last(); seen {
		return last
	}
	return Visit{At: it.Created, Step: it.Born}
}

// moment is a step from the view of its items.
type moment struct {
	at, step    int64
	size        int // items in the step
	actor       uint64
	session     uint64
	sessionStep int64
	start       bool // the step begins a session
	newcomer    bool // the step is the actor's first
}

// use records a use.
func (it *Item) use(m moment, edited bool) {
	weight := 1 / math.Sqrt(float64(max(1, m.size)))
	it.fade(m)
	for k := range it.Daily {
		it.Daily[k]++
		it.Stepwise[k] += weight
	}
	it.History.Add(Visit{At: m.at, Step: m.step})
	it.Edited, it.LastSize = edited, m.size
	it.Size.add(math.Log(float64(max(1, m.size))))
	it.meetAudience(m)
	sin, cos := math.Sincos(dayAngle(m.at))
	it.Clock[0] += (cos - it.Clock[0]) / 10
	it.Clock[1] += (sin - it.Clock[1]) / 10
	it.useBy(m)
	if it.Session != m.session || it.SessionCount == 0 {
		it.Session, it.SessionUses = m.session, 0
		it.SessionCount++
	}
	it.SessionUses++
	it.SessionStep = m.sessionStep
}

// A session that begins with the item raises StartHeat; each use lowers it.
const (
	startFade = 0.9
	startRest = 0.97 // if the use does not begin a session
)

// meetAudience counts uses at the start of sessions and by newcomers.
func (it *Item) meetAudience(m moment) {
	if m.start {
		it.Starts++
		it.StartHeat = it.StartHeat*startFade + 1
	} else {
		it.StartHeat *= startRest
	}
	if m.newcomer {
		it.Newcomers++
	}
}

// fade fades the counts to the moment and records the gap since the last use.
func (it *Item) fade(m moment) {
	last, seen := it.History.last()
	if !seen {
		return
	}
	for k, half := range spanHalf() {
		it.Daily[k] *= math.Exp2(-float64(max(0, m.at-last.At)) / half)
	}
	for k, rate := range stepFade() {
		it.Stepwise[k] *= math.Exp2(-rate * float64(max(0, m.step-last.Step)))
	}
	if last.Step != m.step {
		it.Gap.add(math.Log1p(minutes(m.at - last.At)))
	}
}

func (it *Item) useBy(m moment) {
	a := it.actor(m.actor)
	if a == nil {
		a = it.newActor(m.actor)
	}
	a.Heat = a.Heat*math.Exp2(-actorFade*float64(max(0, m.step-a.Step))) + 1
	a.Count++
	a.Step = m.step
}

// actor returns what is kept of an actor, or nil.
func (it *Item) actor(key uint64) *ActorUse {
	for k := range it.Actors {
		if it.Actors[k].Actor == key {
			return &it.Actors[k]
		}
	}
	return nil
}

// newActor adds an actor, in place of the one whose last use is oldest if the list is full.
func (it *Item) newActor(key uint64) *ActorUse {
	it.People++
	if len(it.Actors) < keptActors {
		it.Actors = append(it.Actors, ActorUse{Actor: key})
		return &it.Actors[len(it.Actors)-1]
	}
	oldest := &it.Actors[0]
	for k := range it.Actors {
		if it.Actors[k].Step < oldest.Step {
			oldest = &it.Actors[k]
		}
	}
	*oldest = ActorUse{Actor: key}
	return oldest
}

// Edges fade by edgeFade for each use of their item, so that last year's habits give way.
const edgeFade = 0.97

func fadeEdges(edges []Edge, sum float64) float64 {
	for k := range edges {
		edges[k].Weight *= edgeFade
	}
	return sum*edgeFade + 1
}

// bump adds weight to the edge to another item. If the list is full, the new edge replaces the weakest, or
// weakens it until it can be replaced.
func bump(edges []Edge, to ID, weight float32) []Edge {
	weakest := 0
	for k := range edges {
		if edges[k].To == to {
			edges[k].Weight += weight
			return edges
		}
		if edges[k].Weight < edges[weakest].Weight {
			weakest = k
		}
	}
	switch {
	case len(edges) < keptEdges:
		return append(edges, Edge{to, weight})
	case edges[weakest].Weight <= 1.5*weight:
		edges[weakest] = Edge{to, weight}
	default:
		edges[weakest].Weight -= weight / 2
	}
	return edges
}

// toFront moves id to the front of a list of at most limit ids, newest first.
func toFront(list []ID, id ID, limit int) []ID {
	at := slices.Index(list, id)
	if at < 0 && len(list) < limit {
		list = append(list, id)
	}
	if at < 0 {
		at = len(list) - 1
	}
	copy(list[1:at+1], list[:at])
	list[0] = id
	return list
}

// dayAngle returns the time of day as an angle.
func dayAngle(at int64) float64 {
	return float64((at%day+day)%day) / day * 2 * math.Pi
}
