package session

import (
	"cmp"
	"time"

	"wake/domain"
)

// Reports returns what an event says about operations: an op event's own report,
// and from a message that a tool was called or answered. So a conversation has
// operations even if nobody reports them. A report whose op_id is the call's id
// is about the same operation. Copies made by a fork give no reports: the
// session that they came from spent what they cost.
func Reports(e domain.Event) ([]domain.OpReport, error) {
	if e.Source.Copied() {
		return nil, nil
	}
	switch e.Type {
	case domain.EventOp:
		r, err := e.Op()
		return []domain.OpReport{r}, err
	case domain.EventMessage:
		m, err := e.Message()
		return messageReports(m), err
	}
	return nil, nil
}

func messageReports(m domain.Message) []domain.OpReport {
	var out []domain.OpReport
	for _, call := range m.ToolCalls {
		out = append(out, domain.OpReport{OpID: call.ID, Kind: domain.OpTool, Name: call.Name,
			Status: domain.OpStarted, CharactersIn: int64(len(call.Arguments))})
	}
	if m.ToolCallID == "" {
		return out
	}
	r := domain.OpReport{OpID: m.ToolCallID, Kind: domain.OpTool, Name: m.ToolName, Status: domain.OpOK,
		CharactersOut: int64(len(m.Content)), Error: m.Error}
	if m.Error != "" {
		r.Status = domain.OpFailed
	}
	return append(out, r)
}

// Charge adds one report to an operation, which is nil if nothing was known
// about it. It returns the operation as it is then, and what the report adds to
// the session's totals. Usage counts once, field by field at its greatest: a
// stream that repeats a growing usage adds only the growth (I15). A tool counts
// as run when it has ended.
func Charge(known *domain.Op, e domain.Event, r domain.OpReport) (domain.Op, domain.Totals) {
	op := domain.Op{SessionID: e.SessionID, ID: r.OpID, Turn: e.Turn, FirstSeq: e.Seq, Kind: r.Kind, Status: domain.OpStarted}
	if known != nil {
		op = *known
	}
	before := op
	op.LastSeq = e.Seq
	describe(&op, e, r)
	settle(&op, e, r)
	if r.Usage != nil {
		op.Usage = greatest(op.Usage, *r.Usage)
	}
	return op, costOf(op).Minus(costOf(before))
}

// describe fills in what the report knows better.
func describe(op *domain.Op, e domain.Event, r domain.OpReport) {
	op.Name = cmp.Or(r.Name, op.Name)
	op.Label = cmp.Or(r.Label, op.Label)
	op.Provider = cmp.Or(r.Provider, op.Provider)
	op.Model = cmp.Or(r.Model, op.Model)
	op.ParentOpID = cmp.Or(r.ParentOpID, op.ParentOpID)
	op.ChildSessionID = cmp.Or(r.ChildSessionID, op.ChildSessionID)
	op.ToolKind = cmp.Or(r.ToolKind, op.ToolKind)
	op.MCPServer = cmp.Or(r.MCPServer, op.MCPServer)
	op.Command = cmp.Or(r.Command, op.Command)
	op.Error = cmp.Or(r.Error, op.Error)
	op.CharactersIn = max(op.CharactersIn, r.CharactersIn)
	op.CharactersOut = max(op.CharactersOut, r.CharactersOut)
	if r.Turn != nil {
		op.Turn = *r.Turn
	}
	if len(r.Request) > 0 {
		op.RequestSeq = e.Seq
	}
	if len(r.Response) > 0 {
		op.ResponseSeq = e.Seq
	}
}

// settle moves status and times. What has ended does not start again.
func settle(op *domain.Op, e domain.Event, r domain.OpReport) {
	began := r.StartedAt
	if began.IsZero() {
		began = e.At.Add(-time.Duration(r.LatencyMS) * time.Millisecond)
	}
	if op.StartedAt.IsZero() || began.Before(op.StartedAt) {
		op.StartedAt = domain.Moment(began)
	}
	if !r.Status.Done() {
		return
	}
	op.Status = r.Status
	op.EndedAt = e.At
	if !r.EndedAt.IsZero() {
		op.EndedAt = domain.Moment(r.EndedAt)
	}
	op.LatencyMS = max(op.LatencyMS, r.LatencyMS)
	if op.LatencyMS == 0 {
		op.LatencyMS = max(0, op.EndedAt.Sub(op.StartedAt).Milliseconds())
	}
}

func greatest(a, b domain.TokenUsage) domain.TokenUsage {
	return domain.TokenUsage{
		Input: max(a.Input, b.Input), Output: max(a.Output, b.Output),
		CacheRead: max(a.CacheRead, b.CacheRead), CacheWrite: max(a.CacheWrite, b.CacheWrite),
		Cost: max(a.Cost, b.Cost),
	}
}

// costOf is what one operation adds to the totals of its session. Tokens count
// for models only (001-11).
func costOf(op domain.Op) domain.Totals {
	switch op.Kind {
	case domain.OpLLM:
		u := op.Usage
		return domain.Totals{TokensIn: u.Input, TokensOut: u.Output, TokensCacheRead: u.CacheRead, TokensCacheWrite: u.CacheWrite, Cost: u.Cost}
	case domain.OpTool:
		t := domain.Totals{Cost: op.Usage.Cost}
		if op.Status.Done() {
			t.ToolsRun = 1
		}
		return t
	}
	return domain.Totals{}
}

// Entry is the ledger row of an operation, and whether it has one yet: a model's
// from its first usage or its end, a tool's from its end.
func Entry(op domain.Op, originID string, at time.Time) (domain.LedgerEntry, bool) {
	if op.Kind != domain.OpLLM && op.Kind != domain.OpTool {
		return domain.LedgerEntry{}, false
	}
	if !op.Status.Done() && op.Usage == (domain.TokenUsage{}) {
		return domain.LedgerEntry{}, false
	}
	return domain.LedgerEntry{
		SessionID: op.SessionID, OriginID: originID, OpID: op.ID, Seq: op.LastSeq, At: at, Type: op.Kind,
		Status: op.Status, LatencyMS: op.LatencyMS, Provider: op.Provider, Model: op.Model, Usage: op.Usage,
		MCPServer: op.MCPServer, Command: cmp.Or(op.Command, op.Name), CharactersIn: op.CharactersIn,
		CharactersOut: op.CharactersOut, Error: op.Error,
	}, true
}

// Sum adds up a ledger in the way in which totals are counted.
func Sum(ledger []domain.LedgerEntry) domain.Totals {
	var t domain.Totals
	for _, e := range ledger {
		t = t.Plus(costOf(domain.Op{Kind: e.Type, Status: e.Status, Usage: e.Usage}))
	}
	return t
}
