package domain

import (
	"encoding/json"
	"iter"
	"math"
	"strconv"
	"time"
)

// OpKind is the kind of an operation.
type OpKind string

// The kinds of operation; session is a child session (001-07).
const (
	OpLLM     OpKind = "llm"
	OpTool    OpKind = "tool"
	OpSystem  OpKind = "system"
	OpSession OpKind = "session"
)

// OpStatus is the status of an operation.
type OpStatus string

// The states of an operation.
const (
	OpStarted     OpStatus = "started"
	OpOK          OpStatus = "ok"
	OpFailed      OpStatus = "failed"
	OpInterrupted OpStatus = "interrupted" // never answered, as its source says
)

// Done reports whether the operation is over.
func (s OpStatus) Done() bool { return s == OpOK || s == OpFailed || s == OpInterrupted }

// Turn is one exchange, which begins with a human message. Turn 0 is what precedes the
// first one (001-06).
type Turn struct {
	SessionID string    `json:"session_id"`
	Index     int64     `json:"index"`
	FirstSeq  int64     `json:"first_seq"`
	LastSeq   int64     `json:"last_seq"`
	Label     string    `json:"label,omitempty"`
	StartedAt time.Time `json:"started_at"`
	EndedAt   time.Time `json:"ended_at,omitzero"`
}

// Op is one operation, as its reports describe it. Request, response and logs are read
// from the events on demand.
type Op struct {
	SessionID      string     `json:"session_id"`
	ID             string     `json:"op_id"`
	Turn           int64      `json:"turn"`
	FirstSeq       int64      `json:"first_seq"`
	LastSeq        int64      `json:"last_seq"`
	RequestSeq     int64      `json:"request_seq,omitempty"`  // event with the request
	ResponseSeq    int64      `json:"response_seq,omitempty"` // event with the response
	Kind           OpKind     `json:"kind"`
	Name           string     `json:"name,omitempty"`
	Label          string     `json:"label,omitempty"`
	Status         OpStatus   `json:"status"`
	StartedAt      time.Time  `json:"started_at"`
	EndedAt        time.Time  `json:"ended_at,omitzero"`
	LatencyMS      int64      `json:"latency_ms,omitempty"`
	Provider       string     `json:"provider,omitempty"`
	Model          string     `json:"model,omitempty"`
	Usage          TokenUsage `json:"usage,omitzero"`
	Error          string     `json:"error,omitempty"`
	ParentOpID     string     `json:"parent_op_id,omitempty"`
	ChildSessionID string     `json:"child_session_id,omitempty"`
	ToolKind       string     `json:"tool_kind,omitempty"`
	MCPServer      string     `json:"mcp_server,omitempty"`
	Command        string     `json:"command,omitempty"`
	CharactersIn   int64      `json:"characters_in,omitempty"`
	CharactersOut  int64      `json:"characters_out,omitempty"`
}

// SessionNode is a session as a tree of turns, operations and child sessions.
type SessionNode struct {
	Session Session       `json:"session"`
	Turns   []TurnNode    `json:"turns"`
	Totals  Totals        `json:"totals"`             // including children
	Orphans []SessionNode `json:"children,omitempty"` // child sessions without a known parent operation
}

// Ops yields the operations of all turns, to read or to change.
func (n *SessionNode) Ops() iter.Seq[*OpNode] {
	return func(yield func(*OpNode) bool) {
		for t := range n.Turns {
			for o := range n.Turns[t].Ops {
				if !yield(&n.Turns[t].Ops[o]) {
					return
				}
			}
		}
	}
}

// TurnNode is a turn with its operations.
type TurnNode struct {
	Turn
	Attributes json.RawMessage `json:"attributes,omitempty"` // for exports to other products, such as its prompts
	Ops        []OpNode        `json:"ops"`
}

// OpNode is an operation with its ledger rows, logs and child sessions.
type OpNode struct {
	Op
	Request    json.RawMessage `json:"request,omitempty"`
	Response   json.RawMessage `json:"response,omitempty"`
	Reasoning  string          `json:"reasoning,omitempty"`
	Logs       []LogEntry      `json:"logs,omitempty"`
	Accounting []LedgerEntry   `json:"accounting,omitempty"`
	Children   []SessionNode   `json:"children,omitempty"`
}

// LogEntry is one line of an operation's log (001-12).
type LogEntry struct {
	At        time.Time       `json:"at,omitzero"`
	Severity  string          `json:"severity,omitempty"` // VRB, WRN, ERR, TRC, THK, FIN
	Turn      int64           `json:"turn,omitempty"`
	Subturn   int64           `json:"subturn,omitempty"`
	Path      string          `json:"path,omitempty"` // such as 1.2.1.1
	Direction string          `json:"direction,omitempty"`
	Type      string          `json:"type,omitempty"`
	ToolKind  string          `json:"tool_kind,omitempty"`
	Remote    string          `json:"remote_identifier,omitempty"`
	Fatal     bool            `json:"fatal,omitempty"`
	Message   string          `json:"message"`
	Details   json.RawMessage `json:"details,omitempty"`
}

