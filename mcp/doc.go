// Package mcp is wake's face to MCP clients: fourteen tools, resources, prompts
// and completions over stdio and streamable HTTP. It turns what a model sends
// into requests to [wake/memory.Service], forgiving where models err, and what
// the service answers into structured content and into a text that a model can
// act on by itself. It decides nothing about memory.
//
// The table of tools is in tools.go: what each says of itself and promises. Its
// arguments, handler and words are in the file of its group (tools_*.go); its
// schemas are read off the types of its arguments and of its answer. All of that
// is small on purpose: every client sends it to its model with every request.
package mcp
