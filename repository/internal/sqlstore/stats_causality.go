package sqlstore

import (
	"context"
	"database/sql"
	"slices"

	"wake/domain"
)

// links counts links by kind, automatic links, and links that lead nowhere. caused is
// the number of contexts with a cause, which is also the number of links to causes.
func (s *counter) links(ctx context.Context, caused int64, out *domain.CausalityStats) {
	var dependencies, supersedes int64
	// CROSS JOIN keeps links as the outer table: most of them are causes.
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
	bare      bool // it has no causality of its own
}

func scanMember(rows *sql.Rows, m *member) error {
	return rows.Scan(&m.n, &m.id, toText(&m.cause), &m.bare)
}

const selectMembers = `SELECT c.n, c.id, c.caused_by, c.action_type IS NULL FROM context_snapshots c WHERE `

// chains measures chains of causes. Following them in memory costs less than looking up
// every cause in the database.
func (s *counter) chains(ctx context.Context, caused int64, out *domain.CausalityStats) {
	var members []member
	if caused > 0 {
		members = counted(ctx, s, scanMember, selectMembers+s.live(), s.project)
	}
	byID := make(map[string]*member, len(members))
	for i := range members {
		byID[members[i].id] = &members[i]
	}
	s.addOutsideCauses(ctx, members, byID)
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

// addOutsideCauses adds the causes that belong to other projects.
func (s *counter) addOutsideCauses(ctx context.Context, members []member, byID map[string]*member) {
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

// averageDepth returns the average and the greatest length of the chains that end in a
// context with causality or with an effect. A root is a chain of length one. Cycles
// have no length and do not count.
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

// circular is the depth of a context whose causes form a cycle.
const circular = -1

// depthOf returns how many contexts the chain of causes that ends in n has. depths
// caches results.
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
			depth = min(n, 1) // a root, or 0 for a cause that is lost
			break
		}
		depths[n] = circular // until known; to meet it again means a cycle
		path, n = append(path, n), cause
	}
	for _, p := range slices.Backward(path) {
		if depth != circular {
			depth++
		}
		depths[p] = depth
	}
	return depth
}
