package domain

import "time"

// Limits of what wake accepts. The error about each one names it.
const (
	MaxContent  = 1 << 20        // bytes of a context's content
	MaxQuery    = 8 << 10        // bytes of a search query; of a longer one the first 8 KB are searched for
	MaxPayload  = 16 << 20       // bytes of an event's payload
	MaxMessage  = 32 << 20       // bytes of one MCP message
	MaxName     = 200            // characters of a project name or tag
	MaxID       = 500            // bytes of an id, or of a name, that a client gives
	MaxTags     = 64             // tags of a context
	MaxSummary  = 2000           // characters of a summary given by a caller
	MaxLead     = 24 * time.Hour // how far a time may lie ahead of the clock
	MaxList     = 100            // items of one list answer
	DefaultList = 10
)
