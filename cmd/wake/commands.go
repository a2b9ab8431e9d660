package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/summarizer"
)

const rootLong = `wake keeps what your assistant decided and why, finds it again in later sessions,
follows the causes, shows what still matters and what will be needed next.

Everything lives in one SQLite file on this machine. To see it work, run: wake demo`

// The groups under which help lists the commands.
const (
	groupServe = "serve"
	groupUse   = "use"
	groupLogs  = "sessions"
	groupCare  = "care"
)

func (a *app) rootCommand() *cobra.Command {
	root := &cobra.Command{
		Use:           "wake",
		Short:         "Memory for AI assistants: what was decided, why, and what comes next",
		Long:          rootLong,
		SilenceErrors: true,
		SilenceUsage:  true,
		PersistentPreRun: func(*cobra.Command, []string) {
			a.running = true
		},
	}
	onlyGroup(root)
	root.SetIn(a.in)
	root.SetOut(answerWriter{a})
	root.SetErr(a.err)
	root.AddGroup(
		&cobra.Group{ID: groupServe, Title: "For assistants:"},
		&cobra.Group{ID: groupUse, Title: "Contexts:"},
		&cobra.Group{ID: groupLogs, Title: "Sessions:"},
		&cobra.Group{ID: groupCare, Title: "Looking after the memory:"})
	root.CompletionOptions.SetDefaultShellCompDirective(cobra.ShellCompDirectiveNoFileComp)
	root.SetGlobalNormalizationFunc(flagNames)
	root.SetFlagErrorFunc(flagError)
	a.globalFlags(root)
	a.addCommands(root)
	a.helpOnlyKnown(root)
	return root
}

// helpOnlyKnown makes --help behind an unknown subcommand an error, as help on it is. The help
// of the group, which cobra gives, looks as if it were that of the subcommand.
func (a *app) helpOnlyKnown(root *cobra.Command) {
	help := root.HelpFunc()
	root.SetHelpFunc(func(c *cobra.Command, args []string) {
		if rest := c.Flags().Args(); c.HasSubCommands() && len(rest) > 0 {
			a.noHelp = unknownCommand(c, rest[0])
			return
		}
		help(c, args)
	})
}

func (a *app) globalFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&a.flags.DB, "db", "", "`path` of the database or postgres:// URL (WAKE_DB)")
	f.StringVarP(&a.flags.Project, "project", "p", "", "project `name`; * reads all (default: this folder's)")
	f.StringVar(&a.flags.Ollama, "ollama", "", "Ollama's `URL`, or off (WAKE_OLLAMA, OLLAMA_HOST)")
	f.StringVar(&a.flags.Model, "model", "", "Ollama `model` that writes summaries (WAKE_MODEL; default "+summarizer.DefaultModel+")")
	f.StringVar(&a.flags.EmbedModel, "embed-model", "", "Ollama `model` for embeddings (WAKE_EMBED_MODEL)")
	f.BoolFunc("no-distil", "make no contexts from decisions in sessions (WAKE_DISTIL=off)", func(string) error {
		a.flags.Distil = "off"
		return nil
	})
	f.BoolVar(&a.json, "json", false, "print answers as JSON lines")
	f.BoolVarP(&a.verbose, "verbose", "v", false, "log what is done to standard error")
	cobra.CheckErr(root.RegisterFlagCompletionFunc("project", a.completeProjects))
	completeFiles(root, "db")
}

func (a *app) addCommands(root *cobra.Command) {
	for group, commands := range map[string][]*cobra.Command{
		groupServe: {a.setupCommand(), a.mcpCommand(), a.serveCommand(), a.hookCommand(), a.demoCommand()},
		groupUse: {
			a.saveCommand(), a.loadCommand(), a.searchCommand(), a.whyCommand(), a.nextCommand(),
			a.pinCommand(), a.unpinCommand(), a.forgetCommand(), a.purgeCommand(),
		},
		groupLogs: {a.sessionCommand(), a.resumeCommand(), a.checkpointCommand(), a.handoffCommand()},
		groupCare: {
			a.statsCommand(), a.recalculateCommand(), a.importCommand(), a.exportCommand(), a.backupCommand(), a.restoreCommand(), a.doctorCommand(), a.verifyCommand(), a.versionCommand(),
		},
	} {
		for _, c := range commands {
			c.GroupID = group
			root.AddCommand(c)
		}
	}
	root.AddCommand(a.predictBenchCommand())
	root.SetCompletionCommandGroupID(groupCare)
	root.SetHelpCommandGroupID(groupCare)
	root.InitDefaultCompletionCmd()
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Short, c.Long = "Print a script that completes commands, flags and ids", completionLong
			onlyGroup(c)
			describeShells(c)
			bashByItself(c)
		case "help":
			c.Short, c.Args = "Tell more about a command", aboutCommand
		}
	}
}

const completionLong = `Prints a script that lets a shell complete wake's commands, flags and ids. The help of
each shell's command says what to do with it: wake completion bash --help`

// aboutCommand refuses help on unknown commands.
func aboutCommand(c *cobra.Command, args []string) error {
	found, rest, err := c.Root().Find(args)
	if err == nil && len(rest) > 0 {
		err = unknownCommand(found, rest[0])
	}
	return err
}

// group is a command that only has subcommands.
func group(use, short string, commands ...*cobra.Command) *cobra.Command {
	c := &cobra.Command{Use: use, Short: short}
	c.AddCommand(commands...)
	onlyGroup(c)
	return c
}

// onlyGroup makes c show its help, and refuse unknown subcommands.
func onlyGroup(c *cobra.Command) {
	c.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	c.Args = func(c *cobra.Command, args []string) error {
		if len(args) == 0 {
			return nil
		}
		return unknownCommand(c, args[0])
	}
}

// unknownCommand is the error that c has no subcommand of that name.
func unknownCommand(c *cobra.Command, word string) error {
	err := domain.Invalid("%q is not a command of %s", word, c.CommandPath())
	if near, ok := nearCommand(c, word); ok {
		return withHint(err, "did you mean: %s %s", c.CommandPath(), near)
	}
	return err
}

// nearCommand returns the subcommand of c that may have been meant: one for which wake's
// tools or other programs have that word, that is spelt almost like it, or begins with it.
func nearCommand(c *cobra.Command, word string) (string, bool) {
	var names []string
	for _, sub := range c.Commands() {
		if slices.Contains(sub.SuggestFor, strings.ReplaceAll(strings.ToLower(word), "-", "_")) {
			return sub.Name(), true
		}
		if sub.IsAvailableCommand() {
			names = append(names, sub.Name())
		}
	}
	if near, ok := domain.Nearest(word, names); ok {
		return near, true
	}
	at := slices.IndexFunc(names, func(name string) bool { return strings.HasPrefix(name, strings.ToLower(word)) })
	if at < 0 {
		return "", false
	}
	return names[at], true
}
