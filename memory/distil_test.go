package memory_test

import (
	"context"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"wake/memory"
)

// A session that cannot be read keeps no other one from being distilled.
func TestDistilPastDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	synctest.Test(t, func(t *testing.T) {
		s := server(t, path)
		said := user("We decided to use whole cents for prices because fractions do not add up.")
		record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "older"}, said, `{"type":"end"}`)
		time.Sleep(time.Minute)
		newer := record(t, s, memory.SessionRef{Client: "test", ClientSessionID: "newer"}, said, `{"type":"end"}`).SessionID
		damage(t, s, `UPDATE events SET seq = 'x' WHERE session_id = ? AND seq = 1`, newer)
		jobs, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { defer close(done); s.RunJobs(jobs, "test") }()
		time.Sleep(time.Hour)
		stop()
		<-done
		a, err := s.Load(ctx, memory.LoadRequest{})
		if err != nil || len(a.Contexts) != 1 {
			t.Errorf("%d contexts were distilled, want 1 (%v)", len(a.Contexts), err)
		}
	})
}
