package recall

import (
	"math"
	"slices"
)

// The inputs of the linear model. Each is explained where it is set, in
// [scene.features] and the methods below it.
const (
	fTurn = iota
	fTurn2
	fWhole
	fPrev1
	fNext1
	fPrev2
	fNext2
	fNear
	fSession
	fSessionRank
	fSessionCover
	fSessionBest
	fManySession
	fCoverage
	fCoverageNear
	fComplete
	fSoftCoverage
	fLikeness
	fHeadCoverage
	fRarest
	fNames
	fSoftTurn
	fPairs
	fPhrase
	fSpeaker
	fOtherSpeaker
	fNamesSpeaker
	fAnswers
	fAsks
	fBrief
	fLong
	fWhenTime
	fCountNumber
	fWhereName
	fDate
	fByMeUser
	fByYouAssistant
	fIsUser
	fRecency
	fNewest
	fOldest
	fRank
	fVector
	fDecision
	fInstruction
	fPreference

	// NumFeatures is the length of a feature vector.
	NumFeatures
)

var featureNames = [NumFeatures]string{
	fTurn:           "turn",
	fTurn2:          "turn2",
	fWhole:          "whole",
	fPrev1:          "prev1",
	fNext1:          "next1",
	fPrev2:          "prev2",
	fNext2:          "next2",
	fNear:           "near",
	fSession:        "session",
	fSessionRank:    "session_rank",
	fSessionCover:   "session_cover",
	fSessionBest:    "session_best",
	fManySession:    "many_session",
	fCoverage:       "coverage",
	fCoverageNear:   "coverage_near",
	fComplete:       "complete",
	fSoftCoverage:   "soft_coverage",
	fLikeness:       "likeness",
	fHeadCoverage:   "head_coverage",
	fRarest:         "rarest",
	fNames:          "names",
	fSoftTurn:       "soft_turn",
	fPairs:          "pairs",
	fPhrase:         "phrase",
	fSpeaker:        "speaker",
	fOtherSpeaker:   "other_speaker",
	fNamesSpeaker:   "names_speaker",
	fAnswers:        "answers",
	fAsks:           "asks",
	fBrief:          "brief",
	fLong:           "long",
	fWhenTime:       "when_time",
	fCountNumber:    "count_number",
	fWhereName:      "where_name",
	fDate:           "date",
	fByMeUser:       "by_me_user",
	fByYouAssistant: "by_you_assistant",
	fIsUser:         "is_user",
	fRecency:        "recency",
	fNewest:         "newest",
	fOldest:         "oldest",
	fRank:           "rank",
	fVector:         "vector",
	fDecision:       "decision",
	fInstruction:    "instruction",
	fPreference:     "preference",
}

// FeatureNames lists the model's inputs in order, by their names in weights.json.
func FeatureNames() []string { return slices.Clone(featureNames[:]) }

// Features are the model's inputs for one candidate.
type Features []float64

// candidate is a document that may be an answer, with its neighbours in the session,
// nil for none.
type candidate struct {
	view                       *view
	prev1, next1, prev2, next2 *view
	place                      int     // rank in the index's own order, -1 for neighbours
	vector                     float64 // cosine of embeddings, 0 without embeddings
	date                       float64 // how near it is to a time that the question names
	promise                    float64 // first estimate of its score
}

// scene is all candidates of a question.
type scene struct {
	p        *probe
	cands    []*candidate
	beyond   []*candidate // behind them, see [Options]
	sessions map[uint64]*sessionScore
	decided  []int64 // documents that record a decision, sorted; nil unless the question asks for one
	maxLike  float64
	maxDate  float64
	latest   int64
}

// sessionScore is how well the candidates of one session fit together.
type sessionScore struct {
	has   uint64            // bit set of the terms that any of them has
	texts [maxProbe]float64 // how many of them have each term
	best  float64           // of their best passages
	score float64
	rank  int // among the sessions, from 0; equal ones share it
}

