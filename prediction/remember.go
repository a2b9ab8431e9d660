package prediction

import "math"

// remember applies a step to the rows and to what was used last.
func (m *Model) remember(q question, step Step, rows *rowset) {
	var used []*Item
	if step.uses() {
		m.Steps++
	}
	newcomer := m.recency.person(q.actor) == nil
	trail := m.recency.visit(q, step.uses(), m)
	mo := moment{at: q.now, step: m.Steps, size: step.size(), actor: q.actor, session: q.session, sessionStep: trail.Steps, start: q.start, newcomer: newcomer}
	for _, u := range step.Uses {
		it := m.meet(u, mo, rows)
		if it == nil {
			continue
		}
		m.foresight.came(q.now, it)
		it.use(mo, u.Kind == Changed)
		m.recency.used(it, q.actor, m.Steps)
		used = append(used, it)
	}
	if len(used) > 0 {
		m.link(q, trail, used, rows)
		m.foresight.used(q.now, used)
	}
}

// size returns the number of uses in a step.
func (s *Step) size() int {
	n := 0
	for _, u := range s.Uses {
		if u.Kind != Forgotten && u.Kind != Known {
			n++
		}
	}
	return n
}

// meet finds or creates the row of a use, and returns it if the use counts as one.
func (m *Model) meet(u Use, mo moment, rows *rowset) *Item {
	it := rows.get(u.Item)
	if u.Kind == Forgotten {
		if it != nil && !it.Gone {
			it.Gone = true
			m.Alive--
			m.recency.forget(it.ID)
			rows.touch(it)
		}
		return nil
	}
	if it == nil {
		it = m.introduce(u, mo, rows)
	} else if it.Gone {
		it.Gone = false
		m.Alive++
		m.recency.addFresh(it.ID) // forgetting it dropped it from what was used last
	}
	rows.touch(it)
	if u.Kind == Known {
		return nil
	}
	return it
}

// introduce creates the row of an unknown item.
func (m *Model) introduce(u Use, mo moment, rows *rowset) *Item {
	it := newItem(u.Item, mo.at, mo.step, u.Label)
	it.Dependencies = u.Dependencies
	if u.Kind != Known {
		it.BornIn = mo.session
	}
	if cause := rows.get(u.Cause); cause != nil && cause != it {
		it.Cause = u.Cause
		cause.Kids = toFront(cause.Kids, it.ID, keptKids)
		cause.KidCount++
		rows.touch(cause)
	}
	rows.byID[it.ID] = it
	m.Alive++
	m.recency.addFresh(it.ID)
	m.foresight.addToSample(it.ID)
	return it
}

// What follows soon in a session counts as beside, less with each step between.
const (
	besideSame  = 1.4
	besideLater = 0.5
	besideFade  = 0.7
	besideSteps = 5
)

// link learns what was used together with what and after what.
func (m *Model) link(q question, trail *trail, used []*Item, rows *rowset) {
	before := rows.all(q.before)
	for _, a := range before {
		linkAfter(a, used)
		rows.touch(a)
	}
	m.recency.move(before, used)
	linkSame(used)
	weight := float32(besideLater)
	for k := len(trail.Latest) - 1; k >= max(0, len(trail.Latest)-besideSteps); k-- {
		for _, a := range rows.all(trail.Latest[k]) {
			linkBoth(a, used, weight)
			rows.touch(a)
		}
		weight *= besideFade
	}
	m.recency.append(q, trail, used)
}

// linkAfter learns that items were used after a.
func linkAfter(a *Item, used []*Item) {
	a.AfterSum = fadeEdges(a.After, a.AfterSum)
	for _, b := range used {
		if a != b {
			a.After = bump(a.After, b.ID, 1)
		}
	}
}

// linkSame learns that items were used at once.
func linkSame(used []*Item) {
	weight := float32(besideSame / math.Sqrt(float64(len(used))))
	for _, a := range used {
		a.BesideSum = fadeEdges(a.Beside, a.BesideSum)
		for _, b := range used {
			if a != b {
				a.Beside = bump(a.Beside, b.ID, weight)
			}
		}
	}
}

// linkBoth learns that items were used soon after a.
func linkBoth(a *Item, used []*Item, weight float32) {
	for _, b := range used {
		if a != b {
			a.Beside = bump(a.Beside, b.ID, weight)
			b.Beside = bump(b.Beside, a.ID, weight)
		}
	}
}
