package transcript

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"wake/domain"
)

// ClientAIAgent is the client name in sessions of ai-agent.
const ClientAIAgent = "ai-agent"

type aiFile struct {
	SessionID string `json:"sessionId"`
	OriginID  string `json:"originId"`
	ParentID  string `json:"parentTxnId"` // of a child that wrote the file itself
	Snapshot  struct {
		OpTree *aiSession `json:"opTree"`
	} `json:"snapshot"`
	OpTree *aiSession `json:"opTree"`
}

type aiSession struct {
	ID           string                     `json:"id"`
	TraceID      string                     `json:"traceId"`
	AgentID      string                     `json:"agentId"`
	CallPath     string                     `json:"callPath"`
	Title        string                     `json:"sessionTitle"`
	LatestStatus string                     `json:"latestStatus"`
	StartedAt    stamp                      `json:"startedAt"`
	EndedAt      stamp                      `json:"endedAt"`
	Success      *bool                      `json:"success"`
	Error        string                     `json:"error"`
	Attributes   map[string]json.RawMessage `json:"attributes"`
	Turns        []aiTurn                   `json:"turns"`
	Steps        []aiTurn                   `json:"steps"` // beside the turns, since file version 2
	Totals       json.RawMessage            `json:"totals"`
	FinalReport  json.RawMessage            `json:"finalReport"`
}

