package mcp

import (
	"context"
	"testing"

	"github.com/mark3labs/mcp-go/server"
)

// Of the many that come and go, those in use longest ago are forgotten, and whoever ends
// the connection at once.
func TestConnectionsAreBounded(t *testing.T) {
	core := server.NewMCPServer("test", "1")
	var cs connections
	of := func(c *stdioClient) *connection { return cs.of(core.WithContext(context.Background(), c)) }
	stays, idle := newStdioClient(), newStdioClient()
	of(stays).remember("stays")
	of(idle).remember("idle")
	var last *stdioClient
	for range maxConnections {
		last = newStdioClient()
		of(last).watch("wake://status")
		of(stays)
	}
	if len(cs.byID) != maxConnections || len(cs.order) != maxConnections {
		t.Errorf("%d connections are kept in an order of %d, want %d", len(cs.byID), len(cs.order), maxConnections)
	}
	if got := of(stays).sessionID(); got != "stays" {
		t.Errorf("the one in use has the session %q", got)
	}
	if _, kept := cs.byID[idle.id]; kept {
		t.Error("the idle one is kept")
	}
	watching := len(cs.watching("wake://status"))
	cs.drop(last.id)
	if got := len(cs.watching("wake://status")); got != watching-1 || of(last).watches("wake://status") {
		t.Errorf("%d of %d watch once one has ended", got, watching)
	}
}
