package mcp

import (
	"context"
	_ "embed"
	"log/slog"
	"slices"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"wake/domain"
	"wake/memory"
)

//go:embed instructions.md
var instructions string

// Options are the settings of a server.
type Options struct {
	Version string
	Tools   ToolSet
	// Note is an additional line of instructions, such as which project this server is
	// for; it may be "".
	Note string
	// Folder, if set, is called over stdio with the folder that the client has open,
	// if the client says so, before any call is answered.
	Folder func(path string)
	Log    *slog.Logger // nil means no logging
}

// instructions tell a model when to use which of the listed tools.
func (o Options) instructions() string {
	var b strings.Builder
	for line := range strings.Lines(instructions) {
		if o.Tools != CoreTools || !strings.Contains(line, "`checkpoint`") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String() + "\n" + o.Note)
}

// ToolSet is which tools are listed.
type ToolSet string

// The sets: all fourteen tools, or the six that a small model can handle.
const (
	AllTools  ToolSet = "all"
	CoreTools ToolSet = "core"
)

// ParseToolSet reads "all" or "core"; "" means all.
func ParseToolSet(s string) (ToolSet, error) {
	switch set := ToolSet(strings.ToLower(s)); set {
	case "":
		return AllTools, nil
	case AllTools, CoreTools:
		return set, nil
	}
	return "", domain.Invalid("tools %q is unknown; use all or core", s)
}

// Server serves one memory over MCP, to one client over stdio or to any number over
// HTTP. It is safe for concurrent use.
type Server struct {
	service     *memory.Service
	version     string
	log         *slog.Logger
	folder      func(path string) // as in Options
	core        *server.MCPServer
	connections connections
	streams     streams
	others      others
	listed      listedNames // projects in the list of resources
	tools       []tool
	prompts     []string // names
}

// New returns a server for service. It sets the service's Words, so its notes will
// name tools. With transports other than [ServeStdio], also call [Server.Run], which
// notifies subscribers of resources.
func New(service *memory.Service, o Options) *Server {
	s := &Server{service: service, version: o.Version, log: o.Log, folder: o.Folder, others: others{begun: make(chan struct{}, 1)}}
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.core = server.NewMCPServer("wake", o.Version,
		server.WithTitle("wake"),
		server.WithDescription("Temporal context memory: what was decided, why, and what is needed next"),
		server.WithInstructions(o.instructions()),
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(true, true),
		server.WithPromptCapabilities(false),
		server.WithCompletions(),
		server.WithPromptCompletionProvider(completer{s}),
		server.WithResourceCompletionProvider(completer{s}),
		server.WithResourceRecovery(),
		server.WithToolFilter(s.inTableOrder),
		server.WithHooks(s.hooks()),
	)
	s.tools, service.Words = s.table(o.Tools), toolWords
	if o.Tools == CoreTools {
		service.Words = wordsFor(s.tools, s.table(AllTools))
	}
	defs := make([]server.ServerTool, len(s.tools))
	for i, t := range s.tools {
		defs[i] = t.def
	}
	s.core.AddTools(defs...)
	s.addResources(s.resources())
	s.addPrompts(slices.Concat(s.sessionPrompts(), s.contextPrompts()))
	return s
}

// table lists the tools of a set in their fixed order.
func (s *Server) table(set ToolSet) []tool {
	all := slices.Concat(s.contextTools(), s.upkeepTools(), s.sessionTools(), s.recoveryTools())
	if set != CoreTools {
		return all
	}
	var core []tool
	for _, t := range all {
		if t.core {
			core = append(core, t)
		}
	}
	return core
}

// inTableOrder sorts the listed tools by the table, which has them in the order in which a
// model should consider them.
func (s *Server) inTableOrder(_ context.Context, tools []sdk.Tool) []sdk.Tool {
	byName := make(map[string]sdk.Tool, len(tools))
	for _, t := range tools {
		byName[t.Name] = t
	}
	ordered := make([]sdk.Tool, 0, len(tools))
	for _, t := range s.tools {
		if known, ok := byName[t.name]; ok {
			ordered = append(ordered, known)
		}
	}
	return ordered
}

// MCP returns the protocol server, for mcp-go's transports and for clients in the same
// process.
func (s *Server) MCP() *server.MCPServer { return s.core }

func (s *Server) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddAfterInitialize(func(ctx context.Context, _ any, m *sdk.InitializeRequest, _ *sdk.InitializeResult) {
		s.connections.of(ctx).setActor(m.Params.ClientInfo.Name)
	})
	h.AddOnError(func(ctx context.Context, _ any, method sdk.MCPMethod, _ any, err error) {
		s.noteError(ctx, method, err)
	})
	h.AddAfterListResources(s.listBriefs)
	s.watchHooks(h)
	return h
}
