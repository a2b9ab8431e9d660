package mcp

import (
	"cmp"
	"context"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"wake/memory"
)

// maxCompletions is what the protocol allows in one answer.
const maxCompletions = 100

// completer offers projects and ids for the arguments of prompts and the
// variables of resource templates.
type completer struct{ s *Server }

// CompletePromptArgument completes an argument of a prompt.
func (c completer) CompletePromptArgument(ctx context.Context, prompt string, a sdk.CompleteArgument, given sdk.CompleteContext) (*sdk.Completion, error) {
	return c.complete(ctx, a, given)
}

// CompleteResourceArgument completes a variable of a template; the template
// shows what kind of id it is.
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

// candidates lists what an argument may be.
func (c completer) candidates(ctx context.Context, name, value, project string) ([]string, error) {
	switch name {
	case "project":
		projects, err := c.s.service.Projects(ctx)
		names := make([]string, len(projects))
		for i, p := range projects {
			names[i] = p.Name
		}
		return names, err
	case "id", "context_id":
		found, err := c.s.service.ContextsByPrefix(ctx, cmp.Or(project, memory.AllProjects), value, maxCompletions)
		ids := make([]string, len(found))
		for i, one := range found {
			ids[i] = one.ID
		}
		return ids, err
	case "session_id":
		return c.sessions(ctx, project)
	case "checkpoint_id":
		found, err := c.s.service.Checkpoint(ctx, memory.CheckpointRequest{Action: memory.CheckpointList, Limit: maxCompletions})
		ids := make([]string, len(found.Checkpoints))
		for i, p := range found.Checkpoints {
			ids[i] = p.ID
		}
		return ids, err
	case "handoff_id":
		found, err := c.s.service.Handoff(ctx, memory.HandoffRequest{Action: memory.HandoffList, Limit: maxCompletions})
		ids := make([]string, len(found.Handoffs))
		for i, h := range found.Handoffs {
			ids[i] = h.ID
		}
		return ids, err
	}
	return nil, nil
}

func (c completer) sessions(ctx context.Context, project string) ([]string, error) {
	found, err := c.s.service.Sessions(ctx, memory.SessionsRequest{Project: cmp.Or(project, memory.AllProjects), Limit: maxCompletions})
	ids := make([]string, len(found.Sessions))
	for i, one := range found.Sessions {
		ids[i] = one.ID
	}
	return ids, err
}
