package mcp

import (
	"sync"
	"sync/atomic"

	"github.com/google/uuid"
	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// stdioClient is the client at the other end of the pipes, in the form that mcp-go
// needs: who it is, and what it subscribed to.
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

// Initialized reports whether the connection is ready for notifications.
func (c *stdioClient) Initialized() bool { return c.initialized.Load() }

// NotificationChannel returns the channel of notifications for the client.
func (c *stdioClient) NotificationChannel() chan<- sdk.JSONRPCNotification { return c.notifications }

// GetClientInfo returns the name and version that the client gave.
func (c *stdioClient) GetClientInfo() sdk.Implementation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.info
}

// SetClientInfo stores the client's name and version.
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

// SetClientCapabilities stores what the client can do.
func (c *stdioClient) SetClientCapabilities(capabilities sdk.ClientCapabilities) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.capabilities = capabilities
}

// ProtocolVersion is the version agreed on in the handshake, "" before it.
func (c *stdioClient) ProtocolVersion() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.version
}

// SetProtocolVersion stores the agreed version.
func (c *stdioClient) SetProtocolVersion(version string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.version = version
}

// SetSubscriptionFilter stores which notifications a client of the 2026-07-28 protocol
// subscribed to. The zero filter ends the subscription.
func (c *stdioClient) SetSubscriptionFilter(filter sdk.SubscriptionFilter) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filter, c.listening = filter, !filter.IsEmpty()
}

// SubscriptionFilter returns the filter, and whether there is a subscription.
func (c *stdioClient) SubscriptionFilter() (sdk.SubscriptionFilter, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.filter, c.listening
}
