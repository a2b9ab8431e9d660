package prediction_test

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"wake/prediction"
)

// story makes a log with habits: each session works in one corner of the project, goes round in it, and now and then
// adds something new.
func story(seed uint64, steps, items int) []prediction.Step {
	rnd := rand.New(rand.NewPCG(seed, 1))
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	var list []prediction.Step
	corner, session := 0, 0
	for n := range steps {
		if n%12 == 0 {
			session++
			corner = rnd.IntN(max(1, items/8))
			at = at.Add(time.Duration(rnd.IntN(20)) * time.Hour)
		}
		at = at.Add(time.Duration(rnd.IntN(300)) * time.Second)
		id := 1 + (corner*8+n%12%8)%items
		s := prediction.Step{Position: int64(n + 1), At: at, Session: fmt.Sprint("s", session), Actor: fmt.Sprint("u", corner%3)}
		s.Uses = append(s.Uses, prediction.Use{Item: prediction.ID(id), Kind: prediction.Kind(rnd.IntN(3)), Label: fmt.Sprintf("part%d/file%d.go", corner, id)})
		if rnd.IntN(4) == 0 {
			s.Uses = append(s.Uses, prediction.Use{Item: prediction.ID(1 + rnd.IntN(items)), Kind: prediction.Changed, Cause: prediction.ID(id)})
		}
		list = append(list, s)
	}
	return list
}

// replay folds steps into a model and rows.
func replay(t testing.TB, m *prediction.Model, rows prediction.Memory, steps []prediction.Step) {
	t.Helper()
	for _, s := range steps {
		changed, err := m.Advance(s, rows)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSortedFunc(changed, func(a, b *prediction.Item) int { return cmp.Compare(a.ID, b.ID) }) {
			t.Fatalf("the changed rows of step %d come in no order", s.Position)
		}
		for _, it := range changed {
			rows[it.ID] = it
		}
	}
}

func learned(t testing.TB, steps []prediction.Step) (*prediction.Model, prediction.Memory) {
	t.Helper()
	m, rows := prediction.NewModel(), prediction.Memory{}
	replay(t, m, rows, steps)
	return m, rows
}

func state(t testing.TB, m *prediction.Model, rows prediction.Memory) []byte {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	for id := range prediction.ID(200) {
		if it := rows[id]; it != nil {
			row, _ := it.MarshalBinary()
			b = append(b, row...)
		}
	}
	return b
}

// Learning is deterministic: the same log gives the same state, byte for byte, also where a lesson holds only some of
// the candidates.
func TestSameLogSameState(t *testing.T) {
	steps := story(1, 400, 240)
	if !bytes.Equal(state(t, modelOf(learned(t, steps)), nil), state(t, modelOf(learned(t, steps)), nil)) {
		t.Fatal("two replays of one log differ")
	}
	m1, r1 := learned(t, steps)
	m2, r2 := learned(t, steps)
	if !bytes.Equal(state(t, m1, r1), state(t, m2, r2)) {
		t.Fatal("two replays of one log differ in their rows")
	}
}

func modelOf(m *prediction.Model, _ prediction.Memory) *prediction.Model { return m }

// A model that is stored and read between any two steps goes on as if it had never stopped: several processes may
// take turns.
func TestStoredStateGoesOn(t *testing.T) {
	steps := story(2, 300, 60)
	whole, wholeRows := learned(t, steps)
	m, rows := prediction.NewModel(), prediction.Memory{}
	for k, s := range steps {
		if k%37 == 0 {
			m, rows = reread(t, m, rows)
		}
		replay(t, m, rows, []prediction.Step{s})
	}
	if !bytes.Equal(state(t, whole, wholeRows), state(t, m, rows)) {
		t.Fatal("a state that was stored in between differs")
	}
}

// reread stores everything and reads it again.
func reread(t *testing.T, m *prediction.Model, rows prediction.Memory) (*prediction.Model, prediction.Memory) {
	t.Helper()
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	fresh, freshRows := prediction.NewModel(), prediction.Memory{}
	if err := fresh.UnmarshalBinary(b); err != nil {
		t.Fatal(err)
	}
	for id, it := range rows {
		b, err := it.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		freshRows[id] = &prediction.Item{}
		if err := freshRows[id].UnmarshalBinary(b); err != nil {
			t.Fatal(err)
		}
	}
	return fresh, freshRows
}

