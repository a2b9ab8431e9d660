package memory_test

import (
	"fmt"
	"strings"
	"testing"

	_ "modernc.org/sqlite" // to damage a database behind the product's back

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// A purged event leaves its place and hash, and its text nowhere in the file.
func TestPurgeEvent(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "PURGE-ME-7731"
	ref := byID(record(t, s, claude, user("before"), user(secret), assistant("noted"), `{"type":"mode","to":"code"}`).SessionID)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointRestore, ID: point.ID})
	gone, err := s.PurgeEvent(ctx, ref.SessionID, 2)
	if err != nil || !gone.Erased || gone.Hash == "" {
		t.Fatalf("%+v, %v", gone, err)
	}
	for _, table := range []struct{ name, column string }{{"events", "payload"}, {"working_contexts", "payload"}, {"state_snapshots", "state"},
		{"checkpoints", "doc"}, {"handoffs", "doc"}, {"turns", "label"}, {"sessions", "doc"}} {
		damage(t, s, fmt.Sprintf(`CREATE TABLE found_%s AS SELECT 1 FROM %s WHERE instr(%s, '%s') > 0`, table.name, table.name, table.column, secret))
		damage(t, s, `CREATE TABLE IF NOT EXISTS counted (name TEXT, n INTEGER)`)
		damage(t, s, fmt.Sprintf(`INSERT INTO counted SELECT '%s', 1 / (1 - min(1, count(*))) FROM found_%s`, table.name, table.name))
	}
	a := resume(t, s, memory.ResumeRequest{Ref: ref})
	if strings.Contains(a.Text, secret) || len(a.Messages) != 3 || a.Messages[1].Content != "[erased]" {
		t.Errorf("%+v\n%s", a.Messages, a.Text)
	}
	for why, seq := range map[string]int64{"again": 2, "there is no place 0": 0, "nor one before it": -1, "past the end": 99} {
		if _, err := s.PurgeEvent(ctx, ref.SessionID, seq); domain.KindOf(err) != domain.KindNotFound {
			t.Errorf("%s: %v", why, err)
		}
		if _, err := s.PurgeableEvent(ctx, ref.SessionID, seq); seq != 2 && domain.KindOf(err) != domain.KindNotFound {
			t.Errorf("%s, to be shown: %v", why, err)
		}
	}
	verified(t, s)
	if users, err := s.UserMessages(ctx, ref.SessionID, 1); err != nil || users[0].Content != "before" {
		t.Errorf("what else was said: %+v, %v", users, err)
	}
}

// A decision that answers an offer quotes it, and goes with the offer.
func TestPurgeEventQuoted(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "quixotic-7731"
	ref := byID(record(t, s, claude, user("where do we keep the door code"), assistant("I'd suggest a sealed note with "+secret+" at the reception."), user("yes, do that"), assistant("noted")).SessionID)
	if n, err := s.Distil(ctx, ref.SessionID); err != nil || n != 1 {
		t.Fatalf("%d distilled, %v", n, err)
	}
	gone, err := s.PurgeEvent(ctx, ref.SessionID, 2)
	if err != nil || len(gone.Contexts) != 1 {
		t.Fatalf("%+v, %v", gone, err)
	}
	info, err := s.Store.Info(ctx)
	if err != nil || inFiles(t, info.Address, secret) {
		t.Errorf("the text can still be read (%v)", err)
	}
	verified(t, s)
}

// Nothing that was made of a purged event holds its text: not the copies in forks and
// in forks of these, from whichever place it is purged, nor the context distilled of it.
func TestPurgeEventCopies(t *testing.T) {
	for from := range 3 {
		s, _ := memorytest.Open(t)
		const secret = "quixotic-7731"
		ref := byID(record(t, s, claude, user("before"), user("Decision: the door code is "+secret+", because it is easy to keep."), assistant("noted")).SessionID)
		sessions := []string{ref.SessionID}
		for range 2 {
			point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(sessions[len(sessions)-1])})
			sessions = append(sessions, checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointFork, ID: point.ID}).ForkID)
		}
		if n, err := s.Distil(ctx, ref.SessionID); err != nil || n != 1 {
			t.Fatalf("%d distilled, %v", n, err)
		}
		said := record(t, s, memory.SessionRef{Client: "other", ClientSessionID: "o"}, user("Decision: the door code is "+secret+", because it is easy to keep.")).SessionID
		gone, err := s.PurgeEvent(ctx, sessions[from], 2)
		if err != nil || len(gone.Places) != 3 || len(gone.Contexts) != 1 || gone.SessionID != sessions[from] {
			t.Fatalf("from %d: %+v, %v", from, gone, err)
		}
		if len(gone.Notes) != 1 || !strings.Contains(gone.Notes[0], said) {
			t.Errorf("notes %q, want one that names session %s", gone.Notes, said)
		}
		if _, err := s.PurgeEvent(ctx, said, 1); err != nil {
			t.Fatal(err)
		}
		info, err := s.Store.Info(ctx)
		if err != nil || inFiles(t, info.Address, secret) {
			t.Errorf("purged from session %d of 3, the text can still be read (%v)", from, err)
		}
		verified(t, s)
	}
}

