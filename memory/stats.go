package memory

import (
	"context"
	"fmt"
	"slices"

	"wake/domain"
)

// Stats returns statistics on a project ("*" means all), with advice.
func (s *Service) Stats(ctx context.Context, project string) (StatsAnswer, error) {
	now := s.now()
	stats, err := s.Store.Stats(ctx, s.readProject(project), now, s.Windows.Spans(now))
	if err != nil {
		return StatsAnswer{}, err
	}
	learning, err := s.learningIn(ctx, s.readProject(project))
	if err != nil {
		return StatsAnswer{}, err
	}
	a := StatsAnswer{Stats: stats, Learning: learning, Health: s.advise(stats)}
	if stats.Contexts == 0 {
		recorded, err := s.Store.Sessions(ctx, domain.SessionQuery{Project: s.readProject(project), Limit: 1})
		if err != nil {
			return StatsAnswer{}, err
		}
		if len(recorded) > 0 {
			a.Health = []Advice{{Level: "note", Text: "no context is kept" + in(stats.Project) + " yet, only sessions are", Action: s.Words.Say(domain.ListSessions, "")}}
		}
		for _, unknown := range s.NoteUnknown(ctx, project) {
			a.Health = append(a.Health, Advice{Level: "note", Text: unknown})
		}
	}
	err = s.warnIfReadOnly(ctx, &a)
	return a, err
}

// warnIfReadOnly warns if nothing can be saved: then not all is well.
func (s *Service) warnIfReadOnly(ctx context.Context, a *StatsAnswer) error {
	info, err := s.Store.Info(ctx)
	if err == nil && info.ReadOnly != "" {
		a.Health = slices.DeleteFunc(a.Health, func(h Advice) bool { return h.Level == "ok" })
		a.Health = slices.Insert(a.Health, 0, Advice{Level: "warning", Text: "nothing can be saved: " + info.ReadOnly})
	}
	return err
}

// Counts returns how much a project ("*" means all) has. It is the fast part of
// [Service.Stats].
func (s *Service) Counts(ctx context.Context, project string) (domain.Counts, error) {
	return s.Store.Counts(ctx, s.readProject(project))
}

func (s *Service) learningIn(ctx context.Context, project string) (LearningRecord, error) {
	if project == "" {
		return s.learningOfAll(ctx)
	}
	return s.learningOf(ctx, project, answerIn)
}

// Projects lists all projects, most recently used first.
func (s *Service) Projects(ctx context.Context) ([]domain.Project, error) {
	return s.Store.Projects(ctx)
}

// advise derives advice from the statistics.
func (s *Service) advise(st domain.Stats) []Advice {
	var list []Advice
	note := func(hint domain.Hint, format string, args ...any) {
		list = append(list, Advice{Level: "note", Text: fmt.Sprintf(format, args...), Action: s.Words.Say(hint, "")})
	}
	if st.Contexts == 0 {
		note(domain.SaveFirst, "no context is kept%s yet", in(st.Project))
		return list
	}
	if n := st.Causality.LostParents; n > 0 {
		note(domain.ExplainLost, "%s to contexts that are not stored here: they were forgotten or purged, or have not been imported yet", domain.Many(n, "link"))
	}
	if n := st.Idle; n*2 > st.Contexts {
		note(domain.ForgetExpired, "%d of %d contexts were not used for 30 days", n, st.Contexts)
	}
	if n := st.Causality.WithCause; n*4 < st.Contexts && st.Contexts >= 20 {
		note(domain.SayWhy, "only %d of %d contexts say why they exist", n, st.Contexts)
	}
	if n := st.Queued; n > 100 && s.Model != nil {
		note(domain.CatchUpSummaries, "%d summaries wait for the model", n)
	}
	if len(list) == 0 {
		list = append(list, Advice{Level: "ok", Text: "all is well"})
	}
	return list
}
