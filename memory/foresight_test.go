package memory_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/transcript"
)

func recordOne(t testing.TB, s *memory.Service, project string) memory.ProjectRecord {
	t.Helper()
	list, err := s.PredictionRecords(ctx, project)
	if err != nil || len(list) != 1 {
		t.Fatalf("%d records, %v", len(list), err)
	}
	return list[0]
}

// The record compares the methods on the user's own history, says how right chances
// were and what was learnt, is the same after a recalculation, and is one project's.
func TestPredictionRecord(t *testing.T) {
	s, c := memorytest.Open(t)
	memorytest.Live(t, s, c, "demo", 45)
	memorytest.Live(t, s, c, "other", 3)
	got := recordOne(t, s, "demo")
	if got.Questions < 200 || got.Contexts != 30 || got.Sessions < 90 || len(got.Methods) != 5 {
		t.Fatalf("%+v", got)
	}
	by := map[string]memory.MethodRecord{}
	for _, m := range got.Methods {
		by[m.Name] = m
		if m.Hit1 > m.Hit5 || m.Hit5 > m.Hit10 || m.Hit10 > 1 || m.MRR < m.Hit1 || m.About == "" {
			t.Errorf("%+v", m)
		}
	}
	if by["wake"].Hit5 <= by["lru"].Hit5 || by["wake"].Hit5 <= by["newest"].Hit5 || by["wake"].Hit5 <= by["wakeiqx"].Hit5 {
		t.Errorf("a rhythm is not learnt: %+v", got.Methods)
	}
	if got.Day == nil || got.Day.Skill <= 0 || len(got.Day.Curve) < 5 || got.Week == nil || len(got.Week.Curve) < 5 {
		t.Errorf("day %+v\nweek %+v", got.Day, got.Week)
	}
	if got.Learned == nil || got.Learned.Lessons == 0 || got.Learned.StartLessons == 0 || len(got.Learned.Signs) < 5 || len(got.Learned.Voices) < 2 {
		t.Errorf("learned: %+v", got.Learned)
	}
	if words := strings.Join(got.Verdict, "\n"); !strings.Contains(words, "better than the best plain rule") || !strings.Contains(words, "Brier skill") {
		t.Errorf("verdict: %s", words)
	}
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "predictions"}); err != nil {
		t.Fatal(err)
	}
	again := recordOne(t, s, "demo")
	again.Shown = got.Shown // the scores were refreshed meanwhile
	if diff := cmp.Diff(got, again); diff != "" {
		t.Errorf("recalculated (-bit by bit +at once):\n%s", diff)
	}
	all, err := s.PredictionRecords(ctx, memory.AllProjects)
	if err != nil || len(all) != 2 || all[0].Project != "other" || all[1].Questions != got.Questions {
		t.Errorf("all: %+v %v", all, err)
	}
	stats, err := s.Stats(ctx, "demo")
	if diff := cmp.Diff(got.LearningRecord, stats.Learning); err != nil || diff != "" {
		t.Errorf("memory_stats says otherwise: %v\n%s", err, diff)
	}
	if data, err := json.Marshal(got); err != nil || !strings.Contains(string(data), `"brier_skill":`) || !strings.Contains(string(data), `"signs":[`) {
		t.Errorf("%s %v", data, err)
	}
}

// A project with no history or hardly any has a record too, in words that do not
// promise anything.
func TestPredictionRecordYoung(t *testing.T) {
	s, c := memorytest.Open(t)
	none := recordOne(t, s, "nowhere")
	if none.Questions != 0 || none.Learned != nil || none.Methods != nil || !strings.Contains(none.Verdict[0], "nothing to judge by yet") {
		t.Errorf("no project: %+v", none)
	}
	a := save(t, s, memory.SaveRequest{Content: "the first"})
	c.Pass(time.Hour)
	memorytest.Use(t, s, memory.Caller{}, a.ID)
	young := recordOne(t, s, "demo")
	if words := strings.Join(young.Verdict, "\n"); young.Questions == 0 || !strings.Contains(words, "methods are compared from 25 on") || !strings.Contains(words, "no chance is judged yet") {
		t.Errorf("one use: %+v", young)
	}
}

