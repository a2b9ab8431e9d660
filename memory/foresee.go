package memory

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/prediction"
)

// The formulas of prediction.
const (
	FormulaWake    = "wake"
	FormulaWakeIQX = "wakeiqx"
)

// ParseFormula reads the name of a formula; "" means wake's own.
func ParseFormula(s string) (string, error) {
	switch formula := strings.ToLower(cmp.Or(s, FormulaWake)); formula {
	case FormulaWake, FormulaWakeIQX:
		return formula, nil
	}
	return "", domain.Invalid("formula %q is unknown; use %s or %s", s, FormulaWake, FormulaWakeIQX)
}

// foreseenMost is how many contexts of one project are ranked.
const foreseenMost = 300

// vision is a ranking of what will be needed next, and how it was made.
type vision struct {
	ranked  []Prediction
	formula string
	record  prediction.Record
	late    bool // not all of the access log could be learnt in time for the answer
}

// foresee ranks the contexts of a project, or of all projects. The request names its
// horizon.
func (s *Service) foresee(ctx context.Context, req PredictRequest) (vision, error) {
	formula, err := ParseFormula(s.Formula)
	if err != nil {
		return vision{}, err
	}
	after, err := s.followed(ctx, req.After)
	if err != nil {
		return vision{}, err
	}
	project := s.readProject(req.Project)
	if after != nil {
		project = after.Project
	}
	projects, err := s.projectsOr(ctx, project)
	if err != nil {
		return vision{}, err
	}
	v := vision{formula: formula}
	for _, p := range projects {
		if err := s.foreseeProject(ctx, &v, req, p, after); err != nil {
			return vision{}, err
		}
	}
	slices.SortStableFunc(v.ranked, func(a, b Prediction) int { return cmp.Compare(b.Score, a.Score) })
	return v, nil
}

// followed loads the context that predictions are to follow on; nil for no id.
func (s *Service) followed(ctx context.Context, id string) (*domain.ContextSnapshot, error) {
	if id == "" {
		return nil, nil
	}
	if err := s.contextID(ctx, &id); err != nil {
		return nil, err
	}
	found, err := mustKnow(ctx, s.Store, []string{id})
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

// projectsOr returns the project, or if that stands for all, those used last.
func (s *Service) projectsOr(ctx context.Context, project string) ([]string, error) {
	const most = 20
	names, err := s.projectNames(ctx, project)
	return names[:min(most, len(names))], err
}

// foreseeProject adds a project's ranking and record to v.
func (s *Service) foreseeProject(ctx context.Context, v *vision, req PredictRequest, project string, after *domain.ContextSnapshot) error {
	l := s.learntOf(project)
	l.mu.Lock()
	defer l.mu.Unlock()
	atEnd, err := s.catchUp(ctx, l, answerIn)
	if err != nil {
		return err
	}
	query := prediction.Query{Now: s.now(), Session: req.By.SessionID, Actor: req.By.Actor, Horizon: req.Horizon}
	if after != nil {
		query.After = []prediction.ID{prediction.ID(after.N)}
	}
	if query.Also, err = s.pinnedOf(ctx, project); err != nil {
		return err
	}
	forecasts, err := l.model.Predict(query, &l.items)
	if err != nil {
		return err
	}
	v.late = v.late || !atEnd
	v.record.Merge(l.model.Record)
	forecasts = forecasts[:min(len(forecasts), foreseenMost)]
	l.model.CoolDown(forecasts, s.now())
	return s.tellForecasts(ctx, v, forecasts, after)
}

func (s *Service) pinnedOf(ctx context.Context, project string) ([]prediction.ID, error) {
	const most = 50
	pinned, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: project, Order: domain.Newest, Limit: most, Pinned: true})
	return each(pinned, func(c domain.ContextSnapshot) prediction.ID { return prediction.ID(c.N) }), err
}

// tellForecasts turns forecasts into predictions, leaving out superseded contexts and
// the one that is followed on.
func (s *Service) tellForecasts(ctx context.Context, v *vision, forecasts []prediction.Forecast, after *domain.ContextSnapshot) error {
	ns := each(forecasts, func(f prediction.Forecast) int64 { return int64(f.ID) })
	contexts, err := s.Store.ContextsByN(ctx, ns, false, time.Time{})
	if err != nil {
		return err
	}
	byN := make(map[int64]domain.ContextSnapshot, len(contexts))
	for _, c := range contexts {
		byN[c.N] = c
	}
	for i := range forecasts {
		c, ok := byN[int64(forecasts[i].ID)]
		if !ok || c.SupersededBy != "" || after != nil && c.ID == after.ID {
			continue
		}
		v.ranked = append(v.ranked, s.predictionOf(c, &forecasts[i], v.formula))
	}
	return nil
}

// foreseeable is how far ahead the time of a use is worth naming.
const foreseeable = 365 * 24 * time.Hour

func (s *Service) predictionOf(c domain.ContextSnapshot, f *prediction.Forecast, formula string) Prediction {
	now := s.now()
	facts := s.factsOf(c, f.Item, now)
	p := Prediction{
		ID: c.ID, Project: c.Project, Summary: c.Summary, Score: round3(f.Score), Probability: round3(f.Probability),
		PredictedNextAccess: domain.Moment(f.Next), SpreadHours: round3(f.Late.Sub(f.Soon).Hours()),
		Reasons: f.Reasons(facts, now), Tier: facts.Tier, Timestamp: c.Timestamp, Origin: c.Origin, SavedAt: c.SavedAt,
		Opened: f.InSession,
	}
	if f.Next.Before(now.Add(foreseeable)) {
		p.EvenBy = domain.Moment(f.Next)
	}
	if formula == FormulaWakeIQX {
		p.Score = round3(prediction.WakeIQX(facts, &f.Item.History, now))
		p.Reasons = prediction.Reasons(facts, &f.Item.History, p.Score, now)
		next, _ := prediction.WakeIQXNext(facts, &f.Item.History, now)
		p.PredictedNextAccess, p.SpreadHours = domain.Moment(next), 0
	}
	words := make([]string, len(p.Reasons))
	for i, tag := range p.Reasons {
		words[i] = prediction.InWords(tag)
	}
	p.Why = strings.Join(words, ", ")
	return p
}

// factsOf collects what a context itself says about its future.
func (s *Service) factsOf(c domain.ContextSnapshot, it *prediction.Item, now time.Time) prediction.Facts {
	f := prediction.Facts{Created: c.Timestamp, Tier: s.Windows.Of(c.Touched(), now),
		HasCausality: c.HasCausality(), Root: c.IsRootCause(), Effects: it.KidCount, Pinned: c.Pinned}
	if c.Causality != nil {
		f.Decision = c.Causality.ActionType == domain.Decision
		f.Dependencies = len(c.Causality.Dependencies)
	}
	return f
}

// round3 keeps three digits; more would be noise.
func round3(x float64) float64 { return rounded(x, 1e3) }

// round5 keeps five digits, for errors of probabilities, which are small.
func round5(x float64) float64 { return rounded(x, 1e5) }

func rounded(x, unit float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return math.Round(x*unit) / unit
}