// A step that was taken in already is refused, and changes nothing.
func TestNoStepCountsTwice(t *testing.T) {
	steps := story(3, 50, 30)
	m, rows := learned(t, steps)
	before := state(t, m, rows)
	if _, err := m.Advance(steps[len(steps)-1], rows); err == nil {
		t.Fatal("the same step was taken in twice")
	}
	if !bytes.Equal(before, state(t, m, rows)) {
		t.Fatal("a refused step changed the state")
	}
}

type broken struct{}

func (broken) Load([]prediction.ID) ([]*prediction.Item, error) {
	return nil, errors.New("disk on fire")
}

// A step whose rows cannot be loaded leaves the model as it was.
func TestFailedStepChangesNothing(t *testing.T) {
	steps := story(4, 50, 30)
	m, rows := learned(t, steps[:49])
	before := state(t, m, rows)
	if _, err := m.Advance(steps[49], broken{}); err == nil {
		t.Fatal("no error")
	}
	if _, err := m.Predict(prediction.Query{Now: steps[49].At}, broken{}); err == nil {
		t.Fatal("no error")
	}
	if !bytes.Equal(before, state(t, m, rows)) {
		t.Fatal("a failed step changed the state")
	}
}

// anyStep draws a step with any clock, sessions, actors and items.
func anyStep(t *rapid.T, position int64) prediction.Step {
	s := prediction.Step{Position: position, At: time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "at"), 0)}
	s.Session = rapid.SampledFrom([]string{"", "a", "b"}).Draw(t, "session")
	s.Actor = rapid.SampledFrom([]string{"", "x", "y"}).Draw(t, "actor")
	for range rapid.IntRange(0, 4).Draw(t, "uses") {
		s.Uses = append(s.Uses, prediction.Use{
			Item: prediction.ID(rapid.IntRange(1, 30).Draw(t, "item")), Kind: prediction.Kind(rapid.IntRange(0, 4).Draw(t, "kind")),
			Cause: prediction.ID(rapid.IntRange(0, 30).Draw(t, "cause")), Label: rapid.String().Draw(t, "label"),
		})
	}
	return s
}

// Scores and chances are within 0–1 and finite, and times are not before now, for any log and clock, also one that goes back.
func TestForecastsAreSound(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, rows := prediction.NewModel(), prediction.Memory{}
		for k := range rapid.IntRange(0, 25).Draw(t, "steps") {
			changed, err := m.Advance(anyStep(t, int64(k+1)), rows)
			if err != nil {
				t.Fatal(err)
			}
			for _, it := range changed {
				rows[it.ID] = it
			}
		}
		now := time.Unix(rapid.Int64Range(-1<<36, 1<<36).Draw(t, "now"), 0)
		list, err := m.Predict(prediction.Query{Now: now, Session: "a", Actor: "x", Horizon: time.Duration(rapid.Int64().Draw(t, "horizon"))}, rows)
		if err != nil {
			t.Fatal(err)
		}
		last := 2.0
		for _, f := range list {
			for _, v := range []float64{f.Score, f.Probability} {
				if math.IsNaN(v) || v < 0 || v > 1 {
					t.Fatalf("forecast %+v", f)
				}
			}
			if f.Score > last || f.Soon.Before(now) || f.Next.Before(f.Soon) || f.Late.Before(f.Next) || len(f.Reasons(prediction.Facts{}, now)) == 0 {
				t.Fatalf("forecast %+v at %v", f, now)
			}
			last = f.Score
		}
		soundChances(t, m, rows, now)
	})
}

