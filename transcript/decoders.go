package transcript

import (
	"encoding/json"
	"path"
	"strings"

	"wake/domain"
)

// newDecoder returns the decoder of a format, in the state in which an earlier read
// left it. It returns an Invalid error for formats that are not read as a single
// stream.
func newDecoder(format Format, name string, state json.RawMessage) (decoder, error) {
	name = unpackedName(name)
	doc := wholeDocument{name}
	switch format {
	case ClaudeCode:
		if strings.HasSuffix(name, ".json") {
			return &claudeDocument{*newClaude(name, nil)}, nil
		}
		return newClaude(name, state), nil
	case Codex:
		if isCodexIndex(name) {
			return &codexIndex{doc}, nil
		}
		if strings.HasSuffix(name, ".json") {
			return &codexDocument{*newCodex(name, nil)}, nil
		}
		return newCodex(name, state), nil
	case Gemini:
		return &gemini{doc}, nil
	case OLLM:
		return &ollm{doc}, nil
	case AIAgent:
		if isLines(name) {
			return newAILedger(state), nil
		}
		return &aiAgent{doc}, nil
	case AutoByteus:
		if strings.HasSuffix(name, ".jsonl") {
			return newAutoLines(name, state), nil
		}
		return &autoWorking{doc}, nil
	case SWEAgent:
		return &sweAgent{doc}, nil
	case Wake:
		return newWakeLines(state), nil
	}
	return newMemoryDecoder(format, doc)
}

// Rank is 0 for most files. A file of a higher rank has less of the operations that other
// files of its product describe, or none, and is read after them: Codex's names of
// sessions, the rows of ai-agent's sessions, and last its accounting, which has only what
// operations took. An operation whose entry of the accounting came first counts as two.
func Rank(format Format, name string) int {
	switch {
	case format == Codex && isCodexIndex(name):
		return 1
	case format != AIAgent || !isLines(name):
		return 0
	case path.Base(path.Dir(strings.ReplaceAll(name, `\`, "/"))) == "session":
		return 1
	}
	return 2
}

func isLines(name string) bool { return strings.HasSuffix(unpackedName(name), ".jsonl") }

// newMemoryDecoder returns the decoder for the memory of another product.
func newMemoryDecoder(format Format, doc wholeDocument) (decoder, error) {
	switch format {
	case Engram, ClaudeMem:
		return &rivalExport{doc, format}, nil
	case ServerMemory:
		return &serverMemory{doc}, nil
	case MemoryMD:
		return &memoryMD{doc}, nil
	case WakeIQX:
		return &wakeIQX{doc}, nil
	}
	return nil, domain.Invalid("the format %q cannot be read", format)
}

// load decodes a remembered state into v. A damaged state counts as none.
func load[T any](state json.RawMessage, v *T) {
	if len(state) > 0 && json.Unmarshal(state, v) != nil {
		var zero T
		*v = zero
	}
}
