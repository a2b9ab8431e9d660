package prediction

import (
	"fmt"
	"math"
	"time"
)

// Forecast is the prediction for one item.
type Forecast struct {
	ID          ID
	Score       float64   // from 0 to 1; forecasts are ordered by it
	Probability float64   // of a use within the query's horizon
	Next        time.Time // median time of the next use
	Soon, Late  time.Time // quartiles of the time of the next use
	Habits      []string  // tags for what the model sees, strongest first, at most three, possibly none
	InSession   bool      // used in the query's session, whatever the strongest habits are
	Item        *Item
}

// Reasons returns the tags that speak for the forecast, at least one: those of seed 002, by what the context
// says about itself, then the model's own.
func (f *Forecast) Reasons(facts Facts, now time.Time) []string {
	tags := Reasons(facts, &f.Item.History, f.Score, now)
	if len(f.Habits) > 0 && len(tags) == 1 && tags[0] == ReasonBaseline {
		tags = nil
	}
	return append(tags, f.Habits...)
}

// Predict ranks what might be needed next, best first. It reads rows through items and changes nothing. Items
// that the log does not mention are left out. Items that were never used are included if they are new or
// named in the query.
func (m *Model) Predict(query Query, items Items) ([]Forecast, error) {
	q := m.question(query)
	rows := newRowset(items)
	if err := rows.add(q.contextIDs()); err != nil {
		return nil, fmt.Errorf("load what is worked on: %w", err)
	}
	list, err := m.candidates(q, rows)
	if err != nil {
		return nil, fmt.Errorf("load candidates: %w", err)
	}
	x := m.vectors(q, rows, list)
	r := m.ensemble.at(q.start).rank(x)
	horizon := query.Horizon
	if horizon <= 0 {
		horizon = 24 * time.Hour
	}
	forecasts := make([]Forecast, len(list))
	for place, k := range r.order {
		t := m.trait(list[k], q.now, place, len(list))
		forecasts[place] = m.forecast(list[k], q, &t, horizon)
		forecasts[place].Score = math.Min(1, r.fused[k])
		forecasts[place].Habits, forecasts[place].InSession = habits(&x[k]), x[k][fInSession] > 0
	}
	return forecasts, nil
}

// CoolDown scales the scores of forecasts by how warm the warmest context still is. [Model.Predict] only
// ranks, so even in a project that nobody touches its best context has a high score.
func (m *Model) CoolDown(forecasts []Forecast, now time.Time) {
	warmest := 0.0
	for i := range forecasts {
		warmest = max(warmest, prior(&forecasts[i].Item.History, now, m.Steps))
	}
	for i := range forecasts {
		forecasts[i].Score *= warmest
	}
}

func (m *Model) forecast(it *Item, q question, t *trait, horizon time.Duration) Forecast {
	c := m.foresight.curve(t)
	at := func(chance float64) time.Time {
		return time.Unix(q.now+int64(c.until(chance)), 0).UTC()
	}
	return Forecast{ID: it.ID, Item: it, Probability: c.within(horizon.Seconds()), Soon: at(0.25), Next: at(0.5), Late: at(0.75)}
}

// Probability returns the probability of a use within a horizon for an item at a rank, counted from 0, among
// n candidates. At rank n or later it is not a candidate, and only its own history counts.
func (m *Model) Probability(it *Item, now time.Time, place, n int, horizon time.Duration) float64 {
	t := m.trait(it, max(now.Unix(), m.Now), place, n)
	c := m.foresight.curve(&t)
	return c.within(horizon.Seconds())
}

// learn ranks as if asked before the step, records how well it did, and learns from what was used. After an
// error nothing has changed.
func (m *Model) learn(q question, rows *rowset, used []ID) error {
	list, err := m.candidates(q, rows)
	if err == nil && q.start {
		err = rows.add(m.foresight.Sample) // for the poll
	}
	if err != nil || len(list) == 0 {
		return err
	}
	x := m.vectors(q, rows, list)
	v := m.ensemble.at(q.start)
	r := v.rank(x)
	at := index(ids(list))
	var places []int
	for _, id := range used {
		if k, ok := at[id]; ok {
			places = append(places, k)
		}
	}
	if q.start {
		m.poll(q, list, r.order, rows)
	}
	if len(used) > 0 {
		m.score(q, list, r, places)
	}
	v.learn(x, r, places, q.start, m.Steps)
	return nil
}

// habits returns the model's own reasons, strongest first, at most three.
func habits(x *vector) []string {
	var tags []string
	for _, h := range []struct {
		feature int
		least   float64
		tag     string
	}{
		{fAfter, math.Log1p(20 * 0.1), ReasonFollows},
		{fBeside, math.Log1p(20 * 0.1), ReasonTogether},
		{fCause, 0.2, ReasonCausalLink},
		{fEffect, 0.2, ReasonCausalLink},
		{fInSession, 1, ReasonSameSession},
		{fActorCount, math.Log(3), ReasonSameActor},
		{fStem, 0.3, ReasonSimilar},
		{fWords, 0.5, ReasonSimilar},
		{fTimeOfDay, 0.6, ReasonTimeOfDay},
	} {
		if x[h.feature] >= h.least && len(tags) < 3 && (len(tags) == 0 || tags[len(tags)-1] != h.tag) {
			tags = append(tags, h.tag)
		}
	}
	return tags
}