type aiTurn struct {
	Index      int64           `json:"index"`
	System     bool            `json:"system,omitempty"`
	Label      string          `json:"label,omitempty"`
	Kind       string          `json:"kind"` // of a step: advisors, handoff, internal …
	StartedAt  stamp           `json:"startedAt"`
	EndedAt    stamp           `json:"endedAt"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
	Ops        []aiOp          `json:"ops"`
}

type aiOp struct {
	OpID         string          `json:"opId"`
	Kind         string          `json:"kind"`
	StartedAt    stamp           `json:"startedAt"`
	EndedAt      stamp           `json:"endedAt"`
	Status       string          `json:"status"`
	Request      json.RawMessage `json:"request"`
	Response     json.RawMessage `json:"response"`
	Reasoning    aiReasoning     `json:"reasoning"`
	Attributes   json.RawMessage `json:"attributes"`
	Logs         []aiLog         `json:"logs"`
	Accounting   []aiAccount     `json:"accounting"`
	ChildSession *aiSession      `json:"childSession"`
	ChildRef     struct {        // replaces a child that has its own file
		SessionID string `json:"sessionId"`
	} `json:"childSessionRef"`
}

type aiReasoning struct {
	Final  string `json:"final,omitempty"`
	Chunks []struct {
		Text string `json:"text"`
	} `json:"chunks,omitempty"`
}

type aiLog struct {
	Timestamp stamp           `json:"timestamp"`
	Severity  string          `json:"severity"`
	Turn      int64           `json:"turn"`
	Subturn   int64           `json:"subturn"`
	Path      string          `json:"path"`
	Direction string          `json:"direction"`
	Type      string          `json:"type"`
	ToolKind  string          `json:"toolKind"`
	Remote    string          `json:"remoteIdentifier"`
	Fatal     bool            `json:"fatal"`
	Message   string          `json:"message"`
	Details   json.RawMessage `json:"details"`
}

// readAITree reads session snapshots of ai-agent: gzipped JSON with the operation tree,
// either as the whole file or as the payload of a snapshot event (001-01, 001-14,
// 001-22).
func readAITree(name string, doc []byte, out *sink) error {
	doc, cut, err := gunzip(doc)
	if err != nil {
		return err
	}
	var f aiFile
	damage, err := decodeSaved(doc, anyDepth, &f)
	if err != nil {
		return err
	}
	cut = cmp.Or(cut, damage)
	tree := f.OpTree
	if tree == nil {
		tree = f.Snapshot.OpTree
	}
	if tree == nil {
		return errors.New(cmp.Or(cut, "it is not a snapshot of ai-agent: it has no opTree"))
	}
	id := cmp.Or(f.SessionID, tree.TraceID, tree.ID, baseName(name, ".gz", ".json"))
	w := &aiWalk{origin: cmp.Or(f.OriginID, id), out: out, seen: prompts{}}
	if cut != "" {
		out.skip(cut)
	}
	w.session(tree, id, f.ParentID, "")
	return nil
}

// gunzip unpacks a document if it is packed. If it is damaged, it returns what can be
// unpacked and describes the damage (I11).
func gunzip(doc []byte) (data []byte, damage string, err error) {
	if !isGzip(doc) {
		return doc, "", nil
	}
	z, err := gzip.NewReader(bytes.NewReader(doc))
	if err != nil {
		return nil, "", fmt.Errorf("the gzip header is damaged: %w", err)
	}
	data, err = readWhole(z, maxDocument)
	if errors.Is(err, errTooLarge) {
		return nil, "", err
	}
	if err != nil {
		damage = fmt.Sprintf("the gzip is damaged behind %d bytes (%v); what unpacks was taken", len(data), err)
	}
	return data, damage, nil
}

// aiWalk walks a tree of sessions.
type aiWalk struct {
	origin string
	out    *sink
	seen   prompts // accounting entries that look the same
	n      int
}

// event adds an event at the next place.
func (w *aiWalk) event(session string, at time.Time, key domain.Key, p domain.Payload) {
	w.n++
	w.out.begin(w.n)
	w.out.event(session, at, key, rowRef{}, p)
}

func (w *aiWalk) session(n *aiSession, id, parent, parentOp string) {
	h := &domain.Session{Client: ClientAIAgent, ClientSessionID: id, OriginID: w.origin, ParentID: parent, ParentOpID: parentOp,
		AgentID: n.AgentID, Title: n.Title, LatestStatus: n.LatestStatus, StartedAt: n.StartedAt.Time, Attributes: map[string]string{}}
	setAttributes(h.Attributes, "call_path", n.CallPath, "trace_id", n.TraceID)
	for name, value := range n.Attributes {
		h.Attributes[name] = rawText(value)
	}
	w.out.session(h)
	at := n.StartedAt.Time
	if n.LatestStatus != "" { // it takes no place, since places identify operations without ids
		w.out.event(id, n.EndedAt.or(at), domain.RowKey("status", fmt.Sprint(len(n.Turns), ":", shortHash(n.LatestStatus))), rowRef{}, domain.About{Status: n.LatestStatus})
	}
	turn, steps := int64(0), n.Steps
	for _, t := range n.Turns {
		for len(steps) > 0 && steps[0].StartedAt.Before(t.StartedAt.Time) {
			w.step(id, steps[0], turn, at)
			steps = steps[1:]
		}
		turn = t.Index
		w.turn(id, t, at)
	}
	for _, s := range steps {
		w.step(id, s, turn, at)
	}
	if report := notNull(n.FinalReport); len(report) > 0 {
		w.event(id, n.EndedAt.or(at), domain.RowKey("final-report", shortHash(string(report))), domain.Note{Kind: "final_report", Data: report})
	}
	if len(n.Totals) > 0 && !n.EndedAt.IsZero() {
		w.event(id, n.EndedAt.Time, domain.RowKey("totals", id), domain.Note{Kind: "totals", Data: n.Totals})
	}
	if !n.EndedAt.IsZero() {
		w.event(id, n.EndedAt.Time, domain.RowKey("end", id), domain.End{Success: n.Success, Error: n.Error})
	}
}

func (w *aiWalk) turn(session string, t aiTurn, started time.Time) {
	w.turnOrStep(session, "turn", t.Label, t, t.Index, t.StartedAt.or(started))
}

// step reads a step. Its operations belong to the preceding turn.
func (w *aiWalk) step(session string, s aiTurn, turn int64, started time.Time) {
	w.turnOrStep(session, "step", s.Kind, s, turn, s.StartedAt.or(started))
}

// turnOrStep reads a turn or a step: its description and its operations.
func (w *aiWalk) turnOrStep(session, kind, label string, t aiTurn, turn int64, at time.Time) {
	n := turnNote{Index: t.Index, System: t.System, StartedAt: t.StartedAt.Time, EndedAt: t.EndedAt.Time, Attributes: t.Attributes}
	w.event(session, at, n.key(kind), n.note(kind, label))
	for _, op := range t.Ops {
		w.op(session, turn, op, at)
	}
}

func (w *aiWalk) op(session string, turn int64, op aiOp, turnAt time.Time) {
	op.OpID = cmp.Or(op.OpID, fmt.Sprintf("turn-%d-op-%d", turn, w.n))
	r := op.report(turn)
	child := op.ChildRef.SessionID
	if op.ChildSession != nil {
		child = cmp.Or(op.ChildSession.TraceID, op.ChildSession.ID)
		if child == "" || child == session {
			child = session + "/" + op.OpID
		}
	}
	r.ChildSessionID = child
	if len(op.Accounting) > 0 && op.Accounting[0].isOf(r) {
		r.LatencyMS = max(int64(op.Accounting[0].Latency), 0)
	}
	w.event(session, op.at(turnAt), domain.OpKey(op.OpID, r.Status, 0), r)
	for i, e := range op.Accounting {
		w.account(session, r, i, e)
	}
	if op.ChildSession != nil {
		w.session(op.ChildSession, child, session, op.OpID)
	}
}

// report is what an operation says of itself.
func (op aiOp) report(turn int64) domain.OpReport {
	r := domain.OpReport{OpID: op.OpID, Kind: aiKind(op.Kind), Turn: &turn, Status: domain.OpStarted, Request: notNull(op.Request), Response: notNull(op.Response),
		Reasoning: op.Reasoning.text(), StartedAt: op.StartedAt.Time, EndedAt: op.EndedAt.Time, Attributes: notNull(op.Attributes)}
	nameOp(&r)
	for _, l := range op.Logs {
		r.Logs = append(r.Logs, domain.LogEntry{At: l.Timestamp.Time, Severity: l.Severity, Turn: l.Turn, Subturn: l.Subturn, Path: l.Path,
			Direction: l.Direction, Type: l.Type, ToolKind: l.ToolKind, Remote: l.Remote, Fatal: l.Fatal, Message: l.Message, Details: l.Details})
	}
	switch {
	case op.Status == "failed":
		r.Status = domain.OpFailed
	case op.Status == "running" && op.EndedAt.IsZero():
	case op.Status != "" || !op.EndedAt.IsZero():
		r.Status = domain.OpOK
	}
	return r
}

// at is when an operation ended, or began if it has not, in a turn of the given time.
func (op aiOp) at(turn time.Time) time.Time { return op.EndedAt.or(op.StartedAt.or(turn)) }
