package memory_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
	"wake/summarizer"
)

// together returns services over one database, each with connections of its own as
// processes have, and one clock.
func together(t *testing.T, n int, open func() (repository.Store, error)) ([]*memory.Service, *memorytest.Clock) {
	t.Helper()
	clock, services := memorytest.NewClock(), make([]*memory.Service, n)
	for i := range services {
		store, err := open()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { store.Close() })
		services[i] = memory.New(store, summarizer.Extractive{})
		services[i].Now, services[i].DefaultProject = clock.Now, memorytest.Project
	}
	return services, clock
}

// engines runs a test on both.
func engines(t *testing.T, test func(t *testing.T, open func() (repository.Store, error))) {
	t.Run("SQLite", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "wake.db")
		test(t, func() (repository.Store, error) { return memorytest.Store(path) })
	})
	t.Run("PostgreSQL", func(t *testing.T) {
		url := pgtest.Start(t).Schema(t)
		test(t, func() (repository.Store, error) { return postgres.Open(ctx, url, postgres.Options{}) })
	})
}

// learnt is all that is stored of what was learnt of a project.
func learnt(t *testing.T, s *memory.Service, project string) (model domain.LearntModel, items map[int64][]byte) {
	t.Helper()
	model, err := s.Store.PredictionModel(ctx, project)
	if err != nil {
		t.Fatal(err)
	}
	all, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: project})
	if err != nil {
		t.Fatal(err)
	}
	var ns []int64
	for _, c := range all {
		ns = append(ns, c.N)
	}
	stored, err := s.Store.PredictionItems(ctx, ns)
	if err != nil {
		t.Fatal(err)
	}
	items = map[int64][]byte{}
	for _, i := range stored {
		items[i.ContextN] = i.State
	}
	return model, items
}

