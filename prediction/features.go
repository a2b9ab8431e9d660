package prediction

import "math"

// The features of a candidate. Their order is part of the stored state: add at the end, and raise the state's version.
const (
	fStepAge = iota
	fAge
	fCount
	fActivation5
	fStepActivation5
	fActivation
	fStepActivation
	fHour
	fDay
	fWeek
	fMonth
	fSteps3
	fSteps20
	fSteps100
	fSteps500
	fActorCount
	fActorLast
	fActorKnows
	fActorHeat
	fActorActivation
	fAfter
	fBeside
	fBesideBack
	fBesideCount
	fCause
	fEffect
	fSibling
	fInSession
	fSessionUses
	fSessionAge
	fBornSteps
	fBornHours
	fFolder
	fStem
	fEnding
	fPath
	fFolderHeat
	fPeriod
	fEdited
	fSessions
	fOnce
	fLatest
	fRecentRank
	fTimeOfDay
	fBornHere
	fLastSize
	fKids
	fNever
	fAfterLast
	fSpread
	fOwnRank
	fSessionRank
	fCosine
	fCosineMax
	fWords
	fWordsLast
	fNotInSession
	fNotOwn
	fPlace // first of eight: the item's position among the session's latest
)

const (
	fStarts = fPlace + 8 + iota
	fStartShare
	fStartHeat
	fPeople
	fNewcomers
	fNewcomerShare
	fMeanSize
	fOwnFolder
	fOwnPath
	fOwnWords
	fFolderMove
	fKindMove
	features
)

// vector holds the features of one candidate.
type vector [features]float64

// history sets when and how often the item was used.
func (s *scene) history(it *Item, x *vector) {
	h, m := &it.History, s.model
	last := it.lastUse()
	x[fNever] = flag(h.Count == 0)
	steps := float64(max(0, m.Steps-last.Step))
	seconds := float64(max(0, s.q.now-last.At))
	x[fStepAge], x[fAge] = -math.Log1p(steps), -math.Log1p(seconds/60)
	x[fCount] = math.Log1p(float64(h.Count))
	x[fActivation5] = math.Max(-12, h.Activation(s.q.now, 0.5))
	x[fStepActivation5] = math.Max(-8, h.StepActivation(m.Steps, 0.5))
	x[fActivation] = h.Activation(s.q.now, Decay)
	x[fStepActivation] = math.Max(-10, h.StepActivation(m.Steps, Decay))
	for k, half := range spanHalf() {
		x[fHour+k] = math.Log(1e-3 + it.Daily[k]*math.Exp2(-seconds/half))
	}
	for k, rate := range stepFade() {
		x[fSteps3+k] = math.Log(1e-3 + it.Stepwise[k]*math.Exp2(-rate*steps))
	}
	x[fPeriod] = -2
	if h.Count > 1 {
		x[fPeriod] = -math.Abs(math.Log(seconds/60+30) - math.Log(math.Exp(it.Gap.Mean)+30))
	}
	s.standing(it, x)
	audience(it, x)
}

// standing sets the features about the item itself.
func (s *scene) standing(it *Item, x *vector) {
	x[fBornSteps] = -math.Log1p(float64(max(0, s.model.Steps-it.Born)))
	x[fBornHours] = -math.Log1p(float64(max(0, s.q.now-it.Created))/hour) / 2
	x[fEdited] = flag(it.Edited)
	x[fSessions] = math.Log1p(float64(it.SessionCount))
	x[fOnce] = flag(it.History.Count <= 1)
	x[fTimeOfDay] = s.cos*it.Clock[0] + s.sin*it.Clock[1]
	x[fLastSize] = -math.Log1p(float64(it.LastSize)) / 2
	x[fKids] = math.Log1p(float64(it.KidCount))
	x[fRecentRank] = -math.Log1p(float64(rankOf(s.rank, it.ID, keptRecent)))
}

