// Package transcript reads and writes the files of other products: the transcripts of
// Claude Code, Codex, Gemini, OLLM, ai-agent, AutoByteus and SWE-agent, the memories of
// engram, claude-mem, server-memory, MEMORY.md folders and WakeIQX, and wake's own JSON
// lines.
//
// A [Reader] turns one source into [Item]s: sessions, events with keys, contexts, and
// what had to be skipped, with the reason. It never panics on bad input and never loses
// a good line because of a bad neighbour. A cursor lets it continue where an earlier
// read stopped, so that a hook reads only what is new. However the reading of a source
// is divided, it yields the same events with the same keys.
//
// Ids in items are the source's own: [domain.Event.SessionID] is the client's name of
// the session, ParentID the client's name of the parent. The caller maps them to
// wake's. Nothing here opens a file by itself, asks a clock or logs.
//
// reader.go is where to begin. The files of a product's reader begin with the product's
// name, those that write begin with write_.
package transcript
