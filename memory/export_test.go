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
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
	"wake/summarizer"
	"wake/transcript"
)

// another opens a service over one more new file.
func another(t *rapid.T, folder string) (*memory.Service, *memorytest.Clock, func()) {
	dir, err := os.MkdirTemp(folder, "db")
	if err != nil {
		t.Fatal(err)
	}
	store, err := memorytest.Store(filepath.Join(dir, "wake.db"))
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
		Source: strings.NewReader(fmt.Sprintf(`{"wake":%d}`, transcript.LinesVersion) + "\n" + body)})
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// I18: export(import(export(x))) is export(x), byte for byte, whatever was done to
// x; a second import changes nothing; what is projected from the logs, what held at
// any time, and what prediction learns of it are the same too.
func TestExportImportIdentity(t *testing.T) {
	folder := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		from, now, closeFrom := another(t, folder)
		defer closeFrom()
		to, later, closeTo := another(t, folder)
		defer closeTo()
		sameAfterImport(t, from, to, now, later)
	})
}

// I18 from one engine to the other and back.
func TestExportImportIdentityOnPostgres(t *testing.T) {
	folder, server, runs := t.TempDir(), pgtest.Start(t), 0
	rapid.Check(t, func(r *rapid.T) {
		if runs++; runs > 10 { // a schema takes a while to make
			return
		}
		from, now, closeFrom := another(r, folder)
		defer closeFrom()
		store, err := postgres.Open(ctx, server.Schema(t), postgres.Options{})
		if err != nil {
			r.Fatal(err)
		}
		defer store.Close()
		later := memorytest.NewClock()
		to := memory.New(store, summarizer.Extractive{})
		to.Now, to.DefaultProject = later.Now, "demo"
		sameAfterImport(r, from, to, now, later)

		back, last, closeBack := another(r, folder)
		defer closeBack()
		last.Pass(2000 * time.Hour)
		there := exported(r, to, memory.ExportRequest{})
		imported(r, back, there)
		if again := exported(r, back, memory.ExportRequest{}); again != there {
			r.Fatalf("back from PostgreSQL (-there +here):\n%s", cmp.Diff(strings.Split(there, "\n"), strings.Split(again, "\n")))
		}
	})
}

// sameAfterImport lets one memory live and takes it over into another.
func sameAfterImport(t *rapid.T, from, to *memory.Service, now, later *memorytest.Clock) {
	began := now.Now()
	live(t, from, now)
	first := exported(t, from, memory.ExportRequest{})
	later.Pass(1000 * time.Hour)
	a := imported(t, to, first)
	if a.Skipped > 0 || len(a.Notes) > 0 {
		t.Fatalf("the import left something out: %+v", a)
	}
	if diff := cmp.Diff(strings.Split(first, "\n"), strings.Split(exported(t, to, memory.ExportRequest{}), "\n")); diff != "" {
		t.Fatalf("exported and exported again (-first +again):\n%s", diff)
	}
	sameProjections(t, from, to)
	samePast(t, from, to, began, now.Now())

	again := imported(t, to, first)
	if again.Events.Taken+again.Contexts.Taken+again.Links.Taken+again.Others.Taken > 0 {
		t.Fatalf("the second import took something: %+v", again)
	}
	if diff := cmp.Diff(strings.Split(first, "\n"), strings.Split(exported(t, to, memory.ExportRequest{}), "\n")); diff != "" {
		t.Fatalf("the second import changed something (-first +again):\n%s", diff)
	}
	now.Pass(later.Now().Sub(now.Now()))
	sameLearnt(t, from, to)
}

// samePast asks both what they knew at some times.
func samePast(t *rapid.T, from, to *memory.Service, began, ended time.Time) {
	for part := range 6 {
		asOf := began.Add(ended.Sub(began) * time.Duration(part) / 5)
		q := domain.ContextQuery{Order: domain.Oldest, Filters: domain.Filters{AsOf: asOf}}
		var known [2]string
		for i, s := range []*memory.Service{from, to} {
			list, err := s.Store.Contexts(ctx, q)
			if err != nil {
				t.Fatal(err)
			}
			data, err := json.Marshal(list)
			if err != nil {
				t.Fatal(err)
			}
			known[i] = string(data)
		}
		if known[0] != known[1] {
			t.Fatalf("as of %v (-from +to):\n%s", asOf, cmp.Diff(known[0], known[1]))
		}
	}
}

// sameLearnt lets both learn from the beginning and asks what comes next.
func sameLearnt(t *rapid.T, from, to *memory.Service) {
	var foreseen [2][]memory.PredictAnswer
	for i, s := range []*memory.Service{from, to} {
		if _, err := s.Recalculate(ctx, memory.RecalculateRequest{Project: memory.AllProjects, What: "predictions"}); err != nil {
			t.Fatal(err)
		}
		for _, project := range []string{"demo", "other"} {
			a, err := s.Predict(ctx, memory.PredictRequest{Project: project, Limit: 100})
			if err != nil {
				t.Fatal(err)
			}
			foreseen[i] = append(foreseen[i], a)
		}
	}
	if diff := cmp.Diff(foreseen[0], foreseen[1], cmpopts.IgnoreUnexported(memory.PredictAnswer{}, memory.Prediction{})); diff != "" {
		t.Fatalf("learnt (-from +to):\n%s", diff)
	}
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
	steps := []func(){l.save, l.save, l.embed, l.settle, l.record, l.record, l.record, l.update, l.load, l.forget, l.checkpoint, l.restore, l.forgetSession, l.purge}
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
		Pinned: rapid.Bool().Draw(l.t, "pinned"), SessionID: l.one(append(l.sessions, "", "a label")), Metadata: map[string]any{"n": 1.5, "id": json.Number("12345678901234567891"), "w": l.word()}}
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

