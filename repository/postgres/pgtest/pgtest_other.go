//go:build !unix

// Package pgtest starts a private PostgreSQL server for tests; not on this system.
package pgtest

import "testing"

// Server is a running server.
type Server struct{}

// Start skips the test.
func Start(t testing.TB) *Server {
	t.Skip("PostgreSQL is started for tests on Unix systems only")
	return nil
}

// URL is the address of the server with the given schema in front.
func (*Server) URL(schema string) string { return "" }

// Schema makes an empty schema and returns the URL whose tables go there.
func (*Server) Schema(testing.TB) string { return "" }

// Pooled puts a pooler in front of an empty schema and returns its URL.
func (*Server) Pooled(testing.TB) string { return "" }
