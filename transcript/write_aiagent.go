package transcript

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"time"

	"wake/domain"
)

type aiOutFile struct {
	Version int          `json:"version"`
	Reason  string       `json:"reason"`
	OpTree  aiOutSession `json:"opTree"`
}

type aiOutSession struct {
	ID           string            `json:"id"`
	TraceID      string            `json:"traceId"`
	AgentID      string            `json:"agentId,omitempty"`
	CallPath     string            `json:"callPath,omitempty"`
	Title        string            `json:"sessionTitle,omitempty"`
	LatestStatus string            `json:"latestStatus,omitempty"`
	StartedAt    int64             `json:"startedAt,omitempty"`
	EndedAt      int64             `json:"endedAt,omitempty"`
	Success      *bool             `json:"success,omitempty"`
	Error        string            `json:"error,omitempty"`
	Attributes   map[string]string `json:"attributes,omitempty"`
	Turns        []aiOutTurn       `json:"turns"`
	Totals       aiOutTotals       `json:"totals"`
}

// aiOutTotals is the usage of a session including its children (001-11).
type aiOutTotals struct {
	TokensIn         int64      `json:"tokensIn"`
	TokensOut        int64      `json:"tokensOut"`
	TokensCacheRead  int64      `json:"tokensCacheRead"`
	TokensCacheWrite int64      `json:"tokensCacheWrite"`
	Cost             domain.USD `json:"costUsd"`
	ToolsRun         int64      `json:"toolsRun"`
	AgentsRun        int64      `json:"agentsRun"`
}

