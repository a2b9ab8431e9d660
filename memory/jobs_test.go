package memory_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/summarizer"
)

// Three days of periodic work of two servers on one file: tiers are persisted and scores
// are refreshed.
func TestJobsOverDays(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	synctest.Test(t, func(t *testing.T) {
		first, second := server(t, path), server(t, path)
		a := save(t, first, memory.SaveRequest{Content: "kept for days", ActionType: domain.Decision})
		jobs, stop := context.WithCancel(ctx)
		done := make(chan struct{}, 2)
		for name, s := range map[string]*memory.Service{"first": first, "second": second} {
			go func() { s.RunJobs(jobs, name); done <- struct{}{} }()
		}
		time.Sleep(3 * 24 * time.Hour)
		stop()
		<-done
		<-done
		stored, err := first.Store.ContextsByID(ctx, []string{a.ID}, false)
		if err != nil || len(stored) != 1 {
			t.Fatal(err)
		}
		c := stored[0]
		if c.Memory.Tier != domain.TierArchived {
			t.Errorf("the stored tier is %s", c.Memory.Tier)
		}
		if c.Propagation == nil || time.Since(c.Propagation.LastPredicted) > 24*time.Hour || len(c.Propagation.PropagationReason) == 0 {
			t.Errorf("no prediction is stored: %+v", c.Propagation)
		}
	})
}

func server(t *testing.T, path string) *memory.Service {
	t.Helper()
	store, err := memorytest.Store(path)
	if err != nil {
		t.Fatal(err)
	}
	s := memory.New(store, summarizer.Extractive{})
	s.DefaultProject = "demo"
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Work that takes longer than its lease, such as that of a model without a graphics card,
// keeps the lease: another server does not do it again meanwhile.
func TestLongWorkKeepsItsLease(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	synctest.Test(t, func(t *testing.T) {
		model := &slowModel{asked: map[string]int{}}
		servers := []*memory.Service{server(t, path), server(t, path)}
		for _, s := range servers {
			s.Model = model
		}
		const texts = 15
		for i := range texts {
			save(t, servers[0], memory.SaveRequest{Content: fmt.Sprintf("The text number %d waits for the model.", i)})
		}
		jobs, stop := context.WithCancel(ctx)
		var done sync.WaitGroup
		for i, s := range servers {
			done.Go(func() { s.RunJobs(jobs, fmt.Sprint(i)) })
			time.Sleep(10 * time.Second) // windows are opened one after the other
		}
		time.Sleep(time.Hour)
		stop()
		done.Wait()
		for text, times := range model.asked {
			if times != 1 {
				t.Errorf("the model was asked %d times for %q", times, text)
			}
		}
		if len(model.asked) != texts {
			t.Errorf("the model was asked for %d texts, want %d", len(model.asked), texts)
		}
	})
}

// A server that starts after another was stopped in the middle of its work goes on with
// that at once.
func TestStoppedWorkIsFree(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	synctest.Test(t, func(t *testing.T) {
		model := &slowModel{asked: map[string]int{}}
		first, second := server(t, path), server(t, path)
		first.Model, second.Model = model, model
		save(t, first, memory.SaveRequest{Content: "The text waits for the model."})
		run := func(s *memory.Service, holder string, during time.Duration) {
			jobs, stop := context.WithTimeout(ctx, during)
			defer stop()
			s.RunJobs(jobs, holder)
		}
		run(first, "first", 10*time.Second)
		run(second, "second", time.Minute)
		if len(model.asked) != 1 {
			t.Error("the model was not asked again within a minute")
		}
	})
}

// Who recalculates summaries beside a server has none written twice.
func TestRecalculateBesideAServer(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	synctest.Test(t, func(t *testing.T) {
		model := &slowModel{asked: map[string]int{}}
		here, there := server(t, path), server(t, path)
		here.Model, there.Model = model, model
		const texts = 6
		for i := range texts {
			save(t, here, memory.SaveRequest{Content: fmt.Sprintf("The text number %d waits for the model.", i)})
		}
		jobs, stop := context.WithCancel(ctx)
		var done sync.WaitGroup
		done.Go(func() { here.RunJobs(jobs, "here") })
		time.Sleep(10 * time.Second)
		if _, err := there.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"}); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Hour)
		stop()
		done.Wait()
		all := 0
		for _, times := range model.asked {
			all += times
		}
		if len(model.asked) != texts || all > texts+1 { // the one that the server had begun may be due again
			t.Errorf("the model was asked %d times for %d texts, want %d", all, len(model.asked), texts)
		}
	})
}

// A model that needs minutes for its queue holds up no other periodic work: a session that
// ends meanwhile is distilled in time.
func TestSlowModelHoldsUpNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	synctest.Test(t, func(t *testing.T) {
		s := server(t, path)
		s.Model = &slowModel{asked: map[string]int{}}
		for i := range 60 {
			save(t, s, memory.SaveRequest{Content: fmt.Sprintf("The text number %d waits for the model.", i)})
		}
		jobs, stop := context.WithCancel(ctx)
		var done sync.WaitGroup
		done.Go(func() { s.RunJobs(jobs, "here") })
		time.Sleep(30 * time.Second)
		record(t, s, claude, user("Let's use Redis for the session cache."), `{"type":"end"}`)
		time.Sleep(7 * time.Minute)
		if a, err := s.Load(ctx, memory.LoadRequest{Limit: 1}); err != nil || len(a.Contexts) != 1 || !strings.Contains(a.Contexts[0].Summary, "Redis") {
			t.Errorf("the session was not distilled in seven minutes: %+v %v", a.Contexts, err)
		}
		stop()
		done.Wait()
	})
}

