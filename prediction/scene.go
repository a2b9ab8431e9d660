package prediction

import (
	"math"
	"slices"
)

// scene is a question with the loaded rows, from which feature vectors are computed.
type scene struct {
	q        question
	model    *Model
	cues     []sceneCue
	total    float64 // weight of all cues
	at       map[ID]int
	rank     map[ID]int // by last use in the project
	ownRank  map[ID]int // by last use of the actor
	session  map[ID]int // by last use in the session
	heat     map[uint32]float64
	sin, cos float64
}

type sceneCue struct {
	cue
	it *Item
}

// vectors computes the features of the candidates. They are valid until the next call: new memory at every
// step would be a third of all that learning allocates.
func (m *Model) vectors(q question, rows *rowset, list []*Item) []vector {
	s := m.scene(q, rows, list)
	m.vectorRoom = slices.Grow(m.vectorRoom[:0], len(list))[:len(list)]
	x := m.vectorRoom
	clear(x)
	for k, it := range list {
		s.history(it, &x[k])
		s.who(it, &x[k])
		s.place(it, &x[k])
		s.inSession(it, &x[k])
	}
	s.neighbours(list, x)
	s.own(list, x, rows)
	s.moved(list, x, rows)
	return x
}

func (m *Model) scene(q question, rows *rowset, list []*Item) *scene {
	s := &scene{q: q, model: m, total: 1e-9, at: index(ids(list)), rank: index(m.recency.Recent), session: index(q.order), heat: m.recency.heats(m.Steps)}
	s.sin, s.cos = math.Sincos(dayAngle(q.now))
	if p := m.recency.person(q.actor); p != nil {
		s.ownRank = index(p.Own)
	}
	for _, c := range q.context {
		if it := rows.get(c.id); it != nil {
			s.cues = append(s.cues, sceneCue{c, it})
			s.total += c.weight
		}
	}
	return s
}

const (
	ownFade  = 0.9
	ownItems = 24 // items whose folders show where the actor works
	ownNear  = 8  // items that candidates are compared with individually
)

// own sets how close the item is to what the actor used last, in any session.
func (s *scene) own(list []*Item, x []vector, rows *rowset) {
	var latest []*Item
	if p := s.model.recency.person(s.q.actor); p != nil {
		latest = rows.all(head(p.Own, ownItems))
	}
	folders, total, weight := map[uint32]float64{}, 1e-9, 1.0
	for _, it := range latest {
		folders[folderOf(it)] += weight
		total += weight
		weight *= ownFade
	}
	for f := range folders {
		folders[f] /= total
	}
	ofFolder := logOf(folders, 0.03)
	for k, it := range list {
		x[k][fOwnFolder] = ofFolder(folderOf(it))
		weight := 1.0 / 6
		for _, o := range head(latest, ownNear) {
			x[k][fOwnPath] += weight * it.Place.pathSimilarity(&o.Place)
			x[k][fOwnWords] += weight * it.Place.wordSimilarity(&o.Place)
			weight *= ownFade
		}
	}
}

func ids(list []*Item) []ID {
	out := make([]ID, len(list))
	for k, it := range list {
		out[k] = it.ID
	}
	return out
}

func index(list []ID) map[ID]int {
	at := make(map[ID]int, len(list))
	for k, id := range list {
		at[id] = k
	}
	return at
}
