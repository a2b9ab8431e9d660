package transcript

import (
	"encoding/json"
	"strings"

	"wake/domain"
)

// newDecoder returns the decoder of a format, set to where an earlier read left
// it. An Invalid error names formats that are not read as one stream.
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
		if strings.HasSuffix(name, ".json") {
			return &codexDocument{*newCodex(name, nil)}, nil
		}
		return newCodex(name, state), nil
	case Gemini:
		return &gemini{doc}, nil
	case OLLM:
		return &ollm{doc}, nil
	case AIAgent:
		if strings.HasSuffix(name, ".jsonl") {
			return newAILedger(name, state), nil
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

// newMemoryDecoder returns the decoder of a rival's memory.
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

// load fills v from a remembered state; a damaged one means none.
func load[T any](state json.RawMessage, v *T) {
	if len(state) > 0 && json.Unmarshal(state, v) != nil {
		var zero T
		*v = zero
	}
}
