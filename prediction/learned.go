package prediction

import (
	"cmp"
	"math"
	"slices"
)

// Share is a name with its share of a whole, from 0 to 1.
type Share struct {
	Name  string
	Share float64
}

// Trust returns the current weight of each ranker in this project, highest first. With start, the weights are
// for the start of sessions. They add up to 1.
func (m *Model) Trust(start bool) []Share {
	v := m.ensemble.at(start)
	names := [rankerCount]string{priorRanker: "activation alone", selectiveRanker: "choosy learner", evenRanker: "even learner", newtonRanker: "thorough learner"}
	var list []Share
	for k, share := range v.creditShares() {
		list = append(list, Share{names[k], share})
	}
	return byShare(list)
}

// Lessons returns how many steps have taught the ranking in mid-session and at the start of sessions.
func (m *Model) Lessons() (within, start int64) {
	return m.ensemble.At[0].Lessons, m.ensemble.At[1].Lessons
}

// Learned returns the kinds of features by which the learners rank in this project, strongest first, as
// shares of the total weight. The weights of the hidden layers are left out.
func (m *Model) Learned(start bool) []Share {
	v := m.ensemble.at(start)
	var list []Share
	total := 0.0
	for f := range features {
		w := math.Abs(v.Newton.W[f]+v.AdaGrad.W[f]) / 2 * featureScale(f)
		total += w
		name := signOf(f)
		if k := slices.IndexFunc(list, func(s Share) bool { return s.Name == name }); k >= 0 {
			list[k].Share += w
		} else {
			list = append(list, Share{name, w})
		}
	}
	for k := range list {
		list[k].Share /= total
	}
	return byShare(list)
}

func byShare(list []Share) []Share {
	slices.SortStableFunc(list, func(a, b Share) int { return cmp.Compare(b.Share, a.Share) })
	return list
}

// signOf describes what a feature is about.
func signOf(f int) string {
	switch f {
	case fCount, fSessions, fOnce, fNever, fLastSize, fMeanSize, fPeriod, fEdited, fPeople, fNewcomers, fNewcomerShare:
		return "how often and how it was used"
	case fActorCount, fActorLast, fActorKnows, fActorHeat, fActorActivation, fOwnRank, fNotOwn, fOwnFolder, fOwnPath, fOwnWords:
		return "who asks"
	case fAfter, fAfterLast, fFolderMove, fKindMove:
		return "what usually follows"
	case fBeside, fBesideBack, fBesideCount, fSpread, fCosine, fCosineMax:
		return "what goes together"
	case fCause, fEffect, fSibling, fKids:
		return "cause and effect"
	case fFolder, fStem, fEnding, fPath, fFolderHeat, fWords, fWordsLast:
		return "place and words"
	case fBornSteps, fBornHours, fBornHere:
		return "how old it is"
	case fTimeOfDay:
		return "time of day"
	case fStarts, fStartShare, fStartHeat:
		return "what sessions begin with"
	case fInSession, fSessionUses, fSessionAge, fSessionRank, fNotInSession, fLatest:
		return "this session"
	}
	if f >= fPlace && f < fStarts {
		return "this session"
	}
	return "when it was last used"
}
