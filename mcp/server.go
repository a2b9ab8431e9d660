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
	// Note is one more line of instructions, such as which project this server
	// is for; "" adds none.
	Note string
	// Folder is told, over stdio, which folder the client has open, where the client
	// says, before any call is answered; nil asks for none.
	Folder func(path string)
	Log    *slog.Logger // nil drops what is logged
}

// instructions tell a model when to use which tool, of those that are listed.
func (o Options) instructions() string {
	var b strings.Builder
	for line := range strings.Lines(instructions) {
		if o.Tools != CoreTools || !strings.Contains(line, "`checkpoint`") {
			b.WriteString(line)
		}
	}
	return strings.TrimSpace(b.String() + "\n" + o.Note)
}

// ToolSet says which tools are listed.
type ToolSet string

// The sets: all fourteen, or the six that a small model can keep in mind.
const (
	AllTools  ToolSet = "all"
	CoreTools ToolSet = "core"
)

// ParseToolSet reads "all" or "core"; "" is all.
func ParseToolSet(s string) (ToolSet, error) {
	switch set := ToolSet(strings.ToLower(s)); set {
	case "":
		return AllTools, nil
	case AllTools, CoreTools:
		return set, nil
	}
	return "", domain.Invalid("tool set %q is unknown; use all or core", s)
}

// Server serves one memory over MCP: to one client over stdio, or to any number
// over HTTP. It is safe for concurrent use.
type Server struct {
	service     *memory.Service
	version     string
	log         *slog.Logger
	folder      func(path string) // as in Options
	core        *server.MCPServer
	connections connections
	streams     streams
	listed      listedNames // projects in the list of resources
	tools       []tool
}

// New returns a server for service. From then on the service's notes name tools. With
// transports other than [ServeStdio], also call [Server.Run], so that subscribers to
// resources hear of changes.
func New(service *memory.Service, o Options) *Server {
	s := &Server{service: service, version: o.Version, log: o.Log, folder: o.Folder}
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
		server.WithToolFilter(s.inOrder),
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
	s.addResources(slices.Concat(s.contextResources(), s.sessionResources()))
	s.addPrompts(slices.Concat(s.sessionPrompts(), s.contextPrompts()))
	return s
}

// table lists the tools in their fixed order.
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

// inOrder lists tools in the order of the table, which is the order in which a
// model should think of them.
func (s *Server) inOrder(_ context.Context, tools []sdk.Tool) []sdk.Tool {
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

// MCP returns the protocol server, for transports of mcp-go and for clients in
// the same process.
func (s *Server) MCP() *server.MCPServer { return s.core }

func (s *Server) hooks() *server.Hooks {
	h := &server.Hooks{}
	h.AddOnUnregisterSession(func(_ context.Context, client server.ClientSession) {
		s.connections.drop(client.SessionID())
	})
	h.AddAfterInitialize(func(ctx context.Context, _ any, m *sdk.InitializeRequest, _ *sdk.InitializeResult) {
		s.connections.of(ctx).introduce(m.Params.ClientInfo.Name)
	})
	h.AddOnError(func(ctx context.Context, _ any, method sdk.MCPMethod, _ any, err error) {
		noteErrorCode(ctx, method, err)
	})
	h.AddAfterListResources(s.listBriefs)
	s.watchHooks(h)
	return h
}
