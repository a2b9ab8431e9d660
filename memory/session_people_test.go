package memory_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

// people are services over one database, at which each person works.
func people(t *testing.T, names ...string) []*memory.Service {
	t.Helper()
	path := filepath.Join(t.TempDir(), "wake.db")
	all := make([]*memory.Service, len(names))
	clock := memorytest.NewClock()
	for i, name := range names {
		all[i], _ = memorytest.OpenFile(t, path)
		all[i].Person = name
		all[i].Now = func() time.Time { clock.Pass(time.Minute); return clock.Now() }
	}
	return all
}

// worked is a session of a conversation, under an id of the client's.
func worked(t *testing.T, s *memory.Service, id string, events ...string) string {
	t.Helper()
	said := append([]string{user("about " + id), assistant("Done.")}, events...)
	return record(t, s, memory.SessionRef{Client: "codex", ClientSessionID: id}, said...).SessionID
}

// Who names no session means one of their own, whatever colleagues have done since, and
// hears of a newer one. Who has none here yet gets the newest, and hears whose it is. A
// session that is named is given to anybody.
func TestUnnamedSessionIsOnesOwn(t *testing.T) {
	all := people(t, "ann@laptop", "bob@desk", "eve@new", "")
	ann, bob, eve, older := all[0], all[1], all[2], all[3]
	before := worked(t, older, "before")
	resumes := func(s *memory.Service, want string, says ...string) {
		t.Helper()
		r := resume(t, s, memory.ResumeRequest{})
		if r.SessionID != want {
			t.Errorf("%s resumed %s, %q; want %s", s.Person, r.SessionID, r.Notes, want)
		}
		for _, part := range says {
			if !strings.Contains(strings.Join(r.Notes, "\n"), part) {
				t.Errorf("%s was not told %q: %q", s.Person, part, r.Notes)
			}
		}
	}
	resumes(ann, before, "this is the newest active one")

	hers := worked(t, ann, "hers", `{"type":"end"}`)
	resumes(ann, hers, "this is your newest one", "the newest active one of all is "+before)
	his := worked(t, bob, "his")
	resumes(ann, hers, "this is your newest one", "the newest active one of all is "+his+", by bob@desk")
	resumes(bob, his, "this is the newest active one")
	resumes(eve, his, "this is the newest active one", "bob@desk")
	resumes(older, his)
	if r := resume(t, ann, memory.ResumeRequest{Ref: byID(his)}); r.SessionID != his || len(r.Notes) != 0 {
		t.Errorf("by name: %s, %q", r.SessionID, r.Notes)
	}

	// One that was just begun is passed over for an older one of her own.
	record(t, ann, memory.SessionRef{Client: "codex", ClientSessionID: "fresh"}, user("go on"))
	resumes(ann, hers, "before the one just begun")

	// Candidates for what writes begin with her own.
	_, err := tryRecord(ann, memory.SessionRef{}, user("x"))
	if said := err.Error(); domain.KindOf(err) != domain.KindInvalid || strings.Index(said, "about fresh") > strings.Index(said, his) {
		t.Errorf("candidates: %v", err)
	}
}

// An agent's newest session is the one's own too, where several have an agent of a name.
func TestUnnamedSessionOfAnAgentIsOnesOwn(t *testing.T) {
	all := people(t, "ann@laptop", "bob@desk")
	of := func(s *memory.Service) string {
		a, err := s.Append(ctx, memory.AppendRequest{Ref: memory.SessionRef{Client: "codex", ClientSessionID: s.Person},
			Open: memory.SessionOpening{AgentID: "reviewer"}})
		if err != nil {
			t.Fatal(err)
		}
		return a.SessionID
	}
	hers := of(all[0])
	of(all[1])
	if r := resume(t, all[0], memory.ResumeRequest{AgentID: "reviewer"}); r.SessionID != hers {
		t.Errorf("resumed %s, want %s", r.SessionID, hers)
	}
}

