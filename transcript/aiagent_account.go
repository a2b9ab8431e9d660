package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"wake/domain"
)

// aiAccount is one entry of the accounting (001-13).
type aiAccount struct {
	Type          string      `json:"type"`
	Timestamp     stamp       `json:"timestamp"`
	Status        string      `json:"status"`
	Latency       float64     `json:"latency"`
	Provider      string      `json:"provider"`
	Model         string      `json:"model"`
	Tokens        aiTokens    `json:"tokens"`
	CostUSD       aiCost      `json:"costUsd"`
	MCPServer     string      `json:"mcpServer"`
	Command       string      `json:"command"`
	CharactersIn  int64       `json:"charactersIn"`
	CharactersOut int64       `json:"charactersOut"`
	Error         string      `json:"error"`
	AgentID       string      `json:"agentId"`
	TxnID         string      `json:"txnId"`
	ParentTxnID   string      `json:"parentTxnId"`
	OriginTxnID   string      `json:"originTxnId"`
	SessionID     string      `json:"sessionId"`
	OriginID      string      `json:"originId"`
	Entries       []aiAccount `json:"entries"` // of a flush payload (001-02)
}

// aiCost is an amount of dollars.
type aiCost struct{ domain.USD }

// UnmarshalJSON never fails, because an error would end the reading of the whole file: an
// unreadable amount counts as absent.
func (c *aiCost) UnmarshalJSON(data []byte) error {
	if json.Unmarshal([]byte(rawText(data)), &c.USD) != nil {
		c.USD = 0
	}
	return nil
}

// aiTokens counts tokens under the documented names and those the program writes.
type aiTokens struct {
	Input           int64 `json:"input"`
	Output          int64 `json:"output"`
	CacheRead       int64 `json:"cacheRead"`
	CacheWrite      int64 `json:"cacheWrite"`
	InputTokens     int64 `json:"inputTokens"`
	OutputTokens    int64 `json:"outputTokens"`
	CacheReadInput  int64 `json:"cacheReadInputTokens"`
	CacheWriteInput int64 `json:"cacheWriteInputTokens"`
	Cached          int64 `json:"cachedTokens"`
}

func (t aiTokens) usage(cost aiCost) domain.TokenUsage {
	return domain.TokenUsage{
		Input: max(t.Input, t.InputTokens, 0), Output: max(t.Output, t.OutputTokens, 0),
		CacheRead: max(t.CacheRead, t.CacheReadInput, t.Cached, 0), CacheWrite: max(t.CacheWrite, t.CacheWriteInput, 0),
		Cost: max(cost.USD, 0),
	}
}

// account reads what an operation cost. An operation has several entries if a call was
// retried: each further one becomes an operation below it, so that all of them count.
func (w *aiWalk) account(session string, op domain.OpReport, i int, e aiAccount) {
	r := e.report()
	r.Turn = op.Turn
	if i == 0 && e.isOf(op) {
		r.OpID = op.OpID
		if op.Status.Done() {
			r.Status = op.Status
		}
		if op.Name != "" {
			r.Name = ""
		}
	} else {
		r.OpID, r.ParentOpID = tryID(op.OpID, i), op.OpID
	}
	w.event(session, e.Timestamp.Time, e.key(session, w.seen), r)
}

// isOf reports whether an entry may belong to the operation itself. A model call with
// another outcome is a retry.
func (e aiAccount) isOf(op domain.OpReport) bool {
	r := e.report()
	return r.Kind == op.Kind && (r.Kind == domain.OpTool || !op.Status.Done() || r.Status == op.Status)
}

// tryID is the id of the operation made from entry i, counted from 0, of another one.
func tryID(opID string, i int) string { return fmt.Sprintf("%s#%d", opID, i+1) }

func (e aiAccount) report() domain.OpReport {
	usage := e.Tokens.usage(e.CostUSD)
	r := domain.OpReport{Kind: aiKind(e.Type), Status: domain.OpOK, LatencyMS: max(int64(e.Latency), 0), Provider: e.Provider, Model: e.Model,
		Usage: &usage, MCPServer: e.MCPServer, Command: e.Command, Name: e.Command,
		CharactersIn: max(e.CharactersIn, 0), CharactersOut: max(e.CharactersOut, 0), Error: e.Error}
	if e.Status == "failed" {
		r.Status = domain.OpFailed
	}
	return r
}