// Several processes that save, use, forget and predict at the same time lose no use
// and learn none twice: what they learnt bit by bit is, byte for byte, what one
// learns from the beginning of the log.
func TestLearnTogether(t *testing.T) {
	engines(t, func(t *testing.T, open func() (repository.Store, error)) {
		const processes, rounds = 4, 15
		services, clock := together(t, processes, open)
		var shared []string
		for i := range 6 {
			shared = append(shared, save(t, services[0], memory.SaveRequest{Content: fmt.Sprint("shared ", i)}).ID)
		}
		var wg sync.WaitGroup
		for p, s := range services {
			wg.Go(func() {
				by := memory.Caller{Actor: fmt.Sprint("agent ", p), SessionID: fmt.Sprint("session ", p)}
				last := ""
				for k := range rounds {
					clock.Pass(time.Second)
					memorytest.Use(t, s, by, shared[(p+k*k)%len(shared)])
					if last != "" && k%5 == 0 { // learnt by now as something that was there
						if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{last}}); err != nil {
							t.Error(err)
						}
					}
					clock.Pass(time.Second) // what one session does at one moment is one step
					last = save(t, s, memory.SaveRequest{By: by, Content: fmt.Sprint("fact ", p, " ", k), CausedBy: shared[p], Tags: []string{fmt.Sprint("t", k)}}).ID
					if _, err := s.Predict(ctx, memory.PredictRequest{By: by}); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		if _, err := services[1].Predict(ctx, memory.PredictRequest{}); err != nil {
			t.Fatal(err)
		}
		model, items := learnt(t, services[0], memorytest.Project)
		if last, err := services[0].Store.LastAccess(ctx, memorytest.Project); err != nil || model.Watermark > last || len(items) == 0 {
			t.Fatalf("learnt to %d of %d, %d items, %v", model.Watermark, last, len(items), err)
		}
		got := recordOne(t, services[2], memorytest.Project)
		if want := int64(len(shared) + processes*rounds - processes*(rounds/5-1)); got.Contexts != want {
			t.Errorf("%d contexts are known, want %d", got.Contexts, want)
		}
		recalculatedTo(t, services[3], model, items)
	})
}

// recalculatedTo recalculates and expects what was learnt before, byte for byte, also
// of rows that went wrong meanwhile.
func recalculatedTo(t *testing.T, s *memory.Service, model domain.LearntModel, items map[int64][]byte) {
	t.Helper()
	ns := slices.Sorted(maps.Keys(items))
	wrong := []domain.LearntItem{{ContextN: ns[0], State: items[ns[1]]}, {ContextN: ns[1], State: items[ns[0]]}}
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error {
		return tx.PutPrediction(ctx, model, model.Watermark, wrong, time.Now())
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{Project: model.Project, What: "predictions"}); err != nil {
		t.Fatal(err)
	}
	again, itemsAgain := learnt(t, s, model.Project)
	if again.Watermark != model.Watermark || !bytes.Equal(again.State, model.State) {
		t.Errorf("the model differs after a recalculation: to %d, was %d", again.Watermark, model.Watermark)
	}
	for n, state := range itemsAgain {
		if !bytes.Equal(state, items[n]) {
			t.Errorf("item %d differs after a recalculation", n)
		}
	}
	if len(itemsAgain) != len(items) {
		t.Errorf("%d items, %d after a recalculation", len(items), len(itemsAgain))
	}
}

// Where the log is cut for reading does not matter: what one session did at one
// moment stays one step, also where a thousand rows end in the middle of it.
func TestLearnInParts(t *testing.T) {
	s, clock := memorytest.Open(t)
	var contexts []domain.Access
	for i := range 12 {
		id := save(t, s, memory.SaveRequest{Content: fmt.Sprint("fact ", i)}).ID
		contexts = append(contexts, domain.Access{ContextID: id, How: domain.Used, Via: "load_context", Actor: "a"})
	}
	use := func(session string, rows int) {
		clock.Pass(time.Minute)
		batch := make([]domain.Access, rows)
		for k := range batch {
			batch[k] = contexts[k%len(contexts)]
			batch[k].At, batch[k].SessionID = clock.Now(), session
		}
		err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.RecordAccesses(ctx, batch) })
		if err != nil {
			t.Fatal(err)
		}
	}
	for k := range 100 {
		use(fmt.Sprint("session ", k/20), 11) // the ninetieth begins before row 1,000 and ends behind it
		if k == 40 {
			if _, err := s.Predict(ctx, memory.PredictRequest{}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := s.Predict(ctx, memory.PredictRequest{}); err != nil {
		t.Fatal(err)
	}
	model, items := learnt(t, s, memorytest.Project)
	recalculatedTo(t, s, model, items)
}

// An answer waits for a while alone and leaves the rest of the log to the next ones;
// what they learn together is what one would have.
func TestLearnWhileThereIsTime(t *testing.T) {
	s, _ := memorytest.Open(t)
	now := memorytest.Crowd(t, s.Store, 50, 2500).Add(time.Hour)
	s.Now = func() time.Time { now = now.Add(10 * time.Millisecond); return now } // time passes, also while one learns
	answers := 0
	for late := true; late; answers++ {
		a, err := s.Predict(ctx, memory.PredictRequest{Project: "wake"})
		if err != nil || answers > 1000 {
			t.Fatal(answers, err)
		}
		late = strings.Contains(strings.Join(a.Notes, " "), "not all of the access log")
	}
	if answers < 10 {
		t.Errorf("%d answers learnt everything", answers)
	}
	model, items := learnt(t, s, "wake")
	recalculatedTo(t, s, model, items)
}

// Learning anew ends at what had been done when it began, though others go on saving.
func TestRelearnWhileOthersSave(t *testing.T) {
	s, _ := memorytest.Open(t)
	steps := 0
	save := func(string, int, int) {
		if steps++; steps < 100 {
			if _, err := s.Save(ctx, memory.SaveRequest{Content: fmt.Sprint("note ", steps), Project: "demo"}); err != nil {
				t.Fatal(err)
			}
		}
	}
	save("", 0, 0)
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{Project: "demo", What: "predictions", Progress: save}); err != nil {
		t.Fatal(err)
	}
	if steps > 3 {
		t.Errorf("%d steps, want those of what was there", steps)
	}
}

// What is learnt does not hang on how many rows of contexts have room in memory.
func TestLearnInLittleMemory(t *testing.T) {
	s, _ := memorytest.Open(t)
	memorytest.Crowd(t, s.Store, 300, 600)
	recalculate := func() (domain.LearntModel, map[int64][]byte) {
		if _, err := s.Recalculate(ctx, memory.RecalculateRequest{Project: "wake", What: "predictions"}); err != nil {
			t.Fatal(err)
		}
		return learnt(t, s, "wake")
	}
	model, items := recalculate()
	memory.KeepRows(t, 100)
	again, itemsAgain := recalculate()
	if !bytes.Equal(again.State, model.State) {
		t.Error("the model differs")
	}
	if diff := cmp.Diff(items, itemsAgain); diff != "" {
		t.Errorf("the rows differ: %.500s", diff)
	}
	if got := recordOne(t, s, "wake"); got.Contexts != 300 {
		t.Errorf("%d contexts are known, want 300", got.Contexts)
	}
}

// What was only handed out or shown teaches nothing.
func TestHandedTeachesNothing(t *testing.T) {
	s, clock := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "the one"})
	memorytest.Use(t, s, memory.Caller{}, a.ID)
	before := recordOne(t, s, memorytest.Project)
	for _, how := range []domain.How{domain.Handed, domain.Shown} {
		clock.Pass(time.Minute)
		batch := []domain.Access{{ContextID: a.ID, At: clock.Now(), How: how, Via: "predict"}}
		err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.RecordAccesses(ctx, batch) })
		if err != nil {
			t.Fatal(err)
		}
		if got := recordOne(t, s, memorytest.Project); got.Steps != before.Steps || got.Questions != before.Questions {
			t.Errorf("%s: %d steps and %d questions, were %d and %d", how, got.Steps, got.Questions, before.Steps, before.Questions)
		}
	}
}

