package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"time"

	"wake/domain"
)

// Projects implements [repository.ContextReader].
func (r reads) Projects(ctx context.Context) ([]domain.Project, error) {
	return ask(ctx, r, func(q Querier) ([]domain.Project, error) {
		return Collect(ctx, q, scanProject, projectsSQL)
	})
}

// withNames lists the projects of contexts, and NULL: it hops from name to name over
// the index.
const withNames = `WITH RECURSIVE names (name) AS (
		SELECT min(project) FROM context_snapshots
		UNION ALL
		SELECT (SELECT min(c.project) FROM context_snapshots c WHERE c.project > names.name) FROM names WHERE names.name IS NOT NULL
	)`

// projectsSQL reads of each project no more than the count and both ends of its indexes.
const projectsSQL = withNames + `, known (name) AS (
		SELECT name FROM names WHERE name IS NOT NULL UNION SELECT name FROM projects
	), counted AS (
		SELECT known.name, coalesce(p.path, '') AS path, coalesce(p.claimed_at, '') AS claimed,
			(SELECT count(*) FROM context_snapshots c WHERE c.project = known.name AND c.deleted_at IS NULL) AS contexts,
			(SELECT max(c.timestamp) FROM context_snapshots c WHERE c.project = known.name AND c.deleted_at IS NULL) AS newest,
			coalesce((SELECT max(` + touched + `) FROM context_snapshots c WHERE c.project = known.name AND c.deleted_at IS NULL), '') AS used
		FROM known LEFT JOIN projects p ON p.name = known.name
	)
	SELECT name, path, contexts, newest FROM counted WHERE contexts > 0 OR claimed <> ''
	ORDER BY CASE WHEN claimed > used THEN claimed ELSE used END DESC, name`

func scanProject(rows *sql.Rows, p *domain.Project) error {
	return rows.Scan(&p.Name, &p.Path, &p.Contexts, toTime(&p.Newest))
}

// ProjectName implements [repository.ContextReader].
func (r reads) ProjectName(ctx context.Context, name, path string, gone func(path string) bool) (string, error) {
	return ask(ctx, r, func(q Querier) (string, error) {
		left := "" // the first name whose folder is gone
		for try, k := name, 2; ; k++ {
			taken, err := pathOf(ctx, q, try)
			switch {
			case err != nil || path == "" || samePath(taken, path):
				return try, err
			case taken == "":
				return cmp.Or(left, try), nil
			case left == "" && gone != nil && gone(taken):
				left = try
			}
			try = fmt.Sprintf("%s~%d", name, k)
		}
	})
}

// samePath compares as text: not every engine keeps the bytes of a path that is none.
func samePath(a, b string) bool {
	return strings.ToValidUTF8(a, "\uFFFD") == strings.ToValidUTF8(b, "\uFFFD")
}

// pathOf returns the folder that claimed a project name, "" when none did.
func pathOf(ctx context.Context, q Querier, name string) (string, error) {
	return first(ctx, q, Scalar[string], `SELECT path FROM projects WHERE name = $1`, name)
}

// ClaimProject implements [repository.ContextWriter].
func (t *tx) ClaimProject(ctx context.Context, name, path string, gone func(path string) bool, at time.Time) error {
	return t.do(func(q Querier) error {
		taken, err := pathOf(ctx, q, name)
		if err != nil {
			return err
		}
		if taken != "" && (path == "" || samePath(taken, path)) {
			return nil
		}
		if taken != "" && (gone == nil || !gone(taken)) {
			return domain.Conflict("the project name %q belongs to the folder %s; ask for the name to use here, or give another", name, taken)
		}
		_, err = q.ExecContext(ctx, `INSERT INTO projects (name, path, claimed_at) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO UPDATE SET path = excluded.path`, name, path, domain.FormatTime(at))
		return err
	})
}
