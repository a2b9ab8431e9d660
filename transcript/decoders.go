package transcript

import (
	"encoding/json"
	"strings"
)

// documentReaderOf returns the reader of a source that is a single document; nil if it is
// rows, or of no known format.
func documentReaderOf(format Format, name string) documentReader {
	switch {
	case format == ClaudeCode && strings.HasSuffix(name, ".json"):
		return readClaudeDocument
	case format == Codex && isCodexIndex(name):
		return readCodexIndex
	case format == Codex && strings.HasSuffix(name, ".json"):
		return readCodexDocument
	case format == Gemini:
		return readGemini
	case format == OLLM:
		return readOLLMFile
	case format == AIAgent && !isLines(name):
		return readAITree
	case format == AutoByteus && !isLines(name):
		return readAutoContext
	case format == SWEAgent:
		return readTrajectory
	case format == Engram, format == ClaudeMem:
		return func(name string, doc []byte, out *sink) error { return readExport(format, name, doc, out) }
	case format == ServerMemory:
		return readServerMemory
	case format == MemoryMD:
		return readMarkdownMemory
	case format == WakeIQX:
		return readWakeIQXDump
	}
	return nil
}

// newRowDecoder returns the decoder of a format's rows, in the state in which an earlier
// read left it; nil if the format has none.
func newRowDecoder(format Format, name string, state json.RawMessage) rowDecoder {
	switch format {
	case ClaudeCode:
		return newClaude(name, state)
	case Codex:
		return newCodex(name, state)
	case AIAgent:
		return newAILedger(state)
	case AutoByteus:
		return newAutoLines(name, state)
	case Wake:
		return newWakeLines(state)
	}
	return nil
}

// Rank is 0 for most files. A file of a higher rank has less of the operations that other
// files of its product describe, or none, and is read after them: Codex's names of
// sessions, AutoByteus' traces after those that it has put away, the rows of ai-agent's
// sessions, and last its accounting, which has only what operations cost. An operation
// counts twice if its entry in the accounting is read first.
func Rank(format Format, name string) int {
	switch {
	case format == Codex && isCodexIndex(name):
		return 1
	case format == AutoByteus:
		return max(autoPlace(name), 0)
	case format != AIAgent || !isLines(name):
		return 0
	case folderAbove(name, 1) == "session":
		return 1
	}
	return 2
}

func isLines(name string) bool { return strings.HasSuffix(unpackedName(name), ".jsonl") }

// load decodes a remembered state into v. A damaged state counts as none.
func load[T any](state json.RawMessage, v *T) {
	if len(state) > 0 && json.Unmarshal(state, v) != nil {
		var zero T
		*v = zero
	}
}