// Of a project whose last context was erased nothing stays learnt: no log is left
// that a recalculation could go through.
func TestErasedTeachesNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	a := save(t, s, memory.SaveRequest{Content: "the one"})
	memorytest.Use(t, s, memory.Caller{}, a.ID)
	recordOne(t, s, memorytest.Project)
	if _, err := s.Purge(ctx, a.ID); err != nil {
		t.Fatal(err)
	}
	if got := recordOne(t, s, memorytest.Project); got.Steps != 0 || got.Questions != 0 {
		t.Errorf("%d steps and %d questions stay", got.Steps, got.Questions)
	}
}

// A recalculation of all projects learns those anew, too, whose contexts are all
// forgotten: what was learnt of what is erased goes.
func TestForgottenIsLearntAnew(t *testing.T) {
	s, c := memorytest.Open(t)
	a, b := save(t, s, memory.SaveRequest{Content: "the one"}), save(t, s, memory.SaveRequest{Content: "the other"})
	c.Pass(time.Hour)
	memorytest.Use(t, s, memory.Caller{}, a.ID)
	if got := recordOne(t, s, memorytest.Project); got.Questions != 1 {
		t.Fatalf("%d questions", got.Questions)
	}
	if _, err := s.Purge(ctx, a.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{b.ID}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{Project: memory.AllProjects, What: "predictions"}); err != nil {
		t.Fatal(err)
	}
	if got := recordOne(t, s, memorytest.Project); got.Questions != 0 {
		t.Errorf("%d questions stay", got.Questions)
	}
}

// One round of the periodic work brings all projects to the ends of their logs, one with
// a long log too, as after an import, also where what is stored of one of them cannot be
// read.
func TestLearnToTheEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	synctest.Test(t, func(t *testing.T) {
		s := server(t, path)
		names := []string{"small 1", "small 2", "small 3"}
		for _, name := range names {
			a := save(t, s, memory.SaveRequest{Project: name, Content: "the one of " + name})
			memorytest.Use(t, s, memory.Caller{}, a.ID)
		}
		spoil(t, s, "small 2")
		time.Sleep(time.Hour)
		busyUntil := memorytest.Crowd(t, s.Store, 50, 9000)
		time.Sleep(time.Until(busyUntil) + time.Hour)
		jobs, stop := context.WithCancel(ctx)
		done := make(chan struct{})
		go func() { s.RunJobs(jobs, "it"); close(done) }()
		time.Sleep(time.Second)
		stop()
		<-done
		all, err := s.Store.Projects(ctx)
		if err != nil || all[0].Name != "wake" {
			t.Fatalf("the busy one is not first: %+v %v", all, err)
		}
		for _, name := range append(names, "wake") {
			model, _ := learnt(t, s, name)
			last, err := s.Store.LastAccess(ctx, name)
			if err != nil {
				t.Fatal(err)
			}
			if model.Watermark != last || last == 0 {
				t.Errorf("%s has learnt to %d of %d after one round", name, model.Watermark, last)
			}
		}
		likely, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: "small 3", Order: domain.Likely})
		if err != nil || len(likely) != 1 || likely[0].Propagation == nil {
			t.Errorf("no score is stored of small 3: %+v %v", likely, err)
		}
	})
}

// spoil stores what no version of prediction can read.
func spoil(t *testing.T, s *memory.Service, project string) {
	t.Helper()
	model := domain.LearntModel{Project: project, Watermark: 1, State: []byte("of another version")}
	err := s.Store.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.PutPrediction(ctx, model, 0, nil, time.Now()) })
	if err != nil {
		t.Fatal(err)
	}
}

// What is foreseen of a few contexts does not depend on how slow the machine is.
func TestFewAccessesAreLearntInAnyTime(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 5 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprint("fact number ", i)})
		c.Pass(time.Hour)
	}
	s.Now = func() time.Time { // each look at it takes a second
		c.Pass(time.Second)
		return c.Now()
	}
	a, err := s.Load(ctx, memory.LoadRequest{Mode: memory.ModeLikely})
	if err != nil || len(a.Contexts) != 5 {
		t.Errorf("%d of 5 contexts are foreseen, %v", len(a.Contexts), err)
	}
}

// reading is a store that counts how often items are asked for.
type reading struct {
	repository.Store
	times int
}

func (r *reading) PredictionItems(ctx context.Context, ns []int64) ([]domain.LearntItem, error) {
	r.times++
	return r.Store.PredictionItems(ctx, ns)
}

// What many steps use is read together: a database may be far away.
func TestLearnReadsItemsTogether(t *testing.T) {
	s, clock := memorytest.Open(t)
	for i := range 60 {
		clock.Pass(time.Hour)
		save(t, s, memory.SaveRequest{By: memory.Caller{SessionID: fmt.Sprint(i)}, Content: fmt.Sprint("fact ", i)})
	}
	store := &reading{Store: s.Store}
	fresh := memory.New(store, summarizer.Extractive{})
	fresh.Now, fresh.DefaultProject = clock.Now, memorytest.Project
	if _, err := fresh.Recalculate(ctx, memory.RecalculateRequest{What: "predictions"}); err != nil {
		t.Fatal(err)
	}
	if store.times == 0 || store.times > 10 {
		t.Errorf("items of 60 contexts were asked for %d times", store.times)
	}
}
