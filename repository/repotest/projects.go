package repotest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testProjects(t *testing.T, s repository.Store) {
	a, b, gone, second, goneOfB, used := sample(1), sample(2), sample(3), sample(4), sample(5), sample(6)
	b.Project, gone.Project, second.Project, goneOfB.Project, used.Project = "b", "gone", "b", "b", "used"
	goneOfB.Memory.LastAccessed = at(99)
	used.Memory.LastAccessed = at(50)
	save(t, s, a, b, gone, second, goneOfB, used)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.ForgetContexts(ctx, []string{gone.ID, goneOfB.ID}, at(7)); err != nil {
			return err
		}
		if err := tx.RecordAccesses(ctx, []domain.Access{{ContextID: a.ID, At: at(60), How: domain.Used}}); err != nil {
			return err
		}
		for project, active := range map[string]int{"b": 52, "recorded": 55, "forgotten": 70} {
			v := aSession(project)
			v.Project, v.UpdatedAt = project, at(active)
			if project == "forgotten" {
				v.Status, v.DeletedAt = domain.SessionForgotten, at(71)
			}
			if err := tx.OpenSession(ctx, v); err != nil {
				return err
			}
		}
		return tx.ClaimProject(ctx, "claimed", domain.Place{Path: "/src/claimed"}, nil, at(4))
	})
	want := []domain.Project{
		{Name: "wake", Contexts: 1, Newest: at(1)},
		{Name: "recorded"},
		{Name: "b", Contexts: 2, Newest: at(4)},
		{Name: "used", Contexts: 1, Newest: at(6)},
		{Name: "claimed", Path: "/src/claimed"},
	}
	if diff := cmp.Diff(want, must(s.Projects(t.Context()))(t)); diff != "" {
		t.Error(diff)
	}
}

// Machines share a project, each with a folder of its own, and none takes another's name
// away: there it is not gone.
func testProjectMachines(t *testing.T, s repository.Store) {
	ann := []string{"/ann/acme/api", "/ann/beta/api"}
	bob := []string{"/bob/acme/api", "/bob/beta/api"}
	folders := map[string][]string{"ann": ann, "bob": bob, "twin": ann, "new": {"/ann/beta/api", "/new/api"}}
	for i, step := range []struct{ machine, path, want string }{
		{"ann", ann[0], "api"}, {"bob", bob[0], "api"}, {"ann", ann[1], "api~2"}, {"ann", ann[0], "api"}, {"bob", bob[1], "api~2"},
		{"ann", ann[1], "api~2"}, {"ann", ann[0], "api"}, {"bob", bob[0], "api"},
		{"twin", ann[1], "api~2"}, {"twin", ann[0], "api"}, {"new", ann[1], "api~2"}, {"new", "/new/api", "api"},
	} {
		gone := func(p domain.Place) bool { return !slices.Contains(folders[step.machine], p.Path) }
		place := domain.Place{Machine: step.machine, Path: step.path}
		name := must(s.ProjectName(t.Context(), "api", place, gone))(t)
		if name != step.want {
			t.Errorf("%d: on %s's machine %s is named %s, want %s", i, step.machine, step.path, name, step.want)
		}
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			return tx.ClaimProject(ctx, name, place, gone, at(i))
		})
	}
	for machine, want := range map[string]string{"ann": "api~2", "new": "api~2", "bob": "web"} {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			return tx.ClaimProject(ctx, "web", domain.Place{Machine: "bob", Path: ann[1]}, nil, at(20))
		})
		if got := must(s.ProjectAt(t.Context(), domain.Place{Machine: machine, Path: ann[1]}))(t); got != want {
			t.Errorf("%s's project at %s is %s, want %s", machine, ann[1], got, want)
		}
	}
	// Of the containers that there were, all with one folder, no more is read than of one.
	for i := range 30 {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			return tx.ClaimProject(ctx, "site", domain.Place{Machine: fmt.Sprint("ci-", i), Path: "/builds/site"}, nil, at(i))
		})
	}
	asked := 0
	notHere := func(domain.Place) bool { asked++; return true }
	name := must(s.ProjectName(t.Context(), "site", domain.Place{Machine: "ann", Path: "/ann/site"}, notHere))(t)
	if name != "site" || asked > 4 {
		t.Errorf("named %s after %d looks at one folder", name, asked)
	}
}

