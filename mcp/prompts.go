package mcp

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"wake/domain"
	"wake/memory"
)

// prompt is one entry in a client's menu of prompts.
type prompt struct {
	name, title, about string
	args               []promptArg
	write              func(context.Context, memory.Caller, map[string]string) (string, error)
	template           string // instead, for a client that fills in the arguments later
	needs              string // a tool that the prompt asks for, if not every model is offered that
}

type promptArg struct {
	name, about string
	required    bool
}

var projectArg = promptArg{"project", "project name; this server's own when left out", false}

// contextPrompts are the prompts about contexts.
func (s *Server) contextPrompts() []prompt {
	return []prompt{
		{"why", "Why is it like this?", "Explain how a decision came about", []promptArg{
			{"id", "id of the context, if known", false}, {"about", "or what it is about, in words", false}, projectArg}, s.writeWhy, whyTemplate, ""},
		{"review", "Review the memory", "Look through what is kept and tidy it up", []promptArg{projectArg}, s.writeReview, reviewTemplate, "update_context"},
	}
}

const (
	explain = "First the reason in one sentence, then the steps that led there, then what followed from it. Say so where the record has gaps; open contexts with load_context where the summary is not enough."
	review  = "Propose, and do only what I agree to: update_context with superseded_by where a newer one replaces it, pinned for what must never go, tags where they are missing, forget_context for what is no longer worth keeping."

	whyTemplate    = "Explain to me why what I name at the end of this is as it is. If that is an id, ask causal_chain with direction \"both\"; otherwise find it with search_context first. " + explain
	reviewTemplate = "Review this memory with me. Ask memory_stats for its state and load_context with mode \"forgotten\" for what was untouched longest; a name at the end of this is the project. For each context say whether it still holds. " + review
)

// isPlaceholder reports whether an argument is $1 or the like. opencode gets its commands
// from prompts by such arguments, and fills in or appends what is typed later. It also runs
// what the text has between !` and `, so nothing that is stored may be in it.
func isPlaceholder(argument string) bool {
	number, ok := strings.CutPrefix(argument, "$")
	_, err := strconv.Atoi(number)
	return ok && err == nil
}

func (s *Server) addPrompts(list []prompt) {
	for _, pr := range list {
		if pr.needs != "" && !hasTool(s.tools, pr.needs) {
			continue
		}
		options := []sdk.PromptOption{sdk.WithPromptTitle(pr.title), sdk.WithPromptDescription(pr.about)}
		for _, a := range pr.args {
			how := []sdk.ArgumentOption{sdk.ArgumentDescription(a.about)}
			if a.required {
				how = append(how, sdk.RequiredArgument())
			}
			options = append(options, sdk.WithArgument(a.name, how...))
		}
		s.prompts = append(s.prompts, pr.name)
		s.core.AddPrompt(sdk.NewPrompt(pr.name, options...), s.prompter(pr))
	}
}

func (s *Server) prompter(pr prompt) func(context.Context, sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
	return func(ctx context.Context, req sdk.GetPromptRequest) (*sdk.GetPromptResult, error) {
		for _, a := range pr.args {
			if isPlaceholder(req.Params.Arguments[a.name]) {
				return pr.answer(pr.template), nil
			}
			if a.required && strings.TrimSpace(req.Params.Arguments[a.name]) == "" {
				return nil, s.shownError(pr.name, domain.Invalid("the prompt %s needs %s: %s", pr.name, a.name, a.about))
			}
		}
		if err := s.spellNamed(ctx, req.Params.Arguments); err != nil {
			return nil, s.shownError("prompt "+pr.name, err)
		}
		text, err := pr.write(ctx, s.caller(ctx, "prompt "+pr.name), req.Params.Arguments)
		if err != nil {
			return nil, s.shownError("prompt "+pr.name, err)
		}
		return pr.answer(text), nil
	}
}

func (pr prompt) answer(text string) *sdk.GetPromptResult {
	return sdk.NewGetPromptResult(pr.about, []sdk.PromptMessage{sdk.NewPromptMessage(sdk.RoleUser, sdk.NewTextContent(text))})
}

func (s *Server) writeWhy(ctx context.Context, by memory.Caller, args map[string]string) (string, error) {
	id, about := strings.TrimSpace(args["id"]), strings.TrimSpace(args["about"])
	var p page
	if id == "" {
		if about == "" {
			return "", domain.Invalid("the prompt why needs id or about: a context, or what it is about")
		}
		found, err := s.service.Search(ctx, memory.SearchRequest{By: by, Query: about, Project: args["project"], In: memory.InContexts, Limit: 3})
		if err != nil {
			return "", err
		}
		if len(found.Hits) == 0 {
			return "", domain.NotFound("nothing is known about that; give an id, or other words in about")
		}
		id = found.Hits[0].ID
	}
	told, err := s.service.Chain(ctx, memory.ChainRequest{By: by, ID: id, Direction: domain.Both})
	if err != nil {
		return "", err
	}
	what := "it"
	if about != "" {
		what = fmt.Sprintf("%q", domain.Clip(about, 200))
	}
	p.line("Explain to me why %s is as it is, from what is told below. %s", what, explain)
	tellChain(&p, chainArgs{ID: id, Direction: domain.Both}, told)
	return p.String(), nil
}

func (s *Server) writeReview(ctx context.Context, by memory.Caller, args map[string]string) (string, error) {
	stats, err := s.service.Stats(ctx, args["project"])
	if err != nil {
		return "", err
	}
	stale, err := s.service.Load(ctx, memory.LoadRequest{By: by, Project: args["project"], Mode: memory.ModeForgotten, Limit: 10})
	if err != nil {
		return "", err
	}
	var p page
	p.line("Review this memory with me. For each context below say whether it still holds. %s", review)
	tellStats(&p, statsArgs{}, statsAnswer{StatsAnswer: stats})
	p.line("Longest untouched:")
	for _, c := range stale.Contexts {
		p.context(c, 250)
	}
	return p.String(), nil
}
