package repotest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

func testSessions(t *testing.T, fresh Fresh) {
	run(t, fresh, map[string]func(*testing.T, repository.Store){
		"OpenAndFind":   apart(testSessionOpen),
		"List":          testSessionList,
		"Append":        apart(testSessionAppend),
		"AllOrNothing":  apart(testSessionBatch),
		"Query":         apart(testSessionQuery),
		"Blobs":         apart(testSessionBlobs),
		"Erase":         apart(testSessionErase),
		"Snapshot":      apart(testSessionSnapshot),
		"Checkpoints":   apart(testSessionCheckpoints),
		"Handoffs":      apart(testSessionHandoffs),
		"Projections":   apart(testSessionProjections),
		"Bookkeeping":   apart(testSessionBookkeeping),
		"DropForgotten": apart(testSessionDrop),
	})
	t.Run("Race", func(t *testing.T) { testSessionRace(t, fresh(t)) })
}

// aSession is a session with that id, as it was opened.
func aSession(id string) domain.Session {
	return domain.Session{ID: id, Project: "demo", Client: "claude-code", ClientSessionID: "c-" + id, OriginID: id,
		Status: domain.SessionActive, StartedAt: start, UpdatedAt: start, Epoch: 1, Totals: domain.Totals{AgentsRun: 1}}
}

// anEvent is a message at a place of session s.
func anEvent(seq int64, text string) domain.Event {
	payload := fmt.Sprintf(`{"role":"user","content":%q}`, text)
	return domain.Event{SessionID: "s", Seq: seq, ID: fmt.Sprintf("e%d", seq), Type: domain.EventMessage, At: at(int(seq)), RecordedAt: at(0),
		Payload: []byte(payload), Light: []byte(`{"role":"user"}`),
		Facts: domain.Facts{Turn: seq, Role: domain.RoleUser, Human: true, Tokens: 3, Hash: "h" + fmt.Sprint(seq), Size: int64(len(payload))}}
}

// opened stores session s with events.
func opened(t testing.TB, s repository.Store, events ...domain.Event) {
	t.Helper()
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.OpenSession(ctx, aSession("s")); err != nil {
			return err
		}
		return tx.AppendEvents(ctx, events)
	})
}

// A session comes back as it was kept; its id and its client's id are taken.
func testSessionOpen(t *testing.T, s repository.Store) {
	ctx := t.Context()
	opened(t, s)
	want := aSession("s")
	got, err := s.Session(ctx, "s")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v, -want +got:\n%s", err, diff)
	}
	if got, err := s.SessionByClient(ctx, "claude-code", "c-s"); err != nil || got.ID != "s" {
		t.Errorf("by client: %v, %v", got.ID, err)
	}
	if got := must(s.SessionIDsUnder(ctx, "s", 5))(t); !cmp.Equal(got, []string{"s"}) {
		t.Errorf("ids that begin with s: %q", got)
	}
	if got := must(s.SessionIDsUnder(ctx, "s1", 5))(t); len(got) > 0 {
		t.Errorf("ids that begin with s1: %q", got)
	}
	_, err = s.Session(ctx, "nobody")
	wantKind(t, err, domain.KindNotFound)
	_, err = s.SessionByClient(ctx, "claude-code", "nobody")
	wantKind(t, err, domain.KindNotFound)
	twin := aSession("s2")
	twin.ClientSessionID = "c-s"
	for _, taken := range []domain.Session{want, twin} {
		err := try(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.OpenSession(ctx, taken) })
		wantKind(t, err, domain.KindConflict)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		held, err := tx.Session(ctx, "s")
		if err != nil {
			return err
		}
		no := false
		held.Title, held.LastSeq, held.Success, held.Attributes = "renamed", 7, &no, map[string]string{"branch": "main"}
		want = held
		return tx.SaveSession(ctx, held)
	})
	if got, err := s.Session(ctx, "s"); err != nil || cmp.Diff(want, got) != "" {
		t.Errorf("saved: %v, %s", err, cmp.Diff(want, got))
	}
	// Two sessions without a client's id do not clash.
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		for _, id := range []string{"x", "y"} {
			v := aSession(id)
			v.ClientSessionID = ""
			if err := tx.OpenSession(ctx, v); err != nil {
				return err
			}
		}
		return nil
	})
}