// Where a folder was moved with several projects of one name in it, each keeps its own,
// whichever comes first.
func testProjectMoved(t *testing.T, s repository.Store) {
	gone := func(p domain.Place) bool { return !strings.HasPrefix(p.Path, "/home/anna/") }
	for _, step := range []struct{ path, want string }{
		{"/home/ann/play/shop", "shop"}, {"/home/ann/job/shop", "shop~2"}, {`C:\Users\ann\old\shop`, "shop~3"},
		{"/home/anna/job/shop", "shop~2"}, {"/home/anna/new/old/shop", "shop~3"}, {"/home/anna/play/shop", "shop"}, {"/home/anna/shop", "shop~4"},
	} {
		there, place := gone, domain.Place{Path: step.path}
		if gone(place) { // it is still before the move
			there = nil
		}
		name := must(s.ProjectName(t.Context(), "shop", place, there))(t)
		if name != step.want {
			t.Errorf("%s is named %s, want %s", step.path, name, step.want)
		}
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			return tx.ClaimProject(ctx, name, place, there, at(1))
		})
	}
}

// Of several that are gone and end alike, the one that was used last was moved, and the others
// had been deleted before.
func testProjectUsedLast(t *testing.T, s repository.Store) {
	for i, path := range []string{"/done/api", "/job/api", "/tried/api"} {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			name, err := tx.ProjectName(ctx, "api", domain.Place{Path: path}, nil)
			if err != nil {
				return err
			}
			c := sample(i + 1)
			c.Project = name
			if err := Insert(ctx, tx, c); err != nil {
				return err
			}
			return tx.ClaimProject(ctx, name, domain.Place{Path: path}, nil, at(i))
		})
	}
	gone := func(domain.Place) bool { return true }
	for i, used := range []string{"api~3", "api~2", "api"} {
		if i > 0 {
			session := aSession(used)
			session.Project, session.UpdatedAt = used, at(60+i)
			do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.OpenSession(ctx, session) })
		}
		if got := must(s.ProjectName(t.Context(), "api", domain.Place{Path: "/new/api"}, gone))(t); got != used {
			t.Errorf("the folder is named %s, want %s", got, used)
		}
	}
}

// A second folder of the same name gets name~2; a name without a folder yet is
// taken by the first that comes, the name of a folder that was moved by the one that
// has no name yet.
func testProjectName(t *testing.T, s repository.Store) {
	var moved []string
	gone := func(p domain.Place) bool { return slices.Contains(moved, p.Path) }
	name := func(path string) string {
		return must(s.ProjectName(t.Context(), "api", domain.Place{Path: path}, gone))(t)
	}
	claim := func(name, path string) error {
		return try(t, s, func(ctx context.Context, tx repository.Tx) error {
			return tx.ClaimProject(ctx, name, domain.Place{Path: path}, gone, at(1))
		})
	}
	for _, step := range []struct{ path, want string }{
		{"", "api"}, {"/a/api", "api"}, {"/b/api", "api~2"}, {"/c/api", "api~3"}, {"/b/api", "api~2"}, {"/a/api", "api"}, {"", "api"},
	} {
		if got := name(step.path); got != step.want {
			t.Errorf("the folder %q is named %s, want %s", step.path, got, step.want)
		}
		if err := claim(name(step.path), step.path); err != nil {
			t.Error(err)
		}
	}
	wantKind(t, claim("api", "/d/api"), domain.KindConflict)
	for path, want := range map[string]string{"/b/api": "api~2", "/d/api": ""} {
		for _, machine := range []string{"", "new"} {
			if got := must(s.ProjectAt(t.Context(), domain.Place{Machine: machine, Path: path}))(t); got != want {
				t.Errorf("the project that is known to be at %s is %q, want %q", path, got, want)
			}
		}
	}
	moved = []string{"/a/api"}
	for _, step := range []struct{ path, want string }{{"/b/api", "api~2"}, {"/d/api", "api"}, {"/d/api", "api"}, {"/e/api", "api~4"}} {
		if got := name(step.path); got != step.want {
			t.Errorf("once one was moved, the folder %q is named %s, want %s", step.path, got, step.want)
		}
		if err := claim(name(step.path), step.path); err != nil {
			t.Error(err)
		}
	}
}