// What was forgotten is not foreseen; brought back it is again, as something that is
// known and that nobody used just now. A recalculation says the same.
func TestUndoneForgettingIsForeseen(t *testing.T) {
	s, c := memorytest.Open(t)
	kept := save(t, s, memory.SaveRequest{Content: "the one"})
	gone := save(t, s, memory.SaveRequest{Content: "the other"})
	for range 3 {
		c.Pass(time.Hour)
		load(t, s, gone.ID)
	}
	foreseen := func() (ids []string) {
		t.Helper()
		a, err := s.Predict(ctx, memory.PredictRequest{})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range a.Predictions {
			ids = append(ids, p.ID)
		}
		return ids
	}
	both := foreseen()
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{gone.ID}}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{kept.ID}, foreseen()); diff != "" {
		t.Errorf("forgotten: %s", diff)
	}
	used := recordOne(t, s, "demo")
	if _, err := s.Forget(ctx, memory.ForgetRequest{IDs: []string{gone.ID}, Undo: true}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(both, foreseen()); diff != "" {
		t.Errorf("brought back: %s", diff)
	}
	back := recordOne(t, s, "demo")
	if back.Questions != used.Questions || back.Steps != used.Steps || back.Contexts != 2 {
		t.Errorf("the undo counts as a use: before %+v, after %+v", used, back)
	}
	if got := load(t, s, gone.ID); got.Memory.AccessCount != 3 {
		t.Errorf("%d accesses, want the 3 loads", got.Memory.AccessCount)
	}
	if _, err := s.Recalculate(ctx, memory.RecalculateRequest{What: "predictions"}); err != nil {
		t.Fatal(err)
	}
	if got := recordOne(t, s, "demo"); got.Contexts != 2 {
		t.Errorf("recalculated: %d contexts are known", got.Contexts)
	}
}

