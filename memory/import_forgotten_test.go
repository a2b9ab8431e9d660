package memory_test

import (
	"encoding/json"
	"strings"
	"testing"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
)

// heard counts the messages that a question finds.
func heard(t *testing.T, s *memory.Service, query string) int {
	t.Helper()
	a, err := s.Search(ctx, memory.SearchRequest{Project: memory.AllProjects, Query: query, In: "messages"})
	if err != nil {
		t.Fatal(err)
	}
	return len(a.Hits)
}

// say records a message of a person in a session, and returns the session's id.
func say(t *testing.T, s *memory.Service, text string) string {
	t.Helper()
	body, err := json.Marshal(map[string]string{"type": "message", "role": "user", "content": text})
	if err != nil {
		t.Fatal(err)
	}
	a, err := s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "claude-code", ClientSessionID: "s1"}, Events: []json.RawMessage{body}})
	if err != nil {
		t.Fatal(err)
	}
	return a.SessionID
}

func forgetSession(t *testing.T, s *memory.Service, id string, undo bool) {
	t.Helper()
	if _, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: id, Undo: undo}); err != nil {
		t.Fatal(err)
	}
}

// What was forgotten elsewhere is not found here either, until it is brought back.
func TestImportForgottenSession(t *testing.T) {
	from, _ := memorytest.Open(t)
	id := say(t, from, "the walrus moved the deployment")
	forgetSession(t, from, id, false)
	to, _ := memorytest.Open(t)
	imported(t, to, exported(t, from, memory.ExportRequest{}))

	if n := heard(t, to, "walrus"); n > 0 {
		t.Errorf("%d messages of a forgotten session are found", n)
	}
	findings, err := to.Check(ctx, nil)
	if err != nil || len(findings) > 0 {
		t.Errorf("the check says %+v, %v", findings, err)
	}
	forgetSession(t, to, id, true)
	if n := heard(t, to, "walrus"); n != 1 {
		t.Errorf("%d messages are found once the session is back, want 1", n)
	}
}

// What was forgotten here stays so, though a file knows more of it.
func TestImportSessionForgottenHere(t *testing.T) {
	from, _ := memorytest.Open(t)
	id := say(t, from, "the walrus moved the deployment")
	to, _ := memorytest.Open(t)
	imported(t, to, exported(t, from, memory.ExportRequest{}))
	forgetSession(t, to, id, false)
	say(t, from, "another walrus")
	if a := imported(t, to, exported(t, from, memory.ExportRequest{})); len(a.Notes) != 1 || !strings.Contains(a.Notes[0], "was forgotten") {
		t.Errorf("the import says %q", a.Notes)
	}

	owner, err := to.Store.Session(ctx, id)
	if err != nil || owner.Status != domain.SessionForgotten || owner.DeletedAt.IsZero() {
		t.Errorf("the session is %s (%v), %v", owner.Status, owner.DeletedAt, err)
	}
	if n := heard(t, to, "walrus"); n > 0 {
		t.Errorf("%d messages of a forgotten session are found", n)
	}
	if findings, err := to.Check(ctx, nil); err != nil || len(findings) > 0 {
		t.Errorf("the check says %+v, %v", findings, err)
	}
}

// What was forgotten elsewhere is not forgotten here by what else happened there.
func TestImportSessionForgottenThere(t *testing.T) {
	from, _ := memorytest.Open(t)
	id := say(t, from, "the walrus moved the deployment")
	to, _ := memorytest.Open(t)
	imported(t, to, exported(t, from, memory.ExportRequest{}))
	say(t, from, "another walrus")
	forgetSession(t, from, id, false)
	imported(t, to, exported(t, from, memory.ExportRequest{}))

	owner, err := to.Store.Session(ctx, id)
	if err != nil || owner.Status != domain.SessionActive || !owner.DeletedAt.IsZero() {
		t.Errorf("the session is %s (%v), %v", owner.Status, owner.DeletedAt, err)
	}
	if n := heard(t, to, "walrus"); n != 2 {
		t.Errorf("%d messages are found, want 2", n)
	}
	if findings, err := to.Check(ctx, nil); err != nil || len(findings) > 0 {
		t.Errorf("the check says %+v, %v", findings, err)
	}
}
