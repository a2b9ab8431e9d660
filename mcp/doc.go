// Package mcp is wake's face to MCP clients: fourteen tools, resources, prompts
// and completions over stdio and streamable HTTP. It turns what a model sends
// into requests to [wake/memory.Service], forgiving where models err, and what
// the service answers into structured content and into a text that a model can
// act on by itself. It decides nothing about memory.
//
// A tool is a value of type tool in the file of its group (tools_*.go): its
// name, what it promises (annotations), its input schema, what it answers, and
// a handler. The descriptions and schemas are small on purpose: every client
// sends them to its model with every request.
package mcp
