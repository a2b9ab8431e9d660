package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
)

func (a *app) sessionCommand() *cobra.Command {
	list := a.sessionListCommand()
	c := group("session", "Look at what happened in sessions",
		list,
		a.reportCommand("show", "Show how a session stands", memory.ReportStatus),
		a.reportCommand("timeline", "List a session's newest events", memory.ReportTimeline),
		a.reportCommand("tree", "Draw a session's turns and operations, children included", memory.ReportTree),
		a.reportCommand("totals", "Add up what a session spent, children included", memory.ReportTotals),
		a.reportCommand("usage", "Show how full the context window was over time", memory.ReportUsage),
		a.sessionMessagesCommand(),
		a.sessionExportCommand(),
		a.sessionForgetCommand())
	c.Aliases = []string{"sessions"}
	c.SuggestFor = []string{"session_report"}
	c.Long = c.Short + ". Alone, it lists them."
	c.RunE = list.RunE
	c.Flags().AddFlagSet(list.Flags())
	return c
}

// sessionArg is the session of a command: its argument, else the project's newest
// active one.
func (a *app) sessionArg(args []string) memory.SessionRef {
	ref := memory.SessionRef{Project: a.project}
	if len(args) > 0 {
		ref.SessionID = args[0]
	}
	return ref
}

// bySession is a command about one session. Without one, a command that only reads takes
// the project's newest; any other fails, and its error lists candidates.
func (a *app) bySession(use, short string, run func(context.Context, *memory.Service, memory.SessionRef) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  takes(0, 1),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			return run(ctx, s, a.sessionArg(args))
		}),
		ValidArgsFunction: a.completeSessions,
	}
}

func (a *app) sessionListCommand() *cobra.Command {
	var (
		r            memory.SessionsRequest
		status       string
		since, until string
	)
	c := &cobra.Command{
		Use:   "list",
		Short: "List sessions, the most recently active first",
		Args:  takes(0, 0),
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, _ []string) error {
			p := timeParser{now: s.Now()}
			r.Since, r.Until = p.parse(since), p.parse(until)
			if p.err != nil {
				return p.err
			}
			r.Project, r.Status = a.project, domain.SessionStatus(strings.ToLower(status))
			answer, err := s.Sessions(ctx, r)
			if err != nil {
				return err
			}
			if len(answer.Sessions) == 0 && !a.json {
				return a.printNoSession(ctx, s, r.Project)
			}
			return a.printSessions(answer)
		}),
	}
	fs := c.Flags()
	fs.StringVar(&r.Client, "client", "", "only sessions of this `client`")
	fs.StringVar(&r.AgentID, "agent-id", "", "only sessions of this `agent`")
	fs.StringVar(&status, "status", "", "only `active`, ended or forgotten ones; one silent for a day counts as ended")
	fs.StringVar(&since, "since", "", "only active since this `time`")
	fs.StringVar(&until, "until", "", "only active before this `time`")
	listFlags(c, &r.Limit, nil, &r.Cursor)
	completeWords(c, "status", words([]domain.SessionStatus{domain.SessionActive, domain.SessionEnded, domain.SessionForgotten}))
	return c
}

func (a *app) printSessions(answer memory.SessionsAnswer) error {
	defer a.more(answer.NextCursor)
	if a.json {
		return jsonLines(a.out, answer.Sessions)
	}
	t := table{head: []string{"SESSION", "ACTIVE", "STATUS", "CLIENT", "EVENTS", "PROMPTS"}}
	shared := slices.ContainsFunc(answer.Sessions, func(s domain.Session) bool { return s.Attributes[domain.RecordedBy] != "" })
	if shared {
		t.head = append(t.head, "BY")
	}
	if a.currentProject == memory.AllProjects {
		t.head = append(t.head, "PROJECT")
	}
	t.head = append(t.head, "TITLE")
	for _, s := range answer.Sessions {
		row := []string{s.ID, when(s.UpdatedAt), string(s.Status), s.Client, fmt.Sprint(s.LastSeq), fmt.Sprint(s.HumanMsgs)}
		if shared {
			row = append(row, s.Attributes[domain.RecordedBy])
		}
		if a.currentProject == memory.AllProjects {
			row = append(row, s.Project)
		}
		t.add(append(row, sessionName(s))...)
	}
	t.print(a.printer())
	return nil
}

// sessionName is a session's title, or what else describes a session in which nobody
// has said anything. A fork has the title of its origin, and a sub-agent that of its task,
// as if a person had begun there.
func sessionName(s domain.Session) string {
	name := cmp.Or(s.Title, s.AgentID)
	switch {
	case s.ForkedFrom != "":
		return strings.TrimSpace("(fork) " + name)
	case s.ParentID != "" && name == "":
		return "child of " + s.ParentID
	case s.ParentID != "":
		return "(child) " + name
	}
	return name
}

// printNoSession says whether there are no sessions at all, none in this project, or
// none that fit.
func (a *app) printNoSession(ctx context.Context, s *memory.Service, project string) error {
	p := a.printer()
	for _, wider := range []struct{ project, line string }{
		{project, "no session fits"},
		{memory.AllProjects, fmt.Sprintf("no sessions in project %q yet; wake session list --project '*' lists those of all projects", s.DefaultProject)},
	} {
		found, err := s.Sessions(ctx, memory.SessionsRequest{Project: wider.project, Limit: 1})
		if err != nil {
			return err
		}
		if len(found.Sessions) > 0 {
			p.line("%s", wider.line)
			return nil
		}
	}
	p.line("no sessions yet; wake setup lets your assistant record them")
	return nil
}

