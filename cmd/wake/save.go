package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

const saveLong = `Keeps a text and why it came to be. The text is given as arguments, or on standard input
if there are none or the argument is "-".`

const saveExample = `  wake save "We use PostgreSQL row locks for the ledger" --action-type decision \
      --rationale "advisory locks leaked under pgbouncer" --caused-by 5f0c2c8e
  git log -1 --format=%B | wake save --action-type file_edit --tags release`

// saveFlags are the flags for the fields of a context.
type saveFlags struct {
	request   memory.SaveRequest
	action    string
	kind      string
	metadata  string
	timestamp string
}

func (a *app) saveCommand() *cobra.Command {
	var f saveFlags
	c := &cobra.Command{
		Use:        "save [TEXT... | -]",
		SuggestFor: []string{"save_context", "add", "remember", "store", "keep"},
		Short:      "Keep a text and why it came to be",
		Long:       saveLong,
		Example:    saveExample,
		RunE: a.runBeginning(func(ctx context.Context, s *memory.Service, args []string) error {
			content, err := a.content(ctx, args)
			if err != nil {
				return err
			}
			return a.save(ctx, s, &f, content)
		}),
	}
	f.register(c)
	a.completeSessionFlag(c)
	a.completeIDFlag(c, "caused-by")
	a.completeIDFlag(c, "dependencies")
	a.completeIDFlag(c, "supersedes")
	return c
}

func (f *saveFlags) register(c *cobra.Command) {
	fs, r := c.Flags(), &f.request
	fs.StringVar(&r.Summary, "summary", "", "your own `summary`, instead of one made from the text")
	fs.StringSliceVar(&r.Tags, "tags", nil, "your own `tags`, instead of tags made from the text")
	fs.StringVar(&r.Source, "source", "cli", "a `name` for where it comes from")
	fs.StringVar(&f.action, "action-type", "", "the `type` of action that it comes from: decision, research, file_edit, tool_use or conversation")
	fs.StringVar(&r.Rationale, "rationale", "", "the `reason` why it came to be")
	fs.StringVar(&r.CausedBy, "caused-by", "", "`id` of the context that caused it")
	fs.StringSliceVar(&r.Dependencies, "dependencies", nil, "`ids` of contexts that it builds on")
	fs.StringVar(&r.Supersedes, "supersedes", "", "`id` of the context that it replaces")
	fs.StringVar(&f.kind, "kind", "", "the `kind`: semantic (lasting knowledge) or episodic (part of the course of events)")
	fs.StringVar(&f.metadata, "metadata", "", "anything else, as a `JSON` object")
	fs.BoolVar(&r.Pinned, "pinned", false, "never let it be forgotten")
	fs.StringVar(&f.timestamp, "timestamp", "", "the `time` it happened, if not now: 2026-01-31T15:04, or 3d for three days ago")
	fs.StringVar(&r.SessionID, "session-id", "", "`session` that it belongs to")
	completeWords(c, "action-type", words(domain.ActionTypes))
	completeWords(c, "kind", words([]domain.Kind{domain.Semantic, domain.Episodic}))
}

func (a *app) save(ctx context.Context, s *memory.Service, f *saveFlags, content string) error {
	r, err := f.fill(s)
	if err != nil {
		return err
	}
	r.By, r.Project, r.Content, r.Origin = by("save"), a.writesTo(), content, domain.FromUser
	answer, err := s.Save(ctx, r)
	if err != nil {
		return err
	}
	a.notes(answer.Notes)
	if r.SessionID != "" && answer.Seq == 0 && !answer.Existing {
		a.note(fmt.Sprintf("no session has the id %q, so it is only a label of the context", r.SessionID))
	}
	a.note(a.renamedFirst(ctx, s))
	return printOne(a, answer, printSaved)
}

// renamedFirst is renamed for the first context of a project, and "" for later ones.
func (a *app) renamedFirst(ctx context.Context, s *memory.Service) string {
	why := a.renamed(s)
	if why == "" {
		return ""
	}
	if counts, err := s.Counts(ctx, ""); err != nil || counts.Contexts > 1 {
		return ""
	}
	return why
}

// fill parses the flags that are not plain text.
func (f *saveFlags) fill(s *memory.Service) (memory.SaveRequest, error) {
	r := f.request
	var err error
	if f.action != "" {
		if r.ActionType, err = domain.ParseActionType(f.action); err != nil {
			return r, err
		}
	}
	if r.Kind, err = domain.ParseKind(f.kind); err != nil {
		return r, err
	}
	if r.Metadata, err = parseMetadata(f.metadata); err != nil {
		return r, err
	}
	p := timeParser{now: s.Now()}
	r.Timestamp = p.parse(f.timestamp)
	return r, p.err
}

// parseMetadata parses a JSON object; "" is none. Its numbers keep all digits.
func parseMetadata(text string) (metadata map[string]any, _ error) {
	if text == "" {
		return nil, nil
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	if !json.Valid([]byte(text)) || d.Decode(&metadata) != nil || metadata == nil {
		return nil, domain.Invalid(`metadata is not a JSON object; write it like --metadata '{"userId": "ann"}'`)
	}
	return metadata, nil
}

// content returns the text in the arguments or, if there is none, on standard input.
func (a *app) content(ctx context.Context, args []string) (string, error) {
	if len(args) > 0 && !(len(args) == 1 && args[0] == "-") {
		return strings.Join(args, " "), nil
	}
	if len(args) == 0 && terminal(a.in) {
		return "", withHint(domain.Invalid("there is nothing to save"), `wake save "the text", or pipe it in`)
	}
	text, err := io.ReadAll(io.LimitReader(a.interruptibleInput(ctx), domain.MaxContent+1))
	if err != nil {
		return "", err
	}
	if len(text) > domain.MaxContent {
		return "", domain.Invalid("content is longer than the limit of %d bytes: save the essence, or split it", domain.MaxContent)
	}
	return string(text), nil
}

func printSaved(p *printer, s memory.SaveAnswer) {
	verb := "saved"
	if s.Existing {
		verb = "kept already"
	}
	p.line("%s %s  in %s", p.paint(green, verb), s.ID, oneLine(s.Project))
	p.line("  %s", oneLine(s.Summary))
	p.tags(s.Tags)
	if s.Superseded != "" {
		p.line("  replaces %s", s.Superseded)
	}
	for _, l := range s.Links {
		p.line("  %s %s", p.paint(faint, "related to"), l.To+": "+oneLine(l.Reason))
	}
	for _, h := range s.NearDuplicates {
		p.line("  %s %s", p.paint(yellow, "says nearly the same as"), h.ID+": "+oneLine(h.Snippet))
	}
}
