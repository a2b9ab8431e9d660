package memory

import (
	"context"
	"time"

	"wake/domain"
	"wake/prediction"
)

// ProjectRecord is what prediction has learnt about one project, and how good it was.
type ProjectRecord struct {
	Project string `json:"project"`
	LearningRecord
	Shown domain.PredictionStats `json:"shown"` // outcomes of the predictions that were shown
}

// LearningRecord is what was learnt, and how good predictions were.
type LearningRecord struct {
	Contexts int64 `json:"contexts"` // known to the model and not forgotten
	Steps    int64 `json:"steps"`    // of the access log; a step is the uses of one session at one moment
	Sessions int64 `json:"sessions"`
	PredictionRecord
	Learned *LearnedRecord `json:"learned,omitempty"` // of one project; nil while only activation is used
	Notes   []string       `json:"notes,omitempty"`
}

// PredictionRecord is how good predictions were on the user's own history. Each past
// use is a question: how high did each method rank the context just before?
type PredictionRecord struct {
	Questions int64          `json:"questions"`
	Methods   []MethodRecord `json:"methods,omitempty"`
	Day       *ChanceRecord  `json:"day,omitempty"`  // probabilities of a use within 24 hours; nil until the first such period is over
	Week      *ChanceRecord  `json:"week,omitempty"` // within 7 days
	Verdict   []string       `json:"verdict"`        // the result in words
}

// MethodRecord is how high one method ranked the contexts that were used.
type MethodRecord struct {
	Name  string  `json:"name"` // wake, activation, newest, lru, wakeiqx
	About string  `json:"about"`
	Hit1  float64 `json:"hit_1"` // share of questions with a right answer first
	Hit5  float64 `json:"hit_5"`
	Hit10 float64 `json:"hit_10"`
	MRR   float64 `json:"mrr"` // mean reciprocal rank
}

// ChanceRecord compares the predicted probabilities with what happened.
type ChanceRecord struct {
	Given            float64    `json:"given"` // weighted number of probabilities
	BaseRate         float64    `json:"base_rate"`
	Brier            float64    `json:"brier"`
	Skill            float64    `json:"brier_skill"` // against always saying the base rate; 1 is perfect
	CalibrationError float64    `json:"calibration_error"`
	Curve            []CurveBin `json:"curve,omitempty"`
}

// CurveBin is one tenth of the calibration curve.
type CurveBin struct {
	Given  float64 `json:"given"` // mean of the predicted probabilities
	Used   float64 `json:"used"`  // share that was used
	Weight float64 `json:"weight"`
}

// LearnedRecord is what prediction learnt from one project's history.
type LearnedRecord struct {
	Lessons      int64          `json:"lessons"` // steps within sessions that taught the ranking
	StartLessons int64          `json:"start_lessons"`
	Signs        []LearnedShare `json:"signs"`  // features of the ranking
	Voices       []LearnedShare `json:"voices"` // the rankings that are combined: activation, which needs no learning, and the learners
}

// LearnedShare is the weight of a sign or voice, 0 to 1, within sessions and at their
// start.
type LearnedShare struct {
	Name   string  `json:"name"`
	Within float64 `json:"within"`
	Start  float64 `json:"start"`
}

