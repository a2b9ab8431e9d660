package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"time"

	"github.com/google/uuid"
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
		RunE: a.do(func(ctx context.Context, s *memory.Service, _ []string) error {
			return a.serveStdio(ctx, s, tools)
		}),
	}
	toolsFlag(c, &tools, mcp.AllTools, "")
	return c
}

// toolsFlag lets a command choose which tools models are offered; more is said behind
// what the flag is for.
func toolsFlag(c *cobra.Command, set *string, standard mcp.ToolSet, more string) {
	c.Flags().StringVar(set, "tools", string(standard), "which tools to offer: `all`, or core for small models"+more)
	completeWords(c, "tools", words([]mcp.ToolSet{mcp.AllTools, mcp.CoreTools}))
}

// serveStdio answers the client until it leaves; periodic work goes on beside
// it and ends with it.
func (a *app) serveStdio(ctx context.Context, s *memory.Service, tools string) error {
	set, err := mcp.ParseToolSet(tools)
	if err != nil {
		return err
	}
	options := mcp.Options{Version: version, Tools: set, Note: a.projectNote(s), Log: s.Log}
	if a.startedNowhere() {
		options.Note = fmt.Sprintf("This server keeps contexts of the open folder's project, or of %q where no folder is open, unless a call names another.", s.DefaultProject)
		options.Folder = func(path string) { a.workIn(ctx, s, path) }
	}
	server := mcp.New(s, options)
	defer runtime.KeepAlive(a.collectSeldom())
	defer a.backgroundJobs(ctx, s)()
	defer a.takeHooks(ctx, s)()
	return mcp.ServeStdio(ctx, server, a.in, a.out)
}

// How the memory of a server or an import is collected. A question leaves half a
// megabyte behind, and one that is asked while the collector is at work takes twice
// as long; an import leaves some ten kilobytes an event behind.
const (
	heapGrowth = 300       // percent of what is in use
	heapSpare  = 16 << 20  // bytes that always count as in use, so that a small store is not collected all the time
	memoryGoal = 512 << 20 // bytes from which on it is collected as often as it takes
)

// collectSeldom lets the heap grow further than Go's default would, unless the
// environment says how far. What it returns is to be kept while that should hold;
// it is never written to, so the system gives it no memory.
func (a *app) collectSeldom() (spare []byte) {
	if a.env("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(memoryGoal)
	}
	if a.env("GOGC") == "" {
		debug.SetGCPercent(heapGrowth)
		spare = make([]byte, heapSpare)
	}
	return spare
}

// projectNote tells the model which project it works in.
func (a *app) projectNote(s *memory.Service) string {
	note := fmt.Sprintf("This server keeps contexts of the project %q unless a call names another", s.DefaultProject)
	if why := a.renamed(s); why != "" {
		note += " (" + why + ")"
	}
	return note + "."
}

// startedNowhere reports whether no project was set and the working folder is one in
// which editors and desktop programs start servers: the home folder or the root.
func (a *app) startedNowhere() bool {
	here := a.here().Path
	return a.project == "" && here != "" && (here == realPath(a.home()) || here == filepath.Dir(here))
}

// workIn makes the project of a folder the one of requests that name none. A folder that
// is not on this machine changes nothing.
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

// jobsAfter is how long a server lives before it begins with periodic work, so
// that clients which come and go, or start many servers at once, pay nothing.
const jobsAfter = 10 * time.Second

// spoolPause is how often a server looks whether hooks could not store something.
const spoolPause = time.Minute

// backgroundJobs does periodic work, and takes in what hooks could not store, until the
// returned function is called, which waits for the step that is under way.
func (a *app) backgroundJobs(ctx context.Context, s *memory.Service) (stop func()) {
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	running.Go(func() { a.emptySpool(ctx, s, jobsAfter, spoolPause) })
	running.Go(func() {
		select {
		case <-ctx.Done():
		case <-time.After(jobsAfter):
			s.RunJobs(ctx, holder())
		}
	})
	return func() {
		cancel()
		running.Wait()
	}
}

// holder names this process among all that share a database.
func holder() string {
	host, _ := os.Hostname() // part of a name only
	return fmt.Sprintf("%s/%d/%s", host, os.Getpid(), uuid.NewString()[:8])
}
