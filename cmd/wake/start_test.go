package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

// bareMain is the smallest MCP server with this SDK, for comparison.
func bareMain() {
	s := server.NewMCPServer("bare", "1")
	s.AddTool(mcp.NewTool("echo"), func(context.Context, mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText("echo"), nil
	})
	if err := server.ServeStdio(s); err != nil {
		os.Exit(1)
	}
}

// BenchmarkStart measures from the start of a server to its answer to
// initialize, and its memory then, beside a bare server in the same run.
func BenchmarkStart(b *testing.B) {
	home := b.TempDir()
	if err := command(home, "save", "The file exists.").Run(); err != nil {
		b.Fatal(err)
	}
	b.Run("wake", func(b *testing.B) { benchmarkStart(b, home, "wake", "mcp") })
	b.Run("bare", func(b *testing.B) { benchmarkStart(b, home, "bare-server") })
}

func benchmarkStart(b *testing.B, home, name string, args ...string) {
	var memory float64
	for b.Loop() {
		memory = startOnce(b, home, name, args)
	}
	b.ReportMetric(memory/(1<<20), "MiB-resident")
}

func startOnce(b *testing.B, home, name string, args []string) float64 {
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Dir = wakeEnv(home), home
	in, out := startPiped(b, cmd)
	fmt.Fprintln(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"bench","version":"1"}}}`)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		b.Fatal(err)
	}
	b.StopTimer()
	defer b.StartTimer()
	memory := residentBytes(cmd.Process.Pid)
	in.Close()
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	return memory
}
