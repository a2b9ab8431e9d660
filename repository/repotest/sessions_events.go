package repotest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/repository"
)

// Events come back byte for byte, NUL and all; a taken place, id or key is a
// conflict (003-06, I1).
func testSessionAppend(t *testing.T, s repository.Store) {
	ctx := t.Context()
	first := anEvent(1, "grüße \x00 \u202e 日本")
	first.Key, first.Source = "u:1", domain.SourcePos{Name: "file", Pos: 2000, ID: "row", Parent: "up"}
	first.Spent = domain.Totals{TokensIn: 5, Cost: domain.Dollars(0.0123)}
	opened(t, s, first)
	list, err := s.Events(ctx, domain.EventQuery{SessionID: "s"})
	if err != nil || len(list) != 1 {
		t.Fatalf("%d events, %v", len(list), err)
	}
	first.Light = nil
	if diff := cmp.Diff(first, list[0]); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for name, change := range map[string]func(*domain.Event){
		"place": func(e *domain.Event) { e.Seq = 1 },
		"id":    func(e *domain.Event) { e.ID = "e1" },
		"key":   func(e *domain.Event) { e.Key = "u:1" },
	} {
		e := anEvent(2, "x")
		change(&e)
		err := try(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.AppendEvents(ctx, []domain.Event{e}) })
		t.Run(name, func(t *testing.T) { wantKind(t, err, domain.KindConflict) })
	}
	other := anEvent(2, "two")
	other.Key = "v:1"
	do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.AppendEvents(ctx, []domain.Event{other}) })
	want := map[domain.Key]domain.EventPlace{"u:1": {Seq: 1, Source: first.Source}}
	places, err := s.EventPlaces(ctx, "s", []domain.Key{"u:1", "u:2"})
	if diff := cmp.Diff(want, places); diff != "" || err != nil {
		t.Errorf("keys: %v %s", err, diff)
	}
	places, err = s.EventPlacesUnder(ctx, "s", []domain.Key{"a:", "u:", "u"})
	if diff := cmp.Diff(want, places); diff != "" || err != nil {
		t.Errorf("keys under a prefix: %v %s", err, diff)
	}
	for prefix, want := range map[domain.Key]int64{"u:1": 1, "v:": 2} {
		if places, err := s.EventPlacesUnder(ctx, "s", []domain.Key{prefix}); len(places) != 1 || places[prefix[:1]+":1"].Seq != want || err != nil {
			t.Errorf("under %q: %v %v", prefix, places, err)
		}
	}
	if places, err = s.EventPlacesUnder(ctx, "s", nil); len(places) > 0 || err != nil {
		t.Errorf("under no prefix: %v %v", places, err)
	}
	counted, err := s.CountKeys(ctx, "s", "u:", "u:1", "t", "v:", "")
	if diff := cmp.Diff([]int64{1, 1, 0, 1, 2}, counted); diff != "" || err != nil {
		t.Errorf("counted under prefixes: %v %s", err, diff)
	}
}

