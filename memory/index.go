package memory

import (
	"strings"

	"wake/domain"
	"wake/recall"
)

// document is what the index holds of a context: its words, its rationale, its
// tags, and its summary where someone wrote it (an extract repeats the content).
func (s *Service) document(c *domain.ContextSnapshot) domain.Document {
	parts := []string{c.Content, strings.Join(c.Tags, " ")}
	if c.SummaryBy != domain.ByExtract {
		parts = append(parts, c.Summary)
	}
	if c.Causality != nil {
		parts = append(parts, c.Causality.Rationale)
	}
	return domain.Document{Terms: recall.Analyze(strings.Join(parts, "\n"))}
}
