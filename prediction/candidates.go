package prediction

import "slices"

const (
	candidateRecent = 200 // items used last
	candidateFresh  = 32  // items that are new and not used
)

// candidates loads everything that might be needed next: what was used last or most, by this actor, together
// with, after or because of the current items, and what is new. Their number is bounded, whatever the size of
// the project.
func (m *Model) candidates(q question, rows *rowset) ([]*Item, error) {
	ids := m.candidateIDs(q, rows)
	err := rows.add(ids)
	return slices.DeleteFunc(rows.all(ids), func(it *Item) bool { return it.Gone }), err
}

// candidateIDs returns the candidates in a fixed order, without repeats.
func (m *Model) candidateIDs(q question, rows *rowset) []ID {
	var ids []ID
	ids = append(ids, head(m.recency.Recent, candidateRecent)...)
	if p := m.recency.person(q.actor); p != nil {
		ids = append(ids, p.Own...)
	}
	for _, c := range q.context {
		if it := rows.get(c.id); it != nil {
			ids = append(ids, it.ID)
			ids = append(append(ids, it.Cause), it.Kids...)
			ids = appendEdges(appendEdges(ids, it.After), it.Beside)
		}
	}
	for _, o := range m.recency.Often {
		ids = append(ids, o.Item)
	}
	ids = append(ids, head(m.recency.Fresh, candidateFresh)...)
	ids = append(ids, q.also...)
	return distinct(ids)
}

func head[T any](list []T, n int) []T { return list[:min(n, len(list))] }

func appendEdges(ids []ID, edges []Edge) []ID {
	for _, e := range edges {
		ids = append(ids, e.To)
	}
	return ids
}

// distinct removes repeats and zeros in place, keeping the order.
func distinct(ids []ID) []ID {
	seen := make(map[ID]bool, len(ids))
	return slices.DeleteFunc(ids, func(id ID) bool {
		twice := seen[id] || id == 0
		seen[id] = true
		return twice
	})
}
