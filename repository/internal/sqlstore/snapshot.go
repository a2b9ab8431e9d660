package sqlstore

import (
	"cmp"
	"database/sql"
	"strings"
	"time"

	"wake/domain"
)

// contextColumns are the columns of context_snapshots c that [scanContext] reads,
// except content, which comes last.
const contextColumns = `c.n, c.id, c.project, c.summary, c.tags, c.source, c.timestamp,
	c.action_type, c.caused_by, c.rationale, c.dependencies,
	c.memory_tier, c.last_accessed, c.access_count,
	c.prediction_score, c.last_predicted, c.predicted_next_access, c.propagation_reason,
	c.metadata, c.session_id, c.seq, c.kind, c.origin, c.pinned, c.content_hash, c.summary_by,
	c.superseded_by, c.superseded_at, c.saved_at, c.deleted_at`

// selectContexts begins a query for contexts.
func selectContexts(withContent bool) string {
	if withContent {
		return "SELECT " + contextColumns + ", c.content FROM context_snapshots c "
	}
	return "SELECT " + contextColumns + ", '' FROM context_snapshots c "
}

func scanContext(rows *sql.Rows, c *domain.ContextSnapshot) error {
	var (
		tags  string
		cause domain.Causality
		score sql.NullFloat64
		next  domain.Propagation
	)
	err := rows.Scan(
		&c.N, &c.ID, &c.Project, &c.Summary, &tags, &c.Source, toTime(&c.Timestamp),
		toText(&cause.ActionType), toText(&cause.CausedBy), toText(&cause.Rationale), toJSON(&cause.Dependencies),
		toText(&c.Memory.Tier), toTime(&c.Memory.LastAccessed), &c.Memory.AccessCount,
		&score, toTime(&next.LastPredicted), toTime(&next.PredictedNextAccess), toJSON(&next.PropagationReason),
		toJSON(&c.Metadata), toText(&c.SessionID), &c.Seq, toText(&c.Kind), toText(&c.Origin), &c.Pinned,
		&c.ContentHash, &c.SummaryBy, toText(&c.SupersededBy), toTime(&c.SupersededAt),
		toTime(&c.SavedAt), toTime(&c.DeletedAt), &c.Content)
	if err != nil && c.ID != "" {
		return domain.Damaged("the row of context %s is damaged and cannot be read: %v; put a backup of the database in its place", c.ID, err)
	}
	if err != nil {
		return err
	}
	c.Tags = splitTags(tags)
	if cause.ActionType != "" {
		c.Causality = &cause
	}
	if score.Valid {
		next.PredictionScore = score.Float64
		c.Propagation = &next
	}
	return nil
}

// splitTags parses the comma-separated list. No tag contains a comma ([checkTags]).
func splitTags(list string) []string {
	if list == "" {
		return []string{}
	}
	return strings.Split(list, ",")
}

// checkTags refuses tags that the comma-separated list cannot hold.
func checkTags(tags []string) error {
	for _, t := range tags {
		if t == "" || strings.Contains(t, ",") {
			return domain.Invalid("tag %q: a tag is not empty and has no comma; give two tags instead", t)
		}
	}
	return nil
}

// value is a column and its new value.
type value struct {
	column string
	arg    any
}

// mutable returns the columns of c that may change after saving (002-06).
func mutable(c *domain.ContextSnapshot) ([]value, error) {
	cause, err := causalityValues(c.Causality)
	if err != nil {
		return nil, err
	}
	next, err := propagationValues(c.Propagation)
	if err != nil {
		return nil, err
	}
	out := []value{
		{"summary", c.Summary},
		{"tags", strings.Join(c.Tags, ",")},
		{"memory_tier", string(c.Memory.Tier)},
		{"last_accessed", timeArg(c.Memory.LastAccessed)},
		{"access_count", c.Memory.AccessCount},
		{"kind", string(c.Kind)},
		{"pinned", c.Pinned},
		{"session_id", textArg(c.SessionID)},
		{"seq", c.Seq},
		{"summary_by", c.SummaryBy},
		{"superseded_by", textArg(c.SupersededBy)},
		{"superseded_at", timeArg(c.SupersededAt)},
	}
	return append(append(out, cause...), next...), nil
}

func causalityValues(c *domain.Causality) ([]value, error) {
	if c == nil {
		return []value{{"action_type", nil}, {"caused_by", nil}, {"rationale", nil}, {"dependencies", nil}}, nil
	}
	deps, err := jsonArg(orEmpty(c.Dependencies))
	return []value{
		{"action_type", string(cmp.Or(c.ActionType, domain.Conversation))},
		{"caused_by", textArg(c.CausedBy)},
		{"rationale", textArg(c.Rationale)},
		{"dependencies", deps},
	}, err
}

func propagationValues(p *domain.Propagation) ([]value, error) {
	if p == nil {
		return []value{{"prediction_score", nil}, {"last_predicted", nil}, {"predicted_next_access", nil}, {"propagation_reason", nil}}, nil
	}
	reasons, err := jsonArg(orEmpty(p.PropagationReason))
	return []value{
		{"prediction_score", p.PredictionScore},
		{"last_predicted", timeArg(p.LastPredicted)},
		{"predicted_next_access", timeArg(p.PredictedNextAccess)},
		{"propagation_reason", reasons},
	}, err
}

// immutable returns the columns of c that are written once.
func immutable(c *domain.ContextSnapshot) ([]value, error) {
	var metadata any
	if c.Metadata != nil {
		text, err := jsonArg(c.Metadata)
		if err != nil {
			return nil, domain.Invalid("metadata cannot be written as JSON: %v", err)
		}
		metadata = text
	}
	return []value{
		{"id", c.ID},
		{"project", c.Project},
		{"source", c.Source},
		{"timestamp", domain.FormatTime(c.Timestamp)},
		{"metadata", metadata},
		{"origin", string(c.Origin)},
		{"content_hash", c.ContentHash},
		{"saved_at", domain.FormatTime(c.SavedAt)},
		{"deleted_at", timeArg(c.DeletedAt)},
		{"content", c.Content},
	}, nil
}

// orEmpty makes a nil list appear as [] in JSON.
func orEmpty(list []string) []string {
	if list == nil {
		return []string{}
	}
	return list
}

// truncateTimes cuts the times of c to the stored precision, so that the caller's value
// equals what a later read returns.
func truncateTimes(c *domain.ContextSnapshot) {
	for _, t := range []*time.Time{&c.Timestamp, &c.SavedAt, &c.DeletedAt, &c.SupersededAt, &c.Memory.LastAccessed} {
		*t = domain.Moment(*t)
	}
	if p := c.Propagation; p != nil {
		p.LastPredicted, p.PredictedNextAccess = domain.Moment(p.LastPredicted), domain.Moment(p.PredictedNextAccess)
	}
}
