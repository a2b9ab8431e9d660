package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"wake/domain"
)

// codexEnded is how a tool's call ended: an event of its own or, in newer rollouts, a
// completed part of the turn. The call's answer may not tell.
type codexEnded struct {
	CallID  string          `json:"call_id"`
	Success *bool           `json:"success"` // of a patch
	Status  string          `json:"status"`
	Stderr  string          `json:"stderr"`
	Result  codexMCPResult  `json:"result"`
	Error   json.RawMessage `json:"error"`
}

// codexMCPResult is what an MCP server answered, by itself or as one of the outcomes of a
// call.
type codexMCPResult struct {
	OK      *codexMCPResult `json:"Ok"`
	Err     string          `json:"Err"`
	IsError bool            `json:"isError"`
	Marked  bool            `json:"is_error"` // the same, in older versions
}

// failed reports whether the call failed, and why if that is said.
func (e codexEnded) failed() (why string, failed bool) {
	var told struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(e.Error, &told)
	result := e.Result
	if result.OK != nil {
		result = *result.OK
	}
	failed = slices.Contains([]string{"failed", "declined"}, e.Status) || e.Success != nil && !*e.Success ||
		result.Err != "" || result.IsError || result.Marked
	return firstLine(cmp.Or(told.Message, result.Err, e.Stderr), 200), failed
}

// toolEnded notes that a call failed, for its answer, or reports it if the answer came first.
// Calls that a script made are no part of the conversation.
func (r codexReading) toolEnded(callID string, e codexEnded) {
	why, failed := e.failed()
	if !failed {
		return
	}
	if _, open := r.Tools.get(callID); open {
		r.Failed.put(callID, why, openTools)
	} else if _, answered := r.Answered.get(callID); answered {
		r.toolFailed(callID, cmp.Or(why, "failed"))
	}
}

// toolFailed reports the failure of a call.
func (r codexReading) toolFailed(callID, why string) {
	r.emit(domain.OpKey(callID, domain.OpFailed, 0), "",
		domain.OpReport{OpID: callID, Kind: domain.OpTool, Status: domain.OpFailed, Error: why})
}

// scriptFailure returns why a script failed that called tools, or "" if it did not.
func scriptFailure(answer string) string {
	if !strings.HasPrefix(answer, "Script failed\nWall time ") {
		return ""
	}
	_, why, _ := strings.Cut(answer, "Script error:\n")
	return cmp.Or(firstLine(why, 200), "script failed")
}

// belowTime is what a tool answered, without the lines in which Codex says how long it took.
func belowTime(answer string) string {
	first, rest, _ := strings.Cut(answer, "\n")
	if output, headed := strings.CutPrefix(rest, "Output:"); headed && strings.HasPrefix(first, "Wall time: ") {
		return output
	}
	return answer
}

// isRefusal reports whether an answer is Codex's own, to a call that it could not run.
func isRefusal(answer string) bool {
	return beginsWith(answer, "failed to parse function arguments: ", "unsupported call: ", "unsupported custom tool call: ",
		"update_plan is a TODO/checklist tool and is not allowed in Plan mode")
}
