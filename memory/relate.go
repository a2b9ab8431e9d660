package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wake/causality"
	"wake/domain"
	"wake/recall"
)

// How a new context is compared with the newest ones of its project.
const (
	relateTo    = 20       // contexts looked at; more would make saves grow with the pace of work
	relateBytes = 16 << 10 // bytes of the new content that are compared
	twinShare   = 0.9      // share of all words in common from which two say nearly the same
)

// kinship is what a new context has to do with recent ones.
type kinship struct {
	links   []domain.Link
	twins   []domain.Hit
	foreign []string // projects that are not its own and that it names
}

// relate finds automatic dependencies and near-duplicates among the project's
// newest contexts of the last hour.
func (s *Service) relate(ctx context.Context, c *domain.ContextSnapshot) (kinship, error) {
	recent, err := s.Store.Contexts(ctx, domain.ContextQuery{
		Project: c.Project, Order: domain.Newest, Limit: relateTo,
		Filters: domain.Filters{Since: c.Timestamp.Add(-causality.Window), Until: c.Timestamp.Add(time.Microsecond)},
	})
	if err != nil {
		return kinship{}, err
	}
	var k kinship
	earlier := make([]causality.Subject, len(recent))
	for i, e := range recent {
		earlier[i] = causality.Subject{ID: e.ID, Terms: summaryTerms(&e), SessionID: e.SessionID, Timestamp: e.Timestamp}
	}
	fresh := causality.Subject{ID: c.ID, Terms: recall.Analyze(headOf(c.Content, relateBytes)), SessionID: c.SessionID, Timestamp: c.Timestamp}
	for _, r := range causality.Weigh(fresh, earlier) {
		k.links = append(k.links, domain.Link{From: c.ID, To: r.ID, Kind: domain.Dependency, Origin: domain.Auto,
			Confidence: r.Confidence, Reason: r.Reason, AddedAt: c.SavedAt})
	}
	k.twins = s.twins(c, recent)
	if k.foreign, err = s.foreignProjects(ctx, c); err != nil {
		return kinship{}, err
	}
	return k, nil
}

// summaryTerms are the words by which an earlier context is recognised: its
// summary stands for it, so that no content is read on the way of a save.
func summaryTerms(c *domain.ContextSnapshot) []string {
	return recall.Analyze(c.Summary + "\n" + strings.Join(c.Tags, " "))
}

// twins are recent contexts that say nearly the same in nearly the same words.
func (s *Service) twins(c *domain.ContextSnapshot, recent []domain.ContextSnapshot) []domain.Hit {
	own := recall.Analyze(c.Summary)
	var twins []domain.Hit
	for _, e := range recent {
		if share := overlap(own, recall.Analyze(e.Summary)); share >= twinShare {
			twins = append(twins, domain.Hit{
				ID: e.ID, Score: share, Snippet: e.Summary, Project: e.Project, Timestamp: e.Timestamp, Origin: e.Origin, SavedAt: e.SavedAt,
				Tier: s.Windows.Of(e.Touched(), c.SavedAt), Why: fmt.Sprintf("%.0f %% of the words are the same", share*100),
			})
		}
	}
	return twins
}

// overlap is the Jaccard index of two bags of terms, 0 when either is short.
func overlap(a, b []string) float64 {
	const tooFew = 4
	a, b = distinct(a), distinct(b)
	if len(a) < tooFew || len(b) < tooFew {
		return 0
	}
	shared := 0
	for _, t := range a {
		if slices.Contains(b, t) {
			shared++
		}
	}
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// foreignProjects names the other projects whose contexts this one builds on:
// that is allowed, and said.
func (s *Service) foreignProjects(ctx context.Context, c *domain.ContextSnapshot) ([]string, error) {
	if c.Causality == nil {
		return nil, nil
	}
	named, err := s.Store.ContextsByID(ctx, append([]string{c.Causality.CausedBy}, c.Causality.Dependencies...), false)
	if err != nil {
		return nil, err
	}
	var others []string
	for _, n := range named {
		if n.Project != c.Project {
			others = append(others, n.Project)
		}
	}
	return distinct(others), nil
}

func foreign(project string, others []string) []string {
	if len(others) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("it is in project %q and builds on contexts of %s", project, quoteList(others))}
}
