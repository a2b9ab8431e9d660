package main

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const whyExample = `  wake why 5f0c2c8e                    the causes, in words
  wake why 5f0c2c8e --effects          what followed from it
  wake why 5f0c2c8e --format mermaid   a diagram for Markdown`

func (a *app) whyCommand() *cobra.Command {
	var (
		r         memory.ChainRequest
		direction string
		effects   bool
		asOf      string
	)
	c := &cobra.Command{
		Use:        "why ID",
		Aliases:    []string{"chain"},
		SuggestFor: []string{"causal_chain", "explain"},
		Short:      "Follow why a context came to be, or what followed from it",
		Example:    whyExample,
		Args:       takes(1, 1),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) (err error) {
			if effects {
				direction = string(domain.Effects)
			}
			if r.Direction, err = domain.ParseDirection(direction); err != nil {
				return err
			}
			p := timeParser{now: s.Now()}
			r.AsOf = p.parse(asOf)
			if p.err != nil {
				return p.err
			}
			r.By, r.ID, r.Format = by("why"), args[0], strings.ToLower(r.Format)
			return a.why(ctx, s, r)
		}),
		ValidArgsFunction: a.completeFirstID,
	}
	fs := c.Flags()
	fs.StringVar(&direction, "direction", "causes", "`causes`, effects or both")
	fs.BoolVar(&effects, "effects", false, "short for --direction effects")
	countFlag(c, &r.MaxDepth, "max-depth", "", 20, "follow at most this `number` of steps, up to 1000")
	limitFlag(c, &r.Limit, 200, "at most this `number` of contexts in each direction")
	fs.StringVar(&asOf, "as-of", "", "as the memory was at this `time`")
	fs.StringVar(&r.Format, "format", "text", "`text`, json, mermaid or dot")
	completeWords(c, "direction", words([]domain.Direction{domain.Causes, domain.Effects, domain.Both}))
	completeWords(c, "format", []string{"text", "json", "mermaid", "dot"})
	return c
}

func (a *app) why(ctx context.Context, s *memory.Service, r memory.ChainRequest) error {
	answer, err := s.Chain(ctx, r)
	if err != nil {
		return err
	}
	return printOne(a, answer, printChain(r.Format))
}

// printChain prints the reasoning and, if the chain has links, the drawing. For
// formats that other programs read, it prints only the drawing.
func printChain(format string) func(*printer, memory.ChainAnswer) {
	return func(p *printer, c memory.ChainAnswer) {
		if format == "" || format == "text" {
			p.line("%s", printable(strings.TrimRight(c.Reasoning, "\n")))
			if len(c.Nodes) == 1 {
				return
			}
			p.line("")
		}
		p.line("%s", strings.TrimRight(c.Rendered, "\n"))
	}
}