// A day years ahead is no forecast: where hundreds lie unused for years, none is named.
func TestFarForecastIsNotNamed(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 150 {
		if _, err := s.Save(ctx, memory.SaveRequest{Project: "attic", Content: fmt.Sprintf("Box %d stands on the attic.", i)}); err != nil {
			t.Fatal(err)
		}
		c.Pass(6 * 24 * time.Hour)
	}
	memorytest.Live(t, s, c, "demo", 3)
	far, near := 0, 0
	for _, project := range []string{"demo", "attic"} {
		answer, err := s.Predict(ctx, memory.PredictRequest{Project: project, Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range answer.Predictions {
			switch ahead := p.PredictedNextAccess.Sub(c.Now()); {
			case ahead > 366*24*time.Hour && p.EvenBy.IsZero():
				far++
			case ahead < 364*24*time.Hour && p.EvenBy.Equal(p.PredictedNextAccess):
				near++
			default:
				t.Errorf("%s: %v, named %v", p.ID, p.PredictedNextAccess, p.EvenBy)
			}
		}
	}
	if far == 0 || near == 0 {
		t.Errorf("%d far, %d near", far, near)
	}
}

// Contexts of which nobody wrote down when they were kept are stored all the same.
func TestImportWithoutHistoryIsNotNothing(t *testing.T) {
	s, _ := memorytest.Open(t)
	line := `{"wake":2}` + "\n" + `{"context":{"id":"old","project":"attic","timestamp":"2019-03-01T10:00:00Z","content":"The key hangs behind the door."}}` + "\n"
	if _, err := s.Import(ctx, memory.ImportRequest{Format: transcript.Wake, Name: "old", Source: strings.NewReader(line)}); err != nil {
		t.Fatal(err)
	}
	for project, want := range map[string]string{"attic": "it is not known when", "cellar": "no context is kept in this project yet"} {
		answer, err := s.Predict(ctx, memory.PredictRequest{Project: project})
		if err != nil || len(answer.Notes) == 0 || !strings.HasPrefix(answer.Notes[0], want) {
			t.Errorf("%s: %q, %v; want %q", project, answer.Notes, err, want)
		}
	}
}

// Years of sessions that were over before wake was there say nothing of what will be opened:
// the first context that is saved after their import is as likely to be needed as without it.
func TestImportedPastIsNoLesson(t *testing.T) {
	chance := func(sessions int) float64 {
		s, c := memorytest.Open(t)
		for i := range sessions {
			at := c.Now().AddDate(0, 0, -7*(sessions-i)).Format(time.RFC3339)
			line := row(t, map[string]any{"type": "assistant", "uuid": fmt.Sprint("a", i), "sessionId": fmt.Sprint("s", i), "timestamp": at,
				"message": map[string]any{"id": fmt.Sprint("m", i), "role": "assistant", "content": []map[string]any{
					{"type": "text", "text": fmt.Sprintf("We decided to use queue %d for part %d because part %d is slow.", i, i, i)}}}})
			a := importDistilled(t, s, memory.ImportRequest{Format: transcript.ClaudeCode, Name: fmt.Sprint("t", i), Source: strings.NewReader(line), Project: "demo"})
			if a.Distilled != 1 {
				t.Fatalf("%d distilled", a.Distilled)
			}
		}
		saved := save(t, s, memory.SaveRequest{Project: "demo", Content: "The service listens on port 8000."})
		answer, err := s.Predict(ctx, memory.PredictRequest{Project: "demo", Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range answer.Predictions {
			if p.ID == saved.ID {
				return p.Probability
			}
		}
		t.Fatal("the new context is not foreseen")
		return 0
	}
	fresh, after := chance(0), chance(80)
	if after < fresh/2 {
		t.Errorf("%.3f after an import, %.3f without", after, fresh)
	}
}

// Both formulas answer with reasons; what is used gains.
func TestPredict(t *testing.T) {
	s, c := memorytest.Open(t)
	for i := range 20 {
		save(t, s, memory.SaveRequest{Content: fmt.Sprintf("fact %d about something", i)})
	}
	hot := save(t, s, memory.SaveRequest{Content: "the release checklist", ActionType: domain.Decision})
	for range 5 {
		c.Pass(24 * time.Hour)
		load(t, s, hot.ID)
	}
	c.Pass(time.Hour)
	for _, formula := range []string{"", "wakeiqx"} {
		s.Formula = formula
		a, err := s.Predict(ctx, memory.PredictRequest{})
		if err != nil || len(a.Predictions) != 5 || a.Predictions[0].ID != hot.ID {
			t.Fatalf("%q: %+v %v", formula, a.Predictions, err)
		}
		for _, p := range a.Predictions {
			if p.Score < 0 || p.Score > 1 || p.Probability < 0 || p.Probability > 1 || len(p.Reasons) == 0 {
				t.Errorf("%q: %+v", formula, p)
			}
		}
	}
	s.Formula = "tarot"
	_, err := s.Predict(ctx, memory.PredictRequest{})
	refused(t, err, domain.KindInvalid)
	s.Formula = ""
	a, err := s.Load(ctx, memory.LoadRequest{Mode: memory.ModeLikely})
	if err != nil || a.Contexts[0].ID != hot.ID {
		t.Errorf("likely: %+v %v", a.Contexts, err)
	}
}

// What was used in this stretch of work is marked, however many other signs speak for
// it; after a rest nothing is.
func TestPredictMarksOpened(t *testing.T) {
	s, c := memorytest.Open(t)
	cause := save(t, s, memory.SaveRequest{Content: "The store is one SQLite file", ActionType: domain.Decision})
	effect := save(t, s, memory.SaveRequest{Content: "So there is one writer", CausedBy: cause.ID})
	save(t, s, memory.SaveRequest{Content: "The garden has carrots"})
	opened := func() (marks []string) {
		a, err := s.Predict(ctx, memory.PredictRequest{})
		if err != nil || len(a.Predictions) != 3 {
			t.Fatalf("%+v %v", a.Predictions, err)
		}
		for _, p := range a.Predictions {
			if p.Opened {
				marks = append(marks, p.ID)
			}
		}
		return marks
	}
	for _, id := range []string{effect.ID, cause.ID} {
		load(t, s, id)
		if err := s.Flush(ctx); err != nil {
			t.Fatal(err)
		}
	}
	if got := opened(); len(got) != 3 {
		t.Errorf("marked %v of all three", got)
	}
	c.Pass(2 * time.Hour)
	if got := opened(); len(got) != 0 {
		t.Errorf("after a rest: %v", got)
	}
}
