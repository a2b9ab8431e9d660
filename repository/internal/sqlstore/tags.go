package sqlstore

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// tagRow is one row of context_tags.
type tagRow struct {
	n   int64
	tag string
}

func scanTag(rows *sql.Rows, t *tagRow) error { return rows.Scan(&t.n, &t.tag) }

// syncTags makes the live rows of context_tags equal to tags.
func syncTags(ctx context.Context, q Querier, n int64, tags []string, at time.Time) error {
	live, err := Collect(ctx, q, Scalar[string], `SELECT tag FROM context_tags WHERE context_n = $1 AND removed_at IS NULL`, n)
	if err != nil {
		return err
	}
	for _, t := range live {
		if slices.Contains(tags, t) {
			continue
		}
		err := exec(ctx, q, `UPDATE context_tags SET removed_at = $1
			WHERE context_n = $2 AND tag = $3 AND removed_at IS NULL`, domain.FormatTime(at), n, t)
		if err != nil {
			return err
		}
	}
	return addTags(ctx, q, n, without(tags, live), at)
}

func addTags(ctx context.Context, q Querier, n int64, tags []string, at time.Time) error {
	rows := rowsOf(tags, func(tag string) []any { return []any{n, tag, domain.FormatTime(at)} })
	_, err := insertRows(ctx, q, `INSERT INTO context_tags (context_n, tag, added_at)`, rows,
		`ON CONFLICT (context_n, tag, added_at) DO UPDATE SET removed_at = NULL`)
	return err
}

// without returns the strings of list that are not in drop, without repeats.
func without(list, drop []string) []string {
	seen := setOf(drop)
	out := []string{} // a context without tags has an empty list, as when it is read
	for _, s := range list {
		if !seen[s] {
			seen[s] = true
			out = append(out, s)
		}
	}
	return out
}

func setOf(list []string) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, s := range list {
		set[s] = true
	}
	return set
}

// sameSet reports whether two lists hold the same strings.
func sameSet(a, b []string) bool {
	a, b = slices.Clone(a), slices.Clone(b)
	slices.Sort(a)
	slices.Sort(b)
	return strings.Join(a, "\x00") == strings.Join(b, "\x00")
}
