package memory_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/summarizer"
	"wake/summarizer/ollamatest"
)

// polished opens a memory with a real Ollama server behind it.
func polished(t *testing.T, answer string) (*memory.Service, *ollamatest.Server) {
	t.Helper()
	server := ollamatest.Start(t)
	server.Chat(t, "scribe", answer)
	server.Embedding(t, "compass", "car automobile engine garage repair lunch pizza friday menu", []string{"car", "automobile"})
	model, err := summarizer.NewOllama(server.URL, "scribe", "compass")
	if err != nil {
		t.Fatal(err)
	}
	s, _ := memorytest.Open(t)
	s.Model = model
	return s, server
}

const engineNote = "The automobile needs a new engine before the summer, the garage said after the repair."

// The save answers at once with an extract; the model's summary and tags come
// later, from a queue that survives, and what a caller gave stays.
func TestModelPolishesLater(t *testing.T) {
	s, _ := polished(t, `{"summary":"The automobile needs a new engine before the summer.","tags":["automobile","engine"]}`)
	a := save(t, s, memory.SaveRequest{Content: engineNote})
	own := save(t, s, memory.SaveRequest{Content: engineNote + " Ask twice.", Summary: "my own words", Tags: []string{"mine"}})
	if c := load(t, s, a.ID); c.SummaryBy != "extractive" {
		t.Errorf("summarised by %s before the model was asked", c.SummaryBy)
	}
	done, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"})
	if err != nil || done.Summaries != 2 {
		t.Fatalf("%+v %v", done, err)
	}
	c := load(t, s, a.ID)
	if c.SummaryBy != "scribe" || !strings.HasPrefix(c.Summary, "The automobile") || len(c.Tags) != 2 || c.Content != engineNote {
		t.Errorf("%+v", c)
	}
	if c := load(t, s, own.ID); c.Summary != "my own words" || c.SummaryBy != "caller" || c.Tags[0] != "mine" {
		t.Errorf("the caller's words went: %+v", c)
	}
}

// A missing model for summaries keeps no context from its embedding, however many wait; the
// summary is made when the model is there.
func TestEmbeddingDoesNotWaitForItsSummary(t *testing.T) {
	s, server := polished(t, `{"summary":"The automobile needs a new engine.","tags":["automobile"]}`)
	const contexts = 23 // more than a round
	for i := range contexts {
		save(t, s, memory.SaveRequest{Content: fmt.Sprint(engineNote, " It is number ", i)})
	}
	work := func(chat string, waiting int) {
		t.Helper()
		var err error
		if s.Model, err = summarizer.NewOllama(server.URL, chat, "compass"); err != nil {
			t.Fatal(err)
		}
		a, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"})
		if err != nil || a.Queued != waiting {
			t.Errorf("%d wait, want %d (%v)", a.Queued, waiting, err)
		}
		embedded(t, s, "compass", contexts)
	}
	work("pulled-later", contexts)
	work("scribe", 0)
}

// A model that writes nothing of use keeps no context from its embedding whose summary
// the caller gave: it is not asked for one.
func TestModelIsNotAskedForWhatTheCallerSaid(t *testing.T) {
	s, _ := polished(t, `{"summary":"no word of it","tags":["none"]}`)
	save(t, s, memory.SaveRequest{Content: engineNote, Summary: "my own words", Tags: []string{"mine"}})
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"}); err != nil {
		t.Fatal(err)
	}
	embedded(t, s, "compass", 1)
}

