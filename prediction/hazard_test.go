package prediction_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"wake/prediction"
)

// A project that slept for months, wakes up and uses much in one day does not turn all chances over: three of its six
// hundred items are used on other days, and never more than a tenth of them are foreseen.
func TestWakingUp(t *testing.T) {
	m, rows := prediction.NewModel(), prediction.Memory{}
	rnd := rand.New(rand.NewPCG(7, 1))
	at := noon
	known := prediction.Step{Position: 1, At: at}
	for id := range 600 {
		known.Uses = append(known.Uses, prediction.Use{Item: prediction.ID(id + 1), Kind: prediction.Known, Label: fmt.Sprintf("part%d/file%d.go", id%40, id)})
	}
	replay(t, m, rows, []prediction.Step{known})
	session := func(day int, steps, items int) {
		for k := range steps {
			at = at.Add(5 * time.Minute)
			s := prediction.Step{Position: m.Watermark + 1, At: at, Session: fmt.Sprint(day), Actor: "u"}
			for range items {
				s.Uses = append(s.Uses, prediction.Use{Item: prediction.ID(1 + rnd.IntN(600)), Kind: prediction.Kind(k % 2)})
			}
			replay(t, m, rows, []prediction.Step{s})
		}
	}
	foreseen := func() float64 {
		sum := 0.0
		for _, it := range rows {
			sum += m.Probability(it, at, 400, 300, 24*time.Hour)
		}
		return sum / float64(len(rows))
	}
	for day := range 60 {
		if day == 40 {
			at = at.AddDate(0, 7, 0)
		}
		at = at.Add(20 * time.Hour)
		if p := foreseen(); p > 0.1 {
			t.Errorf("on day %d %.2f of all items is foreseen for the next day", day, p)
		}
		if day >= 40 && day < 41 {
			session(day, 12, 8)
		} else {
			session(day, 3, 1)
		}
	}
}

// What comes back after some days teaches before the week is over: six days on, that half of a project was used on its
// fifth day speaks for the days from the third to the seventh of an item that was not.
func TestLearnsWithinTheWeek(t *testing.T) {
	later := func(back bool) float64 {
		m, rows := prediction.NewModel(), prediction.Memory{}
		use := func(hours, from, to int) {
			for id := from; id <= to; id++ {
				at := noon.Add(time.Duration(hours)*time.Hour + time.Duration(id)*time.Second)
				replay(t, m, rows, []prediction.Step{{Position: m.Watermark + 1, At: at, Session: fmt.Sprint(hours), Actor: "u",
					Uses: []prediction.Use{{Item: prediction.ID(id), Kind: prediction.Changed}}}})
			}
		}
		use(0, 1, 60)
		for hours := 6; hours <= 6*24; hours += 6 {
			use(hours, 60, 60)
			if back && hours == 4*24+12 {
				use(hours+1, 1, 30)
			}
		}
		chance := func(days int) float64 {
			return m.Probability(rows[45], noon.Add(145*time.Hour), 30, 60, time.Duration(days)*24*time.Hour)
		}
		return (chance(7) - chance(3)) / (1 - chance(3))
	}
	if came, not := later(true), later(false); came < 2*not {
		t.Errorf("from the third to the seventh day: %.3f where half came back, %.3f where nothing did", came, not)
	}
}

// How many items are used is foreseen about as it is, though a poll sees one item in six: what its sample misses by chance is
// counted. Twelve of six hundred are used each day, whichever they are.
func TestForeseesHowMany(t *testing.T) {
	const items, daily, days, projects = 600, 12, 40, 6
	miss := 0.0
	for seed := range uint64(projects) {
		m, rows := prediction.NewModel(), prediction.Memory{}
		rnd := rand.New(rand.NewPCG(seed, 1))
		at := noon
		known := prediction.Step{Position: 1, At: at}
		for id := range items {
			known.Uses = append(known.Uses, prediction.Use{Item: prediction.ID(id + 1), Kind: prediction.Known, Label: fmt.Sprintf("part%d/file%d.go", id%40, id)})
		}
		replay(t, m, rows, []prediction.Step{known})
		for day := range days {
			at = noon.AddDate(0, 0, day+1)
			if day >= days/2 {
				miss += math.Abs(foreseenInADay(t, m, rows, at)/daily-1) / (days / 2 * projects)
			}
			for _, k := range rnd.Perm(items)[:daily] {
				at = at.Add(time.Minute)
				replay(t, m, rows, []prediction.Step{{Position: m.Watermark + 1, At: at, Session: fmt.Sprint(day), Actor: "u",
					Uses: []prediction.Use{{Item: prediction.ID(k + 1)}}}})
			}
		}
	}
	if miss > 0.12 {
		t.Errorf("the number of items used in a day is missed by %.0f %%", 100*miss)
	}
}

// foreseenInADay is how many items the chances of all add up to.
func foreseenInADay(t *testing.T, m *prediction.Model, rows prediction.Memory, at time.Time) float64 {
	list, err := m.Predict(prediction.Query{Now: at, Session: "new", Actor: "u"}, rows)
	if err != nil {
		t.Fatal(err)
	}
	sum, ranked := 0.0, map[prediction.ID]bool{}
	for _, f := range list {
		sum += f.Probability
		ranked[f.ID] = true
	}
	for id, it := range rows {
		if !ranked[id] {
			sum += m.Probability(it, at, len(list), len(list), 24*time.Hour)
		}
	}
	return sum
}
