package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// Projects implements [repository.ContextReader].
func (r reads) Projects(ctx context.Context) ([]domain.Project, error) {
	return askAll(ctx, r, scanProject, projectsSQL)
}

// withNames lists the projects of contexts, and NULL, by skipping from name to name in
// the index.
const withNames = `WITH RECURSIVE names (name) AS (
		SELECT min(project) FROM context_snapshots
		UNION ALL
		SELECT (SELECT min(c.project) FROM context_snapshots c WHERE c.project > names.name) FROM names WHERE names.name IS NOT NULL
	)`

// projectsSQL reads only counts and the ends of index ranges for each project. The names of
// sessions are found like those of contexts.
const projectsSQL = withNames + `, recorded (name) AS (
		SELECT min(project) FROM sessions
		UNION ALL
		SELECT (SELECT min(s.project) FROM sessions s WHERE s.project > recorded.name) FROM recorded WHERE recorded.name IS NOT NULL
	), known (name) AS (
		SELECT name FROM names WHERE name IS NOT NULL UNION SELECT name FROM recorded WHERE name <> '' UNION SELECT name FROM projects
	), counted AS (
		SELECT known.name, coalesce(p.path, '') AS path, coalesce(p.claimed_at, '') AS claimed,
			(SELECT count(*) FROM context_snapshots c WHERE c.project = known.name AND c.deleted_at IS NULL) AS contexts,
			(SELECT max(c.timestamp) FROM context_snapshots c WHERE c.project = known.name AND c.deleted_at IS NULL) AS newest,
			coalesce((SELECT max(` + touched + `) FROM context_snapshots c WHERE c.project = known.name AND c.deleted_at IS NULL), '') AS used,
			coalesce((SELECT max(s.updated_at) FROM sessions s WHERE s.project = known.name AND s.deleted_at IS NULL), '') AS active
		FROM known LEFT JOIN projects p ON p.name = known.name
	)
	SELECT name, path, contexts, newest FROM counted WHERE contexts > 0 OR claimed <> '' OR active <> ''
	ORDER BY (SELECT max(at) FROM (SELECT claimed AS at UNION ALL SELECT used UNION ALL SELECT active) AS times) DESC, name`

func scanProject(rows *sql.Rows, p *domain.Project) error {
	return rows.Scan(&p.Name, &p.Path, &p.Contexts, toTime(&p.Newest))
}

// ProjectName implements [repository.ContextReader].
func (r reads) ProjectName(ctx context.Context, name string, at domain.Place, gone func(domain.Place) bool) (string, error) {
	return lookUp(ctx, r, func(q Querier) (string, error) {
		var left []string // the names whose folders are all gone here, of the paths most like this one
		alike := 0
		for try, k := name, 2; ; k++ {
			known, err := claimsOf(ctx, q, try, at.Machine)
			switch {
			case err != nil || at.Path == "" || known.belongTo(at, gone):
				return try, err
			case len(known) == 0 && left == nil:
				return try, nil
			case len(known) == 0:
				return lastUsed(ctx, q, left)
			case known.otherFolder(at, gone) == "":
				if n := known.likeness(at.Path); n > alike || left == nil {
					left, alike = []string{try}, n
				} else if n == alike {
					left = append(left, try)
				}
			}
			try = fmt.Sprintf("%s~%d", name, k)
		}
	})
}

// lastUsed returns the project that was used last, the first of those that never were.
func lastUsed(ctx context.Context, q Querier, projects []string) (last string, err error) {
	latest := ""
	for i, project := range projects {
		var used string
		err := q.QueryRowContext(ctx, `SELECT coalesce(max(at), '') FROM (
				SELECT max(`+touched+`) AS at FROM context_snapshots c WHERE c.project = $1 UNION ALL
				SELECT max(updated_at) FROM sessions WHERE project = $1
			) AS uses`, project).Scan(&used)
		if err != nil {
			return "", err
		}
		if i == 0 || used > latest {
			last, latest = project, used
		}
	}
	return last, nil
}