// PredictionRecords tells how good predictions were and what was learnt, for a project
// or for all ("*"), the last used project first. It first learns what the access log has
// more, up to [learnMost] rows of each project.
func (s *Service) PredictionRecords(ctx context.Context, project string) ([]ProjectRecord, error) {
	names, err := s.projectNames(ctx, s.readProject(project))
	if err != nil {
		return nil, err
	}
	list := make([]ProjectRecord, len(names))
	for i, name := range names {
		shown, err := s.Store.PredictionStats(ctx, name)
		if err != nil {
			return nil, err
		}
		list[i] = ProjectRecord{Project: name, Shown: shown}
		if list[i].LearningRecord, err = s.learningOf(ctx, name, 0); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// learningOf returns a project's record after learning its access log as [Service.catchUp]
// does.
func (s *Service) learningOf(ctx context.Context, project string, wait time.Duration) (LearningRecord, error) {
	l := s.learntOf(project)
	l.mu.Lock()
	defer l.mu.Unlock()
	atEnd, err := s.catchUp(ctx, l, wait)
	if err != nil {
		return LearningRecord{}, err
	}
	m := l.model
	r := LearningRecord{Contexts: m.Alive, Steps: m.Steps, Sessions: m.Sessions, PredictionRecord: recordOf(m.Record), Learned: learnedOf(m)}
	if !atEnd {
		r.Notes = append(r.Notes, s.noteLate())
	}
	return r, nil
}

// learningOfAll sums up the stored records of the projects used last.
func (s *Service) learningOfAll(ctx context.Context) (LearningRecord, error) {
	projects, err := s.projectsOr(ctx, "")
	if err != nil {
		return LearningRecord{}, err
	}
	var r LearningRecord
	var sum prediction.Record
	for _, p := range projects {
		stored, err := s.Store.PredictionModel(ctx, p)
		if err != nil {
			return LearningRecord{}, err
		}
		m := prediction.NewModel()
		if len(stored.State) == 0 || m.UnmarshalBinary(stored.State) != nil {
			continue // nothing learnt yet, or a model of another version, which will be learnt anew
		}
		sum.Merge(m.Record)
		r.Contexts, r.Steps, r.Sessions = r.Contexts+m.Alive, r.Steps+m.Steps, r.Sessions+m.Sessions
	}
	r.PredictionRecord = recordOf(sum)
	return r, nil
}

// learnedOf returns what a model has learnt, nil for nothing.
func learnedOf(m *prediction.Model) *LearnedRecord {
	within, start := m.Lessons()
	if within+start == 0 {
		return nil
	}
	return &LearnedRecord{Lessons: within, StartLessons: start,
		Signs: joined(m.Learned(false), m.Learned(true)), Voices: joined(m.Trust(false), m.Trust(true))}
}

// joined pairs the shares within sessions with those at their start.
func joined(within, start []prediction.Share) []LearnedShare {
	at := make(map[string]float64, len(start))
	for _, s := range start {
		at[s.Name] = s.Share
	}
	list := make([]LearnedShare, len(within))
	for i, s := range within {
		list[i] = LearnedShare{Name: s.Name, Within: round5(s.Share), Start: round5(at[s.Name])}
	}
	return list
}

// recordOf converts the model's counters for the answer.
func recordOf(r prediction.Record) PredictionRecord {
	out := PredictionRecord{Questions: r.Ranks[prediction.MethodWake].Questions, Day: chancesOf(r.Day), Week: chancesOf(r.Week), Verdict: r.Verdict()}
	if out.Questions == 0 {
		return out
	}
	about := prediction.MethodsAbout()
	for i, name := range prediction.MethodNames() {
		h1, h5, h10 := r.Ranks[i].HitRates()
		out.Methods = append(out.Methods, MethodRecord{Name: name, About: about[i],
			Hit1: round5(h1), Hit5: round5(h5), Hit10: round5(h10), MRR: round5(r.Ranks[i].MRR())})
	}
	return out
}

func chancesOf(o prediction.Odds) *ChanceRecord {
	if o.Weight == 0 {
		return nil
	}
	c := &ChanceRecord{Given: round5(o.Weight), BaseRate: round5(o.Base()), Brier: round5(o.Brier()), Skill: round5(o.Skill()), CalibrationError: round5(o.CalibrationError())}
	for _, b := range o.Bins {
		if b.Weight > 0 {
			c.Curve = append(c.Curve, CurveBin{Given: round5(b.Given / b.Weight), Used: round5(b.Used / b.Weight), Weight: round5(b.Weight)})
		}
	}
	return c
}

// Comparable reports whether there are enough questions to compare the methods by.
func (r PredictionRecord) Comparable() bool { return r.Questions >= prediction.EnoughQuestions }
