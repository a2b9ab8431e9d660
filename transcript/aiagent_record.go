package transcript

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"wake/domain"
)

// aiRecord is a row of a session's own file. Since version 3, ai-agent writes one beside
// the tree: it has what the tree has of a turn, as soon as the turn ends, but of what was
// said only where that is kept. Its events have the keys of the tree's, so that it adds
// nothing to a session whose tree was read.
type aiRecord struct {
	Version    int64     `json:"version"`
	RecordType string    `json:"recordType"`
	At         stamp     `json:"ts"`
	SessionID  string    `json:"sessionId"`
	OriginID   string    `json:"originId"`
	Turn       int64     `json:"turn"`
	Status     string    `json:"status"`
	Error      string    `json:"error"`
	Ops        []aiRowOp `json:"ops"`
	Warnings   []string  `json:"warnings"`
	Errors     []string  `json:"errors"`

	// Of the first row.
	AgentID    string                     `json:"agentId"`
	CallPath   string                     `json:"callPath"`
	ParentID   string                     `json:"parentSessionId"`
	ParentOpID string                     `json:"parentOpId"`
	Headend    string                     `json:"headendId"` // where it was started: cli, api, slack, sub-agent …
	Attributes map[string]json.RawMessage `json:"attributes"`
}

// aiRowOp is an operation in the row of a turn.
type aiRowOp struct {
	aiOp
	Name       string            `json:"name"`
	Provider   string            `json:"provider"`
	Model      string            `json:"model"`
	Error      string            `json:"error"`
	DurationMS int64             `json:"durationMs"`
	Payloads   []json.RawMessage `json:"payloadRefs"`
	Accounting *aiSpent          `json:"accounting"` // of all tries
	Children   []struct {
		SessionID string `json:"sessionId"`
	} `json:"childSessions"`
}

type aiSpent struct {
	In         int64  `json:"tokensIn"`
	Out        int64  `json:"tokensOut"`
	CacheRead  int64  `json:"tokensCacheRead"`
	CacheWrite int64  `json:"tokensCacheWrite"`
	Cost       aiCost `json:"costUsd"`
}

func decodeAIRecord(line []byte, out *sink) error {
	var row aiRecord
	if err := decodeLoose(line, &row); err != nil {
		return err
	}
	if row.SessionID == "" {
		return fmt.Errorf("the record %s names no session", row.RecordType)
	}
	if !row.At.IsZero() {
		out.last = row.At.Time
	}
	switch row.RecordType {
	case "session_start":
		row.start(out)
	case "turn_start":
		row.turn(turnNote{Index: row.Turn, StartedAt: out.last}, out)
	case "turn_end":
		row.turn(turnNote{Index: row.Turn, EndedAt: out.last, Status: row.Status, Warnings: row.Warnings, Errors: row.Errors}, out)
		for _, op := range row.Ops {
			row.op(op, out)
		}
	case "session_summary", "session_error": // the former's sums and children were told with the turns
		success := row.RecordType == "session_summary" && row.Status == "ok"
		out.event(row.SessionID, out.last, domain.RowKey("end", row.SessionID), rowRef{}, domain.End{Success: &success, Error: row.Error})
	default:
		return fmt.Errorf("the record type %q is unknown", row.RecordType)
	}
	return nil
}

func (row aiRecord) start(out *sink) {
	s := &domain.Session{Client: ClientAIAgent, ClientSessionID: row.SessionID, OriginID: row.OriginID, ParentID: row.ParentID,
		ParentOpID: row.ParentOpID, AgentID: row.AgentID, StartedAt: out.last, Attributes: map[string]string{}}
	setAttributes(s.Attributes, "call_path", row.CallPath, "headend", row.Headend, summedBy, strconv.FormatInt(row.Version, 10))
	for name, value := range row.Attributes {
		s.Attributes[name] = rawText(value)
	}
	out.session(s)
}

func (row aiRecord) turn(n turnNote, out *sink) {
	out.event(row.SessionID, out.last, n.key("turn"), rowRef{}, n.note("turn", ""))
}

func (row aiRecord) op(op aiRowOp, out *sink) {
	r := op.report(row.Turn)
	r.Name, r.Provider, r.Model = cmp.Or(r.Name, op.Name), cmp.Or(r.Provider, op.Provider), cmp.Or(r.Model, op.Model)
	r.Error, r.LatencyMS = cmp.Or(op.Error, r.Error), max(op.DurationMS, 0)
	r.Request, r.Response = op.payloads()
	if s := op.Accounting; s != nil {
		r.Usage = &domain.TokenUsage{Input: max(s.In, 0), Output: max(s.Out, 0), CacheRead: max(s.CacheRead, 0), CacheWrite: max(s.CacheWrite, 0), Cost: max(s.Cost.USD, 0)}
	}
	if len(op.Children) > 0 {
		r.ChildSessionID = op.Children[0].SessionID
	}
	out.event(row.SessionID, op.at(out.last), domain.OpKey(r.OpID, r.Status, 0), rowRef{}, r)
}

// summedBy is the attribute of a session whose rows were read: their version.
const summedBy = "record_version"

// OnlyBills reports whether an event only says what an operation of ai-agent cost.
func OnlyBills(e domain.Event) bool {
	return strings.HasPrefix(string(e.Key), string(domain.RowKey(accounting, "")))
}

// Billed reports whether a session's own rows have said what its operations cost. They say
// it as sums, which cannot be matched with the entries of the accounting, so these would
// count the same cost twice.
func Billed(s domain.Session) bool { return s.Attributes[summedBy] != "" }

// payloads returns where what was sent and what came back is kept: in files beside the
// sessions, if at all.
func (op aiRowOp) payloads() (request, response json.RawMessage) {
	var sent, back []json.RawMessage
	for _, ref := range op.Payloads {
		var p struct {
			Kind string `json:"kind"`
		}
		if _ = json.Unmarshal(ref, &p); strings.HasSuffix(p.Kind, "_request") {
			sent = append(sent, ref)
		} else {
			back = append(back, ref)
		}
	}
	return payloadRefs(sent), payloadRefs(back)
}

func payloadRefs(refs []json.RawMessage) json.RawMessage {
	if refs == nil {
		return nil
	}
	data, _ := json.Marshal(map[string]any{"payloadRefs": refs})
	return data
}
