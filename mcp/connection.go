package mcp

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mark3labs/mcp-go/server"

	"wake/domain"
	"wake/memory"
)

// connection is what the server remembers of one client: its name, the session that it
// opened or resumed, and the resources it watches.
type connection struct {
	mu      sync.Mutex
	actor   string
	session string
	watched map[string]bool
	silent  bool // whoever it was cannot be told anything before the next request
}

// remember makes id the session of the connection.
func (c *connection) remember(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if id != "" {
		c.session = id
	}
}

// setActor stores the name that the client gave in the handshake. (Over HTTP the
// library forgets it.)
func (c *connection) setActor(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.actor = domain.Clip(name, 100)
}

func (c *connection) name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.actor
}

func (c *connection) sessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.session
}

func (c *connection) watch(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.watched == nil {
		c.watched = map[string]bool{}
	}
	if len(c.watched) < maxWatched {
		c.watched[uri] = true
	}
}

func (c *connection) unwatch(uri string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.watched, uri)
}

func (c *connection) watches(uri string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.watched[uri]
}

// watchesAny reports whether the client watches a resource and may be there.
func (c *connection) watchesAny() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.watched) > 0 && !c.silent
}

// Limits of what is remembered. HTTP clients leave without notice, so the connections
// unused for longest are dropped.
const (
	maxConnections = 1024
	maxWatched     = 1024
)

// connections holds the connections by their transport's ids.
type connections struct {
	mu    sync.Mutex
	byID  map[string]*connection
	order []string // longest unused first
}

// of returns the connection of a request. A request without an id gets a new one that
// is not remembered.
func (cs *connections) of(ctx context.Context) *connection {
	client := server.ClientSessionFromContext(ctx)
	if client == nil || client.SessionID() == "" {
		return &connection{}
	}
	cs.mu.Lock()
	defer cs.mu.Unlock()
	id := client.SessionID()
	if c, ok := cs.byID[id]; ok {
		at := slices.Index(cs.order, id)
		cs.order = append(slices.Delete(cs.order, at, at+1), id)
		return c
	}
	if cs.byID == nil {
		cs.byID = map[string]*connection{}
	}
	if len(cs.order) >= maxConnections {
		delete(cs.byID, cs.order[0])
		cs.order = cs.order[1:]
	}
	c := &connection{}
	cs.byID[id], cs.order = c, append(cs.order, id)
	return c
}

// drop removes a connection that has ended.
func (cs *connections) drop(id string) {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	delete(cs.byID, id)
	cs.order = slices.DeleteFunc(cs.order, func(o string) bool { return o == id })
}

// anyWatched reports whether a client watches any resource.
func (cs *connections) anyWatched() bool {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	for _, c := range cs.byID {
		if c.watchesAny() {
			return true
		}
	}
	return false
}

// silence notes whether a client has fallen silent, and reports whether one speaks again that
// watches resources.
func (cs *connections) silence(id string, silent bool) (again bool) {
	cs.mu.Lock()
	c := cs.byID[id]
	cs.mu.Unlock()
	if c == nil {
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	again = c.silent && !silent && len(c.watched) > 0
	c.silent = silent
	return again
}

// watching lists the clients that watch a resource.
func (cs *connections) watching(uri string) []string {
	cs.mu.Lock()
	defer cs.mu.Unlock()
	var ids []string
	for _, id := range cs.order {
		if cs.byID[id].watches(uri) {
			ids = append(ids, id)
		}
	}
	return ids
}

// caller says who makes a request.
func (s *Server) caller(ctx context.Context, via string) memory.Caller {
	c := s.connections.of(ctx)
	by := memory.Caller{Via: via, Actor: c.name(), SessionID: c.sessionID()}
	if client, ok := server.ClientSessionFromContext(ctx).(server.SessionWithClientInfo); ok && by.Actor == "" {
		by.Actor = domain.Clip(client.GetClientInfo().Name, 100)
	}
	return by
}

// claudeCode is the name that Claude Code gives in the handshake.
const claudeCode = "claude-code"

// assistants are how the names begin that clients with a model give in the handshake, in lower case.
var assistants = []string{
	"@cline/core", "@langchain/mcp-adapters", "@librechat/", "ai-sdk", "amp-mcp-client", "antigravity", "augment", "chatgpt", "cherry studio", "claude", "cline",
	"code-server", "codex", "continue", "copilot", "crush", "cursor", "factory-cli", "gemini", "github-copilot", "goose", "grok", "jetbrains", "kilo",
	"mcp-use", "mcporter", "opencode", "q dev cli", "q-dev-cli", "qwen", "roo code", "roo-code", "visual studio code", "visual-studio-code", "windsurf", "xcode", "zed",
}

// nobody are names that say nothing of who is there: none, the one that the Python SDK gives
// unless it is told another, those of LlamaIndex's tools and Google's ADK for JavaScript, and
// this server's, which Mastra and OpenAI's agents give. A client without a name may be an
// assistant: over HTTP one goes on after a restart of the server without giving its name again.
var nobody = []string{"", "mcp", "mcp-client-cli", "mcpclient", "wake"}

// passesOn reports whether a client passes on to a model what it reads. Then secrets
// are masked, and hidden characters shown, in resources, which models read by tools of their
// clients, and in the data of answers, which Claude Code, Codex, Cursor, VS Code, Mastra and
// Pydantic AI give a model instead of the text, as does what assistants run mcporter for, and
// GitHub Copilot CLI, Cline, Qwen Code, LangChain, mcp-use and Vercel's AI SDK before its
// version 6 beside it. For programs both are exact.
func passesOn(by memory.Caller) bool {
	name := strings.ToLower(by.Actor)
	return slices.Contains(nobody, name) || slices.ContainsFunc(assistants, func(begin string) bool { return strings.HasPrefix(name, begin) })
}