// soundChances checks chances at any place and for any horizon: within 0–1, none for no time, and never less for more.
func soundChances(t *rapid.T, m *prediction.Model, rows prediction.Memory, now time.Time) {
	n := rapid.IntRange(0, 40).Draw(t, "candidates")
	place := rapid.IntRange(0, n).Draw(t, "place")
	horizon := time.Duration(rapid.Int64().Draw(t, "second horizon"))
	for _, it := range rows {
		p, more := m.Probability(it, now, place, n, horizon), m.Probability(it, now, place, n, horizon/2+1<<62)
		if math.IsNaN(p) || p < 0 || p > 1 || horizon <= 0 && p != 0 || more < p-1e-12 {
			t.Fatalf("chance %v within %s, %v within %s", p, horizon, more, horizon/2+1<<62)
		}
	}
}

// A clock behind the log counts as standing still at its end: the answer is that of then.
func TestClockBehind(t *testing.T) {
	m, rows := learned(t, story(11, 200, 40))
	ask := func(at int64) []prediction.Forecast {
		list, err := m.Predict(prediction.Query{Now: time.Unix(at, 0), Session: "s2", Actor: "u1"}, rows)
		if err != nil {
			t.Fatal(err)
		}
		return list
	}
	now, behind := ask(m.Now), ask(m.Now-3600)
	for k := range now {
		if now[k].ID != behind[k].ID || now[k].Score != behind[k].Score || now[k].Probability != behind[k].Probability {
			t.Fatalf("an hour behind, place %d: %+v, want %+v", k, behind[k], now[k])
		}
	}
}

// Nothing of one project leaks into another: what a second model learns between two steps of the first changes nothing.
func TestProjectsAreApart(t *testing.T) {
	steps := story(5, 200, 40)
	alone, aloneRows := learned(t, steps)
	a, aRows := prediction.NewModel(), prediction.Memory{}
	b, bRows := prediction.NewModel(), prediction.Memory{}
	other := story(6, 200, 40)
	for k := range steps {
		replay(t, a, aRows, steps[k:k+1])
		replay(t, b, bRows, other[k:k+1])
	}
	if !bytes.Equal(state(t, alone, aloneRows), state(t, a, aRows)) {
		t.Fatal("a second project changed the first")
	}
}

// A project with no access, or one, gives sensible answers.
func TestSmallProjects(t *testing.T) {
	m, rows := prediction.NewModel(), prediction.Memory{}
	q := prediction.Query{Now: noon, Session: "s"}
	if list, err := m.Predict(q, rows); err != nil || len(list) != 0 {
		t.Fatalf("an empty project: %v %v", list, err)
	}
	replay(t, m, rows, []prediction.Step{{Position: 1, At: noon, Session: "s", Uses: []prediction.Use{{Item: 7, Kind: prediction.Created}}}})
	list, err := m.Predict(q, rows)
	if err != nil || len(list) != 1 || list[0].ID != 7 {
		t.Fatalf("one access: %v %v", list, err)
	}
}

// A project with a million accesses goes on learning, one step in four and at every start of a session, and answers.
func TestHugeProject(t *testing.T) {
	steps := story(12, 480, 40)
	m, rows := learned(t, steps[:240])
	const more = 1_000_000
	m.Steps += more
	for _, it := range rows {
		it.History.Count += more
	}
	for k := range steps {
		steps[k].Position += more
	}
	m.Watermark += more
	within, start := m.Lessons()
	replay(t, m, rows, steps[240:])
	withinNow, startNow := m.Lessons()
	if got := withinNow - within; got < 30 || got > 60 {
		t.Errorf("%d lessons from 220 steps within sessions", got)
	}
	if got := startNow - start; got < 15 {
		t.Errorf("%d lessons from 20 starts of sessions", got)
	}
	list, err := m.Predict(prediction.Query{Now: time.Unix(m.Now, 0), Session: "s40"}, rows)
	if err != nil || len(list) == 0 {
		t.Fatalf("%v %v", list, err)
	}
	for _, f := range list {
		if f.Item.History.Count <= more || !(f.Score >= 0 && f.Score <= 1) || !(f.Probability >= 0 && f.Probability <= 1) {
			t.Errorf("forecast %+v of %d accesses", f, f.Item.History.Count)
		}
	}
}

