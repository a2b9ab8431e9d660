package mcp

import (
	"context"
	"encoding/json"
	"sync"
)

// cancels are the unanswered requests of a connection, by their ids as the client wrote
// them. The library knows only those that it has begun, while a client may take back
// one that waits for a slot, or that it sent just before.
type cancels struct {
	mu   sync.Mutex
	byID map[string]context.CancelFunc
}

// add notes a request, before the next message is read. The returned function must be
// called when it is answered.
func (c *cancels) add(ctx context.Context, id json.RawMessage) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.byID == nil {
		c.byID = map[string]context.CancelFunc{}
	}
	c.byID[string(id)] = cancel
	return ctx, func() {
		cancel()
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.byID, string(id))
	}
}

// take cancels the request that a notification takes back, if it is not answered yet.
func (c *cancels) take(notification []byte) {
	var n struct {
		Params struct {
			ID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	if json.Unmarshal(notification, &n) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if cancel, ok := c.byID[string(n.Params.ID)]; ok {
		cancel()
	}
}
