package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// What a context snapshot of OLLM keeps beside the messages: goals and reasoning.

// ollmGoal is a goal on the stack.
type ollmGoal struct {
	ID          string `json:"id"`
	Description string `json:"description"`
	Text        string `json:"text"`
	Status      string `json:"status"`
	CreatedAt   stamp  `json:"createdAt"`
}

// goals reads a stack of goals: a list, or an object with all of them in order and lists
// of some.
func (r *ollmReader) goals(stack json.RawMessage) {
	var list []ollmGoal
	if len(stack) > 0 && json.Unmarshal(stack, &list) != nil {
		var parts struct {
			Active    *ollmGoal  `json:"activeGoal"`
			History   []ollmGoal `json:"goalHistory"`
			Completed []ollmGoal `json:"completedGoals"`
			Paused    []ollmGoal `json:"pausedGoals"`
		}
		_ = decodeLoose(stack, &parts)
		list = slices.Concat(parts.History, parts.Completed, parts.Paused)
		if parts.Active != nil {
			list = append(list, *parts.Active)
		}
	}
	told := map[string]bool{}
	for _, g := range list {
		if g.ID == "" || !told[g.ID+g.Status] {
			r.goal(g)
		}
		told[g.ID+g.Status] = true
	}
}

func (r *ollmReader) goal(g ollmGoal) {
	text := cmp.Or(g.Description, g.Text)
	id := cmp.Or(g.ID, "goal-"+shortHash(text))
	status := domain.GoalActive
	switch strings.ToLower(g.Status) {
	case "completed", "done":
		status = domain.GoalDone
	case "abandoned", "dropped":
		status = domain.GoalDropped
	}
	r.event(g.CreatedAt.or(r.last), domain.RowKey("goal", id+":"+string(status)+":"+shortHash(text)), id, domain.Goal{ID: id, Text: text, Status: status})
}

// ollmTrace is a trace of reasoning in a mode transition.
type ollmTrace struct {
	Content    string `json:"content"`
	TokenCount int64  `json:"tokenCount,omitempty"`
	Duration   int64  `json:"duration,omitempty"`
	Complete   bool   `json:"complete,omitempty"`
}

// ollmStored is a trace in a context snapshot: as OLLM keeps it, whole or only its
// summary, or as wake writes it.
type ollmStored struct {
	ollmTrace
	ID        string `json:"id"`
	Timestamp stamp  `json:"timestamp"`
	Thinking  string `json:"thinking"`
	Summary   string `json:"summary"`
	Metadata  struct {
		Tokens int64 `json:"thinkingTokens"`
	} `json:"metadata"`
}

// traces reads stored reasoning: a list, or an object with lists.
func (r *ollmReader) traces(stored json.RawMessage) {
	var list []ollmStored
	if len(stored) > 0 && json.Unmarshal(stored, &list) != nil {
		var parts struct {
			Recent   []ollmStored `json:"recent"`
			Archived []ollmStored `json:"archived"`
			Traces   []ollmStored `json:"traces"`
		}
		_ = decodeLoose(stored, &parts)
		list = slices.Concat(parts.Archived, parts.Recent, parts.Traces)
	}
	for _, t := range list {
		r.stored(t)
	}
}

// stored reads one trace of a context snapshot. OLLM's own have ids, and later snapshots
// of the session repeat them.
func (r *ollmReader) stored(t ollmStored) {
	text := cmp.Or(t.Thinking, t.Summary)
	if t.Content != "" || text == "" {
		r.trace(t.ollmTrace, t.Timestamp.or(r.last))
		return
	}
	id := cmp.Or(t.ID, shortHash(text))
	if t.Thinking == "" {
		id += ":summary"
	}
	r.event(t.Timestamp.or(r.last), domain.RowKey("reasoning", id), t.ID,
		domain.Reasoning{Content: text, TokenCount: max(t.Metadata.Tokens, 0), Complete: t.Thinking != ""})
}

// trace reads one trace. In real files the content holds the trace again as JSON.
func (r *ollmReader) trace(t ollmTrace, at time.Time) {
	var inner ollmTrace
	if strings.HasPrefix(t.Content, "{") && json.Unmarshal([]byte(t.Content), &inner) == nil && inner.Content != "" {
		t = inner
	}
	if t.Content == "" {
		return
	}
	r.event(at, domain.RowKey("reasoning", cmp.Or(r.file.ID, r.session)+":"+shortHash(t.Content)), "",
		domain.Reasoning{Content: t.Content, TokenCount: max(t.TokenCount, 0), DurationMS: max(t.Duration, 0), Complete: t.Complete})
}