// Lists are newest first, filtered, and go on behind a position.
func testSessionList(t *testing.T, s repository.Store) {
	ctx := t.Context()
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		for i, id := range []string{"a", "c", "b", "d"} {
			v := aSession(id)
			v.UpdatedAt = at(i)
			switch id {
			case "b":
				v.Project, v.ParentID = "other", "a"
			case "c":
				v.Status, v.AgentID, v.Client = domain.SessionEnded, "agent", "codex"
				v.Title, v.Attributes = `{"recorded_by":"eve@desk"}`, map[string]string{"cwd": "/c", domain.RecordedBy: `a_n@<"lap%top">`}
			case "d":
				v.Status, v.DeletedAt = domain.SessionForgotten, at(9)
			}
			if err := tx.OpenSession(ctx, v); err != nil {
				return err
			}
		}
		return nil
	})
	for _, c := range []struct {
		name string
		q    domain.SessionQuery
		want string
	}{
		{"all live ones", domain.SessionQuery{}, "bca"},
		{"forgotten ones too", domain.SessionQuery{Forgotten: true}, "dbca"},
		{"only forgotten ones", domain.SessionQuery{Status: domain.SessionForgotten}, "d"},
		{"of a project", domain.SessionQuery{Project: "demo"}, "ca"},
		{"of a client", domain.SessionQuery{Client: "codex"}, "c"},
		{"of an agent", domain.SessionQuery{AgentID: "agent"}, "c"},
		{"children", domain.SessionQuery{ParentID: "a"}, "b"},
		{"no children", domain.SessionQuery{OwnStart: true}, "ca"},
		{"active", domain.SessionQuery{Status: domain.SessionActive}, "ba"},
		{"active when they count", domain.SessionQuery{Status: domain.SessionActive, StatusAt: at(0).Add(domain.LeftAfter)}, "ba"},
		{"left by then", domain.SessionQuery{Status: domain.SessionActive, StatusAt: at(1).Add(domain.LeftAfter)}, "b"},
		{"ended or left by then", domain.SessionQuery{Status: domain.SessionEnded, StatusAt: at(1).Add(domain.LeftAfter)}, "ca"},
		{"forgotten by then", domain.SessionQuery{Status: domain.SessionForgotten, StatusAt: at(99).Add(domain.LeftAfter)}, "d"},
		{"since, until", domain.SessionQuery{Since: at(1), Until: at(2)}, "c"},
		{"of a person", domain.SessionQuery{RecordedBy: `a_n@<"lap%top">`}, "c"},
		{"of nobody", domain.SessionQuery{RecordedBy: `axn@<"lap-top">`}, ""},
		{"of whom a title names", domain.SessionQuery{RecordedBy: "eve@desk"}, ""},
		{"first page", domain.SessionQuery{Limit: 2}, "bc"},
		{"next page", domain.SessionQuery{After: &domain.Position{Key: domain.FormatTime(at(1)) + " c"}}, "a"},
	} {
		list, err := s.Sessions(ctx, c.q)
		got := ""
		for _, v := range list {
			got += v.ID
		}
		if got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	moved := aSession("a")
	moved.Project, moved.AgentID, moved.ParentID, moved.Status, moved.UpdatedAt = "moved", "agent", "b", domain.SessionEnded, at(50)
	asMoved := domain.SessionQuery{Project: "moved", AgentID: "agent", ParentID: "b", Status: domain.SessionEnded, Since: at(50)}
	save := func() {
		do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.SaveSession(ctx, moved) })
	}
	save()
	if got := must(s.Sessions(ctx, asMoved))(t); len(got) != 1 || got[0].ID != "a" {
		t.Errorf("by what was saved: %+v", got)
	}
	moved.DeletedAt = at(60)
	save()
	if got := must(s.Sessions(ctx, domain.SessionQuery{Project: "moved"}))(t); len(got) != 0 {
		t.Errorf("saved as forgotten, but listed: %+v", got)
	}
}

// Writers of several stores on one database append to one session: no place is
// given twice and none is left out (I4, 003-15).
func testSessionRace(t *testing.T, open Open) {
	stores := []repository.Store{open(), open()}
	const writers, each = 8, 25
	opened(t, stores[0])
	together(writers, func(w int) {
		for n := range each {
			if err := raceAppend(t.Context(), stores[w%2], fmt.Sprintf("%d-%d", w, n)); err != nil {
				t.Errorf("append: %v", err)
				return
			}
		}
	})
	list, err := stores[0].Events(t.Context(), domain.EventQuery{SessionID: "s", Light: true})
	if err != nil || len(list) != writers*each {
		t.Fatalf("%d events, %v", len(list), err)
	}
	for i, e := range list {
		if e.Seq != int64(i+1) {
			t.Fatalf("event %d has place %d", i+1, e.Seq)
		}
	}
}

// raceAppend appends one event behind the last one.
func raceAppend(ctx context.Context, s repository.Store, id string) error {
	return s.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		held, err := tx.Session(ctx, "s")
		if err != nil {
			return err
		}
		e := anEvent(held.LastSeq+1, id)
		e.ID, e.At = id, start.Add(time.Duration(len(id)))
		held.LastSeq++
		if err := tx.AppendEvents(ctx, []domain.Event{e}); err != nil {
			return err
		}
		return tx.SaveSession(ctx, held)
	})
}