// Only a model that is away lets summaries wait: who stops the work is told that it was
// not done.
func TestSummariesStopped(t *testing.T) {
	s, _ := polished(t, `{"summary":"The automobile needs a new engine.","tags":["automobile"]}`)
	save(t, s, memory.SaveRequest{Content: engineNote})
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	_, err := s.Recalculate(stopped, memory.RecalculateRequest{What: "summaries", Progress: func(string, int, int) { stop() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// Who stops the work while the model writes leaves the context due at once, as it was: the
// next server does not wait until the claim of a dead process ends.
func TestSummaryStoppedIsDueAtOnce(t *testing.T) {
	s, _ := memorytest.Open(t)
	stopped, stop := context.WithCancel(ctx)
	defer stop()
	slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		stop()
		<-stopped.Done()
	}))
	defer slow.Close()
	var err error
	if s.Model, err = summarizer.NewOllama(slow.URL, "scribe", ""); err != nil {
		t.Fatal(err)
	}
	id := save(t, s, memory.SaveRequest{Content: engineNote}).ID
	if _, err := s.Recalculate(stopped, memory.RecalculateRequest{What: "summaries"}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	due, err := s.Store.DueSummaries(ctx, "", s.Now(), 2)
	if err != nil || len(due) != 1 || due[0].ContextID != id || due[0].Attempts != 0 {
		t.Errorf("due are %v, want %s (%v)", due, id, err)
	}
}

// A summary is kept though its embedding cannot be made yet, and is not asked for again
// when that is made.
func TestSummaryDoesNotWaitForItsEmbedding(t *testing.T) {
	s, server := polished(t, `{"summary":"The automobile needs a new engine.","tags":["automobile"]}`)
	asked := atomic.Int32{}
	real, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(real)
	counted := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/chat" {
			asked.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	defer counted.Close()
	if s.Model, err = summarizer.NewOllama(counted.URL, "scribe", "pulled-later"); err != nil {
		t.Fatal(err)
	}
	id := save(t, s, memory.SaveRequest{Content: engineNote}).ID
	recalculate := func(queued int) {
		t.Helper()
		a, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"})
		if err != nil || a.Queued != queued {
			t.Errorf("%d wait, want %d (%v)", a.Queued, queued, err)
		}
	}
	recalculate(1)
	if c := load(t, s, id); c.SummaryBy != "scribe" {
		t.Errorf("summarised by %s without an embedding, want scribe", c.SummaryBy)
	}
	server.Embedding(t, "pulled-later", "automobile engine")
	recalculate(0)
	if n := asked.Load(); n != 1 {
		t.Errorf("the model was asked for the summary %d times, want once", n)
	}
	embedded(t, s, "pulled-later", 1)
}

// A text that a model cannot summarise has an embedding like any other.
func TestUselessSummaryLeavesTheEmbedding(t *testing.T) {
	s, _ := polished(t, `{"summary":"no word of it","tags":["none"]}`)
	save(t, s, memory.SaveRequest{Content: engineNote})
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"}); err != nil {
		t.Fatal(err)
	}
	embedded(t, s, "compass", 1)
}

// Whoever changes the embedding model, or names one later, has what is there embedded with
// it when summaries are recalculated, whoever wrote the summaries.
func TestRecalculateEmbedsWithAnotherModel(t *testing.T) {
	s, server := polished(t, `{"summary":"The automobile needs a new engine.","tags":["automobile"]}`)
	save(t, s, memory.SaveRequest{Content: engineNote})
	save(t, s, memory.SaveRequest{Content: engineNote + " Ask twice.", Summary: "my own words"})
	recalculate := func() {
		t.Helper()
		if a, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"}); err != nil || a.Queued != 0 {
			t.Errorf("%d wait (%v)", a.Queued, err)
		}
	}
	recalculate()
	embedded(t, s, "compass", 2)
	server.Embedding(t, "needle", "automobile engine")
	model, err := summarizer.NewOllama(server.URL, "scribe", "needle")
	if err != nil {
		t.Fatal(err)
	}
	s.Model = model
	recalculate()
	embedded(t, s, "needle", 2)
}

// embedded checks how many contexts have an embedding of the model.
func embedded(t *testing.T, s *memory.Service, model string, want int) {
	t.Helper()
	stored := 0
	if err := s.Store.Embeddings(ctx, "demo", model, func(domain.Embedding) { stored++ }); err != nil || stored != want {
		t.Errorf("%d embeddings by %s, want %d (%v)", stored, model, want, err)
	}
}

// Embeddings join the search: a question in other words finds what means the
// same; with the server gone the search goes on without them.
func TestVectorsJoinTheSearch(t *testing.T) {
	s, server := polished(t, `{"summary":"The automobile needs a new engine.","tags":["automobile"]}`)
	want := save(t, s, memory.SaveRequest{Content: engineNote})
	save(t, s, memory.SaveRequest{Content: "Pizza is on the lunch menu on Friday."})
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"}); err != nil {
		t.Fatal(err)
	}
	a, err := s.Search(ctx, memory.SearchRequest{Query: "car"})
	if err != nil || len(a.Hits) == 0 || a.Hits[0].ID != want.ID {
		t.Errorf("%+v %v", a.Hits, err)
	}
	server.Kill()
	if a, err := s.Search(ctx, memory.SearchRequest{Query: "engine"}); err != nil || len(a.Hits) == 0 || a.Hits[0].ID != want.ID {
		t.Errorf("without the server: %+v %v", a.Hits, err)
	}
}

