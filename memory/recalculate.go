package memory

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"

	"wake/domain"
	"wake/prediction"
	"wake/repository"
)

// stepRows is how many rows one step of periodic work writes: few enough to hold the
// writer's lock for some 50 ms at most.
const stepRows = 200

// scoreMoved is the change from which a score is stored again.
const scoreMoved = 0.01

// Recalculate does periodic work now: tiers, predictions, summaries or all. All includes what
// belongs to no single project, because where only hooks and commands run nothing else does it.
func (s *Service) Recalculate(ctx context.Context, req RecalculateRequest) (RecalculateAnswer, error) {
	a := RecalculateAnswer{Project: s.readProject(req.Project)}
	what := cmp.Or(req.What, "all")
	switch what {
	case "tiers", "predictions", "summaries", "all":
	default:
		return a, domain.Invalid("%q cannot be recalculated; use tiers, predictions, summaries or all", what)
	}
	err := checkOptional("project", a.Project)
	if err != nil {
		return a, err
	}
	a.Notes = s.NoteUnknown(ctx, req.Project)
	wanted := func(part string) bool { return err == nil && (what == part || what == "all") }
	if wanted("tiers") {
		a.Tiers, err = s.recalculateTiers(ctx, a.Project)
	}
	if wanted("predictions") {
		a.Predictions, err = s.recalculatePredictions(ctx, a.Project, req.Progress)
	}
	if wanted("summaries") {
		err = s.recalculateSummaries(ctx, req, &a)
	}
	if wanted("all") {
		err = s.tidy(ctx)
	}
	return a, err
}

// tidy distils sessions, keeps the search index in shape, and erases what was forgotten long
// ago.
func (s *Service) tidy(ctx context.Context) error {
	return errors.Join(s.distilDue(ctx), s.tendIndex(ctx), s.CleanUp(ctx), s.CleanSessions(ctx))
}

// recalculateTiers stores the tiers in steps. Wrong tiers are searched for without the
// writer's lock, for many steps at once, because the search reads an index from end to
// end.
func (s *Service) recalculateTiers(ctx context.Context, project string) (int, error) {
	const searched = 20 * stepRows
	total := 0
	for {
		spans, found := s.Windows.Spans(s.now()), 0
		wrong, err := s.Store.WrongTiers(ctx, project, spans, searched)
		if err != nil {
			return total, err
		}
		for right, ns := range wrong {
			found += len(ns)
			for some := range slices.Chunk(ns, stepRows) {
				err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
					n, err := tx.SetTier(ctx, right, spans[right], some)
					total += n
					return err
				})
				if err != nil {
					return total, err
				}
			}
		}
		if found < searched {
			return total, nil
		}
	}
}

// recalculatePredictions learns every project's access log anew from its beginning.
// The result is the same as that of learning step by step.
func (s *Service) recalculatePredictions(ctx context.Context, project string, progress func(string, int, int)) (int, error) {
	projects, err := s.projectNames(ctx, project)
	if err != nil {
		return 0, err
	}
	if project == "" { // projects whose contexts are all forgotten are learnt anew too
		learnt, err := s.Store.LearntProjects(ctx)
		if err != nil {
			return 0, err
		}
		projects = distinct(append(projects, learnt...))
	}
	for _, p := range projects {
		if err := s.relearn(ctx, p, progress); err != nil {
			return 0, err
		}
	}
	return s.refreshPredictions(ctx, projects)
}

// projectNames returns the project, or if it is "", all of them, the last used first.
func (s *Service) projectNames(ctx context.Context, project string) ([]string, error) {
	if project != "" {
		return []string{project}, nil
	}
	all, err := s.Store.Projects(ctx)
	return each(all, func(p domain.Project) string { return p.Name }), err
}

