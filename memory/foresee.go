package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/prediction"
)

// How many contexts of each sort a prediction considers: what will be needed
// next is nearly always among what was touched last, used most, saved last,
// pinned, or linked to what is at hand. The whole store is never read.
const (
	considerRecent = 150
	considerUsed   = 50
	considerNewest = 100
	considerPinned = 50
)

// Formulas of prediction.
const (
	FormulaWake    = "wake"
	FormulaWakeIQX = "wakeiqx"
)

// vision is a ranking of what will be needed next.
type vision struct {
	ranked  []Prediction
	formula string
	record  domain.PredictionStats
}

// foresee ranks the candidates of a project.
func (s *Service) foresee(ctx context.Context, req PredictRequest, horizon time.Duration) (vision, error) {
	formula := strings.ToLower(cmp.Or(req.Formula, s.Formula, FormulaWake))
	if formula != FormulaWake && formula != FormulaWakeIQX {
		return vision{}, domain.Invalid("formula %q is unknown; use %s or %s", formula, FormulaWake, FormulaWakeIQX)
	}
	project := s.readProject(req.Project)
	candidates, err := s.consider(ctx, project, req.After)
	if err != nil {
		return vision{}, err
	}
	facts, err := s.facts(ctx, candidates)
	if err != nil {
		return vision{}, err
	}
	v := vision{formula: formula}
	for i, c := range candidates {
		v.ranked = append(v.ranked, s.predictOne(c, facts[i], formula, req.By.SessionID))
	}
	slices.SortStableFunc(v.ranked, func(a, b Prediction) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), b.Timestamp.Compare(a.Timestamp))
	})
	return v, nil
}

// consider gathers the candidates, each once.
func (s *Service) consider(ctx context.Context, project, after string) ([]domain.ContextSnapshot, error) {
	var all []domain.ContextSnapshot
	for _, q := range []domain.ContextQuery{
		{Project: project, Order: domain.Recently, Limit: considerRecent},
		{Project: project, Order: domain.MostUsed, Limit: considerUsed},
		{Project: project, Order: domain.Newest, Limit: considerNewest},
		{Project: project, Order: domain.Newest, Limit: considerPinned, Pinned: true},
	} {
		found, err := s.Store.Contexts(ctx, q)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	seen := map[string]bool{after: true}
	return slices.DeleteFunc(all, func(c domain.ContextSnapshot) bool {
		twice := seen[c.ID]
		seen[c.ID] = true
		return twice || c.SupersededBy != ""
	}), nil
}

// known is what prediction is told of one candidate.
type known struct {
	facts   prediction.Facts
	history prediction.History
}

// facts reads the history and the links of the candidates.
func (s *Service) facts(ctx context.Context, candidates []domain.ContextSnapshot) ([]known, error) {
	ids := idsOf(candidates)
	used, err := s.Store.Accesses(ctx, ids, prediction.Kept)
	if err != nil {
		return nil, err
	}
	links, err := s.Store.Links(ctx, ids, time.Time{})
	if err != nil {
		return nil, err
	}
	effects := map[string]int{}
	for _, l := range links {
		if l.Kind == domain.Cause {
			effects[l.To]++
		}
	}
	now := s.now()
	list := make([]known, len(candidates))
	for i, c := range candidates {
		list[i] = known{facts: factsOf(c, effects[c.ID], string(s.Windows.Of(c.Touched(), now))), history: historyOf(c, used[c.ID])}
	}
	return list, nil
}

func factsOf(c domain.ContextSnapshot, effects int, tier string) prediction.Facts {
	f := prediction.Facts{Created: c.Timestamp, Tier: tier, HasCausality: c.HasCausality(), Root: c.IsRootCause(), Effects: effects, Pinned: c.Pinned}
	if c.Causality != nil {
		f.Decision = c.Causality.ActionType == domain.Decision
		f.Dependencies = len(c.Causality.Dependencies)
	}
	return f
}

// historyOf rebuilds the bounded history of a context: the save is its first
// visit, the latest uses follow.
func historyOf(c domain.ContextSnapshot, used []time.Time) prediction.History {
	var h prediction.History
	h.Add(prediction.Visit{At: c.Timestamp.Unix()})
	for _, at := range slices.Backward(used) {
		h.Add(prediction.Visit{At: at.Unix()})
	}
	return h
}

func (s *Service) predictOne(c domain.ContextSnapshot, k known, formula, session string) Prediction {
	now := s.now()
	score := prediction.Prior(&k.history, now, 0)
	if formula == FormulaWakeIQX {
		score = prediction.WakeIQX(k.facts, &k.history, now)
	}
	next, _ := prediction.WakeIQXNext(k.facts, &k.history, now)
	return Prediction{
		ID: c.ID, Project: c.Project, Summary: c.Summary, Score: score, Probability: score, PredictedNextAccess: next,
		Reasons: prediction.Reasons(k.facts, &k.history, score, now), Tier: domain.Tier(k.facts.Tier), Timestamp: c.Timestamp,
		Opened: session != "" && c.SessionID == session,
	}
}
