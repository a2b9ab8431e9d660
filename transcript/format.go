package transcript

import (
	"strings"

	"wake/domain"
)

// Format is a kind of source, by the name used in `wake import`.
type Format string

// The supported formats.
const (
	ClaudeCode   Format = "claude-code"
	Codex        Format = "codex"
	Gemini       Format = "gemini"
	OLLM         Format = "ollm"
	AIAgent      Format = "ai-agent"
	AutoByteus   Format = "autobyteus"
	SWEAgent     Format = "swe-agent"
	Engram       Format = "engram"
	ClaudeMem    Format = "claude-mem"
	ServerMemory Format = "server-memory"
	MemoryMD     Format = "memory-md"
	WakeIQX      Format = "wakeiqx"
	Wake         Format = "wake"
)

// Auto requests detection of the format, see [Detect].
const Auto Format = "auto"

// Formats lists the supported formats in the order of the help text.
func Formats() []Format {
	return []Format{ClaudeCode, Codex, Gemini, OLLM, AIAgent, AutoByteus, SWEAgent,
		Engram, ClaudeMem, ServerMemory, MemoryMD, WakeIQX, Wake}
}

// ParseFormat parses the name of a format, including [Auto], in any case. It returns an
// Invalid error that lists the formats for any other name.
func ParseFormat(s string) (Format, error) {
	f := Format(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), "_", "-"))
	if f == Auto {
		return f, nil
	}
	names := []string{string(Auto)}
	for _, known := range Formats() {
		if f == known {
			return f, nil
		}
		names = append(names, string(known))
	}
	return "", domain.Invalid("format %q is unknown; use one of %s", s, strings.Join(names, ", "))
}