// relearn discards what was learnt about a project and learns its log again, to where it
// ends now: others may write to it faster than it is learnt.
func (s *Service) relearn(ctx context.Context, project string, progress func(string, int, int)) error {
	l := s.learntOf(project)
	l.mu.Lock()
	defer l.mu.Unlock()
	last, err := s.Store.LastAccess(ctx, project)
	if err != nil {
		return err
	}
	err = s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { return tx.ClearPrediction(ctx, project) })
	if err != nil {
		return err
	}
	l.model = nil
	_, err = s.learn(ctx, l, learning{rows: math.MaxInt, last: last}, func() {
		if progress != nil {
			progress("predictions", int(l.model.Watermark), int(last))
		}
	})
	return err
}

// refreshPredictions updates every project's model and stored scores. A busy or
// failing project does not stop the others.
func (s *Service) refreshPredictions(ctx context.Context, projects []string) (total int, err error) {
	err = s.learnInTurns(ctx, projects)
	for _, p := range projects {
		if ctx.Err() != nil {
			return total, ctx.Err()
		}
		n, failed := s.refreshScores(ctx, p)
		total, err = total+n, errors.Join(err, failed)
	}
	return total, errors.Join(err, s.settleOutcomes(ctx))
}

// refreshScores stores the scores of a project's contexts that changed, also of
// contexts that are no longer likely.
func (s *Service) refreshScores(ctx context.Context, project string) (int, error) {
	v, err := s.foresee(ctx, PredictRequest{Project: project, Horizon: defaultHorizon})
	if err != nil {
		return 0, err
	}
	faded, err := s.faded(ctx, project, v.ranked)
	if err != nil {
		return 0, err
	}
	total := 0
	for part := range slices.Chunk(append(v.ranked, faded...), stepRows) {
		err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
			n, err := s.storeScores(ctx, tx, part)
			total += n
			return err
		})
		if err != nil {
			return total, err
		}
	}
	return total, nil
}

// faded returns the contexts that have a high stored score but are no longer
// predicted. Their score sinks to the lowest predicted one.
func (s *Service) faded(ctx context.Context, project string, ranked []Prediction) ([]Prediction, error) {
	likely, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: project, Order: domain.Likely, Limit: foreseenMost})
	if err != nil {
		return nil, err
	}
	lowest := 0.0
	known := make(map[string]bool, len(ranked))
	for _, p := range ranked {
		known[p.ID], lowest = true, p.Score
	}
	var out []Prediction
	for _, c := range likely {
		if !known[c.ID] && c.Propagation != nil && c.Propagation.PredictionScore > lowest {
			out = append(out, Prediction{ID: c.ID, Score: lowest, Reasons: []string{prediction.ReasonBaseline}})
		}
	}
	return out, nil
}

func (s *Service) storeScores(ctx context.Context, tx repository.Tx, part []Prediction) (int, error) {
	stored, err := tx.ContextsByID(ctx, each(part, func(p Prediction) string { return p.ID }), false)
	if err != nil {
		return 0, err
	}
	old := make(map[string]*domain.Propagation, len(stored))
	for _, c := range stored {
		old[c.ID] = c.Propagation
	}
	now, moved := s.now(), map[string]domain.Propagation{}
	for _, p := range part {
		if was := old[p.ID]; was == nil || math.Abs(was.PredictionScore-p.Score) >= scoreMoved {
			moved[p.ID] = domain.Propagation{PredictionScore: p.Score, LastPredicted: now, PredictedNextAccess: p.PredictedNextAccess, PropagationReason: p.Reasons}
		}
	}
	return tx.PutScores(ctx, moved)
}

// settleOutcomes scores the predictions whose horizon has passed. One is right if the
// context was used within it.
func (s *Service) settleOutcomes(ctx context.Context) error {
	for {
		due, err := s.Store.Outcomes(ctx, s.now(), stepRows)
		if err != nil || len(due) == 0 {
			return err
		}
		for i := range due {
			due[i].SettledAt = s.now()
		}
		err = s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { return tx.SettleOutcomes(ctx, due) })
		if err != nil {
			return err
		}
		if len(due) < stepRows {
			return nil
		}
	}
}
