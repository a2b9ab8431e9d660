package memory

import (
	"context"
	"strings"

	"wake/domain"
	"wake/prediction"
)

// stepsOf groups the rows that belong together: one session, one caller, one moment.
// If the log goes on, the last group may be incomplete and is left for the next time.
// last is the number of the last row taken.
func stepsOf(rows []domain.Access, more bool) (steps []prediction.Step, last int64) {
	together := func(a, b domain.Access) bool {
		return a.SessionID == b.SessionID && a.Actor == b.Actor && a.At.Equal(b.At) && (a.How == domain.Saved) == (b.How == domain.Saved)
	}
	for from := 0; from < len(rows); {
		to := from + 1
		for to < len(rows) && together(rows[from], rows[to]) {
			to++
		}
		if more && to == len(rows) && from > 0 {
			break
		}
		steps = append(steps, stepOf(rows[from:to]))
		last = rows[to-1].N
		from = to
	}
	return steps, last
}

// learntFrom maps the kinds of access to those of prediction. Nothing is learnt from
// what was only handed out or shown.
var learntFrom = map[domain.How]prediction.Kind{
	domain.Used: prediction.Read, domain.Saved: prediction.Created, domain.Gone: prediction.Forgotten, domain.Back: prediction.Known,
}

// viaPast marks, in the log, contexts that were made from an imported session. They did
// not exist during that session, so it means nothing that nobody used them in it.
const viaPast = "past session"

func stepOf(rows []domain.Access) prediction.Step {
	st := prediction.Step{Position: rows[len(rows)-1].N, At: rows[0].At, Session: rows[0].SessionID, Actor: rows[0].Actor,
		Past: rows[0].How == domain.Saved && rows[0].Via == viaPast}
	for _, r := range rows {
		if kind, ok := learntFrom[r.How]; ok {
			if kind == prediction.Created && strings.Contains(r.Via, "import") {
				kind = prediction.Known // it came with many others; nobody was working on it
			}
			st.Uses = append(st.Uses, prediction.Use{Item: prediction.ID(r.ContextN), Kind: kind})
		}
	}
	return st
}

// tellBirths adds to the steps what was known of contexts when they were saved: their
// cause, their dependencies and where they belong. Later changes, or forgetting them,
// must not change what a recalculation learns.
func (s *Service) tellBirths(ctx context.Context, steps []prediction.Step) error {
	var ns []int64
	eachBirth(steps, func(u *prediction.Use) { ns = append(ns, int64(u.Item)) })
	births, err := s.Store.Births(ctx, ns)
	if err != nil {
		return err
	}
	byN := make(map[int64]*domain.Birth, len(births))
	for i := range births {
		byN[births[i].ContextN] = &births[i]
	}
	eachBirth(steps, func(u *prediction.Use) {
		if b := byN[int64(u.Item)]; b != nil {
			u.Label, u.Cause, u.Dependencies = labelOf(b), prediction.ID(b.CauseN), b.Dependencies
		}
	})
	return nil
}

// eachBirth calls fn for each use that begins a context's history.
func eachBirth(steps []prediction.Step, fn func(*prediction.Use)) {
	for i := range steps {
		uses := steps[i].Uses
		for j := range uses {
			if uses[j].Kind == prediction.Created || uses[j].Kind == prediction.Known {
				fn(&uses[j])
			}
		}
	}
}

// labelOf says where a context belongs: to the file it is about, or else to its tags.
func labelOf(b *domain.Birth) string {
	for _, key := range []string{"path", "file", "file_path"} {
		if path, ok := b.Metadata[key].(string); ok && path != "" {
			return path
		}
	}
	return strings.Join(b.Tags, " ")
}
