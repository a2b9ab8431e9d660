package postgres_test

import (
	"context"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"wake/domain"
	"wake/repository/postgres/pgtest"
)

// A connection that lay idle and leads nowhere any more, as after a change of networks or
// behind a firewall that forgot it, is given up for a new one.
func testForgotten(t *testing.T, server *pgtest.Server) {
	var networks atomic.Int64
	url := through(t, server.Schema(t), func(to, from net.Conn) {
		network, buffer := networks.Load(), make([]byte, 1<<16)
		for {
			n, err := from.Read(buffer)
			if network != networks.Load() {
				return // neither side is told
			}
			if _, failed := to.Write(buffer[:n]); err != nil || failed != nil {
				to.Close()
				return
			}
		}
	})
	s := mustOpen(t, url)
	if err := claim(t, s, "one"); err != nil {
		t.Fatal(err)
	}
	time.Sleep(1100 * time.Millisecond) // one that was used a second ago is trusted
	networks.Add(1)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	if _, err := s.ProjectName(ctx, "one", domain.Place{Path: "/one"}, nil); err != nil {
		t.Error(err)
	}
}
