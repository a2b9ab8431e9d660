// Command bare is an mcp-go server with one tool that does nothing: the least that
// starting a server can cost.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"
)

func main() {
	s := server.NewMCPServer("bare", "0")
	s.AddTool(mcp.NewTool("echo", mcp.WithString("text")), func(_ context.Context, call mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return mcp.NewToolResultText(call.GetString("text", "")), nil
	})
	if err := server.ServeStdio(s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