// A fork is titled like its origin, even by words said after the checkpoint that it was
// made from. They are purged from it, from its forks and from their checkpoints, too.
func TestPurgeEventTitle(t *testing.T) {
	s, _ := memorytest.Open(t)
	const secret = "quixotic-7731"
	ref := byID(record(t, s, claude, assistant("How can I help?")).SessionID)
	point := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: ref})
	record(t, s, ref, user(secret))
	for range 2 {
		fork := checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointFork, ID: point.ID}).ForkID
		point = checkpoint(t, s, memory.CheckpointRequest{Action: memory.CheckpointCreate, Ref: byID(fork)})
	}
	gone, err := s.PurgeEvent(ctx, ref.SessionID, 2)
	if err != nil || len(gone.Places) != 1 {
		t.Fatalf("%+v, %v", gone, err)
	}
	info, err := s.Store.Info(ctx)
	if err != nil || inFiles(t, info.Address, secret) {
		t.Errorf("the text can still be read (%v)", err)
	}
	verified(t, s)
}

// A prompt goes with what repeats its words beside it: what a hook noted of it before its
// transcript had it, and the name that the session got from it later.
func TestPurgeEventBeside(t *testing.T) {
	const said = "the door code is quixotic-7731 today"
	row := `{"type":"user","uuid":"u1","sessionId":"one","timestamp":"2026-05-04T09:00:00.000Z","message":{"role":"user","content":"%s"}}` + "\n"
	for name, c := range map[string]struct {
		client string
		hooks  []transcript.Hook
		row    string // what the transcript has of the prompt in the end
	}{
		"first prompt of a fork": {transcript.ClientClaudeCode, []transcript.Hook{{Moment: transcript.HookStart, Source: "fork"},
			{Moment: transcript.HookPrompt, Prompt: said}, {Moment: transcript.HookEnd}}, ""},
		"command": {transcript.ClientClaudeCode, []transcript.Hook{{Moment: transcript.HookPrompt, Prompt: "/note " + said}},
			`<command-message>note</command-message>\n<command-name>/note</command-name>\n<command-args>` + said + `</command-args>`},
		"path": {transcript.ClientClaudeCode, []transcript.Hook{{Moment: transcript.HookPrompt, Prompt: "/usr has it: " + said}}, "/usr has it: " + said},
		"name": {transcript.ClientOpencode, []transcript.Hook{{Moment: transcript.HookPrompt, Prompt: "make the shop blue", MessageID: "m1"},
			{Moment: transcript.HookPrompt, Prompt: said, MessageID: "m2", Removed: []string{"m1"}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			for i, h := range c.hooks {
				h.Client, h.SessionID, h.Name = c.client, "one", string(h.Moment)
				if _, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo", ID: fmt.Sprint("call ", i)}); err != nil {
					t.Fatal(err)
				}
			}
			if c.row != "" {
				importFile(t, s, transcript.ClaudeCode, "one.jsonl", []byte(fmt.Sprintf(row, c.row)))
			}
			owner, err := s.Store.SessionByClient(ctx, c.client, "one")
			if err != nil {
				t.Fatal(err)
			}
			events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: owner.ID, Types: []domain.EventType{domain.EventMessage}, Backward: true, Limit: 1})
			if err != nil || len(events) != 1 || !strings.Contains(string(events[0].Payload), said) {
				t.Fatalf("%+v, %v", events, err)
			}
			if gone, err := s.PurgeEvent(ctx, owner.ID, events[0].Seq); err != nil || len(gone.Places) != 2 || gone.Seq != events[0].Seq {
				t.Errorf("%+v, %v", gone, err)
			}
			if info, err := s.Store.Info(ctx); err != nil || inFiles(t, info.Address, said) {
				t.Errorf("the text can still be read (%v)", err)
			}
			verified(t, s)
		})
	}
}

// A prompt that was purged while it was held back does not become an empty message.
func TestPurgeHeldPrompt(t *testing.T) {
	s, _ := memorytest.Open(t)
	hook := func(h transcript.Hook) string {
		t.Helper()
		h.Client, h.SessionID, h.Name = transcript.ClientClaudeCode, "one", string(h.Moment)
		a, err := s.Hook(ctx, memory.HookRequest{Hook: h, Project: "demo"})
		if err != nil {
			t.Fatal(err)
		}
		return a.SessionID
	}
	hook(transcript.Hook{Moment: transcript.HookStart, Source: "fork"})
	id := hook(transcript.Hook{Moment: transcript.HookPrompt, Prompt: "the door code is quixotic-7731 today"})
	if _, err := s.PurgeEvent(ctx, id, 1); err != nil {
		t.Fatal(err)
	}
	hook(transcript.Hook{Moment: transcript.HookEnd})
	if said, err := s.UserMessages(ctx, id, 0); err != nil || len(said) != 0 {
		t.Errorf("%+v, %v", said, err)
	}
}

// What was imported from another wake can be purged, too: nothing of it stays behind for the
// next import.
func TestPurgeImported(t *testing.T) {
	from, _ := memorytest.Open(t)
	const secret = "quixotic-7731"
	record(t, from, claude, user("the door code is "+secret), assistant("noted"))
	file := []byte("{\"wake\":2}\n" + exported(t, from, memory.ExportRequest{}))
	s, _ := memorytest.Open(t)
	importFile(t, s, transcript.Wake, "all.jsonl", file)
	if _, err := s.PurgeEvent(ctx, onlySession(t, s), 1); err != nil {
		t.Fatal(err)
	}
	info, err := s.Store.Info(ctx)
	if err != nil || inFiles(t, info.Address, secret) {
		t.Errorf("the text can still be read (%v)", err)
	}
	for _, name := range []string{"all.jsonl", "copy.jsonl"} {
		if importFile(t, s, transcript.Wake, name, file); inFiles(t, info.Address, secret) {
			t.Errorf("%s brings the text back", name)
		}
	}
	verified(t, s)
}