// audience sets how sessions and people use it: at their beginning, or as their first use in the project.
func audience(it *Item, x *vector) {
	x[fStarts] = math.Log1p(float64(it.Starts))
	x[fStartShare] = (float64(it.Starts) + 0.5) / (float64(it.SessionCount) + 1.5)
	x[fStartHeat] = math.Log1p(it.StartHeat)
	x[fPeople] = math.Log1p(float64(it.People))
	x[fNewcomers] = math.Log1p(float64(it.Newcomers))
	x[fNewcomerShare] = (float64(it.Newcomers) + 0.1) / (float64(it.People) + 1)
	x[fMeanSize] = it.Size.Mean / 2
}

func rankOf(rank map[ID]int, id ID, other int) int {
	if r, ok := rank[id]; ok {
		return r
	}
	return other
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// who sets the features about the actor's use of the item.
func (s *scene) who(it *Item, x *vector) {
	if a := it.actor(s.q.actor); a != nil {
		age := float64(max(0, s.model.Steps-a.Step))
		x[fActorCount] = math.Log1p(float64(a.Count))
		x[fActorLast] = 3 - 0.4*math.Log1p(age)
		x[fActorKnows] = 1
		x[fActorHeat] = math.Log1p(a.Heat * math.Exp2(-actorFade*age))
		x[fActorActivation] = x[fActorCount] * x[fActivation] / 10
	}
	rank, ok := s.ownRank[it.ID]
	if !ok {
		rank, x[fNotOwn] = keptOwn, 1
	}
	x[fOwnRank] = -math.Log1p(float64(rank)) / 2
}

// place sets how close the item is to the current items by cause and by label.
func (s *scene) place(it *Item, x *vector) {
	folder := it.Place.folder()
	x[fFolderHeat] = math.Log(1e-2 + s.heat[folder])
	for _, c := range s.cues {
		if c.it == it {
			x[fLatest] = max(x[fLatest], flag(c.latest))
			continue
		}
		share := c.weight / s.total
		x[fCause] += c.weight * flag(it.Cause == c.id)
		x[fEffect] += c.weight * flag(c.it.Cause == it.ID)
		x[fSibling] += 0.5 * c.weight * flag(it.Cause != 0 && it.Cause == c.it.Cause)
		x[fFolder] += share * flag(c.it.Place.folder() == folder)
		x[fStem] += c.weight * flag(c.it.Place.Stem == it.Place.Stem)
		x[fEnding] += share * flag(c.it.Place.Kind == it.Place.Kind)
		x[fPath] += share * it.Place.pathSimilarity(&c.it.Place)
		words := it.Place.wordSimilarity(&c.it.Place)
		x[fWords] += share * words
		if c.latest {
			x[fWordsLast] = max(x[fWordsLast], words)
		}
	}
	for _, f := range []int{fCause, fEffect, fSibling} {
		x[f] = min(2, x[f])
	}
}

// inSession sets the features about the current session.
func (s *scene) inSession(it *Item, x *vector) {
	if it.Session == s.q.session && it.SessionCount > 0 && !s.q.start {
		x[fInSession] = 1
		x[fSessionUses] = math.Log1p(float64(it.SessionUses))
		x[fSessionAge] = 2 - 0.7*math.Log1p(float64(max(0, s.q.steps-it.SessionStep)))
	}
	x[fBornHere] = flag(it.BornIn == s.q.session && it.BornIn != 0)
	rank, ok := s.session[it.ID]
	if !ok {
		rank, x[fNotInSession] = 39, 1
	}
	x[fSessionRank] = -math.Log1p(float64(rank))
	if k := placeBin(rank); ok && k < 8 {
		x[fPlace+k] = 1
	}
}

// placeBin groups positions in the session into 0 to 4, 5–6, 7–9, 10–15, and the rest.
func placeBin(rank int) int {
	switch {
	case rank < 5:
		return rank
	case rank < 7:
		return 5
	case rank < 10:
		return 6
	case rank < 16:
		return 7
	}
	return 8
}