// LedgerEntry is the cost of one operation (001-13). It is stored with the event that
// reports it, not at the end of the session.
type LedgerEntry struct {
	SessionID     string     `json:"session_id"`
	OriginID      string     `json:"origin_id"`
	OpID          string     `json:"op_id"`
	Seq           int64      `json:"seq"` // the last event that reported it
	At            time.Time  `json:"at"`
	Type          OpKind     `json:"type"` // llm or tool
	Status        OpStatus   `json:"status"`
	LatencyMS     int64      `json:"latency_ms,omitempty"`
	Provider      string     `json:"provider,omitempty"`
	Model         string     `json:"model,omitempty"`
	Usage         TokenUsage `json:"tokens,omitzero"`
	MCPServer     string     `json:"mcp_server,omitempty"`
	Command       string     `json:"command,omitempty"` // the tool
	CharactersIn  int64      `json:"characters_in,omitempty"`
	CharactersOut int64      `json:"characters_out,omitempty"`
	Error         string     `json:"error,omitempty"`
}

// TokenUsage is the usage of one call of a model.
type TokenUsage struct {
	Input      int64 `json:"input,omitempty"`
	Output     int64 `json:"output,omitempty"`
	CacheRead  int64 `json:"cache_read,omitempty"`
	CacheWrite int64 `json:"cache_write,omitempty"`
	Cost       USD   `json:"cost_usd,omitempty"`
}

// Total is the sum of input and output, including cached input.
func (u TokenUsage) Total() int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Totals is what a session spent. It never decreases (001-11).
type Totals struct {
	TokensIn         int64 `json:"tokens_in"`
	TokensOut        int64 `json:"tokens_out"`
	TokensCacheRead  int64 `json:"tokens_cache_read"`
	TokensCacheWrite int64 `json:"tokens_cache_write"`
	Cost             USD   `json:"cost_usd"`
	ToolsRun         int64 `json:"tools_run"`
	AgentsRun        int64 `json:"agents_run"` // the session itself counts 1
}

// Plus returns the sum of t and o.
func (t Totals) Plus(o Totals) Totals {
	t.TokensIn += o.TokensIn
	t.TokensOut += o.TokensOut
	t.TokensCacheRead += o.TokensCacheRead
	t.TokensCacheWrite += o.TokensCacheWrite
	t.Cost += o.Cost
	t.ToolsRun += o.ToolsRun
	t.AgentsRun += o.AgentsRun
	return t
}

// Minus returns the difference of t and o.
func (t Totals) Minus(o Totals) Totals {
	t.TokensIn -= o.TokensIn
	t.TokensOut -= o.TokensOut
	t.TokensCacheRead -= o.TokensCacheRead
	t.TokensCacheWrite -= o.TokensCacheWrite
	t.Cost -= o.Cost
	t.ToolsRun -= o.ToolsRun
	t.AgentsRun -= o.AgentsRun
	return t
}

// USD is an amount of money in billionths of a dollar, so that sums are exact in any
// order. In JSON it is a number of dollars.
type USD int64

// mostDollars is more than anything costs; an int64 holds nine times as much.
const mostDollars = 1e9

// Dollars converts a number of dollars to USD. What cannot be a cost counts as none.
func Dollars(d float64) USD {
	if !(math.Abs(d) <= mostDollars) {
		return 0
	}
	return USD(math.Round(d * 1e9))
}

// Float is the amount in dollars.
func (u USD) Float() float64 { return float64(u) / 1e9 }

// String is the amount in dollars with four decimals (001-11).
func (u USD) String() string { return strconv.FormatFloat(u.Float(), 'f', 4, 64) }

// MarshalJSON encodes the amount as a number of dollars.
func (u USD) MarshalJSON() ([]byte, error) {
	return strconv.AppendFloat(nil, u.Float(), 'f', -1, 64), nil
}

// UnmarshalJSON decodes a number of dollars.
func (u *USD) UnmarshalJSON(data []byte) error {
	var d float64
	if err := json.Unmarshal(data, &d); err != nil {
		return Invalid("a cost is a number of dollars, such as 0.0123: %v", err)
	}
	if math.Abs(d) > mostDollars {
		return Invalid("a cost cannot be %v dollars", d)
	}
	*u = Dollars(d)
	return nil
}
