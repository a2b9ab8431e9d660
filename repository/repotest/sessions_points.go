package repotest

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

// Only the latest snapshot is kept, and an older one never replaces it, but another of
// the same event does (003-04, 003-07, 003-08, 003-15, I13).
func testSessionSnapshot(t *testing.T, s repository.Store) {
	ctx := t.Context()
	opened(t, s)
	_, err := s.StateSnapshot(ctx, "s")
	wantKind(t, err, domain.KindNotFound)
	put := func(seq int64, text string) {
		do(t, s, func(ctx context.Context, tx repository.Tx) error {
			return tx.PutStateSnapshot(ctx, domain.StateSnapshot{SessionID: "s", Seq: seq, Version: len(text), State: []byte(text), Checksum: text, CreatedAt: at(int(seq))})
		})
	}
	put(100, "a")
	put(200, "b")
	put(200, "b")
	put(100, "a")
	got, err := s.StateSnapshot(ctx, "s")
	want := domain.StateSnapshot{SessionID: "s", Seq: 200, Version: 1, State: []byte("b"), Checksum: "b", CreatedAt: at(200), Taken: 2}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
	put(200, "of another wake")
	want = domain.StateSnapshot{SessionID: "s", Seq: 200, Version: 15, State: []byte("of another wake"), Checksum: "of another wake", CreatedAt: at(200), Taken: 3}
	got, err = s.StateSnapshot(ctx, "s")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v -want +got:\n%s", err, diff)
	}
}

// Checkpoints of a session come by place in the log, those of all by time, filtered, page
// by page (000-23).
func testSessionCheckpoints(t *testing.T, s repository.Store) {
	ctx := t.Context()
	opened(t, s)
	list := []domain.Checkpoint{}
	for i, trigger := range []domain.Trigger{domain.TriggerManual, domain.TriggerThreshold, domain.TriggerManual, domain.TriggerPreRestore} {
		list = append(list, domain.Checkpoint{ID: fmt.Sprint("c", i), SessionID: "s", Seq: int64(10 * i), Epoch: 1, Class: trigger.Class(),
			Trigger: trigger, CreatedAt: at(-i), Manifest: domain.Manifest{TokenCount: int64(100 * i)}, StateHash: "h", Size: 7})
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		for _, c := range list {
			if err := tx.PutCheckpoint(ctx, c); err != nil {
				return err
			}
		}
		return nil
	})
	position := func(i int) *domain.Position {
		return &domain.Position{N: list[i].Seq, Key: domain.FormatTime(list[i].CreatedAt) + " " + list[i].ID}
	}
	const all = "all"
	for _, c := range []struct {
		name string
		q    domain.CheckpointQuery
		want string
	}{
		{"of all sessions", domain.CheckpointQuery{SessionID: all}, "z1c0c1c2c3"},
		{"next page of all", domain.CheckpointQuery{SessionID: all, After: position(1)}, "c2c3"},
		{"by place, clocks going back", domain.CheckpointQuery{}, "c3c2c1c0"},
		{"oldest first", domain.CheckpointQuery{OldestFirst: true, Limit: 2}, "c0c1"},
		{"trigger", domain.CheckpointQuery{Trigger: domain.TriggerManual}, "c2c0"},
		{"class", domain.CheckpointQuery{Class: domain.ClassAutomatic}, "c1"},
		{"strictly after and before", domain.CheckpointQuery{Since: at(-3), Until: at(0)}, "c2c1"},
		{"more than, less than", domain.CheckpointQuery{MinTokens: 100, MaxTokens: 300}, "c2"},
		{"next page", domain.CheckpointQuery{After: position(2)}, "c1c0"},
		{"next page, oldest first", domain.CheckpointQuery{After: position(2), OldestFirst: true}, "c3"},
	} {
		c.q.SessionID = map[string]string{"": "s", all: ""}[c.q.SessionID]
		found, err := s.Checkpoints(ctx, c.q)
		got := ""
		for _, f := range found {
			got += f.ID
		}
		if got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	changed := list[1]
	changed.Pinned, changed.DeletedAt = true, at(5)
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.PutCheckpoint(ctx, changed) })
	if got, err := s.Checkpoint(ctx, "c1"); err != nil || cmp.Diff(changed, got) != "" {
		t.Errorf("changed: %v %s", err, cmp.Diff(changed, got))
	}
	if found, err := s.Checkpoints(ctx, domain.CheckpointQuery{SessionID: "s"}); len(found) != 3 || err != nil {
		t.Errorf("%d without the deleted one, %v", len(found), err)
	}
	if found, err := s.Checkpoints(ctx, domain.CheckpointQuery{Deleted: true, DeletedBefore: at(6)}); len(found) != 1 || err != nil {
		t.Errorf("%d deleted ones, %v", len(found), err)
	}
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.DropCheckpoints(ctx, []string{"c1", "c9"})
	})
	if got := must(s.CheckpointIDsUnder(ctx, "c2", 5))(t); !cmp.Equal(got, []string{"c2"}) {
		t.Errorf("ids that begin with c2: %q", got)
	}
	_, err := s.Checkpoint(ctx, "c1")
	wantKind(t, err, domain.KindNotFound)
}

// Hand-offs are kept without the texts of their messages, and go when told (I8).
func testSessionHandoffs(t *testing.T, s repository.Store) {
	ctx := t.Context()
	opened(t, s)
	h := domain.Handoff{ID: "h1", SessionID: "s", Seq: 3, FromMode: "code", ToMode: "debug", CreatedAt: at(0), ExpiresAt: at(60),
		MessageSeqs: []int64{1, 2}, Skills: []string{"go"}, Findings: map[string]domain.ModeFindings{"debug": {RootCause: "nil"}}}
	second, other := h, h
	second.ID, second.ToMode, second.CreatedAt, second.ExpiresAt = "h2", "plan", at(1), at(1000)
	other.ID, other.SessionID, other.ToMode, other.CreatedAt, other.ExpiresAt = "z1", neighbourID, "ask", at(-1), at(62)
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		withText := h
		withText.Messages = []domain.HandoffMessage{{Seq: 1, Content: "not kept twice"}}
		if err := tx.PutHandoff(ctx, withText); err != nil {
			return err
		}
		soon := second // put again with another end
		soon.ExpiresAt = at(2)
		return errors.Join(tx.PutHandoff(ctx, soon), tx.PutHandoff(ctx, second), tx.PutHandoff(ctx, other))
	})
	if got, err := s.Handoff(ctx, "h1"); err != nil || cmp.Diff(h, got) != "" {
		t.Errorf("%v %s", err, cmp.Diff(h, got))
	}
	listed := func(q domain.HandoffQuery, want string) {
		t.Helper()
		got := ""
		for _, h := range must(s.Handoffs(ctx, q))(t) {
			got += h.ID
		}
		if got != want {
			t.Errorf("%+v lists %q, want %q", q, got, want)
		}
	}
	listed(domain.HandoffQuery{}, "h2h1z1")
	listed(domain.HandoffQuery{Limit: 2}, "h2h1")
	listed(domain.HandoffQuery{SessionID: "s"}, "h2h1")
	listed(domain.HandoffQuery{ToMode: "debug"}, "h1")
	listed(domain.HandoffQuery{AliveAt: at(60)}, "h2z1")
	do(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.DropHandoffs(ctx, at(62))
	})
	_, err := s.Handoff(ctx, "h1")
	wantKind(t, err, domain.KindNotFound)
	listed(domain.HandoffQuery{}, "h2z1")
}
