// Package mcp serves MCP clients with fourteen tools, resources, prompts and
// completions, over stdio and streamable HTTP. It turns what a model sends into
// requests to [wake/memory.Service], tolerating common mistakes, and turns answers
// into structured content and a text that a model can act on. It decides nothing about
// memory.
//
// The table of tools is in tools.go, with each tool's description and
// annotations. Its arguments, handler and texts are in the file of its group
// (tools_*.go); its schemas are derived from the types of its arguments and its
// answer. All of that is small on purpose: every client sends it to its model
// with every request.
package mcp