// What waits for the model is counted when its work is done, also of what was queued
// before; and who asks for the work to be done now has it done, even if it was put off
// because the model was away.
func TestRecalculateCountsWhatWaits(t *testing.T) {
	s, server := polished(t, `{"summary":"The automobile needs a new engine.","tags":["automobile"]}`)
	there := s.Model
	away, err := summarizer.NewOllama("http://127.0.0.1:1", "scribe", "compass")
	if err != nil {
		t.Fatal(err)
	}
	recalculate := func(model memory.Model, summaries, queued int) {
		t.Helper()
		s.Model = model
		a, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"})
		if err != nil || a.Summaries != summaries || a.Queued != queued {
			t.Errorf("%d summaries, %d wait; want %d, %d (%v)", a.Summaries, a.Queued, summaries, queued, err)
		}
	}
	s.Model = nil
	save(t, s, memory.SaveRequest{Content: engineNote})
	recalculate(away, 0, 1)
	save(t, s, memory.SaveRequest{Content: engineNote + " Soon."})
	recalculate(away, 0, 2)
	recalculate(there, 2, 0)
	save(t, s, memory.SaveRequest{Content: engineNote + " Later."})
	server.Kill()
	recalculate(there, 0, 1)
}

// Who asks for one project does not wait for the queues of others.
func TestRecalculateOneProject(t *testing.T) {
	s, _ := polished(t, `{"summary":"The automobile needs a new engine.","tags":["automobile"]}`)
	for _, project := range []string{"garage", "kitchen", "kitchen"} {
		save(t, s, memory.SaveRequest{Content: fmt.Sprint(engineNote, s.NewID()), Project: project})
	}
	for _, step := range []struct {
		project   string
		summaries int
	}{{"garage", 1}, {memory.AllProjects, 2}} {
		a, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries", Project: step.project})
		if err != nil || a.Summaries != step.summaries || a.Queued != 0 {
			t.Errorf("%s: %d summaries, want %d; %d wait (%v)", step.project, a.Summaries, step.summaries, a.Queued, err)
		}
	}
}

// A caller with little patience gets an answer while the model still has work to do.
func TestRecalculatePatience(t *testing.T) {
	s, _ := polished(t, `{"summary":"The automobile needs a new engine.","tags":["automobile"]}`)
	s.Now = time.Now
	for i := range 3 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprint(engineNote, i)})
	}
	a, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries", Patience: 1})
	if err != nil || a.Summaries+a.Queued != 3 || a.Queued < 2 {
		t.Errorf("%d summaries, %d wait (%v)", a.Summaries, a.Queued, err)
	}
}

// An embedding model that takes long, as when it must be loaded, is not given up with the
// question that asked for it, or it would never be there; meanwhile nobody waits for it.
func TestSlowEmbeddingIsNotGivenUp(t *testing.T) {
	s, server := polished(t, `{"summary":"The automobile needs a new engine.","tags":["automobile"]}`)
	real, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	loaded, asked, answered := make(chan struct{}), atomic.Int32{}, atomic.Int32{}
	proxy := httputil.NewSingleHostReverseProxy(real)
	slow := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/embed" {
			asked.Add(1)
			select {
			case <-loaded:
			case <-r.Context().Done(): // as Ollama, which stops loading
				return
			}
			defer answered.Add(1)
		}
		proxy.ServeHTTP(w, r)
	}))
	defer slow.Close()
	if s.Model, err = summarizer.NewOllama(slow.URL, "scribe", "compass"); err != nil {
		t.Fatal(err)
	}
	search := func() {
		t.Helper()
		if _, err := s.Search(ctx, memory.SearchRequest{Query: "car"}); err != nil {
			t.Fatal(err)
		}
	}
	search()
	search()
	if n := asked.Load(); n != 1 {
		t.Errorf("the model was asked %d times while it was loading", n)
	}
	close(loaded)
	for began := time.Now(); answered.Load() < 2; search() {
		if time.Since(began) > time.Minute {
			t.Fatalf("the model answered %d of %d questions", answered.Load(), asked.Load())
		}
	}
}

// With the server away the queue waits and costs no try; saves go on.
func TestModelAway(t *testing.T) {
	s, server := polished(t, `{"summary":"x","tags":["x"]}`)
	a := save(t, s, memory.SaveRequest{Content: engineNote})
	server.Kill()
	done, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "summaries"})
	if err != nil || done.Summaries != 0 || len(done.Notes) == 0 {
		t.Errorf("%+v %v", done, err)
	}
	save(t, s, memory.SaveRequest{Content: "saved while the model is away"})
	if st, err := s.Stats(ctx, "demo"); err != nil || st.Queued != 2 {
		t.Errorf("%d wait, want 2 (%v)", st.Queued, err)
	}
	if c := load(t, s, a.ID); c.SummaryBy != "extractive" {
		t.Errorf("summarised by %s", c.SummaryBy)
	}
}
