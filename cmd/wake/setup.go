package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wake/cmd/wake/internal/edit"
	"wake/domain"
	"wake/mcp"
)

const setupLong = `Connects an assistant to wake: writes the MCP server and, where the assistant has them,
hooks into its configuration. Shows the change, asks on a terminal, keeps a copy of the old
file beside it, and leaves comments and order alone. Running it again changes nothing;
--remove takes out exactly what was put in. Without a client, it lists the clients on this
machine.`

// setupFlags are the flags of the setup command.
type setupFlags struct {
	print, remove, noHooks, yes bool
	tools                       string
}

func (a *app) setupCommand() *cobra.Command {
	var f setupFlags
	var names []string
	for _, c := range mcpClients() {
		names = append(names, c.name)
	}
	c := &cobra.Command{
		Use:        "setup [CLIENT]",
		SuggestFor: []string{"install", "init", "connect"},
		Short:      "Connect an assistant: " + strings.Join(names, ", "),
		Long:       setupLong,
		Args:       takes(0, 1),
		ValidArgs:  names,
		RunE: func(c *cobra.Command, args []string) error {
			p, err := a.places(f)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				if f.print || f.remove {
					return domain.Invalid("name the client: one of %s", strings.Join(names, ", "))
				}
				return a.listClients(p)
			}
			for _, client := range mcpClients() {
				if client.name == strings.ToLower(args[0]) {
					return a.setup(c.Context(), client, p, f)
				}
			}
			return domain.Invalid("the client %q is not known; use one of %s", args[0], strings.Join(names, ", "))
		},
	}
	c.Flags().BoolVar(&f.print, "print", false, "only show the change")
	c.Flags().BoolVar(&f.remove, "remove", false, "take out what was put in")
	c.Flags().BoolVar(&f.noHooks, "no-hooks", false, "only the MCP server, no hooks")
	c.Flags().BoolVarP(&f.yes, "yes", "y", false, "do not ask")
	toolsFlag(c, &f.tools, "", " (default: core beside Ollama)")
	return c
}

// places finds the folders and the command line that starts wake. Settings given as
// flags become flags of that command line.
func (a *app) places(f setupFlags) (places, error) {
	if err := a.checkSetup(); err != nil {
		return places{}, err
	}
	program, err := thisProgram()
	if err != nil {
		return places{}, err
	}
	p := places{home: a.home(), goos: runtime.GOOS, env: a.env, program: program, remove: f.remove}
	for _, flag := range []struct{ name, value string }{
		{"--db", absoluteAddress(a.fromHome(a.flags.DB))}, {"--project", a.flags.Project}, {"--ollama", a.flags.Ollama},
		{"--model", a.flags.Model}, {"--embed-model", a.flags.EmbedModel},
	} {
		if flag.value != "" {
			p.flags = append(p.flags, flag.name, flag.value)
		}
	}
	if a.flags.Distil != "" {
		p.flags = append(p.flags, "--no-distil")
	}
	p.args = append([]string{"mcp"}, p.flags...)
	if f.tools != "" {
		if _, err := mcp.ParseToolSet(f.tools); err != nil {
			return places{}, err
		}
		p.args = append(p.args, "--tools", f.tools)
	}
	return p, nil
}

// checkSetup refuses settings with which the server and the hooks would not start: the
// client would say so where hardly anybody looks.
func (a *app) checkSetup() error {
	if db := a.fromHome(a.flags.DB); !isPostgres(db) {
		if err := checkPath(db); err != nil {
			return err
		}
	}
	if a.flags.Project != "" {
		if err := domain.CheckName("project", a.flags.Project); err != nil {
			return err
		}
	}
	_, err := model(a.flags)
	return err
}

// absoluteAddress makes the address of a database valid in any folder.
func absoluteAddress(address string) string {
	if address == "" || isPostgres(address) {
		return address
	}
	return absolute(address)
}

// thisProgram is the path of wake. If wake on the PATH is this program, it is that
// path, which stays valid when an upgrade moves the program.
func thisProgram() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	if named, err := exec.LookPath("wake"); err == nil && sameFile(self, named) {
		return filepath.Abs(named)
	}
	return self, nil
}

// setup writes one client's files, or shows what it would write.
func (a *app) setup(ctx context.Context, c mcpClient, p places, f setupFlags) error {
	due, err := a.pendingChanges(c, p.withModelTools(c), f)
	if err != nil {
		return err
	}
	if len(due) > 0 && !f.print {
		if err := a.confirmWrite(ctx, f); err != nil {
			return err
		}
		for _, ch := range due {
			if err := ch.write(p); err != nil {
				return withHint(domain.Unavailable("%s cannot be written: %v", ch.path, domain.Reason(err)),
					"make its folder writable, or free some space, and run this again: it goes on where it stopped")
			}
		}
	}
	if said := c.outcome(len(due) > 0, f); said != "" && !a.json { // in JSON the changes say it all
		fmt.Fprintln(answerWriter{a}, said)
		if !f.remove && !f.noHooks {
			setting, path := c.hooksOff(p)
			a.warnOff(c.title, setting, path)
		}
	}
	return nil
}

// pendingChanges shows the changes to a client's files and returns them. Files without
// a change are shown but not returned.
func (a *app) pendingChanges(c mcpClient, p places, f setupFlags) (due []change, err error) {
	for _, t := range c.targets(p, f.noHooks) {
		ch, err := a.show(t, f)
		if err != nil {
			return nil, err
		}
		if ch.want != ch.now {
			due = append(due, ch)
		}
	}
	return due, nil
}

// outcome describes the client's state now; "" if changes were only printed.
func (c mcpClient) outcome(changed bool, f setupFlags) string {
	switch {
	case !changed && f.remove:
		return c.title + " was not connected"
	case !changed:
		return c.title + " is connected already"
	case f.print:
		return ""
	case f.remove:
		return c.title + " is no longer connected"
	}
	said := c.title + " is connected: " + c.nextStep
	if !f.noHooks {
		said += c.hooksStep
	}
	return said
}

// withModelTools selects the core tools for a client whose file mentions Ollama outside
// of wake's own entries, because Ollama's models are small.
func (p places) withModelTools(c mcpClient) places {
	if !c.namesModels || slices.Contains(p.args, "--tools") {
		return p
	}
	t := c.targets(p, true)[0]
	text, err := readRegular(t.path)
	if err != nil {
		return p
	}
	rest, err := edit.Take(t.format, string(text), "", t.entries)
	if err == nil && strings.Contains(strings.ToLower(rest), "ollama") {
		p.args = append(p.args[:len(p.args):len(p.args)], "--tools", string(mcp.CoreTools))
	}
	return p
}

// targets are the files of a client, without repeats.
func (c mcpClient) targets(p places, noHooks bool) []target {
	all := []target{c.server(p)}
	if c.hooks == nil || noHooks {
		return all
	}
	hooks := c.hooks(p)
	if hooks.path == all[0].path {
		all[0].entries = append(all[0].entries, hooks.entries...)
		return all
	}
	return append(all, hooks)
}
