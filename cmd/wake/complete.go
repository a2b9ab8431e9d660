package main

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"wake/domain"
	"wake/memory"
)

// completeWords offers fixed words for a flag.
func completeWords(c *cobra.Command, flag string, words []string) {
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)))
}

// offerFiles lets a shell offer its files, which it does not elsewhere: a time, a name or a text is
// no file.
func offerFiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

// completeFiles offers files for a flag.
func completeFiles(c *cobra.Command, flag string) {
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, offerFiles))
}

// completeIDFlag offers the ids of contexts for a flag.
func (a *app) completeIDFlag(c *cobra.Command, flag string) {
	cobra.CheckErr(c.RegisterFlagCompletionFunc(flag, a.completeIDs))
}

// completeSessionFlag offers sessions for --session-id.
func (a *app) completeSessionFlag(c *cobra.Command) {
	cobra.CheckErr(c.RegisterFlagCompletionFunc("session-id", func(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
		return a.completeSessions(c, nil, "")
	}))
}

// completeProjects offers the projects of the database.
func (a *app) completeProjects(c *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	return a.complete(c, func(ctx context.Context, s *memory.Service) ([]string, error) {
		projects, err := s.Projects(ctx)
		var names []string
		for _, p := range projects {
			names = append(names, cobra.CompletionWithDesc(p.Name, domain.Many(p.Contexts, "context")))
		}
		return names, err
	})
}

// offered is how many ids a shell is offered.
const offered = 30

// completeIDs offers the project's newest contexts that are not among the arguments,
// with their summaries.
func (a *app) completeIDs(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	return a.complete(c, func(ctx context.Context, s *memory.Service) ([]string, error) {
		newest, err := s.ContextsByPrefix(ctx, "", prefix, offered)
		var ids []string
		for _, x := range newest {
			if !slices.Contains(args, x.ID) {
				ids = append(ids, cobra.CompletionWithDesc(x.ID, cut(oneLine(x.Summary), 60)))
			}
		}
		return ids, err
	})
}

// completeFirstID is completeIDs for commands that take a single id.
func (a *app) completeFirstID(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return a.completeIDs(c, args, prefix)
}

// complete queries the database for a waiting shell. It never creates a database, and
// offers nothing on errors.
func (a *app) complete(c *cobra.Command, ask func(context.Context, *memory.Service) ([]string, error)) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	set, err := a.settings()
	if err != nil || !isPostgres(set.DB) && !fileExists(set.DB) {
		return nil, none
	}
	var offers []string
	err = a.withMemory(c.Context(), func(ctx context.Context, s *memory.Service) error {
		offers, err = ask(ctx, s)
		return err
	})
	if err != nil {
		return nil, none
	}
	return offers, none | cobra.ShellCompDirectiveKeepOrder // ids say nothing, so the newest come first
}

// unquoteUsage removes the backquotes that mark the value's name for pflag in usage
// texts, because shells would show them.
func unquoteUsage(c *cobra.Command) {
	plain := func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }
	c.Flags().VisitAll(plain)
	c.PersistentFlags().VisitAll(plain)
	for _, sub := range c.Commands() {
		unquoteUsage(sub)
	}
}

// completionUse says, by the name of a shell, how its script is used.
var completionUse = map[string]string{
	"bash": `To use it in this shell:

  source <(wake completion bash)

To use it in each new one, put this line into ~/.bashrc.`,
	"zsh": `To use it in this shell:

  source <(wake completion zsh)

To use it in each new one, put this line into ~/.zshrc, below the one that runs compinit.
If none does, put this one above it:

  autoload -U compinit; compinit`,
	"fish": `To use it in this shell:

  wake completion fish | source

To use it in each new one:

  wake completion fish > ~/.config/fish/completions/wake.fish`,
	"powershell": `To use it in this shell:

  wake completion powershell | Out-String | Invoke-Expression

To use it in each new one, put this line into the file that $PROFILE names.`,
}

//go:embed complete.bash
var bashScript string

// describeShells puts the commands of the shells into wake's words.
func describeShells(completion *cobra.Command) {
	for _, c := range completion.Commands() {
		c.Short = "Print the script for " + c.Name()
		c.Long = fmt.Sprintf("Prints the script that completes wake's commands in %s. %s", c.Name(), completionUse[c.Name()])
		c.DisableFlagsInUseLine = false
		c.Flags().Lookup("no-descriptions").Usage = "offer words without saying what they mean"
	}
}

// bashByItself completes the script for bash, which otherwise only works where the package
// bash-completion is installed.
func bashByItself(completion *cobra.Command) {
	for _, c := range completion.Commands() {
		if c.Name() != "bash" {
			continue
		}
		script := c.RunE
		c.RunE = func(c *cobra.Command, args []string) error {
			if err := script(c, args); err != nil {
				return err
			}
			_, err := fmt.Fprint(c.Root().OutOrStdout(), bashScript)
			return err
		}
	}
}