// slowModel takes half a minute for each summary.
type slowModel struct {
	mu    sync.Mutex
	asked map[string]int
}

func (*slowModel) Name() string      { return "slow" }
func (*slowModel) EmbedName() string { return "" }

func (m *slowModel) Summarize(ctx context.Context, text string) (domain.Summary, error) {
	select {
	case <-time.After(30 * time.Second):
	case <-ctx.Done():
		return domain.Summary{}, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked[text]++
	return domain.Summary{Text: text}, nil
}

func (*slowModel) Embed(context.Context, []string) ([][]float32, error) { return nil, nil }

// Predictions are scored once their horizon has passed: right when the context
// was used within it.
func TestOutcomesSettle(t *testing.T) {
	s, c := memorytest.Open(t)
	used := save(t, s, memory.SaveRequest{Content: "will be used"})
	save(t, s, memory.SaveRequest{Content: "will not be used"})
	if _, err := s.Predict(ctx, memory.PredictRequest{}); err != nil {
		t.Fatal(err)
	}
	c.Pass(2 * time.Hour)
	load(t, s, used.ID)
	c.Pass(23 * time.Hour)
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "predictions"}); err != nil {
		t.Fatal(err)
	}
	a, err := s.Stats(ctx, "demo")
	if err != nil || a.Prediction.Settled != 2 || a.Prediction.Hits != 1 || a.Prediction.Pending != 0 {
		t.Errorf("%+v %v", a.Prediction, err)
	}
}

// A prediction was right even if the context was forgotten since, or used hundreds of
// times.
func TestOutcomesSettleLate(t *testing.T) {
	s, c := memorytest.Open(t)
	gone, often := save(t, s, memory.SaveRequest{Content: "used, then forgotten"}), save(t, s, memory.SaveRequest{Content: "used, and ever again"})
	if _, err := s.Predict(ctx, memory.PredictRequest{}); err != nil {
		t.Fatal(err)
	}
	c.Pass(2 * time.Hour)
	load(t, s, gone.ID)
	load(t, s, often.ID)
	c.Pass(23 * time.Hour)
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	for range 250 {
		load(t, s, often.ID)
	}
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "predictions"}); err != nil {
		t.Fatal(err)
	}
	p, err := s.Store.PredictionStats(ctx, "demo")
	if err != nil || p.Settled != 2 || p.Hits != 2 {
		t.Errorf("%+v %v", p, err)
	}
}

// What no project is called is refused by every engine.
func TestRecalculateRefuses(t *testing.T) {
	s, _ := memorytest.Open(t)
	_, err := s.Recalculate(t.Context(), memory.RecalculateRequest{Project: "a\x00b"})
	refused(t, err, domain.KindInvalid)
}
