package memory

import (
	"context"
	"fmt"

	"wake/domain"
)

// Stats counts over a whole project ("*" is all of them) and says what to do
// about it.
func (s *Service) Stats(ctx context.Context, by Caller, project string) (StatsAnswer, error) {
	now := s.now()
	stats, err := s.Store.Stats(ctx, s.readProject(project), now, s.Windows.Spans(now))
	if err != nil {
		return StatsAnswer{}, err
	}
	learning, err := s.learningIn(ctx, s.readProject(project))
	if err != nil {
		return StatsAnswer{}, err
	}
	return StatsAnswer{Stats: stats, Learning: learning, Health: advise(stats, s.Model != nil)}, nil
}

func (s *Service) learningIn(ctx context.Context, project string) (LearningRecord, error) {
	if project == "" {
		return s.learningOfAll(ctx)
	}
	return s.learningOf(ctx, project)
}

// Projects lists all projects, the most recently used first.
func (s *Service) Projects(ctx context.Context) ([]domain.Project, error) {
	return s.Store.Projects(ctx)
}

// advise turns counts into remarks, each with the call that helps. The command is
// "" where the call is one.
func advise(st domain.Stats, hasModel bool) []Advice {
	if st.Contexts == 0 {
		return []Advice{{Level: "note", Text: "nothing is stored yet", Action: "save_context keeps the first decision with its rationale",
			Command: "wake save keeps the first decision; wake import claude-code, or another, takes in what is there"}}
	}
	var list []Advice
	note := func(level, action, command, format string, args ...any) {
		list = append(list, Advice{Level: level, Text: fmt.Sprintf(format, args...), Action: action, Command: command})
	}
	if n := st.Causality.LostParents; n > 0 {
		note("note", "causal_chain names them where a chain leads there", "wake why names them where a chain leads there",
			"%d links lead to contexts that are not kept here: they were forgotten or purged, or their import is still to come", n)
	}
	if n := st.Tiers[domain.TierExpired]; n > 0 && n*2 > st.Contexts {
		note("note", "forget_context with project and expired: true shows what could go", "wake forget --expired shows what could go", "%d of %d contexts were not used for 30 days", n, st.Contexts)
	}
	if n := st.Causality.WithCause; n*4 < st.Contexts && st.Contexts >= 20 {
		note("note", "save with action_type, rationale and caused_by", "save with --action-type, --rationale and --caused-by", "only %d of %d contexts say why they exist", n, st.Contexts)
	}
	if n := st.Queued; n > 100 && hasModel {
		note("note", "recalculate with what: summaries catches up", "wake recalculate summaries catches up", "%d summaries wait for the model", n)
	}
	if len(list) == 0 {
		note("ok", "", "", "all is well")
	}
	return list
}
