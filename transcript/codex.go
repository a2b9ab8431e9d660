package transcript

import (
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// ClientCodex is the client name in sessions of Codex.
const ClientCodex = "codex"

// codex reads Codex rollouts: JSON lines with timestamp, type and payload, and older
// ones that were bare response items.
type codex struct {
	codexState
	name string
	told bool
}

type codexState struct {
	Session   string         `json:"session,omitempty"`
	CWD       string         `json:"cwd,omitempty"`
	Model     string         `json:"model,omitempty"`
	Typed     prompts        `json:"typed,omitempty"`
	Asked     prompts        `json:"asked,omitempty"` // from cursors of older versions, which counted items separately
	Told      bool           `json:"told,omitempty"`  // the rollout has events for what people type
	Heard     []codexHeard   `json:"heard,omitempty"` // since the model last spoke
	Held      []codexHeld    `json:"held,omitempty"`
	Guessed   []string       `json:"guessed,omitempty"` // hashes of items taken for a person's without an event
	Tools     recent[string] `json:"tools,omitzero"`
	Called    recent[bool]   `json:"called,omitzero"`   // ids of tool calls
	Answered  recent[bool]   `json:"answered,omitzero"` // ids of answered tool calls
	Failed    recent[string] `json:"failed,omitzero"`   // why, of calls whose answer has not come
	Total     codexUsage     `json:"total,omitzero"`
	Single    codexUsage     `json:"single,omitzero"`    // of the latest call, in a rollout without totals
	Recorded  bool           `json:"recorded,omitempty"` // model calls have usage records of their own
	Counted   *codexUsage    `json:"counted,omitempty"`  // of the calls recorded since the latest count; cursors of older versions with such records lack it
	Compacted int            `json:"compacted,omitempty"`
	Listed    bool           `json:"listed,omitempty"`    // the latest compaction came as a row "compacted"
	Child     bool           `json:"child,omitempty"`     // a sub-agent's session, in which models write the prompts
	Own       int64          `json:"own,omitempty"`       // place of its first row that is not copied from its parent
	Forked    string         `json:"forked,omitempty"`    // the session whose copied rows begin the file, until they end
	ForkedAt  time.Time      `json:"forked_at,omitzero"`  // time of the latest copied row
	Began     time.Time      `json:"began,omitzero"`      // time of the head of such a session
	Review    string         `json:"review,omitempty"`    // hash of what a person said to look for in the latest review
	Reviewing bool           `json:"reviewing,omitempty"` // the events that follow are a review's, in a rollout that names no threads
	Unsure    bool           `json:"unsure,omitempty"`    // whether rows were copied shows in the next one
	Shown     []domain.Media `json:"shown,omitempty"`     // images of a user's item, until the event of the same prompt comes
	Imported  bool           `json:"imported,omitempty"`  // the turn was copied from a session of Claude Code
	Voice     bool           `json:"voice,omitempty"`     // the rollout has what was spoken
	Segments  recent[bool]   `json:"segments,omitzero"`   // ids of what was spoken
	Reverted  *Rewound       `json:"reverted,omitempty"`  // with which a revision begins, until a person speaks in it
	Thought   codexThought   `json:"thought,omitzero"`    // until the next item
}

type codexLine struct {
	Timestamp rowTime         `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	ID        string          `json:"id"` // in the head of an old rollout
	Record    string          `json:"record_type"`
	Ordinal   *int64          `json:"ordinal"` // place of the row in the thread
}

func newCodex(name string, state json.RawMessage) *codex {
	c := &codex{name: name}
	load(state, &c.codexState)
	if c.Typed == nil {
		c.Typed, c.Asked = c.Asked, nil
	}
	if c.Typed == nil {
		c.Typed = prompts{}
	}
	return c
}

func (c *codex) state() any { return &c.codexState }

// restarted starts over: rows have no ids, only places.
func (c *codex) restarted() { c.codexState = codexState{Typed: prompts{}} }

func (c *codex) decode(line []byte, out *sink) error {
	var row codexLine
	if err := json.Unmarshal(line, &row); err != nil && !isMismatch(err) {
		return err
	}
	r := codexReading{c, out.at(row.Timestamp), row.Ordinal, out}
	payload := row.Payload
	switch {
	case row.Record != "":
		return nil
	case row.Type == "" && row.ID != "":
		return r.meta(line)
	case row.Type == "":
		return errors.New("it is not a row of a rollout: it has no type")
	case payload == nil && printedByCodex(row.Type):
		return errors.New("it is what codex exec prints, not a row of a rollout; import the rollout of the session, in ~/.codex/sessions")
	case payload == nil:
		row.Type, payload = "response_item", line
	}
	if row.Ordinal != nil && *row.Ordinal < c.Own {
		return c.inherited(row.Type, payload)
	}
	out.copied = r.copied(row)
	switch row.Type {
	case "session_meta":
		return r.meta(payload)
	case "turn_context":
		return r.turnContext(payload)
	case "response_item":
		return r.item(payload)
	case "event_msg":
		return r.event(payload)
	case "compacted":
		return r.compacted(payload)
	case "token_usage_record":
		return r.recorded(payload)
	case "realtime_item":
		return r.spoken(payload)
	case "inter_agent_communication":
		return r.communication(payload)
	}
	return nil
}

// printedByCodex reports whether a row of that type is one that codex exec --json prints.
func printedByCodex(kind string) bool {
	about, _, dotted := strings.Cut(kind, ".")
	return dotted && slices.Contains([]string{"thread", "turn", "item"}, about)
}

// codexReading is one row being read. Its methods that emit events expect that
// [codexReading.session] was called.
type codexReading struct {
	*codex
	at      time.Time
	ordinal *int64
	out     *sink
}

// emit adds an event of the session; id is that of its response item or of its row, or "".
func (r codexReading) emit(key domain.Key, id string, p domain.Payload) {
	r.out.event(r.Session, r.at, key, rowRef{id: id}, p)
}

// inherited skips a row that a sub-agent's rollout copied from its parent's, where it
// is read. Token counts continue from the parent's.
func (c *codex) inherited(kind string, payload []byte) error {
	if kind != "event_msg" {
		return nil
	}
	var e codexEvent
	if err := decodeLoose(payload, &e); err != nil {
		return err
	}
	if e.Type == "token_count" && e.Info != nil {
		c.Total = e.Info.Total
	}
	return nil
}

// copyPause is longer than the time between two rows that Codex copies into a fork, if
// they get the time of the fork, and shorter than a turn.
const copyPause = time.Second

// copied returns the session that a row was copied from, or "" for one of the session's
// own.
func (r codexReading) copied(row codexLine) string {
	if r.Forked == "" {
		r.Unsure = r.Unsure && row.Type == "session_meta"
		return ""
	}
	older := row.Timestamp != "" && r.at.Before(r.Began)
	alone := r.Unsure && row.Type != "session_meta" // copied rows begin with the parent's head
	if r.Unsure = false; !older && (alone || row.Timestamp == "" || r.at.Sub(r.ForkedAt) >= copyPause || r.begins(row)) {
		r.Forked, r.ForkedAt, r.Began = "", time.Time{}, time.Time{}
		return ""
	}
	r.ForkedAt = r.at
	return r.Forked
}

// begins reports whether the session's first turn of its own begins with a row: its turn
// is newer than the session. A sub-agent's begins at once.
func (c *codex) begins(row codexLine) bool {
	var e struct {
		Type string `json:"type"`
		Turn string `json:"turn_id"`
	}
	return row.Type == "event_msg" && json.Unmarshal(row.Payload, &e) == nil && e.Type == "task_started" && newerID(e.Turn, c.Session)
}

// rowKey is the key of a row by its place: rollouts are only appended to.
func (r codexReading) rowKey() domain.Key {
	return domain.RowKey(ClientCodex, r.place()+":"+strconv.FormatInt(r.out.block, 10))
}

// place identifies a line of a thread. A thread that was reverted continues in another
// rollout, whose name has an id of its own after the thread's.
func (r codexReading) place() string {
	line := strconv.Itoa(r.out.line)
	if revision := r.revision(); revision != "" {
		return revision + ":" + line
	}
	return line
}

func (r codexReading) compacted(payload []byte) error {
	var p struct {
		Message string `json:"message"`
	}
	if err := decodeLoose(payload, &p); err != nil {
		return err
	}
	r.Listed, r.Counted = true, &codexUsage{} // the call that compacted is in the count before, or in none
	r.Compacted++
	r.session()
	r.emit(CompactionKey(r.Compacted), r.row(), domain.Compaction{Summary: p.Message})
	return nil
}

// readCodexDocument reads rollouts of the first Codex version: one document with a session
// and bare response items.
func readCodexDocument(name string, doc []byte, out *sink) error {
	c := newCodex(name, nil)
	var all struct {
		Session json.RawMessage   `json:"session"`
		Items   []json.RawMessage `json:"items"`
	}
	damage, err := decodeSaved(doc, messageDepth, &all)
	switch {
	case all.Items == nil && decodeRows(doc, out, c.decode):
	case err != nil:
		return err
	case all.Items == nil:
		return errors.New("it is not a rollout of Codex: it has no items")
	default:
		if damage != "" {
			out.skip(damage)
		}
		if len(all.Session) > 0 {
			c.head(all.Session, out)
		}
		decodeEach(all.Items, out, c.decode)
	}
	c.ended(out)
	return nil
}

// head reads the session, which comes before the items.
func (c *codex) head(session []byte, out *sink) {
	out.begin(0)
	var row codexLine
	_ = json.Unmarshal(session, &row)
	r := codexReading{c, out.at(row.Timestamp), row.Ordinal, out}
	if err := r.meta(session); err != nil {
		out.skip(err.Error())
	}
}
