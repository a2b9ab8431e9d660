package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/mark3labs/mcp-go/client"
	"github.com/mark3labs/mcp-go/client/transport"
	"github.com/mark3labs/mcp-go/mcp"
	"github.com/spf13/cobra"

	"wake/domain"
)

const demoLong = `Plays the story of a small project with a real MCP client and a real server, wake mcp, on
a database of its own that is removed afterwards. Needs no network and touches nothing of
yours.`

func (a *app) demoCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Show on one screen what wake is for",
		Long:  demoLong,
		Args:  takes(0, 0),
		RunE:  func(c *cobra.Command, _ []string) error { return a.demo(c.Context()) },
	}
}

func (a *app) demo(ctx context.Context) error {
	if a.json {
		return domain.Invalid("the demo is a story for people and has no JSON form; leave --json out")
	}
	program, err := os.Executable()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "wake-demo-")
	if err != nil {
		return withHint(domain.Unavailable("no folder for the demo's database can be made in %s: %v", os.TempDir(), domain.Reason(err)), "set TMPDIR to one that can be written")
	}
	defer os.RemoveAll(dir)
	d := &demo{p: a.printer(), program: program, dir: dir, ids: map[string]string{}}
	return d.tell(ctx, story)
}

// demo is one run of the demo.
type demo struct {
	p       *printer
	program string            // started as the server
	dir     string            // holds the database; removed afterwards
	ids     map[string]string // of the saved contexts, by their names in the story
}

// chapter is one session of an assistant, some time ago.
type chapter struct {
	ago   time.Duration
	title string
	play  func(ctx context.Context, s *assistant) error
}

func (d *demo) tell(ctx context.Context, chapters []chapter) error {
	d.p.line("%s", prologue)
	for _, c := range chapters {
		d.p.line("\n%s", d.p.paint(bold, c.heading()))
		if err := d.chapter(ctx, c); err != nil {
			return withHint(fmt.Errorf("the demo stopped in %q: %w", c.title, err), "wake doctor looks for what is wrong")
		}
	}
	d.p.line("\n%s", epilogue)
	return nil
}

func (c chapter) heading() string {
	head := "── " + ago(c.ago) + ": " + c.title + " "
	return head + strings.Repeat("─", max(3, 80-cells(head)))
}

func ago(d time.Duration) string {
	switch {
	case d >= 48*time.Hour:
		return fmt.Sprintf("%d days ago", int(d.Hours()/24))
	case d > 0:
		return fmt.Sprintf("%d hours ago", int(d.Hours()))
	}
	return "today"
}

// chapter plays a chapter with a server of its own, as in real sessions, whose clock
// is set back to the time of the chapter.
func (d *demo) chapter(ctx context.Context, c chapter) error {
	s, err := d.start(ctx, c.ago)
	if err != nil {
		return err
	}
	if err := c.play(ctx, s); err != nil {
		return fmt.Errorf("%w%s", err, s.stderr())
	}
	return s.client.Close()
}

// assistant is an MCP client with its server.
type assistant struct {
	*demo
	client *client.Client
	log    *strings.Builder
}

// start starts a server with its clock set back by ago, and connects a client to it.
func (d *demo) start(ctx context.Context, ago time.Duration) (*assistant, error) {
	s := &assistant{demo: d, log: &strings.Builder{}}
	var env []string
	for _, name := range environment() { // the user's settings and folders are none of the demo's
		env = append(env, name+"=")
	}
	env = append(env, "WAKE_CLOCK=-"+ago.String(), "HOME="+d.dir)
	args := []string{"mcp", "--db", filepath.Join(d.dir, "wake.db"), "--project", "web-shop", "--ollama", "off"}
	var err error
	if s.client, err = client.NewStdioMCPClientWithOptions(d.program, env, args, transport.WithCommandStderrWriter(s.log)); err != nil {
		return nil, err
	}
	hello := mcp.InitializeRequest{}
	hello.Params.ProtocolVersion = mcp.LATEST_PROTOCOL_VERSION
	hello.Params.ClientInfo = mcp.Implementation{Name: "wake-demo", Version: version}
	if _, err := s.client.Initialize(ctx, hello); err != nil {
		s.client.Close()
		return nil, fmt.Errorf("%w%s", err, s.stderr())
	}
	return s, nil
}

// stderr returns the server's log for an error message.
func (s *assistant) stderr() string {
	if said := strings.TrimSpace(s.log.String()); said != "" {
		return "\nthe server said: " + said
	}
	return ""
}

// call calls a tool and decodes its structured answer.
func (s *assistant) call(ctx context.Context, tool string, arguments map[string]any, answer any) error {
	request := mcp.CallToolRequest{}
	request.Params.Name, request.Params.Arguments = tool, arguments
	result, err := s.client.CallTool(ctx, request)
	if err != nil {
		return err
	}
	if result.IsError {
		return fmt.Errorf("%s: %s", tool, textOf(result))
	}
	structured, err := json.Marshal(result.StructuredContent)
	if err != nil {
		return err
	}
	return json.Unmarshal(structured, answer)
}

func textOf(result *mcp.CallToolResult) string {
	var b strings.Builder
	for _, c := range result.Content {
		if t, ok := c.(mcp.TextContent); ok {
			b.WriteString(t.Text)
		}
	}
	return b.String()
}
