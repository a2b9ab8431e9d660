package sqlstore

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"wake/domain"
)

// liveLinks is the live links whose later end belongs to the project.
func (s *counter) liveLinks() string {
	return `context_links l JOIN context_snapshots c ON c.id = l.from_id WHERE l.removed_at IS NULL AND ` + s.live()
}

// links counts links by kind, automatic ones, and those that lead nowhere (but for
// causes, which chains counts).
func (s *counter) links(ctx context.Context, out *domain.CausalityStats) {
	byOrigin := groups[string](ctx, s, `SELECT l.kind || ' ' || l.origin, count(*) FROM `+s.liveLinks()+` GROUP BY 1`)
	out.Links = map[domain.LinkKind]int64{}
	for key, n := range byOrigin {
		kind, origin, _ := strings.Cut(key, " ")
		out.Links[domain.LinkKind(kind)] += n
		if origin == string(domain.Auto) {
			out.AutoLinks += n
		}
	}
	out.LostParents = s.count(ctx, `SELECT count(*) FROM `+s.liveLinks()+` AND l.kind <> 'cause'
		AND NOT EXISTS (SELECT 1 FROM context_snapshots p WHERE p.id = l.to_id AND p.deleted_at IS NULL)`)
}

// caused is a context that has a cause, and the cause: 0 where it is lost.
type caused struct {
	n, cause int64
	bare     bool // nothing is known of why the cause exists
}

func scanCaused(rows *sql.Rows, c *caused) error { return rows.Scan(&c.n, &c.cause, &c.bare) }

// chains measures chains of causes. A recursive query would look every context up
// several times; a pair of numbers for each is all that is needed.
func (s *counter) chains(ctx context.Context, out *domain.CausalityStats) {
	if s.err != nil {
		return
	}
	var pairs []caused
	pairs, s.err = Collect(ctx, s, scanCaused, `SELECT c.n, coalesce(p.n, 0), p.n IS NOT NULL AND p.action_type IS NULL
		FROM context_snapshots c LEFT JOIN context_snapshots p ON p.id = c.caused_by AND p.deleted_at IS NULL
		WHERE c.caused_by IS NOT NULL AND `+s.live(), s.project)
	causes, bare := make(map[int64]int64, len(pairs)), map[int64]bool{}
	for _, p := range pairs {
		causes[p.n] = p.cause
		if p.cause == 0 {
			out.LostParents++
		}
		if p.bare {
			bare[p.cause] = true
		}
	}
	out.AverageDepth, out.LongestDepth = averageDepth(causes, out.Roots+int64(len(bare)))
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
