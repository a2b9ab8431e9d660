package causality

import (
	"cmp"
	"slices"

	"wake/domain"
)

// Chain is the neighbourhood of one context, ordered by distance.
type Chain struct {
	Start     string
	Nodes     []Node
	Edges     []domain.Link // between nodes, or from a node to something lost
	Cycles    [][]string    // each as the ids on it, in the order of the links
	Lost      []string      // ids of causes and dependencies that the store does not hold
	Truncated bool          // a limit or the depth cap cut it off

	// Beside holds links of the start that lead out of the chain: what it replaced,
	// what replaced it, what wake found to be related, and causes that were not asked
	// for. [Tell] mentions those whose contexts the caller puts into Named.
	Beside []domain.Link
	Named  []domain.ContextSnapshot
}

// Node is one context of a chain. Depth counts links from the start: negative
// towards causes, positive towards effects.
type Node struct {
	Context domain.ContextSnapshot
	Depth   int
}

// Build orders what a walk reached: depths by the shortest way, at most maxDepth
// links out, causes before effects. A context that is both a cause and an effect
// of the start (a cycle) keeps its nearer side.
func Build(start string, walk domain.Walk, direction domain.Direction, maxDepth int) Chain {
	known := make(map[string]domain.ContextSnapshot, len(walk.Contexts))
	for _, c := range walk.Contexts {
		known[c.ID] = c
	}
	depth, cut := depths(start, walk.Links, direction, maxDepth)
	ch := Chain{Start: start, Truncated: walk.Truncated || cut}
	ch.Nodes = nodes(depth, known)
	if !walk.Truncated { // otherwise what is unknown may just lie behind the limit
		ch.Lost = lost(depth, known, walk.Links)
	}
	ch.Edges = edgesAmong(walk.Links, ch)
	ch.Beside = edgesBeside(walk.Links, ch)
	ch.Cycles = cyclesIn(ch.Edges)
	return ch
}

// Nearest keeps the most nearest contexts of a walk, in either direction, with its start.
func Nearest(start string, walk domain.Walk, direction domain.Direction, most int) domain.Walk {
	if len(walk.Contexts) <= most {
		return walk
	}
	depth, _ := depths(start, walk.Links, direction, len(walk.Contexts)+len(walk.Links))
	walk.Contexts = slices.SortedStableFunc(slices.Values(walk.Contexts), func(a, b domain.ContextSnapshot) int {
		return cmp.Compare(distance(depth[a.ID]), distance(depth[b.ID]))
	})[:most]
	walk.Truncated = true
	return walk
}

// distance is a depth in either direction.
func distance(depth int) int { return max(depth, -depth) }

// depths counts the links from the start, at most maxDepth, and reports whether there
// are more.
func depths(start string, links []domain.Link, direction domain.Direction, maxDepth int) (depth map[string]int, cut bool) {
	depth = map[string]int{start: 0}
	if direction != domain.Effects {
		cut = spread(depth, start, adjacency(links, false), -1, maxDepth)
	}
	if direction != domain.Causes {
		cut = spread(depth, start, adjacency(links, true), +1, maxDepth) || cut
	}
	return depth, cut
}

// adjacency maps each id to its neighbours over causes and explicit
// dependencies, forwards (effects) or backwards (causes).
func adjacency(links []domain.Link, effects bool) map[string][]string {
	next := map[string][]string{}
	for _, l := range links {
		if !walked(l) {
			continue
		}
		if effects {
			next[l.To] = append(next[l.To], l.From)
		} else {
			next[l.From] = append(next[l.From], l.To)
		}
	}
	return next
}

// walked reports whether chains follow the link. They follow explicit causes and
// dependencies; automatic and superseding links are only told.
func walked(l domain.Link) bool {
	return l.Origin == domain.Explicit && l.Kind != domain.Supersedes
}

// spread sets depths breadth first and reports whether maxDepth cut it off.
func spread(depth map[string]int, start string, next map[string][]string, sign, maxDepth int) (cut bool) {
	ring := []string{start}
	for d := 1; len(ring) > 0; d++ {
		var outer []string
		for _, id := range ring {
			for _, n := range next[id] {
				if _, seen := depth[n]; seen {
					continue
				}
				if d > maxDepth {
					return true
				}
				depth[n] = sign * d
				outer = append(outer, n)
			}
		}
		ring = outer
	}
	return false
}

// nodes lists the known contexts by depth, then time.
func nodes(depth map[string]int, known map[string]domain.ContextSnapshot) []Node {
	var in []Node
	for id, d := range depth {
		if c, ok := known[id]; ok {
			in = append(in, Node{Context: c, Depth: d})
		}
	}
	slices.SortFunc(in, func(a, b Node) int {
		return cmp.Or(cmp.Compare(a.Depth, b.Depth), a.Context.Timestamp.Compare(b.Context.Timestamp), cmp.Compare(a.Context.N, b.Context.N))
	})
	return in
}

// lost lists the ids of unknown causes and dependencies. An unknown effect is not lost
// but forgotten.
func lost(depth map[string]int, known map[string]domain.ContextSnapshot, links []domain.Link) []string {
	var ids []string
	for _, l := range links {
		_, met := depth[l.To]
		if _, there := known[l.To]; met && !there && walked(l) {
			ids = append(ids, l.To)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

// edgesAmong keeps the links with both ends in the chain, in a fixed order. Links to
// what a truncated walk did not load are dropped: there is nothing to draw or look up.
func edgesAmong(links []domain.Link, ch Chain) []domain.Link {
	in := map[string]bool{}
	for _, n := range ch.Nodes {
		in[n.Context.ID] = true
	}
	for _, id := range ch.Lost {
		in[id] = true
	}
	var edges []domain.Link
	for _, l := range links {
		if in[l.From] && in[l.To] {
			edges = append(edges, l)
		}
	}
	slices.SortFunc(edges, func(a, b domain.Link) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To), cmp.Compare(a.Kind, b.Kind))
	})
	return edges
}

// edgesBeside keeps the links of the start that lead to no node of the chain.
func edgesBeside(links []domain.Link, ch Chain) []domain.Link {
	var out []domain.Link
	for _, l := range links {
		if other := otherEnd(l, ch.Start); other != "" && !slices.ContainsFunc(ch.Nodes, func(n Node) bool { return n.Context.ID == other }) {
			out = append(out, l)
		}
	}
	return out
}

// otherEnd returns the other end of a link that says something about start: what start
// builds on or replaced, or what replaced it. It is "" for other links.
func otherEnd(l domain.Link, start string) string {
	switch {
	case l.From == start:
		return l.To
	case l.To == start && l.Kind == domain.Supersedes:
		return l.From
	}
	return ""
}

// Unnamed lists the ids of the contexts that Beside leads to.
func (ch Chain) Unnamed() []string {
	var ids []string
	for _, l := range ch.Beside {
		ids = append(ids, otherEnd(l, ch.Start))
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}