// What usually follows is foreseen: in a project where b follows a, after a comes b.
func TestLearnsWhatFollows(t *testing.T) {
	m, rows := prediction.NewModel(), prediction.Memory{}
	at := noon
	position := int64(0)
	for n := range 60 {
		for _, id := range []prediction.ID{prediction.ID(1 + 2*(n%5)), prediction.ID(2 + 2*(n%5))} {
			position++
			at = at.Add(time.Minute)
			replay(t, m, rows, []prediction.Step{{Position: position, At: at, Session: fmt.Sprint(n), Uses: []prediction.Use{{Item: id}}}})
		}
	}
	list, err := m.Predict(prediction.Query{Now: at, After: []prediction.ID{3}}, rows)
	if err != nil {
		t.Fatal(err)
	}
	top := []prediction.ID{list[0].ID, list[1].ID}
	if top[0] != 4 && top[1] != 4 {
		t.Fatalf("after 3 come %v, not 4", top)
	}
	for _, f := range list {
		if f.ID == 4 && !slices.Contains(f.Habits, prediction.ReasonFollows) {
			t.Errorf("4 is foreseen because of %v", f.Habits)
		}
	}
}

// The record counts each step that could be foreseen, by every method, and learning beats the seed's formula where there are habits.
func TestRecord(t *testing.T) {
	m, _ := learned(t, story(7, 900, 64))
	r := m.Record
	if r.Ranks[prediction.MethodWake].Questions == 0 || r.Day.Weight == 0 {
		t.Fatalf("nothing was recorded: %+v", r)
	}
	for k := range prediction.Methods {
		if r.Ranks[k].Questions != r.Ranks[prediction.MethodWake].Questions {
			t.Errorf("%s was asked %d questions", prediction.MethodNames()[k], r.Ranks[k].Questions)
		}
	}
	if ours, theirs := r.Ranks[prediction.MethodWake].MRR(), r.Ranks[prediction.MethodWakeIQX].MRR(); ours <= theirs {
		t.Errorf("MRR %.3f, the seed's formula %.3f", ours, theirs)
	}
	double := r
	double.Merge(r)
	if math.Abs(double.Day.Skill()-r.Day.Skill()) > 1e-9 || math.Abs(double.Week.CalibrationError()-r.Week.CalibrationError()) > 1e-9 {
		t.Error("adding equal records changed their rates")
	}
}

// Bookkeeping is no start of a session: items that only become known just before one leave its poll as it would be.
func TestBookkeepingTakesNoPoll(t *testing.T) {
	steps := story(4, 600, 60)
	var kept []prediction.Step
	for k, s := range steps {
		if k > 0 && s.Session != steps[k-1].Session {
			known := prediction.Use{Item: s.Uses[0].Item, Kind: prediction.Known}
			kept = append(kept, prediction.Step{At: s.At, Session: "bookkeeping", Uses: []prediction.Use{known}})
		}
		kept = append(kept, s)
	}
	for k := range kept {
		kept[k].Position = int64(k + 1)
	}
	want, got := modelOf(learned(t, steps)).Record.Day.Weight, modelOf(learned(t, kept)).Record.Day.Weight
	if want == 0 || got < want*0.9 {
		t.Errorf("polls stand for %.0f items with bookkeeping before each session, %.0f without", got, want)
	}
}

// States and rows stay small, however long the log.
func TestStateIsBounded(t *testing.T) {
	m, rows := learned(t, story(8, 1200, 150))
	b, _ := m.MarshalBinary()
	if len(b) > 512<<10 {
		t.Errorf("the state takes %d bytes", len(b))
	}
	for _, it := range rows {
		if row, _ := it.MarshalBinary(); len(row) > 2048 {
			t.Errorf("a row takes %d bytes", len(row))
		}
	}
	t.Logf("state %d bytes", len(b))
	if few, many := crowdedState(t, 1000), crowdedState(t, 4000); many > few+2000 {
		t.Errorf("the state takes %d bytes with 1,000 items and %d with 4,000", few, many)
	}
}