// embed stores what a model would make of a context.
func (l *living) embed() {
	if id := l.one(l.contexts); id != "" {
		vector := domain.Embedding{ContextID: id, Model: rapid.SampledFrom([]string{"m", "n"}).Draw(l.t, "model"), Vector: rapid.SliceOfN(rapid.Float32Range(-1, 1), 1, 4).Draw(l.t, "vector")}
		l.may(l.s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.PutEmbeddings(ctx, []domain.Embedding{vector}) }))
	}
}

// settle does what a server does from time to time.
func (l *living) settle() {
	_, err := l.s.Recalculate(ctx, memory.RecalculateRequest{Project: memory.AllProjects, What: "predictions"})
	l.may(err)
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
		_, err := l.s.Purge(ctx, id)
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

// erased reports whether an event was purged in the session, or in one that it was forked
// from: its title goes with that, and the labels with the title.
func erased(t *rapid.T, s *memory.Service, id string) bool {
	events, err := s.Store.Events(ctx, domain.EventQuery{SessionID: id})
	if err != nil {
		t.Fatal(err)
	}
	if slices.ContainsFunc(events, func(e domain.Event) bool { return e.Erased }) {
		return true
	}
	owner, err := s.Store.Session(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	return owner.ForkedFrom != "" && erased(t, s, owner.ForkedFrom)
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

// Files of the first version import still: their contexts have had their tags since
// they were saved.
func TestImportFirstVersion(t *testing.T) {
	s, _ := memorytest.Open(t)
	file := `{"wake":1,"exported_at":"2026-01-02T03:04:05Z"}
{"context":{"id":"00000000-0000-4000-8000-000000000001","project":"demo","content":"one","summary":"one","tags":["a","b"],"source":"mcp","timestamp":"2026-01-01T00:00:00Z","memory":{"tier":"ACTIVE","access_count":0},"kind":"episodic","origin":"user","summary_by":"caller","saved_at":"2026-01-01T00:00:00Z"}}
{"access":{"context_id":"00000000-0000-4000-8000-000000000001","project":"demo","at":"2026-01-01T00:00:00Z","how":"saved","via":"save"}}
`
	a, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "v1.jsonl", Source: strings.NewReader(file)})
	if err != nil || a.Skipped > 0 || a.Contexts.Taken != 1 || a.Others.Taken != 1 {
		t.Fatalf("%+v, %v", a, err)
	}
	list, err := s.Store.Contexts(ctx, domain.ContextQuery{Filters: domain.Filters{Tags: []string{"b"}, AsOf: time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)}})
	if err != nil || len(list) != 1 || !slices.Equal(list[0].Tags, []string{"a", "b"}) {
		t.Errorf("%+v, %v", list, err)
	}
}

// What was purged supersedes nothing again by an older export, here or elsewhere.
func TestExportKeepsPurgedLinks(t *testing.T) {
	from, _ := memorytest.Open(t)
	to, _ := memorytest.Open(t)
	old := save(t, from, memory.SaveRequest{Content: "Sessions live in Redis."}).ID
	wrong := save(t, from, memory.SaveRequest{Content: "Sessions live in hunter2's own store.", Supersedes: old}).ID
	older := exported(t, from, memory.ExportRequest{})
	if _, err := from.Purge(ctx, wrong); err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(exported(t, from, memory.ExportRequest{}), "\n")
	erased := slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, `{"erased"`) })
	imported(t, to, lines[0]+lines[erased])
	for name, s := range map[string]*memory.Service{"here": from, "elsewhere": to} {
		if a := imported(t, s, older); a.Links.Taken != 0 {
			t.Errorf("%s: %+v", name, a)
		}
		left, err := s.Store.Contexts(ctx, domain.ContextQuery{})
		if err != nil || len(left) != 1 || left[0].ID != old || left[0].SupersededBy != "" {
			t.Errorf("%s: %+v, %v", name, left, err)
		}
	}
}

// What was purged before an export does not come back by an older one, elsewhere
// either.
func TestExportKeepsPurged(t *testing.T) {
	from, _ := memorytest.Open(t)
	to, _ := memorytest.Open(t)
	id := save(t, from, memory.SaveRequest{Content: "the password is hunter2"}).ID
	older := exported(t, from, memory.ExportRequest{})
	if _, err := from.Purge(ctx, id); err != nil {
		t.Fatal(err)
	}
	newer := exported(t, from, memory.ExportRequest{})
	if strings.Contains(newer, "hunter2") {
		t.Errorf("the export holds it: %s", newer)
	}
	imported(t, to, newer)
	if a := imported(t, to, older); a.Contexts.Taken != 0 {
		t.Errorf("it came back: %+v", a)
	}
}
