package memory

import (
	"context"
	"fmt"
	"strings"
	"time"

	"wake/causality"
	"wake/domain"
	"wake/recall"
)

// Limits of the comparison of a new context with the newest ones of its project.
const (
	relateTo    = 20       // contexts compared; with no limit, saves would get slower the more is saved in an hour
	relateBytes = 16 << 10 // bytes of the new content that are compared
	twinShare   = 0.9      // overlap of the words from which two contexts say nearly the same
)

// kinship is how a new context relates to others.
type kinship struct {
	links []domain.Link
	twins []domain.Hit
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
	fresh := causality.Subject{ID: c.ID, SessionID: c.SessionID, Timestamp: c.Timestamp}
	fresh.Terms, fresh.Words = termsAndWords(domain.Head(c.Content, relateBytes))
	for _, r := range causality.Weigh(fresh, earlier) {
		k.links = append(k.links, domain.Link{From: c.ID, To: r.ID, Kind: domain.Dependency, Origin: domain.Auto,
			Confidence: r.Confidence, Reason: r.Reason, AddedAt: c.SavedAt})
	}
	k.twins = s.twins(c, recent)
	return k, nil
}

// termsAndWords returns the terms of a text, and how the text writes each: people read
// "cache" where the term is its stem.
func termsAndWords(text string) (terms []string, words map[string]string) {
	words = map[string]string{}
	for _, t := range recall.Tokens(text) {
		terms = append(terms, t.Term)
		words[t.Term] = text[t.Start:t.End]
	}
	return terms, words
}

// summaryTerms are the terms that stand for an earlier context: those of its summary
// and tags, so that a save need not read contents.
func summaryTerms(c *domain.ContextSnapshot) []string {
	return recall.Analyze(c.Summary + "\n" + strings.Join(c.Tags, " "))
}

// twins returns recent contexts that say nearly the same in nearly the same words.
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

// overlap is the Jaccard index of two sets of terms, 0 if either has few.
func overlap(a, b []string) float64 {
	const tooFew = 4
	a, b = distinct(a), distinct(b)
	if len(a) < tooFew || len(b) < tooFew {
		return 0
	}
	shared := common(a, b)
	return float64(shared) / float64(len(a)+len(b)-shared)
}

// common is how many of the terms, which are distinct, are also in others.
func common(terms, others []string) int {
	alone := make(map[string]bool, len(terms))
	for _, t := range terms {
		alone[t] = true
	}
	for _, t := range others {
		delete(alone, t)
	}
	return len(terms) - len(alone)
}
