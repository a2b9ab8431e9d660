package session

import (
	"cmp"
	"time"

	"wake/domain"
)

// Reports returns what an event says about operations: the report of an op event, and
// for a message, the calls and answers of tools. So a conversation has operations even
// if nobody reports them. A report whose op_id is a call's id is about the same
// operation. A copy made by a fork has no reports, because its costs belong to the
// original.
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

// Charge applies one report to an operation; known is nil if it is a new one. It
// returns the changed operation and what the report adds to the session's totals.
// Usage counts once, each field at its maximum, so a stream that repeats a growing
// usage only adds the growth (I15). A tool counts as run when it has ended.
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

// describe updates the fields that the report has.
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

// settle updates status and times. An operation that has ended does not start again.
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

// costOf is what one operation adds to the totals of its session. Tokens only count
// for models (001-11).
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

// Entry returns the ledger row of an operation, if it has one yet: a model has one
// from its first usage or its end on, a tool from its end on.
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

// Sum adds up a ledger in the same way as totals.
func Sum(ledger []domain.LedgerEntry) domain.Totals {
	var t domain.Totals
	for _, e := range ledger {
		t = t.Plus(costOf(domain.Op{Kind: e.Type, Status: e.Status, Usage: e.Usage}))
	}
	return t
}
