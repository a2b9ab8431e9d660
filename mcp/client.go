package mcp

import (
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// stdioClient is the client at the other end of a pair of pipes, as mcp-go wants
// to know it: who it is, and what it asked to be told.
type stdioClient struct {
	id            string
	notifications chan sdk.JSONRPCNotification
	initialized   atomic.Bool

	mu           sync.Mutex
	info         sdk.Implementation
	capabilities sdk.ClientCapabilities
	version      string
	filter       sdk.SubscriptionFilter
	listening    bool
}

var (
	_ server.SessionWithClientInfo         = (*stdioClient)(nil)
	_ server.SessionWithSubscriptionFilter = (*stdioClient)(nil)
	_ server.SessionWithProtocolVersion    = (*stdioClient)(nil)
)

func newStdioClient() *stdioClient {
	return &stdioClient{id: uuid.NewString(), notifications: make(chan sdk.JSONRPCNotification, 256)}
}

// SessionID is the transport's id of the connection, not a session of wake.
func (c *stdioClient) SessionID() string { return c.id }

// Initialize marks the connection as ready for notifications.
func (c *stdioClient) Initialize() { c.initialized.Store(true) }

// Initialized reports whether it is.
func (c *stdioClient) Initialized() bool { return c.initialized.Load() }

// NotificationChannel takes what the client is to be told.
func (c *stdioClient) NotificationChannel() chan<- sdk.JSONRPCNotification { return c.notifications }

// GetClientInfo returns the name and version that the client gave.
func (c *stdioClient) GetClientInfo() sdk.Implementation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.info
}

// SetClientInfo keeps them.
func (c *stdioClient) SetClientInfo(info sdk.Implementation) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.info = info
}

// GetClientCapabilities returns what the client can do.
func (c *stdioClient) GetClientCapabilities() sdk.ClientCapabilities {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.capabilities
}

// SetClientCapabilities keeps it.
func (c *stdioClient) SetClientCapabilities(capabilities sdk.ClientCapabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.capabilities = capabilities
}

// ProtocolVersion is the version that the handshake settled on, "" before it.
func (c *stdioClient) ProtocolVersion() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// SetProtocolVersion keeps it.
func (c *stdioClient) SetProtocolVersion(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = version
}

// SetSubscriptionFilter keeps which notifications a client of the 2026-07-28
// protocol asked for; the zero filter ends that.
func (c *stdioClient) SetSubscriptionFilter(filter sdk.SubscriptionFilter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filter, c.listening = filter, !filter.IsEmpty()
}

// SubscriptionFilter returns it, and whether the client asked at all.
func (c *stdioClient) SubscriptionFilter() (sdk.SubscriptionFilter, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.filter, c.listening
}