type aiOutTurn struct {
	ID         string          `json:"id"`
	Index      int64           `json:"index"`
	System     bool            `json:"system,omitempty"`
	Label      string          `json:"label,omitempty"`
	StartedAt  int64           `json:"startedAt,omitempty"`
	EndedAt    int64           `json:"endedAt,omitempty"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
	Ops        []aiOutOp       `json:"ops"`
}

type aiOutOp struct {
	OpID         string          `json:"opId"`
	Kind         string          `json:"kind"`
	StartedAt    int64           `json:"startedAt,omitempty"`
	EndedAt      int64           `json:"endedAt,omitempty"`
	Status       string          `json:"status,omitempty"`
	Attributes   map[string]any  `json:"attributes,omitempty"`
	Request      json.RawMessage `json:"request,omitempty"`
	Response     json.RawMessage `json:"response,omitempty"`
	Reasoning    *aiReasoning    `json:"reasoning,omitempty"`
	Logs         []aiOutLog      `json:"logs,omitempty"`
	Accounting   []aiOutAccount  `json:"accounting,omitempty"`
	ChildSession *aiOutSession   `json:"childSession,omitempty"`
}

type aiOutLog struct {
	Timestamp int64           `json:"timestamp"`
	Severity  string          `json:"severity,omitempty"`
	Turn      int64           `json:"turn"`
	Subturn   int64           `json:"subturn"`
	Path      string          `json:"path,omitempty"`
	Direction string          `json:"direction,omitempty"`
	Type      string          `json:"type,omitempty"`
	ToolKind  string          `json:"toolKind,omitempty"`
	Remote    string          `json:"remoteIdentifier,omitempty"`
	Fatal     bool            `json:"fatal,omitempty"`
	Message   string          `json:"message"`
	Details   json.RawMessage `json:"details,omitempty"`
}

type aiOutAccount struct {
	Type          string      `json:"type"`
	Timestamp     int64       `json:"timestamp"`
	Status        string      `json:"status"`
	Latency       int64       `json:"latency"`
	Provider      string      `json:"provider,omitempty"`
	Model         string      `json:"model,omitempty"`
	Tokens        *aiOutToken `json:"tokens,omitempty"`
	CostUSD       domain.USD  `json:"costUsd,omitempty"`
	MCPServer     string      `json:"mcpServer,omitempty"`
	Command       string      `json:"command,omitempty"`
	CharactersIn  int64       `json:"charactersIn,omitempty"`
	CharactersOut int64       `json:"charactersOut,omitempty"`
	Error         string      `json:"error,omitempty"`
	TxnID         string      `json:"txnId,omitempty"`
	OriginTxnID   string      `json:"originTxnId,omitempty"`
}

type aiOutToken struct {
	Input      int64 `json:"inputTokens"`
	Output     int64 `json:"outputTokens"`
	Total      int64 `json:"totalTokens"`
	CacheRead  int64 `json:"cacheReadInputTokens,omitempty"`
	CacheWrite int64 `json:"cacheWriteInputTokens,omitempty"`
}

// WriteAIAgent writes a session's tree in ai-agent's format: gzipped JSON with version,
// reason and opTree (001-05 … 001-14). reason is subagent_finish or final.
func WriteAIAgent(w io.Writer, reason string, node domain.SessionNode) error {
	z := gzip.NewWriter(w)
	if err := newEncoder(z).Encode(aiOutFile{1, reason, newAISession(node)}); err != nil {
		return err
	}
	return z.Close()
}

// WriteAccounting writes a ledger as accounting.jsonl, one entry per line (001-13).
func WriteAccounting(w io.Writer, ledger []domain.LedgerEntry) error {
	enc := newEncoder(w)
	for _, e := range ledger {
		entry := newAIAccount(e)
		entry.TxnID, entry.OriginTxnID = e.SessionID, e.OriginID
		if err := enc.Encode(entry); err != nil {
			return err
		}
	}
	return nil
}

func millis(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func newAISession(n domain.SessionNode) aiOutSession {
	s := n.Session
	id := cmp.Or(s.ClientSessionID, s.ID)
	out := aiOutSession{ID: id, TraceID: id, AgentID: s.AgentID, CallPath: s.Attributes["call_path"], Title: s.Title,
		LatestStatus: s.LatestStatus, StartedAt: millis(s.StartedAt), EndedAt: millis(s.EndedAt), Success: s.Success, Error: s.Error,
		Attributes: maps.Clone(s.Attributes), Turns: []aiOutTurn{}, Totals: aiOutTotals(n.Totals)}
	delete(out.Attributes, "call_path") // these two are fields
	delete(out.Attributes, "trace_id")
	delete(out.Attributes, summedBy) // the entries of the accounting say what was spent
	for _, t := range n.Turns {
		turn := aiOutTurn{ID: fmt.Sprint(id, "-", t.Index), Index: t.Index, System: t.Index == 0, Label: t.Label,
			StartedAt: millis(t.StartedAt), EndedAt: millis(t.EndedAt), Attributes: t.Attributes, Ops: []aiOutOp{}}
		for _, op := range t.Ops {
			turn.add(op)
		}
		out.Turns = append(out.Turns, turn)
	}
	out.addOrphans(n.Orphans)
	return out
}

// addOrphans adds the child sessions of which it is not known what started them, to the last
// turn: ai-agent has no other place for them.
func (s *aiOutSession) addOrphans(children []domain.SessionNode) {
	if len(children) > 0 && len(s.Turns) == 0 {
		s.Turns = append(s.Turns, aiOutTurn{ID: s.ID + "-0", System: true, StartedAt: s.StartedAt, EndedAt: s.EndedAt, Ops: []aiOutOp{}})
	}
	for _, child := range children {
		op := newAIChild("", "", child)
		op.OpID = "child-" + op.ChildSession.ID
		last := &s.Turns[len(s.Turns)-1]
		last.Ops = append(last.Ops, op)
	}
}

// add adds an operation. One that was made from a further accounting entry of another
// operation is merged back into that one; the first entry replaces what the ledger
// derived from its end.
func (t *aiOutTurn) add(op domain.OpNode) {
	for i := range t.Ops {
		of := &t.Ops[i]
		switch {
		case of.OpID != op.ParentOpID || op.RequestSeq > 0:
		case op.ID == tryID(of.OpID, 0):
			of.Accounting = newAIOp(op)[0].Accounting
			return
		case op.ID == tryID(of.OpID, len(of.Accounting)):
			of.Accounting = append(of.Accounting, newAIOp(op)[0].Accounting...)
			return
		}
	}
	t.Ops = append(t.Ops, newAIOp(op)...)
}

// newAIOp converts an operation. Each child session beyond the first gets an operation
// of its own, because ai-agent's operations have at most one.
func newAIOp(op domain.OpNode) []aiOutOp {
	out := aiOutOp{OpID: op.ID, Kind: string(op.Kind), StartedAt: millis(op.StartedAt), EndedAt: millis(op.EndedAt),
		Request: inAIPayload(op.Request, op.Kind), Response: inAIPayload(op.Response, ""), Attributes: map[string]any{}}
	for name, value := range map[string]string{"name": op.Name, "provider": op.Provider, "model": op.Model, "kind": op.ToolKind, "label": op.Label, "error": op.Error} {
		if value != "" {
			out.Attributes[name] = value
		}
	}
	switch op.Status {
	case domain.OpOK:
		out.Status = "ok"
	case domain.OpFailed, domain.OpInterrupted:
		out.Status = "failed"
	}
	if op.Reasoning != "" {
		out.Reasoning = &aiReasoning{Final: op.Reasoning}
	}
	for _, l := range op.Logs {
		out.Logs = append(out.Logs, aiOutLog{millis(l.At), l.Severity, l.Turn, l.Subturn, l.Path, l.Direction, l.Type, l.ToolKind,
			l.Remote, l.Fatal, l.Message, l.Details})
	}
	for _, e := range op.Accounting {
		out.Accounting = append(out.Accounting, newAIAccount(e))
	}
	all := []aiOutOp{out}
	for i, child := range op.Children {
		if i == 0 {
			tree := newAISession(child)
			all[0].ChildSession = &tree
			continue
		}
		id := op.ID + "#child"
		if i > 1 { // the second has the id that it always had
			id += fmt.Sprint(i + 1)
		}
		all = append(all, newAIChild(id, out.Status, child))
	}
	return all
}

// newAIChild makes an operation that holds a child session.
func newAIChild(id, status string, child domain.SessionNode) aiOutOp {
	tree := newAISession(child)
	return aiOutOp{OpID: id, Kind: string(domain.OpSession), Status: status, StartedAt: tree.StartedAt, EndedAt: tree.EndedAt, ChildSession: &tree}
}

// inAIPayload puts what another client recorded as a request or a response into the object
// in which ai-agent has it; what came from ai-agent is in one. kind is that of the operation,
// which requests name.
func inAIPayload(raw json.RawMessage, kind domain.OpKind) json.RawMessage {
	var known struct {
		Payload json.RawMessage `json:"payload"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &known) == nil && known.Payload != nil {
		return raw
	}
	data, err := json.Marshal(struct {
		Kind    domain.OpKind   `json:"kind,omitempty"`
		Payload json.RawMessage `json:"payload"`
		Size    int             `json:"size"`
	}{kind, raw, len(raw)})
	if err != nil { // it is no JSON, and so cannot be written anywhere
		return nil
	}
	return data
}

func newAIAccount(e domain.LedgerEntry) aiOutAccount {
	out := aiOutAccount{Type: string(e.Type), Timestamp: millis(e.At), Status: "ok", Latency: e.LatencyMS, Provider: e.Provider, Model: e.Model,
		CostUSD: e.Usage.Cost, MCPServer: e.MCPServer, CharactersIn: e.CharactersIn, CharactersOut: e.CharactersOut, Error: e.Error}
	if e.Status == domain.OpFailed || e.Status == domain.OpInterrupted {
		out.Status = "failed"
	}
	if u := e.Usage; e.Type == domain.OpLLM {
		out.Tokens = &aiOutToken{u.Input, u.Output, u.Total(), u.CacheRead, u.CacheWrite}
	} else {
		out.Command = e.Command
	}
	return out
}