// What a colleague hands over reaches who has nothing handed over of their own.
func TestHandoffOfAColleague(t *testing.T) {
	all := people(t, "ann@laptop", "bob@desk")
	ann, bob := all[0], all[1]
	hers := worked(t, ann, "hers")
	his := worked(t, bob, "his")
	given, err := bob.Handoff(ctx, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: byID(his), ToMode: "review", Task: "look at it"})
	if err != nil {
		t.Fatal(err)
	}
	taken := func(req memory.HandoffRequest, want string) {
		t.Helper()
		h, err := ann.Handoff(ctx, req)
		if err != nil || h.ID != want || !strings.Contains(strings.Join(h.Notes, "\n"), "no session was named") {
			t.Errorf("took %q of %s, %q, %v; want %q", h.ID, h.SessionID, h.Notes, err, want)
		}
	}
	taken(memory.HandoffRequest{}, given.ID)
	own, err := ann.Handoff(ctx, memory.HandoffRequest{Action: memory.HandoffCreate, Ref: byID(hers), ToMode: "debug", Task: "why"})
	if err != nil {
		t.Fatal(err)
	}
	worked(t, bob, "his")
	taken(memory.HandoffRequest{}, own.ID)
	taken(memory.HandoffRequest{ToMode: "review"}, given.ID)
}

// A start is told of one's own last session.
func TestBriefTellsOfOnesOwnSession(t *testing.T) {
	all := people(t, "ann@laptop", "bob@desk", "eve@new")
	worked(t, all[0], "hers")
	worked(t, all[1], "his")
	for i, want := range []string{"about hers", "about his", "by bob@desk"} {
		text, err := all[i].Brief(ctx, memory.Caller{}, "demo", 1500)
		if err != nil || !strings.Contains(text, want) || i < 2 && strings.Contains(text, "by bob@desk") {
			t.Errorf("%s was told, %v:\n%s", all[i].Person, err, text)
		}
	}
}

// A session is of whose hooks record it, and so is what is read in of a folder that is
// here; a colleague's transcript does not become one's own by being read in.
func TestWhoseSessionIs(t *testing.T) {
	s := people(t, "ann@laptop")[0]
	line := func(session string) string {
		return `{"type":"user","uuid":"u-` + session + `","sessionId":"` + session + `","timestamp":"2026-05-03T09:00:00Z","cwd":"/src/demo","message":{"role":"user","content":"hello"}}` + "\n"
	}
	imported := func(session string, f memory.Folder) {
		t.Helper()
		a, err := s.Import(ctx, memory.ImportRequest{Format: "claude-code", Name: session, Source: strings.NewReader(line(session)),
			FolderOf: func(string) memory.Folder { return f }})
		if err != nil || len(a.Sessions) != 1 {
			t.Fatal(a, err)
		}
	}
	imported("elsewhere", memory.Folder{Name: "demo"})
	imported("here", memory.Folder{Name: "demo", Path: "/src/demo", Machine: "laptop"})
	_, err := s.Hook(ctx, memory.HookRequest{Hook: transcript.Hook{Name: "claude-code", Client: "claude-code", SessionID: "hooked", Moment: transcript.HookPrompt,
		Prompt: "hello", Folder: "/src/demo"}, Transcript: strings.NewReader(line("hooked"))})
	if err != nil {
		t.Fatal(err)
	}
	for session, want := range map[string]string{"elsewhere": "", "here": "ann@laptop", "hooked": "ann@laptop"} {
		o, _, err := s.Session(ctx, memory.SessionRef{Client: "claude-code", ClientSessionID: session}, memory.Caller{})
		if err != nil || o.Attributes[domain.RecordedBy] != want || o.Attributes["cwd"] != "/src/demo" {
			t.Errorf("%s is of %v, %v; want %q", session, o.Attributes, err, want)
		}
	}
}