// crowdedState is the size of the state of a project in which so many items became known and were used, in large steps.
func crowdedState(t *testing.T, items int) int {
	m, rows := prediction.NewModel(), prediction.Memory{}
	for _, kind := range []prediction.Kind{prediction.Known, prediction.Read} {
		for from := 1; from <= items; from += 50 {
			s := prediction.Step{Position: m.Watermark + 1, At: noon.Add(time.Duration(m.Watermark) * time.Minute), Session: "s", Actor: "u"}
			for id := from; id < from+50; id++ {
				s.Uses = append(s.Uses, prediction.Use{Item: prediction.ID(id), Kind: kind, Label: "a"})
			}
			replay(t, m, rows, []prediction.Step{s})
		}
	}
	b, err := m.MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	return len(b)
}

// What was learned can be told: shares that add up to 1, the prior alone at first, the learners later.
func TestLearned(t *testing.T) {
	fresh, _ := learned(t, nil)
	if top := fresh.Trust(false)[0]; top.Name != "activation alone" {
		t.Errorf("a new project trusts %s most", top.Name)
	}
	m, _ := learned(t, story(9, 900, 64))
	for _, shares := range [][]prediction.Share{m.Trust(false), m.Trust(true), m.Learned(false), m.Learned(true)} {
		sum := 0.0
		for _, s := range shares {
			sum += s.Share
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("shares of %v add up to %v", shares, sum)
		}
	}
	if within, start := m.Lessons(); within == 0 || start == 0 {
		t.Errorf("%d lessons within sessions, %d at their start", within, start)
	}
	if top := m.Trust(false)[0]; top.Name == "activation alone" {
		t.Error("after 900 steps with habits the learners still have no say")
	}
}

// Without names, sessions are told apart by half an hour of rest: what was used before it was not used in the
// session that goes on now.
func TestRestBeginsAnotherSession(t *testing.T) {
	monday := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	use := func(n int64, at time.Duration, id prediction.ID) prediction.Step {
		return prediction.Step{Position: n, At: monday.Add(at), Actor: "ann", Uses: []prediction.Use{{Item: id, Kind: prediction.Read}}}
	}
	m, rows := learned(t, []prediction.Step{use(1, 0, 1), use(2, time.Minute, 2), use(3, 24*time.Hour, 2), use(4, 24*time.Hour+time.Minute, 3)})
	forecasts, err := m.Predict(prediction.Query{Now: monday.Add(24*time.Hour + 2*time.Minute), Actor: "ann"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	inSession := map[prediction.ID]bool{}
	for _, f := range forecasts {
		inSession[f.ID] = slices.Contains(f.Habits, prediction.ReasonSameSession)
	}
	if want := map[prediction.ID]bool{1: false, 2: true, 3: true}; !maps.Equal(inSession, want) {
		t.Errorf("used in the session that goes on: %v, want %v", inSession, want)
	}
	if got := rows[2].SessionCount; m.Sessions != 2 || got != 2 {
		t.Errorf("%d sessions, of which %d used the item, want 2 and 2", m.Sessions, got)
	}
}

// What was forgotten by mistake and brought back is predicted again at once, also if nothing that is used now leads
// to it.
func TestForgettingIsUndone(t *testing.T) {
	at := time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)
	var log []prediction.Step
	add := func(actor string, item prediction.ID, kind prediction.Kind) {
		at = at.Add(time.Hour)
		log = append(log, prediction.Step{Position: int64(len(log) + 1), At: at, Session: fmt.Sprint(len(log)), Actor: actor,
			Uses: []prediction.Use{{Item: item, Kind: kind}}})
	}
	const mistaken = 1
	for range 3 {
		add("ann", mistaken, prediction.Read)
	}
	add("ann", mistaken, prediction.Forgotten)
	add("bob", 2, prediction.Created)
	add("ann", mistaken, prediction.Known)
	m, rows := prediction.NewModel(), prediction.Memory{}
	replay(t, m, rows, log)
	forecasts, err := m.Predict(prediction.Query{Now: at, Session: "new", Actor: "bob"}, rows)
	if err != nil || !slices.ContainsFunc(forecasts, func(f prediction.Forecast) bool { return f.ID == mistaken && f.Item.History.Count == 3 }) {
		t.Errorf("it is not among %d forecasts: %v", len(forecasts), err)
	}
}
