package memory_test

import (
	"database/sql"
	"fmt"
	"slices"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to damage a database behind the product's back

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// damage runs a statement on the file of a service, as a disk fault or a tool of
// somebody else would.
func damage(t testing.TB, s *memory.Service, statement string, args ...any) {
	t.Helper()
	info, err := s.Store.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", "file:"+info.Address+"?_pragma=busy_timeout(5000)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statement, args...); err != nil {
		t.Fatal(err)
	}
}

// longSession is a session with a snapshot, a cache and a blob.
func longSession(t testing.TB, s *memory.Service) memory.SessionRef {
	t.Helper()
	long := strings.Repeat("a long message that becomes a blob ", 400)
	ref := byID(record(t, s, claude, user("first"), user(long), `{"type":"goal","id":"g","text":"stay"}`).SessionID)
	for i := range 60 {
		record(t, s, ref, user(fmt.Sprint("question ", i)), assistant(fmt.Sprint("answer ", i)))
	}
	return ref
}

// I10, I11, 001-21, 003-14, 004-17: whatever is flipped, cut, deleted or of another
// version, what is whole comes back, there is one alert, and nothing panics.
func TestDamage(t *testing.T) {
	for _, c := range []struct {
		name, statement string
		source          memory.ResumeSource
		alert           string
		lost            int // messages of the user that cannot be read
	}{
		{"snapshot flipped", `UPDATE state_snapshots SET state = replace(state, 'stay', 'slay')`, memory.FromCache, "snapshot_damaged", 0},
		{"snapshot cut", `UPDATE state_snapshots SET state = substr(state, 1, 40)`, memory.FromCache, "snapshot_damaged", 0},
		{"snapshot of another version", `UPDATE state_snapshots SET version = 99`, memory.FromCache, "snapshot_damaged", 0},
		{"snapshot gone", `DELETE FROM state_snapshots`, memory.FromCache, "snapshot_missing", 0},
		{"cache flipped", `UPDATE working_contexts SET payload = replace(payload, 'answer', 'ansver')`, memory.FromSnapshot, "cache_damaged", 0},
		{"cache cut", `UPDATE working_contexts SET payload = substr(payload, 1, 100)`, memory.FromSnapshot, "cache_damaged", 0},
		{"cache of a newer schema", `UPDATE working_contexts SET payload = replace(payload, '"schema_version":1', '"schema_version":2')`, memory.FromSnapshot, "cache_damaged", 0},
		{"cache gone", `DELETE FROM working_contexts`, memory.FromSnapshot, "", 0},
		{"blob flipped", `UPDATE blobs SET data = CAST(substr(data, 1, 20) || x'00ff' || substr(data, 23) AS BLOB)`, memory.FromCache, "event_damaged", 1},
		{"blob cut", `UPDATE blobs SET data = substr(data, 1, 30)`, memory.FromCache, "event_damaged", 1},
		{"blob gone", `DELETE FROM blobs`, memory.FromCache, "event_damaged", 1},
		{"event flipped", `UPDATE events SET payload = CAST(replace(payload, 'first', 'f1rst') AS BLOB) WHERE seq = 1`, memory.FromCache, "event_damaged", 1},
		{"event cut", `UPDATE events SET payload = substr(payload, 1, 10) WHERE seq = 1`, memory.FromCache, "event_damaged", 1},
		{"event with a broken time", `UPDATE events SET at = 'yesterday' WHERE seq = 1`, memory.FromCache, "event_damaged", 1},
		{"event gone", `DELETE FROM events WHERE seq = 1`, memory.FromCache, "", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			ref := longSession(t, s)
			whole := resume(t, s, memory.ResumeRequest{Ref: ref})
			damage(t, s, c.statement)
			for range 2 {
				a := resume(t, s, memory.ResumeRequest{Ref: ref})
				if a.Source != c.source || len(a.Messages) < len(whole.Messages)-2 || a.LastSeq != whole.LastSeq {
					t.Errorf("from %s with %d messages of %d", a.Source, len(a.Messages), len(whole.Messages))
				}
			}
			told, err := s.RestoreText(ctx, ref.SessionID, 0, 8000)
			if named := strings.Contains(told, "Note: "+c.alert); err != nil || strings.HasPrefix(c.alert, "snapshot") && (!named || !strings.Contains(told, "Source: the whole log of events")) {
				t.Errorf("a hook tells %v:\n%s", err, told)
			}
			readable := 0
			for range 2 {
				users, err := s.UserMessages(ctx, ref.SessionID, 0)
				if err != nil {
					t.Fatal(err)
				}
				readable = 0
				for _, u := range users {
					if !strings.HasPrefix(u.Content, "[event ") {
						readable++
					}
				}
			}
			if readable != 62-c.lost {
				t.Errorf("%d messages are readable", readable)
			}
			alerts, err := s.Store.Alerts(ctx, ref.SessionID)
			if err != nil || c.alert != "" && (len(alerts) != 1 || alerts[0].Kind != c.alert) || c.alert == "" && len(alerts) != 0 {
				t.Errorf("alerts %+v, %v", alerts, err)
			}
			if a, err := s.Verify(ctx, ref.SessionID, nil); err != nil || len(a.Problems) == 0 && c.name != "cache gone" {
				t.Errorf("verify sees nothing: %+v, %v", a, err)
			}
			if a, err := s.Verify(ctx, ref.SessionID, nil); err == nil {
				for _, p := range a.Problems {
					if p.Remedy == "" {
						t.Errorf("no remedy for %+v", p)
					}
				}
			}
			// The session goes on.
			if a := record(t, s, ref, user("still here")); a.LastSeq != whole.LastSeq+1 {
				t.Errorf("the next event is %d", a.LastSeq)
			}
		})
	}
}