// features fills x for one candidate.
func (s *scene) features(c *candidate, x Features) {
	p, v, d := s.p, c.view, c.view.doc
	// BM25 of the best passage and of the whole document, as a share of the highest
	// possible value.
	x[fTurn] = v.best
	x[fTurn2] = v.best * v.best
	x[fWhole] = v.whole
	// The neighbours in the same session, and the session as a whole.
	p1, n1, p2, n2 := bestOf(c.prev1), bestOf(c.next1), bestOf(c.prev2), bestOf(c.next2)
	x[fPrev1] = p1
	x[fNext1] = n1
	x[fPrev2] = p2
	x[fNext2] = n2
	x[fNear] = max(p1, n1)
	ses := s.sessions[d.Stream]
	if ses == nil { // only documents behind the candidates are of it
		ses = &sessionScore{rank: len(s.sessions)}
	}
	x[fSession] = ses.score
	x[fSessionCover] = p.coverage(ses.has)
	x[fSessionBest] = ses.best
	x[fManySession] = oneIf(p.q.Many) * ses.best
	x[fSessionRank] = 1 / float64(1+ses.rank)
	// Which of the question's words it contains.
	cov := p.coverage(v.has)
	x[fCoverage] = cov
	x[fCoverageNear] = p.coverage(v.has | hasOf(c.prev1) | hasOf(c.next1))
	x[fComplete] = oneIf(cov > 0.999)
	x[fSoftCoverage] = v.softCov
	x[fLikeness] = v.like / s.maxLike
	x[fHeadCoverage] = p.coverage(v.head)
	x[fRarest] = oneIf(v.has&p.rarest != 0)
	x[fNames] = p.coverage(v.has & p.names)
	x[fSoftTurn] = v.softBest
	x[fPairs] = v.pairs
	x[fPhrase] = v.phrase
	s.people(x, c)
	s.shape(x, c)
	s.times(x, c)
	x[fRank] = 1 / float64(2+max(c.place, 0)) * oneIf(c.place >= 0)
	x[fVector] = c.vector
	// Whether it records a decision, if the question asks for one.
	_, decided := slices.BinarySearch(s.decided, d.N)
	x[fDecision] = oneIf(decided)
	// Whether a user says in it what holds in general, if the question is a request.
	x[fInstruction] = oneIf(p.q.Request && d.instructs())
	x[fPreference] = oneIf(p.q.Request && d.prefers())
}

// people sets the features about who speaks and whom the question addresses.
func (s *scene) people(x Features, c *candidate) {
	d := c.view.doc
	one := len(s.p.speakers) == 1
	says := one && slices.Contains(d.Speaker, s.p.speakers[0])
	x[fSpeaker] = oneIf(says)
	x[fOtherSpeaker] = oneIf(one && !says && d.Role == Other)
	x[fNamesSpeaker] = oneIf(c.view.names)
	x[fByMeUser] = oneIf(s.p.q.ByMe && d.Role == User)
	x[fByYouAssistant] = oneIf(s.p.q.ByYou && d.Role == Assistant)
	x[fIsUser] = oneIf(d.Role == User)
}

// shape sets the features about the kind of text and whether the question asks for it.
func (s *scene) shape(x Features, c *candidate) {
	v, d := c.view, c.view.doc
	x[fAnswers] = bestOf(c.prev1) * oneIf(c.prev1 != nil && c.prev1.doc.Asks)
	x[fAsks] = oneIf(d.Asks)
	n := float64(len(d.Seq))
	x[fBrief] = math.Log(1+min(n, 25)) / 3.3
	x[fLong] = math.Log(max(1, n/passageTerms))
	x[fWhenTime] = oneIf(s.p.q.When && v.marks&HasTime != 0)
	x[fCountNumber] = oneIf(s.p.q.Count && v.marks&HasNumber != 0)
	x[fWhereName] = oneIf(s.p.q.Where && v.marks&HasName != 0)
}

// fewTerms is how many words a question has at most that asks for all of them.
const fewTerms = 3

// askedRecency is the share of recency where a question is put. How much it tells was
// learned from bug fixes, whose cause is mostly new; people ask for what is old, too.
const askedRecency = 0.5

// times sets how well the document's time fits the question.
func (s *scene) times(x Features, c *candidate) {
	v, d := c.view, c.view.doc
	x[fDate] = c.date
	// Recency is measured from the newest candidate: in a store that nobody has written
	// to for a year, the newest is as recent as it gets. It is 0 if the question itself
	// names a time. Every word of a question is meant, and each of a few words: a text that
	// lacks some of them is no better for being new.
	age := float64(max(s.latest-d.Time, 0)) / 86400
	x[fRecency] = math.Exp2(-age/90) * oneIf(len(s.p.dates) == 0 && s.p.q.Order != Oldest)
	if s.p.q.Asks || len(s.p.q.Terms) <= fewTerms {
		x[fRecency] *= v.softCov
	}
	if s.p.q.Asks {
		x[fRecency] *= askedRecency
	}
	switch s.p.q.Order {
	case Newest:
		x[fNewest] = s.endOf(c)
	case Oldest:
		x[fOldest] = s.endOf(c)
	}
}

func bestOf(v *view) float64 {
	if v == nil {
		return 0
	}
	return v.best
}

func hasOf(v *view) uint64 {
	if v == nil {
		return 0
	}
	return v.has
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
