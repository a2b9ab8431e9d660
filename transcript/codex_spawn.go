package transcript

import (
	"encoding/json"
	"strings"

	"wake/domain"
)

// codexSpawned names the thread of a sub-agent that a call started. Some versions write it
// as an event, some as a part of the turn, and others only in the call's answer.
type codexSpawned struct {
	NewThread string   `json:"new_thread_id"`
	Agent     string   `json:"agent_thread_id"`
	Kind      string   `json:"kind"` // what the agent does: started, completed …
	Tool      string   `json:"tool"`
	Receivers []string `json:"receiver_thread_ids"`
}

// thread returns the thread that was started by a part of a turn, or "".
func (s codexSpawned) thread() string {
	switch tool := strings.ToLower(strings.ReplaceAll(s.Tool, "_", "")); {
	case s.Kind == "started":
		return s.Agent
	case tool == "spawnagent" && len(s.Receivers) > 0:
		return s.Receivers[0]
	}
	return ""
}

// spawnAnswer returns the thread that the answer of a call names.
func spawnAnswer(tool, answer string) string {
	var spawned struct {
		Agent string `json:"agent_id"`
	}
	if tool == "spawn_agent" && strings.HasPrefix(answer, "{") {
		_ = json.Unmarshal([]byte(answer), &spawned)
	}
	return spawned.Agent
}

// spawned attaches the session of a sub-agent to the call that started it (001-08). What
// is copied from another rollout is that one's.
func (r codexReading) spawned(callID, thread string) {
	if callID == "" || !domain.ValidID(thread) || thread == "" || thread == r.Session || r.out.copied != "" {
		return
	}
	r.emit(domain.RowKey("child", callID), "", domain.OpReport{OpID: callID, Kind: domain.OpTool, Status: domain.OpOK, ChildSessionID: thread})
}
