package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"time"

	"wake/domain"
)

// ClientClaudeCode is the client name in sessions of Claude Code.
const ClientClaudeCode = "claude-code"

// AgentSession is the client session id of a sub-agent's own session, made of the ids
// of its parent session and of the agent. In Claude Code's files and hooks, sub-agents
// share the id of their parent's session.
func AgentSession(parent, agent string) string { return shortID(parent + "/agent-" + agent) }

// CompactionKey is the key of the nth compaction of a session, counted from 1. Hooks
// know a boundary's number but not its id.
func CompactionKey(nth int) domain.Key { return domain.RowKey("compaction", strconv.Itoa(nth)) }

// claude reads the JSON lines of Claude Code, transcripts and files of sub-agents, of
// any version.
type claude struct {
	claudeState
	name string
	told map[string]bool // sessions whose header was emitted in this read
}

// claudeState is what must be remembered of earlier rows.
type claudeState struct {
	Session  string                    `json:"session,omitempty"` // of the latest row
	Names    claudeNames               `json:"names,omitzero"`    // those that came before any session
	LastUUID string                    `json:"last_uuid,omitempty"`
	Sessions map[string]*claudeSession `json:"sessions,omitempty"`
	Chains   recent[string]            `json:"chains,omitzero"`    // root by row, for rows of side chains
	Forked   string                    `json:"forked,omitempty"`   // the session that this file's sub-agent continues
	Restated string                    `json:"restated,omitempty"` // the message of that session that started it, which begins the file; startedByPerson if there is none
	Restored bool                      `json:"restored,omitempty"` // the file begins with the history of another session, see restore
	Branches claudeBranches            `json:"branches,omitzero"`
	History  claudeHistory             `json:"history,omitzero"`
	Untold   bool                      `json:"untold,omitempty"` // what the file's agent is told has not come yet, see asideAgents
}

// claudeMsg is an API message that may have more rows to come.
type claudeMsg struct {
	Blocks []string `json:"blocks"`           // short hashes, in order
	Said   []string `json:"said,omitempty"`   // those whose key is their place: texts and thoughts
	Tokens int64    `json:"tokens,omitempty"` // highest usage so far
}

func newClaude(name string, state json.RawMessage) *claude {
	c := &claude{name: name, told: map[string]bool{}}
	load(state, &c.claudeState)
	if state == nil {
		c.Untold = asideMarks(c.agentOfFile()) != nil
	}
	if c.Sessions == nil {
		c.Sessions = map[string]*claudeSession{}
	}
	if c.LastUUID != "" && c.History.Last.IsZero() { // an older wake has read the beginning
		c.History.Over = true
	}
	return c
}

func (c *claude) state() any { return &c.claudeState }

func (c *claude) restarted() {
	c.Branches, c.Untold = claudeBranches{}, asideMarks(c.agentOfFile()) != nil
	for _, s := range c.Sessions {
		s.Prompts.forgetNameless()
		s.Queue, s.Taken, s.Late, s.Handed, s.Names = nil, nil, nil, nil, claudeNames{}
	}
}

func (c *claude) decode(line []byte, out *sink) error {
	var row claudeRow
	// A row with a field of unexpected type is still good for the rest.
	if err := json.Unmarshal(line, &row); err != nil && !isMismatch(err) {
		return err
	}
	return c.read(&row, out)
}

// read reads one row.
func (c *claude) read(row *claudeRow, out *sink) error {
	if err := row.fault(); err != nil {
		return err
	}
	at := out.at(row.Timestamp)
	row.SessionID = cmp.Or(row.SessionID, row.StreamID)
	if row.IsSidechain != nil && !row.aside() && c.agentOfFile() == "" {
		row.AgentID = "" // some tools note on the answer to a call which sub-agent it came from
	}
	if row.Type == "summary" || row.ownTitle() || row.AITitle != "" {
		c.title(row, at, out)
		return nil
	}
	if row.Type == "last-prompt" {
		c.checkpoint(row, at, out)
		return nil
	}
	c.follow(row, out)
	if row.Type == "fork-context-ref" {
		c.Forked = row.ParentSession
	}
	if !slices.Contains([]string{"user", "assistant", "system", "queue-operation", "attachment", "pr-link", "result"}, row.Type) {
		return nil // progress, file history and the like are not part of the conversation
	}
	if (row.Type == "user" || row.Type == "assistant") && !row.findContent() {
		return errors.New("the " + row.Type + " row has no message content")
	}
	from := c.History.copied(row)
	c.restore(row)
	out.copied = cmp.Or(c.copied(row), from)
	id, s := c.session(row, at, out)
	r := claudeReading{c, id, s, row, at, out}
	r.emit()
	c.LastUUID = row.UUID
	return nil
}

// claudeReading is one row being read, in its session.
type claudeReading struct {
	*claude
	id  string // of the session: the main one's, or a sub-agent's own
	s   *claudeSession
	row *claudeRow
	at  time.Time
	out *sink
}

// emit adds what the row says.
func (r *claudeReading) emit() {
	switch row := r.row; row.Type {
	case "user":
		r.s.Again.follow(row)
		r.user()
	case "assistant":
		r.s.Again.follow(row)
		r.assistant()
	case "system":
		r.system()
	case "queue-operation":
		r.queue()
	case "attachment":
		r.attachment()
	case "result":
		r.result()
	case "pr-link":
		r.event(domain.RowKey("pr", row.PrURL), domain.Note{Kind: "pr-link", Text: row.PrURL})
	}
}

// event adds an event of the row.
func (r *claudeReading) event(key domain.Key, p domain.Payload) {
	r.out.event(r.id, r.at, key, r.row.ref(), p)
}

// as reads another row in place of this one.
func (r claudeReading) as(row claudeRow) *claudeReading {
	r.row = &row
	return &r
}

// readClaudeDocument reads a session of the web client, one document with the same rows
// but without ids.
func readClaudeDocument(name string, doc []byte, out *sink) error {
	c := newClaude(name, nil)
	var all struct {
		Loglines []json.RawMessage `json:"loglines"`
	}
	damage, err := decodeSaved(doc, messageDepth, &all)
	switch {
	case all.Loglines == nil && decodeRows(doc, out, c.decode):
		return nil
	case err != nil:
		return err
	case all.Loglines == nil:
		return errNoRow
	case damage != "":
		out.skip(damage)
	}
	decodeEach(all.Loglines, out, c.decode)
	return nil
}