// A batch with one bad event leaves nothing (I4).
func testSessionBatch(t *testing.T, s repository.Store) {
	ctx := t.Context()
	opened(t, s, anEvent(1, "one"))
	err := try(t, s, func(ctx context.Context, tx repository.Tx) error {
		return tx.AppendEvents(ctx, []domain.Event{anEvent(2, "two"), anEvent(1, "again")})
	})
	wantKind(t, err, domain.KindConflict)
	boom := errors.New("boom")
	err = try(t, s, func(ctx context.Context, tx repository.Tx) error {
		if err := tx.AppendEvents(ctx, []domain.Event{anEvent(2, "two")}); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) {
		t.Errorf("got %v", err)
	}
	if list, err := s.Events(ctx, domain.EventQuery{SessionID: "s"}); len(list) != 1 || err != nil {
		t.Errorf("%d events are left, %v", len(list), err)
	}
}

// Questions about a log: after, until, types, people's messages, backwards, light.
func testSessionQuery(t *testing.T, s repository.Store) {
	ctx := t.Context()
	var events []domain.Event
	for seq := int64(1); seq <= 6; seq++ {
		e := anEvent(seq, strings.Repeat("x", 10))
		e.At = at(-int(seq)) // a clock that goes back changes no order (I16)
		if seq%2 == 0 {
			e.Human, e.Type = false, domain.EventNote
		}
		events = append(events, e)
	}
	opened(t, s, events...)
	for _, c := range []struct {
		name string
		q    domain.EventQuery
		want string
	}{
		{"all", domain.EventQuery{}, "123456"},
		{"after", domain.EventQuery{After: 4}, "56"},
		{"until", domain.EventQuery{Until: 2}, "12"},
		{"between, backwards", domain.EventQuery{After: 1, Until: 4, Backward: true}, "432"},
		{"limit", domain.EventQuery{Limit: 2, Backward: true}, "65"},
		{"a type", domain.EventQuery{Types: []domain.EventType{domain.EventNote}}, "246"},
		{"two types", domain.EventQuery{Types: []domain.EventType{domain.EventNote, domain.EventMessage}}, "123456"},
		{"people", domain.EventQuery{Human: true, After: 1}, "35"},
	} {
		c.q.SessionID = "s"
		list, err := s.Events(ctx, c.q)
		got := ""
		for _, e := range list {
			got += fmt.Sprint(e.Seq)
		}
		if got != c.want || err != nil {
			t.Errorf("%s: %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	found := must(s.ScanEvents(ctx, "s", 2, 5))(t)
	slices.SortFunc(found, func(a, b domain.Event) int { return int(a.Seq - b.Seq) })
	if want := must(s.Events(ctx, domain.EventQuery{SessionID: "s", After: 2, Until: 5}))(t); !cmp.Equal(found, want) {
		t.Errorf("scanned: %v, want %v", found, want)
	}
	for _, at := range []domain.SourcePos{{Name: "row without an id", Pos: 1}, {Name: "another", Pos: 2}, {Name: "later", Pos: 3, ID: "r", Parent: "up"}, {Name: "too late", Pos: 9}, {Name: "too late", Pos: 9, ID: "x"}} {
		do(t, s, func(ctx context.Context, tx repository.Tx) error { return tx.PlaceEvent(ctx, "s", 1, at) })
	}
	list, err := s.Events(ctx, domain.EventQuery{SessionID: "s", Until: 1})
	if err != nil || list[0].Source != (domain.SourcePos{Name: "later", Pos: 3, ID: "r", Parent: "up"}) || list[0].Damaged != "" {
		t.Errorf("placed: %+v, %v", list[0], err)
	}
	if other := must(s.Events(ctx, domain.EventQuery{SessionID: "s", After: 1, Until: 2}))(t)[0].Source; other != (domain.SourcePos{}) {
		t.Errorf("another event is placed at %+v", other)
	}
}

// A long payload is kept once, whole, whoever uses it; light reads do without it.
func testSessionBlobs(t *testing.T, s repository.Store) {
	ctx := t.Context()
	long := strings.Repeat("all work and no play ", 50_000)
	opened(t, s, anEvent(1, long), anEvent(2, long), anEvent(3, "short"))
	whole, err := s.Events(ctx, domain.EventQuery{SessionID: "s"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{long, long, "short"} {
		if m, err := whole[i].Message(); err != nil || m.Content != want {
			t.Errorf("event %d: %d bytes, %v, damaged %q", i+1, len(m.Content), err, whole[i].Damaged)
		}
	}
	light, err := s.Events(ctx, domain.EventQuery{SessionID: "s", Light: true})
	if err != nil || len(light[0].Payload) > 100 || light[0].Size < 1_000_000 || light[0].Damaged != "" {
		t.Errorf("light: %d bytes of %d, %v", len(light[0].Payload), light[0].Size, err)
	}
}

// Erasing leaves the place, the facts and what bare makes of the payload, and no row of
// the source; a blob that another event uses stays, and so do other blobs.
func testSessionErase(t *testing.T, s repository.Store) {
	ctx := t.Context()
	long := strings.Repeat("secret ", 10_000)
	other := strings.Repeat("public ", 10_000)
	short := anEvent(3, "secret")
	short.Key, short.Source = "u:3", domain.SourcePos{Name: "file", Pos: 7, ID: "row", Parent: "up"}
	opened(t, s, anEvent(1, long), anEvent(2, long), short, anEvent(4, other))
	erase := func(seq int64) (n int64) {
		do(t, s, func(ctx context.Context, tx repository.Tx) (err error) {
			n, err = tx.EraseEvents(ctx, domain.EventQuery{SessionID: "s", After: seq - 1, Until: seq},
				func(domain.Event) []byte { return []byte(`{"role":"user"}`) })
			return err
		})
		return n
	}
	if n := erase(1) + erase(3) + erase(1); n != 2 {
		t.Errorf("erased %d events, want 2", n)
	}
	list, err := s.Events(ctx, domain.EventQuery{SessionID: "s"})
	if err != nil || len(list) != 4 {
		t.Fatal(err)
	}
	for i, seq := range map[int]int64{0: 1, 2: 3} {
		if e := list[i]; !e.Erased || e.Damaged != "" || string(e.Payload) != `{"role":"user"}` || e.Hash != fmt.Sprint("h", seq) || e.Seq != seq {
			t.Errorf("erased: %+v", e)
		}
	}
	if e := list[2]; e.Key != short.Key || e.Source != (domain.SourcePos{Name: "file", Pos: 7}) {
		t.Errorf("its key is %q, its source %+v", e.Key, e.Source)
	}
	if m, err := list[1].Message(); err != nil || m.Content != long {
		t.Errorf("the other user of the blob lost it: %v, %q", err, list[1].Damaged)
	}
	erase(2)
	if m, err := must(s.Events(ctx, domain.EventQuery{SessionID: "s", After: 3}))(t)[0].Message(); err != nil || m.Content != other {
		t.Errorf("another blob is gone: %v", err)
	}
}
