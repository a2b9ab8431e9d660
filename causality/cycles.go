package causality

import (
	"maps"
	"slices"

	"wake/domain"
)

// cyclesIn returns the cycles among explicit causes and dependencies: one for each
// link that leads back onto the path of a depth-first search. A saved link cannot
// close a cycle; imports and damaged files can.
func cyclesIn(links []domain.Link) [][]string {
	next := adjacency(links, false)
	state := make(map[string]int, len(next)) // 0 unseen, 1 on the path, 2 done
	var cycles [][]string
	for _, id := range slices.Sorted(maps.Keys(next)) {
		if state[id] == 0 {
			cycles = append(cycles, cyclesFrom(id, next, state)...)
		}
	}
	return cycles
}

// frame is a context on a path, with how many of its links were followed.
type frame struct {
	id   string
	edge int
}

// cyclesFrom searches depth first, without recursion because chains may be a thousand
// links deep, and reports a cycle for each link back onto the current path.
func cyclesFrom(root string, next map[string][]string, state map[string]int) [][]string {
	path := []frame{{id: root}}
	state[root] = 1
	var found [][]string
	for len(path) > 0 {
		top := &path[len(path)-1]
		if top.edge == len(next[top.id]) {
			state[top.id] = 2
			path = path[:len(path)-1]
			continue
		}
		n := next[top.id][top.edge]
		top.edge++
		switch state[n] {
		case 0:
			state[n] = 1
			path = append(path, frame{id: n})
		case 1:
			found = append(found, cycleTo(n, path))
		}
	}
	return found
}

// cycleTo cuts a cycle out of a path whose last link leads back to id.
func cycleTo(id string, path []frame) (cycle []string) {
	from := slices.IndexFunc(path, func(f frame) bool { return f.id == id })
	for _, f := range path[from:] {
		cycle = append(cycle, f.id)
	}
	return cycle
}
