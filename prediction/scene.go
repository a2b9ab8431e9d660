package prediction

import "math"

// scene is a question with the rows at hand, from which vectors are drawn.
type scene struct {
	q        question
	model    *Model
	cues     []sceneCue
	total    float64 // weight of all cues
	at       map[ID]int
	rank     map[ID]int // by last use in the project
	own      map[ID]int // by last use of the actor
	session  map[ID]int // by last use in the session
	heat     map[uint32]float64
	sin, cos float64
}

type sceneCue struct {
	cue
	it *Item
}

// vectors draws the features of the candidates.
func (m *Model) vectors(q question, rows *rowset, list []*Item) []vector {
	s := m.scene(q, rows, list)
	x := make([]vector, len(list))
	for k, it := range list {
		s.history(it, &x[k])
		s.who(it, &x[k])
		s.place(it, &x[k])
		s.inSession(it, &x[k])
	}
	s.neighbours(list, x)
	return x
}

func (m *Model) scene(q question, rows *rowset, list []*Item) *scene {
	s := &scene{q: q, model: m, total: 1e-9, at: index(ids(list)), rank: index(m.recency.Recent), session: index(q.order), heat: m.recency.heats(m.Steps)}
	s.sin, s.cos = math.Sincos(dayAngle(q.now))
	if p := m.recency.person(q.actor); p != nil {
		s.own = index(p.Own)
	}
	for _, c := range q.context {
		if it := rows.get(c.id); it != nil {
			s.cues = append(s.cues, sceneCue{c, it})
			s.total += c.weight
		}
	}
	return s
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
