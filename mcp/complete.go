package mcp

import (
	"cmp"
	"context"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"wake/domain"
	"wake/memory"
)

// maxCompletions is the protocol's limit for one answer.
const maxCompletions = 100

// completer offers projects and ids for the arguments of prompts and the
// variables of resource templates.
type completer struct{ s *Server }

// CompletePromptArgument completes an argument of a prompt.
func (c completer) CompletePromptArgument(ctx context.Context, prompt string, a sdk.CompleteArgument, given sdk.CompleteContext) (*sdk.Completion, error) {
	return c.complete(ctx, a, given)
}

// CompleteResourceArgument completes a variable of a template. The template's URI
// says what kind of id it is.
func (c completer) CompleteResourceArgument(ctx context.Context, uri string, a sdk.CompleteArgument, given sdk.CompleteContext) (*sdk.Completion, error) {
	if a.Name == "id" {
		kind, _, _ := strings.Cut(strings.TrimPrefix(uri, "wake://"), "/")
		a.Name = strings.TrimSuffix(kind, "s") + "_id"
	}
	return c.complete(ctx, a, given)
}

func (c completer) complete(ctx context.Context, a sdk.CompleteArgument, given sdk.CompleteContext) (*sdk.Completion, error) {
	all, err := c.candidates(ctx, a.Name, a.Value, given.Arguments["project"])
	if err != nil {
		return nil, c.s.shownError("completion", err)
	}
	matching := []string{}
	for _, v := range all {
		if strings.HasPrefix(strings.ToLower(v), strings.ToLower(a.Value)) {
			matching = append(matching, v)
		}
	}
	n := min(len(matching), maxCompletions)
	return &sdk.Completion{Values: matching[:n], Total: len(matching), HasMore: n < len(matching)}, nil
}

// candidates lists possible values of an argument.
func (c completer) candidates(ctx context.Context, name, value, project string) ([]string, error) {
	project = cmp.Or(project, memory.AllProjects)
	switch name {
	case "project":
		projects, err := c.s.service.Projects(ctx)
		return each(projects, func(p domain.Project) string { return p.Name }), err
	case "id", "context_id":
		found, err := c.s.service.ContextsByPrefix(ctx, project, value, maxCompletions)
		return each(found, func(o domain.ContextSnapshot) string { return o.ID }), err
	case "session_id":
		found, err := c.s.service.Sessions(ctx, memory.SessionsRequest{Project: project, Limit: maxCompletions})
		return each(found.Sessions, func(o domain.Session) string { return o.ID }), err
	case "checkpoint_id":
		if value != "" {
			return c.s.service.CheckpointIDs(ctx, value, maxCompletions)
		}
		found, err := c.s.service.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointList, Limit: maxCompletions})
		return each(found.Checkpoints, func(p domain.Checkpoint) string { return p.ID }), err
	case "handoff_id":
		if value != "" {
			return c.s.service.HandoffIDs(ctx, value, maxCompletions)
		}
		found, err := c.s.service.Handoff(ctx, memory.HandoffRequest{Action: memory.HandoffList, Limit: maxCompletions})
		return each(found.Handoffs, func(h domain.Handoff) string { return h.ID }), err
	}
	return nil, nil
}

// each applies word to each item of a list.
func each[T any](list []T, word func(T) string) []string {
	out := make([]string, len(list))
	for i, item := range list {
		out[i] = word(item)
	}
	return out
}
