package memory_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository/sqlite"
	"wake/summarizer"
	"wake/transcript"
)

// another opens a service over one more new file.
func another(t *rapid.T, folder string) (*memory.Service, *memorytest.Clock, func()) {
	dir, err := os.MkdirTemp(folder, "db")
	if err != nil {
		t.Fatal(err)
	}
	store, err := sqlite.Open(ctx, filepath.Join(dir, "wake.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := memorytest.NewClock()
	s := memory.New(store, summarizer.Extractive{})
	s.Now, s.DefaultProject = c.Now, "demo"
	return s, c, func() {
		if err := errors.Join(s.Close(ctx), store.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// exported is everything in wake's lines, without the header.
func exported(t fataler, s *memory.Service, req memory.ExportRequest) string {
	t.Helper()
	if err := s.Flush(ctx); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	req.W = &b
	if _, err := s.Export(ctx, req); err != nil {
		t.Fatal(err)
	}
	_, body, _ := strings.Cut(b.String(), "\n")
	return body
}

type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

func imported(t fataler, s *memory.Service, body string) memory.ImportAnswer {
	t.Helper()
	a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "all.jsonl", Whole: true,
		Source: strings.NewReader(`{"wake":1}` + "\n" + body)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// I18: export(import(export(x))) is export(x), byte for byte, whatever was done to
// x; a second import changes nothing; and what is projected from the logs is the
// same too.
func TestExportImportIdentity(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		from, now, closeFrom := another(t, folder)
		defer closeFrom()
		live(t, from, now)
		first := exported(t, from, memory.ExportRequest{})

		to, later, closeTo := another(t, folder)
		defer closeTo()
		later.Pass(1000 * time.Hour)
		a := imported(t, to, first)
		if a.Skipped > 0 || len(a.Notes) > 0 {
			t.Fatalf("the import left something out: %+v", a)
		}
		if diff := cmp.Diff(strings.Split(first, "\n"), strings.Split(exported(t, to, memory.ExportRequest{}), "\n")); diff != "" {
			t.Fatalf("exported and exported again (-first +again):\n%s", diff)
		}
		sameProjections(t, from, to)

		again := imported(t, to, first)
		if again.Events.Taken+again.Contexts.Taken+again.Links.Taken+again.Others.Taken > 0 {
			t.Fatalf("the second import took something: %+v", again)
		}
		if exported(t, to, memory.ExportRequest{}) != first {
			t.Fatal("the second import changed something")
		}
	})
}

// live does a random run of things to a memory.
func live(t *rapid.T, s *memory.Service, now *memorytest.Clock) {
	l := &living{t: t, s: s}
	for range rapid.IntRange(1, 20).Draw(t, "steps") {
		now.Pass(time.Duration(rapid.IntRange(1, 5000).Draw(t, "minutes")) * time.Minute / 10)
		l.step()
	}
}

type living struct {
	t        *rapid.T
	s        *memory.Service
	contexts []string
	sessions []string
	n        int
}

func (l *living) step() {
	steps := []func(){l.save, l.save, l.record, l.record, l.record, l.update, l.load, l.forget, l.checkpoint, l.restore, l.forgetSession, l.purge}
	steps[rapid.IntRange(0, len(steps)-1).Draw(l.t, "what")]()
}

// may tolerates what the rules refuse: a cycle, something pinned, a lost text.
func (l *living) may(err error) {
	if err != nil && domain.KindOf(err) == "" {
		l.t.Fatal(err)
	}
}

func (l *living) one(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return rapid.SampledFrom(ids).Draw(l.t, "id")
}

func (l *living) word() string {
	return rapid.SampledFrom([]string{"retry", "<b>&", "数据", "line\nbreak", `"quoted"`, "\u2028"}).Draw(l.t, "word")
}

func (l *living) save() {
	l.n++
	req := memory.SaveRequest{Content: fmt.Sprintf("note %d about %s", l.n, l.word()), Project: rapid.SampledFrom([]string{"demo", "other"}).Draw(l.t, "project"),
		Pinned: rapid.Bool().Draw(l.t, "pinned"), SessionID: l.one(append(l.sessions, "", "a label")), Metadata: map[string]any{"n": 1.5, "w": l.word()}}
	if rapid.Bool().Draw(l.t, "why") {
		req.ActionType, req.Rationale, req.CausedBy = domain.Decision, l.word(), l.one(append(l.contexts, ""))
		if rapid.Bool().Draw(l.t, "supersedes") {
			req.Supersedes = l.one(l.contexts)
		}
		if id := l.one(l.contexts); id != "" {
			req.Dependencies = []string{id}
		}
	}
	a, err := l.s.Save(ctx, req)
	l.may(err)
	if err == nil {
		l.contexts = append(l.contexts, a.ID)
	}
}

func (l *living) update() {
	if id := l.one(l.contexts); id != "" {
		other := l.one(l.contexts)
		_, err := l.s.Update(ctx, memory.UpdateRequest{ID: id, AddTags: []string{"t" + fmt.Sprint(l.n)}, RemoveTags: []string{"t1"}, AddDependencies: []string{other}})
		l.may(err)
	}
}

func (l *living) load() {
	_, err := l.s.Load(ctx, memory.LoadRequest{By: memory.Caller{Via: "load", Actor: l.word()}, Project: "demo", Limit: 5})
	l.may(err)
	_, err = l.s.Predict(ctx, memory.PredictRequest{Project: "demo"})
	l.may(err)
	l.may(l.s.Flush(ctx))
}

func (l *living) forget() {
	if id := l.one(l.contexts); id != "" {
		_, err := l.s.Forget(ctx, memory.ForgetRequest{IDs: []string{id}, Undo: rapid.Bool().Draw(l.t, "undo")})
		l.may(err)
	}
}

func (l *living) record() {
	l.n++
	id := rapid.SampledFrom([]string{"a", "b", "c"}).Draw(l.t, "session")
	kinds := []string{
		`{"type":"message","role":"user","content":TEXT}`,
		`{"type":"message","role":"assistant","content":TEXT,"tool_calls":[{"id":"callN","name":"run","arguments":{}}]}`,
		`{"type":"message","role":"tool","content":TEXT,"tool_call_id":"callN"}`,
		`{"type":"op","op_id":"opN","kind":"llm","status":"ok","label":TEXT,"usage":{"input":10,"output":3,"cost_usd":0.25},"logs":[{"severity":"ERR","message":"x"}]}`,
		`{"type":"usage","tokens":N000,"limit":20000,"key":"kN"}`,
		`{"type":"goal","id":"g","text":TEXT,"status":"active"}`,
		`{"type":"mode","to":"mN","task":TEXT}`,
		`{"type":"finding","kind":"note","text":TEXT}`,
		`{"type":"step","id":"sN","status":"completed","output":TEXT}`,
		`{"type":"signal","name":"goN","status":"waiting","payload":TEXT}`,
		`{"type":"compaction","trigger":"auto","summary":TEXT,"tokens_before":15000}`,
		`{"type":"end","success":true,"error":TEXT}`,
	}
	var events []json.RawMessage
	for range rapid.IntRange(1, 12).Draw(l.t, "events") {
		l.n++
		text, _ := json.Marshal(fmt.Sprintf("%s %d %s", l.word(), l.n, strings.Repeat("long ", rapid.SampledFrom([]int{0, 2000}).Draw(l.t, "length"))))
		kind := rapid.SampledFrom(kinds).Draw(l.t, "kind")
		events = append(events, json.RawMessage(strings.NewReplacer("TEXT", string(text), "N", fmt.Sprint(l.n)).Replace(kind)))
	}
	var parent string
	if id == "c" {
		parent = l.one(append(l.sessions, ""))
	}
	a, err := l.s.Record(ctx, memory.RecordRequest{Ref: memory.SessionRef{Client: "test", ClientSessionID: id}, Events: events,
		Open: memory.SessionOpening{Model: rapid.SampledFrom([]string{"", "m1", "m2"}).Draw(l.t, "model"), Title: rapid.SampledFrom([]string{"", "T"}).Draw(l.t, "title"), ParentSessionID: parent}})
	if err != nil && domain.KindOf(err) != domain.KindExpired { // it was forgotten
		l.t.Fatal(err)
	}
	if err == nil && a.Opened {
		l.sessions = append(l.sessions, a.SessionID)
	}
}

func (l *living) checkpoint() {
	_, err := l.s.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointCreate, Label: l.word(), Ref: memory.SessionRef{SessionID: l.one(l.sessions)}})
	l.may(err)
}

func (l *living) restore() {
	list, err := l.s.Store.Checkpoints(ctx, domain.CheckpointQuery{SessionID: l.one(l.sessions)})
	l.may(err)
	if len(list) == 0 {
		return
	}
	action := rapid.SampledFrom([]memory.CheckpointAction{memory.CheckpointRestore, memory.CheckpointFork, memory.CheckpointDelete, memory.CheckpointPin}).Draw(l.t, "action")
	a, err := l.s.Checkpoint(ctx, memory.CheckpointRequest{Action: action, ID: list[rapid.IntRange(0, len(list)-1).Draw(l.t, "which")].ID})
	l.may(err)
	if a.ForkID != "" {
		l.sessions = append(l.sessions, a.ForkID)
	}
}

func (l *living) forgetSession() {
	if id := l.one(l.sessions); id != "" {
		_, err := l.s.ForgetSession(ctx, memory.ForgetSessionRequest{SessionID: id, Undo: rapid.Bool().Draw(l.t, "undo")})
		l.may(err)
		l.may(l.s.CleanSessions(ctx))
	}
}

func (l *living) purge() {
	if id := l.one(l.sessions); id != "" {
		_, err := l.s.PurgeEvent(ctx, id, int64(rapid.IntRange(1, 20).Draw(l.t, "seq")))
		l.may(err)
	}
	if id := l.one(l.contexts); id != "" && rapid.IntRange(0, 4).Draw(l.t, "context too") == 0 {
		_, err := l.s.Purge(ctx, memory.PurgeRequest{ID: id})
		l.may(err)
	}
}

// sameProjections compares what is made of the logs.
func sameProjections(t *rapid.T, from, to *memory.Service) {
	list, err := from.Store.Sessions(ctx, domain.SessionQuery{Forgotten: true})
	if err != nil {
		t.Fatal(err)
	}
	for _, owner := range list {
		if erased(t, from, owner.ID) {
			continue // a purge takes more labels away than it must; the logs give them back
		}
		if diff := cmp.Diff(projections(t, from, owner.ID), projections(t, to, owner.ID)); diff != "" {
			t.Fatalf("projections of %s (-from +to):\n%s", owner.ID, diff)
		}
	}
}

func erased(t *rapid.T, s *memory.Service, id string) bool {
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: id})
	if err != nil {
		t.Fatal(err)
	}
	return slices.ContainsFunc(events, func(e domain.Event) bool { return e.Erased })
}

func projections(t *rapid.T, s *memory.Service, id string) []any {
	r := s.Store
	turns, err1 := r.Turns(ctx, id)
	ops, err2 := r.Ops(ctx, id, nil)
	logs, err3 := r.OpLogs(ctx, id)
	ledger, err4 := r.Ledger(ctx, id)
	usage, err5 := r.UsageSamples(ctx, id, 1000)
	steps, err6 := r.CompletedSteps(ctx, id)
	if err := errors.Join(err1, err2, err3, err4, err5, err6); err != nil {
		t.Fatal(err)
	}
	return []any{turns, ops, logs, ledger, usage, steps}
}
