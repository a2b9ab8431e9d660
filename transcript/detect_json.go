package transcript

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
)

// detectRow determines the format of one JSON line.
func detectRow(base string, line []byte) (Format, bool) {
	var row fields
	if json.Unmarshal(line, &row) != nil {
		return "", false
	}
	kind := rawText(row["type"])
	switch {
	case row.has(wakeMark):
		return Wake, true
	case isServerMemoryRow(kind, row):
		return ServerMemory, true
	case isCodexRow(base, row):
		return Codex, true
	case row.has("sessionId", "projectHash"):
		return Gemini, true
	case row.has("trace_type", "turn_id"), row.has("fact", "ts"), row.has("summary", "turn_ids"):
		return AutoByteus, true
	case isAIAgentRow(kind, row):
		return AIAgent, true
	case row.has(wakeIQXColumns()...):
		return WakeIQX, true
	case row.has("v", "agent", "ts", "content"): // by Entire, which keeps the full transcript beside it
		return "", false
	case isQwenRow(row):
		return "", false
	case slices.Contains(claudeTypes(), kind):
		return ClaudeCode, true
	}
	return "", false
}

// isServerMemoryRow recognises an entity or a relation, which need not say which of both it is.
func isServerMemoryRow(kind string, row fields) bool {
	switch kind {
	case "entity":
		return row.has("name")
	case "relation":
		return row.has("from", "to") || row.has("from_entity", "to_entity")
	case "":
		return row.has("name", "entityType", "observations") || row.has("from", "to", "relationType")
	}
	return false
}

// isCodexRow recognises a row of the index of sessions, or of a rollout. Some wrap no row.
func isCodexRow(base string, row fields) bool {
	inIndex := row.has("id", "thread_name", "updated_at")
	inRollout := row.has("payload", "type") || row.has("record_type") || strings.HasPrefix(base, "rollout-") && row.has("id", "timestamp")
	return inIndex || inRollout
}

// isAIAgentRow recognises an entry of the ledger, the entries of a session, or a record of one.
func isAIAgentRow(kind string, row fields) bool {
	spent := (kind == "llm" || kind == "tool") && row.has("timestamp")
	return spent || row.has("sessionId", "entries") || row.has("recordType", "sessionId", "seq")
}

func claudeTypes() []string {
	return []string{"user", "assistant", "system", "summary", "progress", "file-history-snapshot", "queue-operation",
		"pr-link", "attachment", "custom-title", "ai-title", "last-prompt", "agent-name", "permission-mode"}
}

// detectDocument determines the format of a document, which may be truncated, by its
// fields.
func detectDocument(base string, head []byte) (Format, bool) {
	var doc fields
	if json.Unmarshal(head, &doc) != nil {
		_ = decodeLoose(closeJSON(head), &doc)
	}
	switch {
	case doc.has("loglines"):
		return ClaudeCode, true
	case doc.has("projectHash"), areGeminis(doc["messages"]):
		return Gemini, true
	case doc.has("schema_version") && doc.hasAny("messages", "agent_id"):
		return AutoByteus, true
	case doc.has("opTree"), doc.has("snapshot") && doc.hasAny("originId", "sessionId"):
		return AIAgent, true
	case doc.has("totalObservations"):
		return ClaudeMem, true
	case doc.has("exported_at") && doc.hasAny("sessions", "observations"), doc.has("observations", "prompts"), isEngramChunk(doc):
		return Engram, true
	case doc.hasAny("fromMode", "toMode", "userMessages", "recentMessages"), doc.has("messages") && doc.hasAny("sessionId", "snapshot"):
		return OLLM, true
	case hasWakeIQXRow(doc["results"]), hasWakeIQXRow(doc["result"]):
		return WakeIQX, true
	case doc.has("items", "session"):
		return Codex, true
	case doc.has("entities") && (doc.has("relations") || bytes.Contains(doc["entities"], []byte("entityType"))):
		return ServerMemory, true
	case isTrajectory(doc):
		return SWEAgent, true
	case strings.HasPrefix(base, "session-") && doc.has("messages"):
		return Gemini, true
	}
	return "", false
}

// isTrajectory recognises what SWE-agent, several attempts of it, and mini-swe-agent write.
func isTrajectory(doc fields) bool {
	alone := doc.has("trajectory") || doc.has("history") && doc.hasAny("info", "environment")
	attempts := bytes.Contains(doc["attempts"], []byte(`"history"`))
	mini := doc.has("messages") && (doc.has("trajectory_format") || bytes.Contains(doc["info"], []byte(`"mini_version"`)))
	return alone || attempts || mini
}
