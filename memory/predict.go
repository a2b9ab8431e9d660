package memory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wake/domain"
)

// The default horizon of predictions, the smallest and the largest; and how many
// predictions an answer has by default.
const (
	defaultHorizon = 24 * time.Hour
	minHorizon     = time.Minute
	maxHorizon     = 90 * 24 * time.Hour
	predictAtOnce  = 5
)

// noteLate says that not all of the access log could be learnt before the answer.
func (s *Service) noteLate() string {
	return s.Words.Behind("not all of the access log is learnt yet", domain.CatchUpPredictions, "")
}

// Predict says which contexts of a project will be needed next, how likely that is
// within the horizon, when, and why. Predictions are stored and scored once the
// horizon has passed. They do not count as accesses.
func (s *Service) Predict(ctx context.Context, req PredictRequest) (PredictAnswer, error) {
	limit, err := bounded("limit", req.Limit, predictAtOnce, domain.MaxList)
	if err != nil {
		return PredictAnswer{}, err
	}
	if req.Horizon, err = horizonOf(req.Horizon); err != nil {
		return PredictAnswer{}, err
	}
	if req.MinScore < 0 || req.MinScore > 1 {
		return PredictAnswer{}, domain.Invalid("min_score is %g; it may be 0 to 1", req.MinScore)
	}
	v, err := s.foresee(ctx, req)
	if err != nil {
		return PredictAnswer{}, err
	}
	a := PredictAnswer{Predictions: v.likeliest(req.MinScore, limit), Horizon: plain(req.Horizon), Formula: v.formula, Record: recordOf(v.record)}
	if v.late {
		a.Notes = append(a.Notes, s.noteLate())
	}
	if len(a.Predictions) == 0 {
		note, err := s.noteNone(ctx, req, v)
		if err != nil {
			return PredictAnswer{}, err
		}
		a.Notes = append(append(a.Notes, note), s.NoteUnknown(ctx, req.Project)...)
	}
	s.rememberPredictions(a.Predictions, req.Horizon)
	return a, nil
}

// likeliest returns the first predictions with at least a score, at most most of them.
func (v vision) likeliest(score float64, most int) []Prediction {
	list := []Prediction{}
	for _, p := range v.ranked {
		if p.Score >= score && len(list) < most {
			list = append(list, p)
		}
	}
	return list
}

// noteNone says why there are no predictions.
func (s *Service) noteNone(ctx context.Context, req PredictRequest, v vision) (string, error) {
	switch {
	case len(v.ranked) > 0:
		return fmt.Sprintf("nothing has a score of %g or more; the likeliest has %.2f", req.MinScore, v.ranked[0].Score), nil
	case req.After != "":
		return s.Words.Behind("nothing else is stored in this project yet, so nothing can follow", domain.SaveContext, ""), nil
	}
	return s.noteUnforeseen(ctx, s.readProject(req.Project))
}

// noteUnforeseen says why nothing at all can be predicted: nothing is stored, or only
// contexts imported without times of saving and use, which are no history.
func (s *Service) noteUnforeseen(ctx context.Context, project string) (string, error) {
	stored, err := s.Store.Contexts(ctx, domain.ContextQuery{Project: project, Order: domain.Newest, Limit: 1})
	if err != nil {
		return "", err
	}
	if len(stored) == 0 {
		return s.Words.Behind("no context is kept in this project yet", domain.SaveFirst, ""), nil
	}
	return "it is not known when the contexts of this project were used; each one that is opened from now on teaches what is needed next", nil
}

func horizonOf(h time.Duration) (time.Duration, error) {
	switch {
	case h == 0:
		return defaultHorizon, nil
	case h < minHorizon || h > maxHorizon:
		return 0, domain.Invalid("horizon is %s; it may be 1m to 90d", plain(h))
	}
	return h, nil
}

// plain writes a duration without trailing zero units: 24h, not 24h0m0s.
func plain(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// rememberPredictions queues the predictions, to be scored later.
func (s *Service) rememberPredictions(list []Prediction, horizon time.Duration) {
	now := s.now()
	outcomes := make([]domain.Outcome, len(list))
	for i, p := range list {
		outcomes[i] = domain.Outcome{Project: p.Project, ContextID: p.ID, PredictedAt: now, Horizon: horizon,
			Rank: i + 1, Score: p.Score, Probability: p.Probability}
	}
	s.later.add(len(outcomes), laterDelay, s.flush, func(b *batch) { b.outcomes = newest(append(b.outcomes, outcomes...)) })
}
