package sqlstore

import (
	"context"
	"database/sql"
	"slices"

	"wake/domain"
)

// links counts links by kind, automatic ones, and those that lead nowhere, but for
// causes, of which there are as many as contexts that have one.
func (s *counter) links(ctx context.Context, caused int64, out *domain.CausalityStats) {
	var dependencies, supersedes int64
	// CROSS JOIN keeps the links outside: most of them are causes.
	s.row(ctx, `SELECT count(*) FILTER (WHERE l.kind = 'dependency'), count(*) FILTER (WHERE l.kind = 'supersedes'),
			count(*) FILTER (WHERE l.origin = 'auto'), count(*) FILTER (WHERE p.n IS NULL)
		FROM context_links l CROSS JOIN context_snapshots c LEFT JOIN context_snapshots p ON p.id = l.to_id AND p.deleted_at IS NULL
		WHERE l.kind <> 'cause' AND l.removed_at IS NULL AND c.id = l.from_id AND `+s.live(),
		&dependencies, &supersedes, &out.AutoLinks, &out.LostParents)
	out.Links = map[domain.LinkKind]int64{}
	for kind, n := range map[domain.LinkKind]int64{domain.Cause: caused, domain.Dependency: dependencies, domain.Supersedes: supersedes} {
		if n > 0 {
			out.Links[kind] = n
		}
	}
}

// member is a context in a chain of causes.
type member struct {
	n         int64
	id, cause string
	bare      bool // nothing is known of why it exists
}

func scanMember(rows *sql.Rows, m *member) error {
	return rows.Scan(&m.n, &m.id, toText(&m.cause), &m.bare)
}

const selectMembers = `SELECT c.n, c.id, c.caused_by, c.action_type IS NULL FROM context_snapshots c WHERE `

// chains measures chains of causes. To follow them here costs less than to look
// every cause up in the database.
func (s *counter) chains(ctx context.Context, caused int64, out *domain.CausalityStats) {
	if s.err != nil {
		return
	}
	var members []member
	if caused > 0 {
		members, s.err = Collect(ctx, s, scanMember, selectMembers+s.live(), s.project)
	}
	byID := make(map[string]*member, len(members))
	for i := range members {
		byID[members[i].id] = &members[i]
	}
	s.strangers(ctx, members, byID)
	causes, bare := make(map[int64]int64, caused), map[int64]bool{}
	for _, m := range members {
		if m.cause == "" {
			continue
		}
		cause := byID[m.cause]
		if cause == nil {
			causes[m.n] = 0
			out.LostParents++
			continue
		}
		causes[m.n] = cause.n
		if cause.bare {
			bare[cause.n] = true
		}
	}
	out.AverageDepth, out.LongestDepth = averageDepth(causes, out.Roots+int64(len(bare)))
}

// strangers adds the causes that lie in other projects.
func (s *counter) strangers(ctx context.Context, members []member, byID map[string]*member) {
	var ids []string
	for _, m := range members {
		if m.cause != "" && byID[m.cause] == nil {
			ids = append(ids, m.cause)
		}
	}
	if s.err != nil {
		return
	}
	var found []member
	found, s.err = collectIn(ctx, s, scanMember, without(ids, nil), func(a *Args, some []string) string {
		return selectMembers + `c.deleted_at IS NULL AND c.id IN ` + addList(a, some)
	})
	for i := range found {
		byID[found[i].id] = &found[i]
	}
}

// averageDepth returns the average and the longest chain that ends in a context
// with causality or with an effect; a root is a chain of one. What goes in a
// circle has no length.
func averageDepth(causes map[int64]int64, roots int64) (average float64, longest int64) {
	depths := make(map[int64]int64, len(causes))
	chains, sum := roots, roots
	for n := range causes {
		if d := depthOf(n, causes, depths); d > 0 {
			chains, sum, longest = chains+1, sum+d, max(longest, d)
		}
	}
	if chains == 0 {
		return 0, 0
	}
	return float64(sum) / float64(chains), max(longest, 1)
}

// endless is the depth of a chain that never begins.
const endless = -1

// depthOf is how many contexts a chain of causes has of which n is the last. depths
// remembers what is known.
func depthOf(n int64, causes, depths map[int64]int64) int64 {
	var path []int64
	var depth int64
	for {
		known, seen := depths[n]
		cause, caused := causes[n]
		if seen {
			depth = known
			break
		}
		if !caused {
			depth = min(n, 1) // a root, or 0 in the place of one that is lost
			break
		}
		depths[n] = endless // until known; to meet it again is to go in a circle
		path, n = append(path, n), cause
	}
	for _, p := range slices.Backward(path) {
		if depth != endless {
			depth++
		}
		depths[p] = depth
	}
	return depth
}
