package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"slices"
	"time"

	"wake/domain"
)

const linkColumns = `l.from_id, l.to_id, l.kind, l.origin, l.confidence, l.reason, l.added_at, l.removed_at`

// numbered is a link with its row number.
type numbered struct {
	n int64
	domain.Link
}

func scanLink(rows *sql.Rows, l *numbered) error {
	return rows.Scan(&l.n, &l.From, &l.To, toText(&l.Kind), toText(&l.Origin), &l.Confidence, &l.Reason,
		toTime(&l.AddedAt), toTime(&l.RemovedAt))
}

// Links implements [repository.LinkReader].
func (r reads) Links(ctx context.Context, ids []string, asOf time.Time) ([]domain.Link, error) {
	return ask(ctx, r, func(q Querier) ([]domain.Link, error) { return linksOf(ctx, q, ids, asOf) })
}

// linksOf returns the links from or to any of ids, in the order in which they were
// added.
func linksOf(ctx context.Context, q Querier, ids []string, asOf time.Time) ([]domain.Link, error) {
	var all []numbered
	for _, end := range []string{"l.from_id", "l.to_id"} {
		links, err := collectIn(ctx, q, scanLink, ids, func(a *Args, some []string) string {
			return `SELECT l.n, ` + linkColumns + ` FROM context_links l
				WHERE ` + end + ` IN ` + addList(a, some) + ` AND ` + lastingAt(a, "l", asOf)
		})
		if err != nil {
			return nil, err
		}
		all = append(all, links...)
	}
	slices.SortFunc(all, func(a, b numbered) int { return cmp.Compare(a.n, b.n) })
	all = slices.CompactFunc(all, func(a, b numbered) bool { return a.n == b.n })
	return bareLinks(all), nil
}

// bareLinks drops the row numbers.
func bareLinks(links []numbered) []domain.Link {
	out := make([]domain.Link, len(links))
	for i := range links {
		out[i] = links[i].Link
	}
	return out
}

// forgottenFrom returns the ids of superseding contexts among links that were forgotten
// by asOf (zero means now).
func forgottenFrom(ctx context.Context, q Querier, links []domain.Link, asOf time.Time) (map[string]bool, error) {
	var from []string
	for _, l := range links {
		if l.Kind == domain.Supersedes {
			from = append(from, l.From)
		}
	}
	ids, err := collectIn(ctx, q, Scalar[string], from, func(a *Args, some []string) string {
		return `SELECT c.id FROM context_snapshots c WHERE c.id IN ` + addList(a, some) + ` AND NOT (` + keptAt(a, asOf) + `)`
	})
	return setOf(ids), err
}

// linksIn returns the links that the columns of c stand for.
func linksIn(c *domain.ContextSnapshot, at time.Time) []domain.Link {
	links := c.NamedLinks(at)
	if c.SupersededBy != "" {
		if !c.SupersededAt.IsZero() {
			at = c.SupersededAt
		}
		links = append(links, domain.NewLink(c.SupersededBy, c.ID, domain.Supersedes, at))
	}
	return links
}

// syncLinks applies a change of columns from was to c to the rows of links.
func syncLinks(ctx context.Context, q Querier, was, c *domain.ContextSnapshot, at time.Time) error {
	before, after := linksIn(was, at), linksIn(c, at)
	for _, l := range before {
		if !slices.ContainsFunc(after, sameLink(l)) {
			if _, err := endLink(ctx, q, l, at); err != nil {
				return err
			}
		}
	}
	for _, l := range after {
		if !slices.ContainsFunc(before, sameLink(l)) {
			if _, err := insertLink(ctx, q, l); err != nil {
				return err
			}
		}
	}
	return nil
}

// sameLink matches links with the same ends and kind.
func sameLink(l domain.Link) func(domain.Link) bool {
	return func(o domain.Link) bool { return o.From == l.From && o.To == l.To && o.Kind == l.Kind }
}

// insertLink adds a row and reports whether it was needed: a live link with the same
// ends and kind stays, but an explicit link replaces an automatic one.
func insertLink(ctx context.Context, q Querier, l domain.Link) (bool, error) {
	if l.AddedAt.IsZero() {
		return false, linkWithoutTime()
	}
	origins, err := Collect(ctx, q, Scalar[string], `SELECT origin FROM context_links
		WHERE from_id = $1 AND to_id = $2 AND kind = $3 AND removed_at IS NULL`, l.From, l.To, string(l.Kind))
	if err != nil {
		return false, err
	}
	if len(origins) > 0 {
		if origins[0] == string(domain.Explicit) || l.Origin == domain.Auto {
			return false, nil
		}
		if _, err := endLink(ctx, q, l, l.AddedAt); err != nil {
			return false, err
		}
	}
	return true, insertLinkRows(ctx, q, []domain.Link{l})
}

// insertAutoLink adds a row, unless there is a live link with the same ends and kind.
func insertAutoLink(ctx context.Context, q Querier, l domain.Link) error {
	if l.AddedAt.IsZero() {
		return linkWithoutTime()
	}
	return exec(ctx, q, `INSERT INTO context_links (from_id, to_id, kind, origin, confidence, reason, added_at)
		SELECT $1, $2, $3, $4, CAST($5 AS DOUBLE PRECISION), $6, $7 WHERE NOT EXISTS (SELECT 1 FROM context_links
			WHERE from_id = $1 AND to_id = $2 AND kind = $3 AND removed_at IS NULL)`,
		l.From, l.To, string(l.Kind), string(l.Origin), l.Confidence, l.Reason, domain.FormatTime(l.AddedAt))
}

func linkWithoutTime() error {
	return domain.Invalid("a link needs the time at which it was added")
}

func insertLinkRows(ctx context.Context, q Querier, links []domain.Link) error {
	rows := rowsOf(links, func(l domain.Link) []any {
		return []any{l.From, l.To, string(l.Kind), string(l.Origin), l.Confidence, l.Reason, domain.FormatTime(l.AddedAt), timeArg(l.RemovedAt)}
	})
	_, err := insertRows(ctx, q, `INSERT INTO context_links (from_id, to_id, kind, origin, confidence, reason, added_at, removed_at)`, rows, ``)
	return err
}

// endLink removes the live link with the same ends and kind and reports whether there
// was one.
func endLink(ctx context.Context, q Querier, l domain.Link, at time.Time) (bool, error) {
	return changed(q.ExecContext(ctx, `UPDATE context_links SET removed_at = $1
		WHERE from_id = $2 AND to_id = $3 AND kind = $4 AND removed_at IS NULL`,
		domain.FormatTime(at), l.From, l.To, string(l.Kind)))
}