// I10: with the first hundred events flipped one by one, the rest folds to the
// same messages, and each lost event has its own alert. Events that are gone have one together.
func TestDamagedEventsAreWorkedAround(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := longSession(t, s)
	damage(t, s, `UPDATE events SET tokens = tokens + 1 WHERE seq IN (5, 6, 40)`)
	damage(t, s, `DELETE FROM events WHERE seq IN (20, 21)`)
	damage(t, s, `DELETE FROM state_snapshots`)
	damage(t, s, `DELETE FROM working_contexts`)
	a := resume(t, s, memory.ResumeRequest{Ref: ref, TokenBudget: 100_000})
	if a.Source != memory.FromReplay || len(a.Messages) != 120 {
		t.Errorf("from %s with %d messages", a.Source, len(a.Messages))
	}
	alerts, err := s.Store.Alerts(ctx, ref.SessionID)
	if err != nil || len(alerts) != 5 { // three events, a hole and the snapshot
		t.Errorf("alerts %+v, %v", alerts, err)
	}
	hole := func(a domain.Alert) bool { return a.Kind == "events_missing" && a.Subject == "20-21" }
	if !slices.ContainsFunc(alerts, hole) {
		t.Errorf("the hole in the log is not told: %+v", alerts)
	}
}

// A checkpoint before damaged events can still be restored, and says that the log
// folds to another state now.
func TestRestoreOverDamage(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := longSession(t, s)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	damage(t, s, `UPDATE events SET payload = 'x' WHERE seq = 4`)
	damage(t, s, `DELETE FROM state_snapshots`)
	back := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
	if len(back.Restored.Messages) < 100 {
		t.Errorf("%d messages", len(back.Restored.Messages))
	}
	alerts, err := s.Store.Alerts(ctx, ref.SessionID)
	kinds := map[string]bool{}
	for _, a := range alerts {
		kinds[a.Kind] = true
	}
	if err != nil || !kinds["checkpoint_differs"] || !kinds["event_damaged"] {
		t.Errorf("alerts %+v, %v", alerts, err)
	}
}

// The damage in a session is told once, however often the answer is made anew to fit.
func TestDamageToldOnce(t *testing.T) {
	s, _ := memorytest.Open(t)
	ref := longSession(t, s)
	record(t, s, ref, user(strings.Repeat("a long message that becomes a blob ", 401)), assistant("answered"))
	damage(t, s, `DELETE FROM blobs`)
	damage(t, s, `DELETE FROM working_contexts`)
	over := int64(4) // a door's words, which fit at the fifth try
	a := resume(t, s, memory.ResumeRequest{Ref: ref, Cost: func(memory.ResumeAnswer) int64 { over--; return over }})
	if told := slices.Compact(slices.Sorted(slices.Values(a.Notes))); len(told) != len(a.Notes) {
		t.Errorf("told again and again: %q", a.Notes)
	}
}