// accounting is what the keys of entries begin with.
const accounting = "accounting"

// key identifies an entry by its contents, so that the tree and accounting.jsonl, which
// both hold it, make one event of it.
func (e aiAccount) key(session string, seen prompts) domain.Key {
	text := fmt.Sprint(e.Type, e.Timestamp.UnixMilli(), e.Provider, e.Model, e.MCPServer, e.Command, e.Tokens.usage(e.CostUSD), e.Latency)
	short := shortHash(text)
	return domain.RowKey(accounting, short+":"+strconv.Itoa(seen.nth(shortHash(session)+short, "")))
}

// aiKind parses a kind of operation; an unknown one counts as system.
func aiKind(kind string) domain.OpKind {
	switch k := domain.OpKind(kind); k {
	case domain.OpLLM, domain.OpTool, domain.OpSession:
		return k
	}
	return domain.OpSystem
}

// text returns the whole reasoning.
func (r aiReasoning) text() string {
	if r.Final != "" {
		return r.Final
	}
	var text strings.Builder // a model's whole thinking comes in chunks of a few letters
	for _, c := range r.Chunks {
		text.WriteString(c.Text)
	}
	return text.String()
}

// nameOp fills in name, provider, model, kind of tool and what went wrong from the
// attributes.
func nameOp(r *domain.OpReport) {
	var a struct {
		Name     string `json:"name"`
		Provider string `json:"provider"`
		Model    string `json:"model"`
		Kind     string `json:"kind"`     // of a tool, as ai-agent calls it
		ToolKind string `json:"toolKind"` // the same, as its documentation does
		Label    string `json:"label"`
		Error    string `json:"error"`
	}
	_ = json.Unmarshal(r.Attributes, &a)
	r.Name, r.Provider, r.Model, r.Label, r.Error = a.Name, a.Provider, a.Model, a.Label, a.Error
	r.ToolKind = cmp.Or(a.ToolKind, a.Kind)
}

// aiLedger reads ai-agent's JSON lines: accounting.jsonl, with an entry or a whole flush
// payload per line, and the files of sessions, see [aiRecord].
type aiLedger struct {
	aiLedgerState
	told map[string]bool
}

type aiLedgerState struct {
	Seen prompts `json:"seen,omitempty"`
}

func newAILedger(state json.RawMessage) *aiLedger {
	l := &aiLedger{told: map[string]bool{}}
	load(state, &l.aiLedgerState)
	if l.Seen == nil {
		l.Seen = prompts{}
	}
	return l
}

func (l *aiLedger) state() any { return &l.aiLedgerState }
func (l *aiLedger) restarted() { l.Seen = prompts{} }

func (l *aiLedger) decode(line []byte, out *sink) error {
	var row struct {
		aiAccount
		RecordType string `json:"recordType"`
	}
	if err := decodeLoose(line, &row); err != nil {
		return err
	}
	if row.RecordType != "" {
		return decodeAIRecord(line, out)
	}
	if row.Entries == nil && row.Type == "" {
		return errors.New("it is not an entry of the accounting: it has neither a type nor entries")
	}
	entries := row.Entries
	if entries == nil {
		entries = []aiAccount{row.aiAccount}
	}
	for _, e := range entries {
		e.SessionID, e.OriginID = cmp.Or(e.SessionID, row.SessionID), cmp.Or(e.OriginID, row.OriginID)
		l.entry(e, out)
	}
	return nil
}

func (l *aiLedger) entry(e aiAccount, out *sink) {
	id := cmp.Or(e.TxnID, e.SessionID, e.OriginTxnID, "accounting")
	if !l.told[id] {
		l.told[id] = true
		out.session(&domain.Session{Client: ClientAIAgent, ClientSessionID: id, AgentID: e.AgentID,
			OriginID: cmp.Or(e.OriginTxnID, e.OriginID), ParentID: e.ParentTxnID, StartedAt: e.Timestamp.Time})
	}
	key := e.key(id, l.Seen)
	r := e.report()
	r.OpID = string(key)
	out.event(id, e.Timestamp.or(out.last), key, rowRef{}, r)
}
