package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// ClientCodex is the name of the client in sessions that it made.
const ClientCodex = "codex"

// codex reads Codex rollouts: JSON lines of timestamp, type and payload, and the
// older ones that were bare response items.
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
	Asked     prompts        `json:"asked,omitempty"` // of cursors that counted items apart
	Told      bool           `json:"told,omitempty"`  // events tell what people typed
	Heard     []codexHeard   `json:"heard,omitempty"` // since the model last spoke
	Held      []codexHeld    `json:"held,omitempty"`
	Guessed   []string       `json:"guessed,omitempty"` // taken for people's without an event: hashes
	Tools     recent[string] `json:"tools,omitzero"`
	Called    recent[bool]   `json:"called,omitzero"`   // ids of calls
	Answered  recent[bool]   `json:"answered,omitzero"` // and of their answers
	Total     codexUsage     `json:"total,omitzero"`
	Recorded  bool           `json:"recorded,omitempty"` // each call has a record of its own
	Compacted int            `json:"compacted,omitempty"`
	Listed    bool           `json:"listed,omitempty"`   // the latest compaction came as a compacted row
	Child     bool           `json:"child,omitempty"`    // a sub-agent's session: models ask there, no person
	Own       int64          `json:"own,omitempty"`      // the place of its first row that is no copy of its parent's
	Forked    string         `json:"forked,omitempty"`   // the session whose rows the file begins with, until they end
	ForkedAt  time.Time      `json:"forked_at,omitzero"` // when the latest of them was copied
	Shown     []domain.Media `json:"shown,omitempty"`    // pictures of a user's item, until the event of the same prompt comes
}

