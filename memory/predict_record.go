package memory

import (
	"context"
	"fmt"
	"math"
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
	out := PredictionRecord{Questions: r.Ranks[prediction.MethodWake].Questions, Day: chancesOf(r.Day), Week: chancesOf(r.Week)}
	if out.Questions > 0 {
		for i, name := range prediction.MethodNames() {
			h1, h5, h10 := r.Ranks[i].HitRates()
			out.Methods = append(out.Methods, MethodRecord{Name: name, About: aboutMethod[name],
				Hit1: round5(h1), Hit5: round5(h5), Hit10: round5(h10), MRR: round5(r.Ranks[i].MRR())})
		}
	}
	out.Verdict = out.inWords()
	return out
}

// aboutMethod says what each compared method ranks by.
var aboutMethod = map[string]string{
	"wake":       "all that was learnt",
	"activation": "how often and how lately it was used",
	"newest":     "saved last first",
	"lru":        "used last first",
	"wakeiqx":    "0.4 time + 0.3 causes + 0.3 frequency",
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

// fewQuestions is how many questions are needed for a comparison. With 25, the
// standard error of a share is 0.1 or less.
const fewQuestions = 25

// Comparable reports whether there are enough questions to compare the methods by.
func (r PredictionRecord) Comparable() bool { return r.Questions >= fewQuestions }

// inWords sums up a record.
func (r PredictionRecord) inWords() []string {
	if r.Questions == 0 {
		return []string{"nothing to judge by yet: each time a stored context is opened again counts as one question"}
	}
	var words []string
	if !r.Comparable() {
		words = append(words, fmt.Sprintf("only %s so far; methods are compared from %d on", domain.Many(r.Questions, "use"), fewQuestions))
	} else {
		words = append(words, r.compared())
	}
	for _, c := range []struct {
		within string
		record *ChanceRecord
	}{{"24 hours", r.Day}, {"7 days", r.Week}} {
		if c.record != nil {
			words = append(words, c.record.inWords(c.within))
		}
	}
	if r.Day == nil {
		words = append(words, "no chance is judged yet: that takes a day, and a use after it")
	}
	return words
}

// compared compares wake with the best of the plain rules. Differences below two
// standard errors do not count.
func (r PredictionRecord) compared() string {
	mine, best := r.Methods[prediction.MethodWake], r.Methods[prediction.MethodNewest]
	for _, m := range r.Methods[prediction.MethodNewest:] {
		if m.Hit5 > best.Hit5 {
			best = m
		}
	}
	unsure := 2 * math.Sqrt((mine.Hit5*(1-mine.Hit5)+best.Hit5*(1-best.Hit5))/float64(r.Questions))
	than := "better than"
	switch d := mine.Hit5 - best.Hit5; {
	case math.Abs(d) <= unsure:
		than = "about as well as"
	case d < 0:
		than = "worse than"
	}
	return fmt.Sprintf("in %.0f %% of %d uses what was used was among the first 5, %s the best plain rule (%s, %s: %.0f %%)",
		100*mine.Hit5, r.Questions, than, best.Name, best.About, 100*best.Hit5)
}

func (c *ChanceRecord) inWords(within string) string {
	if c.BaseRate == 0 || c.BaseRate == 1 {
		return fmt.Sprintf("chances within %s cannot be judged: the outcome was always the same", within)
	}
	if c.Skill <= 0 {
		return fmt.Sprintf("chances within %s are no better than always saying %.1f %% (Brier skill %.2f)", within, 100*c.BaseRate, c.Skill)
	}
	return fmt.Sprintf("chances within %s are better than always saying %.1f %% (Brier skill %.2f) and off by %.1f points on average",
		within, 100*c.BaseRate, c.Skill, 100*c.CalibrationError)
}
