package memory_test

import (
	"fmt"
	"sync"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
	"wake/summarizer"
)

// A session lived on PostgreSQL: two services write to it at once, it is set back,
// forked, handed over, forgotten, and everything agrees (I2, I4).
func TestSessionOnPostgres(t *testing.T) {
	url := pgtest.Start(t).Schema(t)
	services := make([]*memory.Service, 2)
	for i := range services {
		store, err := postgres.Open(ctx, url, postgres.Options{})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		services[i] = memory.New(store, summarizer.Extractive{})
		services[i].DefaultProject = "demo"
	}
	s := services[0]
	ref := byID(appended(t, s, claude, domain.Message{Role: domain.RoleUser, Content: "NUL \x00 and 日本"}, domain.Mode{To: "code"}).SessionID)
	record(t, s, ref, `{"type":"goal","id":"g","text":"x"}`)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for n := range 10 {
				if _, err := tryRecord(services[i%2], claude, user(fmt.Sprint(i, " ", n)), window(90, 100),
					fmt.Sprintf(`{"type":"op","op_id":"%d-%d","kind":"llm","usage":{"input":1}}`, i, n)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	r := resume(t, services[1], memory.ResumeRequest{Ref: ref})
	if r.LastSeq != 243 || r.Source == memory.FromRebuild {
		t.Errorf("%s at %d", r.Source, r.LastSeq)
	}
	if firings, err := s.Store.Firings(ctx, ref.SessionID); err != nil || len(firings) != 1 {
		t.Errorf("firings %+v, %v", firings, err)
	}
	back := checkpoint(t, services[1], memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
	if m := back.Restored.Messages; len(m) != 1 || m[0].Content != "NUL \x00 and 日本" || back.Restored.Mode != "code" {
		t.Errorf("restored %+v", back.Restored)
	}
	fork := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointFork, ID: point.ID}).ForkID
	if h := record(t, s, byID(fork), `{"type":"mode","to":"debug"}`).Handoff; h == nil || h.FromMode != "code" {
		t.Errorf("hand-off %+v", h)
	}
	if _, err := s.PurgeEvent(ctx, fork, 1); err != nil {
		t.Error(err)
	}
	verified(t, s)
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: fork}); err != nil {
		t.Error(err)
	}
	if _, err := s.Resume(ctx, memory.ResumeRequest{Ref: byID(fork)}); domain.KindOf(err) != domain.KindExpired {
		t.Errorf("resuming a forgotten one: %v", err)
	}
}