func (a *app) reportCommand(use, short string, format memory.ReportFormat) *cobra.Command {
	limit := 0
	c := a.bySession(use+" [SESSION]", short, func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		answer, err := s.SessionReport(ctx, memory.ReportRequest{By: by("session " + use), Ref: of, Format: format, Limit: limit, Zone: time.Local})
		if err != nil {
			return err
		}
		a.notes(answer.Notes)
		return printOne(a, answer, func(p *printer, r memory.ReportAnswer) { p.prose(r.Text) })
	})
	if format == memory.ReportTimeline {
		limitFlag(c, &limit, 50, "at most this `number`, the newest ones")
	}
	return c
}

func (a *app) sessionMessagesCommand() *cobra.Command {
	var from int64
	c := a.bySession("messages [SESSION]", "Print what people wrote in a session, exactly and completely", func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		owner, note, err := s.Session(ctx, of, by("session messages"))
		if err != nil {
			return err
		}
		a.note(note)
		messages, err := s.UserMessages(ctx, owner.ID, from)
		if err != nil {
			return err
		}
		none := "nobody wrote anything in this session"
		if from > 0 {
			none += fmt.Sprintf(" from event %d on", from)
		}
		return printList(a, messages, printUserMessage, none)
	})
	c.Flags().Int64Var(&from, "from", 0, "from the event with this `number` on")
	return c
}

func printUserMessage(p *printer, m memory.UserMessage) {
	at := when(m.At)
	if m.TakenBack {
		at += "  taken back"
	}
	p.line("%s  %s", p.paint(bold, fmt.Sprint(m.Seq)), p.paint(faint, at))
	p.text(m.Content)
}

// eventsAtOnce is how many events sessionExportCommand reads at a time.
const eventsAtOnce = 1000

func (a *app) sessionExportCommand() *cobra.Command {
	return a.bySession("export [SESSION]", "Print a session's events as JSON lines", func(ctx context.Context, s *memory.Service, of memory.SessionRef) error {
		owner, note, err := s.Session(ctx, of, by("session export"))
		if err != nil {
			return err
		}
		a.note(note)
		return a.exportEvents(ctx, s, owner)
	})
}

func (a *app) exportEvents(ctx context.Context, s *memory.Service, owner domain.Session) error {
	bar := a.progress()
	defer bar.end()
	ref := memory.SessionRef{SessionID: owner.ID}
	for after := int64(0); ; {
		events, err := s.Events(ctx, memory.EventsRequest{By: by("session export"), Ref: ref, After: after, Limit: eventsAtOnce})
		if err != nil {
			return err
		}
		if err := jsonLines(a.out, events); err != nil || len(events) < eventsAtOnce {
			return err
		}
		after = events[len(events)-1].Seq
		bar.show("events", int(after), int(owner.LastSeq))
	}
}

const sessionForgetLong = `Forgets a whole session. Without --yes it only shows what would go. For 30 days --undo
brings it back; after that its texts are erased, and only the numbering stays.`

func (a *app) sessionForgetCommand() *cobra.Command {
	var yes, undo bool
	c := &cobra.Command{
		Use:               "forget SESSION",
		Short:             "Forget a session; shows first what would go",
		Long:              sessionForgetLong,
		Args:              takes(1, 1),
		ValidArgsFunction: a.completeSessions,
		RunE: a.runWithMemory(func(ctx context.Context, s *memory.Service, args []string) error {
			if yes && undo {
				return domain.Invalid("--yes forgets and --undo brings back; use one")
			}
			answer, err := s.ForgetSession(ctx, memory.ForgetSessionRequest{
				SessionID: args[0], DryRun: !yes && !undo, Undo: undo})
			if err != nil {
				return err
			}
			return printOne(a, answer, printForgottenSession)
		}),
	}
	c.Flags().BoolVarP(&yes, "yes", "y", false, "do it")
	c.Flags().BoolVar(&undo, "undo", false, "bring it back")
	return c
}

func printForgottenSession(p *printer, f memory.ForgetSessionAnswer) {
	what := fmt.Sprintf("%s with %s, %s", f.SessionID, domain.Many(f.Events, "event"), size(f.Bytes))
	switch {
	case f.Undone:
		p.line("%s %s", p.paint(green, "is back"), what)
	case f.DryRun:
		p.line("%s %s\n\nnothing was changed; add --yes to forget it", p.paint(yellow, "would go"), what)
	default:
		p.line("%s %s\n\nbring it back with --undo until %s", p.paint(yellow, "forgotten"), what, when(f.UndoUntil))
	}
	for _, child := range f.Children {
		p.line("its child session %s stays", child)
	}
	if len(f.Contexts) > 0 && !f.Undone {
		p.line("what was overheard in it stays; to forget that too: wake forget %s", strings.Join(f.Contexts, " "))
	}
}

// completeSessions offers the project's newest sessions.
func (a *app) completeSessions(c *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.complete(c, func(ctx context.Context, s *memory.Service) ([]string, error) {
		answer, err := s.Sessions(ctx, memory.SessionsRequest{Project: a.project, Limit: offered})
		var ids []string
		for _, x := range answer.Sessions {
			ids = append(ids, cobra.CompletionWithDesc(x.ID, cut(oneLine(when(x.UpdatedAt)+" "+x.Client+" "+x.Title), 60)))
		}
		return ids, err
	})
}