// ProjectAt implements [repository.ContextReader].
func (r reads) ProjectAt(ctx context.Context, at domain.Place) (string, error) {
	return lookUp(ctx, r, func(q Querier) (string, error) {
		names, err := Collect(ctx, q, func(rows *sql.Rows, name *string) error { return rows.Scan(name) },
			`SELECT project FROM (
				SELECT project, CASE WHEN machine = $2 THEN 0 ELSE 1 END AS away FROM project_folders WHERE path = $1 UNION ALL
				SELECT name, 2 FROM projects WHERE path = $1
			) AS claims ORDER BY away, project LIMIT 1`, at.Path, at.Machine)
		if err != nil || len(names) == 0 {
			return "", err
		}
		return names[0], nil
	})
}

// ClaimProject implements [repository.ContextWriter].
func (t *tx) ClaimProject(ctx context.Context, name string, at domain.Place, gone func(domain.Place) bool, when time.Time) error {
	return t.do(func(q Querier) error {
		known, err := claimsOf(ctx, q, name, at.Machine)
		switch {
		case err != nil || len(known) > 0 && at.Path == "" || known.include(at):
			return err
		case known.otherFolder(at, gone) != "":
			return domain.Conflict("the project name %q belongs to the folder %s; ask for the name to use here, or give another", name, known.otherFolder(at, gone))
		}
		err = exec(ctx, q, `INSERT INTO projects (name, path, claimed_at) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO UPDATE SET path = excluded.path`, name, at.Path, domain.FormatTime(when))
		if err != nil || at.Path == "" {
			return err
		}
		return exec(ctx, q, `INSERT INTO project_folders (project, machine, path) VALUES ($1, $2, $3)
			ON CONFLICT (project, machine) DO UPDATE SET path = excluded.path`, name, at.Machine, at.Path)
	})
}

// claims are the folders that have claimed a project's name, the last claim first.
// Machine is set only for the machine that asks: thousands of containers may have
// claimed one folder. Claims by older versions of wake name no machine.
type claims []domain.Place

func claimsOf(ctx context.Context, q Querier, name, machine string) (claims, error) {
	return Collect(ctx, q, func(rows *sql.Rows, p *domain.Place) error { return rows.Scan(&p.Machine, &p.Path) },
		`SELECT '', path FROM projects WHERE name = $1 AND path <> '' UNION ALL
		SELECT DISTINCT CASE WHEN machine = $2 THEN machine ELSE '' END, path FROM project_folders WHERE project = $1`, name, machine)
}

// include reports whether the folder itself has claimed the name.
func (c claims) include(at domain.Place) bool {
	return slices.ContainsFunc(c, func(p domain.Place) bool { return p.Machine == at.Machine && samePath(p.Path, at.Path) })
}

// belongTo reports whether the folder may use the name: it claimed it, or a folder with
// the same path on another machine did and no other folder here has it.
func (c claims) belongTo(at domain.Place, gone func(domain.Place) bool) bool {
	if c.include(at) {
		return true
	}
	return c.otherFolder(at, gone) == "" && slices.ContainsFunc(c, func(p domain.Place) bool { return samePath(p.Path, at.Path) })
}

// otherFolder returns another folder with the name that still exists here, or "".
func (c claims) otherFolder(at domain.Place, gone func(domain.Place) bool) string {
	for _, p := range c {
		if !samePath(p.Path, at.Path) && (gone == nil || !gone(p)) {
			return p.Path
		}
	}
	return ""
}

// likeness is how many folders at the end of a path are also at the end of one that claimed
// the name: so a folder above that was moved or renamed leaves each project its own name.
func (c claims) likeness(path string) (most int) {
	folders := foldersOf(path)
	for _, p := range c {
		n := 0
		for i, other := range foldersOf(p.Path) {
			if i == len(folders) || other != folders[i] {
				break
			}
			n++
		}
		most = max(most, n)
	}
	return most
}

// foldersOf lists the names in a path of any system, the last first.
func foldersOf(path string) []string {
	names := strings.FieldsFunc(path, func(r rune) bool { return r == '/' || r == '\\' })
	slices.Reverse(names)
	return names
}

// samePath ignores invalid UTF-8, whose bytes not every engine keeps.
func samePath(a, b string) bool {
	return strings.ToValidUTF8(a, "\uFFFD") == strings.ToValidUTF8(b, "\uFFFD")
}