type codexLine struct {
	Timestamp rowTime         `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
	ID        string          `json:"id"` // of an old rollout's head
	Record    string          `json:"record_type"`
	Ordinal   *int64          `json:"ordinal"` // the row's place in the thread
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

// restarted begins anew: rows have no ids, their place is all they have.
func (c *codex) restarted() { c.codexState = codexState{Typed: prompts{}} }

func (c *codex) decode(line []byte, out *sink) error {
	var row codexLine
	if err := json.Unmarshal(line, &row); err != nil && !isMismatch(err) {
		return err
	}
	at := out.at(row.Timestamp)
	payload := row.Payload
	switch {
	case row.Record != "":
		return nil
	case row.Type == "" && row.ID != "":
		return c.meta(line, at, out)
	case row.Type == "":
		return errors.New("it is not a row of a rollout: it has no type")
	case payload == nil:
		row.Type, payload = "response_item", line
	}
	if row.Ordinal != nil && *row.Ordinal < c.Own {
		return c.inherited(row.Type, payload)
	}
	out.copied = c.copied(row, at)
	var err error
	switch row.Type {
	case "session_meta":
		err = c.meta(payload, at, out)
	case "turn_context":
		err = c.turnContext(payload, at, out)
	case "response_item":
		err = c.item(payload, at, out)
	case "event_msg":
		err = c.event(payload, at, out)
	case "compacted":
		err = c.compacted(payload, at, out)
	case "token_usage_record":
		err = c.recorded(payload, at, out)
	case "inter_agent_communication":
		err = c.communication(payload, at, out)
	}
	return err
}

// inherited passes over a row that a sub-agent's rollout copied from its parent's: it
// is told there. Tokens are counted on from where the parent stood.
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

// copyPause is longer than Codex takes between two rows that it copies into a fork, all
// at once and with the time of the fork, and shorter than a turn takes.
const copyPause = time.Second

// copied is the session that a row was copied from, "" for one of the session's own.
func (c *codex) copied(row codexLine, at time.Time) string {
	if c.Forked == "" {
		return ""
	}
	if row.Timestamp == "" || at.Sub(c.ForkedAt) >= copyPause {
		c.Forked, c.ForkedAt = "", time.Time{}
		return ""
	}
	c.ForkedAt = at
	return c.Forked
}

type codexMeta struct {
	ID         string          `json:"id"`
	Timestamp  rowTime         `json:"timestamp"`
	CWD        string          `json:"cwd"`
	Version    string          `json:"cli_version"`
	Originator string          `json:"originator"`
	Provider   string          `json:"model_provider"`
	Source     json.RawMessage `json:"source"`
	Thread     string          `json:"thread_source"`
	Parent     string          `json:"parent_thread_id"`
	Own        int64           `json:"subagent_history_start_ordinal"`
	ForkedFrom string          `json:"forked_from_id"`
	Git        struct {
		Branch string `json:"branch"`
	} `json:"git"`
}

// meta reads the head of a rollout. A forked one carries its parent's head too,
// behind its own.
func (c *codex) meta(payload []byte, at time.Time, out *sink) error {
	var m codexMeta
	if err := decodeLoose(payload, &m); err != nil {
		return err
	}
	if c.Session != "" || m.ID == "" {
		return nil
	}
	c.Session, c.CWD, c.told = m.ID, m.CWD, true
	s := &domain.Session{Client: ClientCodex, ClientSessionID: m.ID, Provider: cmp.Or(m.Provider, "openai"),
		ForkedFrom: m.ForkedFrom, StartedAt: at, Attributes: map[string]string{}}
	if t := m.Timestamp.time(); !t.IsZero() {
		s.StartedAt = t
	}
	s.ParentID, s.AgentID, c.Child = m.spawned()
	if c.Own = m.Own; c.Own == 0 {
		c.Forked, c.ForkedAt = cmp.Or(m.ForkedFrom, s.ParentID), at
	}
	setAttributes(s.Attributes, "cwd", m.CWD, "git_branch", m.Git.Branch, "version", m.Version, "originator", m.Originator)
	out.session(s)
	return nil
}

// spawned tells whether the session is a sub-agent's, and of one that another
// session started, whose and its name. Reviews and the like have neither.
func (m codexMeta) spawned() (parent, agent string, child bool) {
	var source struct {
		SubAgent json.RawMessage `json:"subagent"`
	}
	_ = json.Unmarshal(m.Source, &source)
	var how struct {
		Spawn struct {
			Parent   string `json:"parent_thread_id"`
			Nickname string `json:"agent_nickname"`
			Path     string `json:"agent_path"`
		} `json:"thread_spawn"`
	}
	_ = json.Unmarshal(source.SubAgent, &how)
	if object(source.SubAgent) == nil && m.Thread != "subagent" {
		return "", "", false
	}
	return cmp.Or(how.Spawn.Parent, m.Parent), cmp.Or(how.Spawn.Nickname, how.Spawn.Path), true
}

// asked is what the prompts of the session are.
func (c *codex) asked() domain.MessageKind {
	if c.Child {
		return domain.MetaMessage
	}
	return domain.PlainMessage
}

// setAttributes sets the pairs of name and value that have a value.
func setAttributes(attributes map[string]string, pairs ...string) {
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			attributes[pairs[i]] = pairs[i+1]
		}
	}
}

// decodeLoose reads JSON and passes over values of unexpected types.
func decodeLoose(data []byte, v any) error {
	if err := json.Unmarshal(data, v); err != nil && !isMismatch(err) {
		return err
	}
	return nil
}

// session is the id of the session, told to out once in each read.
func (c *codex) session(at time.Time, out *sink) string {
	if c.Session == "" {
		c.Session = rolloutID(c.name)
	}
	if !c.told {
		c.told = true
		s := &domain.Session{Client: ClientCodex, ClientSessionID: c.Session, StartedAt: at, Attributes: map[string]string{}}
		setAttributes(s.Attributes, "cwd", c.CWD)
		out.session(s)
	}
	return c.Session
}

// moved notes in which folder the session works from now on. Where its head named none,
// the session is told again.
func (c *codex) moved(cwd string, at time.Time, out *sink) {
	first := c.CWD == ""
	if c.CWD = cwd; first {
		c.told = false
		c.session(at, out)
	}
}

// rolloutID takes the session's id out of rollout-<time>-<uuid>.jsonl.
func rolloutID(name string) string {
	base := baseName(name, ".jsonl")
	if strings.HasPrefix(base, "rollout-") && len(base) > 36 {
		return base[len(base)-36:]
	}
	return sessionName(name, ".jsonl", ".json")
}

// turnContext notes the model and folder of a turn where they changed.
func (c *codex) turnContext(payload []byte, at time.Time, out *sink) error {
	var t struct {
		CWD   string `json:"cwd"`
		Model string `json:"model"`
	}
	if err := decodeLoose(payload, &t); err != nil {
		return err
	}
	about := domain.About{}
	if t.Model != c.Model {
		about.Model, c.Model = t.Model, t.Model
	}
	if t.CWD != "" && t.CWD != c.CWD {
		about.Attributes = map[string]string{"cwd": t.CWD}
		c.moved(t.CWD, at, out)
	}
	if about.Model != "" || about.Attributes != nil {
		out.event(c.session(at, out), at, c.rowKey(out), rowRef{}, about)
	}
	return nil
}

// rowKey is the key of a row by its place: rollouts are only ever appended to.
func (c *codex) rowKey(out *sink) domain.Key {
	return domain.RowKey(ClientCodex, c.place(out)+":"+strconv.FormatInt(out.block, 10))
}

// place names a line of a thread. A thread that was reverted goes on in another
// rollout, whose name has an id of its own behind the thread's.
func (c *codex) place(out *sink) string {
	line := strconv.Itoa(out.line)
	if _, revision, ok := strings.Cut(baseName(c.name, ".jsonl"), c.Session+"_"); ok {
		return revision + ":" + line
	}
	return line
}

func (c *codex) compacted(payload []byte, at time.Time, out *sink) error {
	var p struct {
		Message string `json:"message"`
	}
	if err := decodeLoose(payload, &p); err != nil {
		return err
	}
	c.Listed = true
	c.Compacted++
	out.event(c.session(at, out), at, CompactionKey(c.Compacted), rowRef{}, domain.Compaction{Summary: p.Message})
	return nil
}

// codexDocument reads the rollouts of the first Codex: one document of a session
// and bare response items.
type codexDocument struct {
	codex
}

func (c *codexDocument) document(doc []byte, out *sink) error {
	var all struct {
		Session json.RawMessage   `json:"session"`
		Items   []json.RawMessage `json:"items"`
	}
	err := decodeLoose(doc, &all)
	switch {
	case all.Items != nil:
	case isRows(doc):
		eachRow(doc, out, c.decode)
		return nil
	case isSpread(doc):
		eachSpread(doc, out, c.decode)
		return nil
	}
	if err != nil {
		return err
	}
	if all.Items == nil {
		return errors.New("it is not a rollout of Codex: it has no items")
	}
	for i, row := range append([]json.RawMessage{all.Session}, all.Items...) {
		out.begin(i, 0)
		var err error
		if i == 0 && len(row) > 0 {
			var head codexLine
			_ = json.Unmarshal(row, &head)
			err = c.meta(row, out.at(head.Timestamp), out)
		} else if i > 0 {
			err = c.decode(row, out)
		}
		if err != nil {
			out.skip(err.Error())
		}
	}
	return nil
}
