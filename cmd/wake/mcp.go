package main

import (
	"context"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"wake/mcp"
	"wake/memory"
)

const mcpLong = `Serves the memory to one assistant over standard input and output. Assistants start it
themselves: let wake setup write it into their configuration, or add to it

  "wake": {"command": "wake", "args": ["mcp"]}`

func (a *app) mcpCommand() *cobra.Command {
	var tools string
	c := &cobra.Command{
		Use:   "mcp",
		Short: "Serve one assistant over standard input and output",
		Long:  mcpLong,
		Args:  takes(0, 0),
		RunE: a.runBeginning(func(ctx context.Context, s *memory.Service, _ []string) error {
			return a.serveStdio(ctx, s, tools)
		}),
	}
	toolsFlag(c, &tools, mcp.AllTools, "")
	return c
}

// toolsFlag adds the flag that chooses the tools to offer. more is appended to its
// help.
func toolsFlag(c *cobra.Command, set *string, standard mcp.ToolSet, more string) {
	c.Flags().StringVar(set, "tools", string(standard), "which tools to offer: `all`, or core for small models"+more)
	completeWords(c, "tools", words([]mcp.ToolSet{mcp.AllTools, mcp.CoreTools}))
}

// serveStdio serves the client until it leaves, with periodic work in the background.
func (a *app) serveStdio(ctx context.Context, s *memory.Service, tools string) error {
	set, err := mcp.ParseToolSet(tools)
	if err != nil {
		return err
	}
	if terminal(a.in) {
		a.note("an assistant speaks to this server over standard input, and starts it itself: wake setup connects one; Ctrl-C ends it")
	}
	options := mcp.Options{Version: version, Tools: set, Note: a.projectNote(s), Log: s.Log}
	if a.startedOutsideProject() {
		options.Note = fmt.Sprintf("This server keeps contexts of the open folder's project, or of %q where no folder is open, unless a call names another.", s.DefaultProject)
		options.Folder = func(path string) { a.workIn(ctx, s, path) }
	}
	server := mcp.New(s, options)
	defer runtime.KeepAlive(a.relaxGC())
	defer a.backgroundJobs(ctx, s)()
	defer a.serveHooks(ctx, s)()
	return mcp.ServeStdio(ctx, server, a.in, a.out)
}

// projectNote tells the model which project the server is for.
func (a *app) projectNote(s *memory.Service) string {
	note := fmt.Sprintf("This server keeps contexts of the project %q unless a call names another", s.DefaultProject)
	if s.ReadsAll {
		note = fmt.Sprintf("This server reads all projects and keeps new contexts in %q unless a call names another", s.DefaultProject)
	}
	if why := a.renamed(s); why != "" {
		note += " (" + why + ")"
	}
	return note + "."
}

// startedOutsideProject reports whether no project is set and the working folder is the
// home folder or the root, where editors and desktop programs start servers.
func (a *app) startedOutsideProject() bool {
	here := a.here().Path
	return a.project == "" && here != "" && (here == realFolder(a.home()) || here == filepath.Dir(here))
}

// workIn makes the project of a folder that of requests that name none. A folder that
// does not exist on this machine changes nothing.
func (a *app) workIn(ctx context.Context, s *memory.Service, path string) {
	f := workedIn(path, a.home())
	if f.Path == "" {
		return
	}
	name, err := f.NameIn(ctx, s.Store)
	if err != nil {
		s.Log.Warn("the project of the open folder is not known", "folder", path, "error", err)
		return
	}
	s.WorkIn(f, name)
}
