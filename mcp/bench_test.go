package mcp_test

import (
	"fmt"
	"testing"

	"wake/mcp"
	"wake/memory/memorytest"
)

// BenchmarkCall measures the protocol alone: calls by a client in the same process,
// with decoding and both forms of the answer.
func BenchmarkCall(b *testing.B) {
	s, _ := memorytest.Open(b)
	c := connect(b, mcp.New(s, mcp.Options{}))
	for i := range 100 {
		c.call("save_context", args{"content": fmt.Sprintf("Fact %d about the build cache and its keys.", i)})
	}
	for _, tt := range []struct {
		name, tool string
		args       args
	}{
		{"refused", "search_context", args{"nothing": 1}},
		{"load", "load_context", args{"limit": 10}},
		{"search", "search_context", args{"query": "what about the build cache?"}},
	} {
		b.Run(tt.name, func(b *testing.B) {
			for b.Loop() {
				c.try(tt.tool, tt.args)
			}
		})
	}
}

// BenchmarkNew measures the start of a server, up to its first message.
func BenchmarkNew(b *testing.B) {
	s, _ := memorytest.Open(b)
	for b.Loop() {
		mcp.New(s, mcp.Options{})
	}
}
