package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// ClientClaudeCode is the client name in sessions of Claude Code.
const ClientClaudeCode = "claude-code"

// AgentSession is the client session id of a sub-agent's own session, made of the ids
// of its parent session and of the agent. In Claude Code's files and hooks, sub-agents
// share the id of their parent's session.
func AgentSession(parent, agent string) string { return parent + "/agent-" + agent }

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
	Restated string                    `json:"restated,omitempty"` // the message of that session that started it, which begins the file
	Restored bool                      `json:"restored,omitempty"` // the file begins with the history of another session, see restore
	Branches claudeBranches            `json:"branches,omitzero"`
}

type claudeSession struct {
	Model       string               `json:"model,omitempty"`
	Models      []string             `json:"models,omitempty"` // including earlier ones
	CWD         string               `json:"cwd,omitempty"`
	Branch      string               `json:"branch,omitempty"`
	Version     string               `json:"version,omitempty"`
	Prompts     prompts              `json:"prompts,omitempty"`
	Messages    recent[*claudeMsg]   `json:"messages,omitzero"` // API messages
	Tools       recent[string]       `json:"tools,omitzero"`    // names of open tool calls
	Called      recent[claudeCalled] `json:"called,omitzero"`   // calls whose ids may be reused
	Compactions []string             `json:"compactions,omitempty"`
	Summaries   []string             `json:"summaries,omitempty"` // ids of summary rows
	Boundary    bool                 `json:"boundary,omitempty"`  // a compaction boundary came, and its summary has not
	Queue       []string             `json:"queue,omitempty"`     // prompts typed while the assistant worked
	Taken       []string             `json:"taken,omitempty"`     // hashes of prompts that were just taken out of the queue and emitted as messages
	Late        []string             `json:"late,omitempty"`      // the same, but followed by an answer
	Handed      []string             `json:"handed,omitempty"`    // still in the queue, but emitted as rows of their own
	Blocked     *Rewound             `json:"blocked,omitempty"`   // the last prompt that was, until a person's is sent
	Names       claudeNames          `json:"names,omitzero"`
}

// claudeNames are the names of a conversation: the one that a person gave it, the
// client's, and which have counted.
type claudeNames struct {
	Own   string   `json:"own,omitempty"`
	Given string   `json:"given,omitempty"`
	Told  []string `json:"told,omitempty"` // hashes, the latest last
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
	if c.Sessions == nil {
		c.Sessions = map[string]*claudeSession{}
	}
	return c
}

func (c *claude) state() any { return &c.claudeState }

func (c *claude) restarted() {
	c.Branches = claudeBranches{}
	for _, s := range c.Sessions {
		s.Prompts.forgetNameless()
		s.Queue, s.Taken, s.Late, s.Handed, s.Names = nil, nil, nil, nil, claudeNames{}
	}
}

func (c *claude) decode(line []byte, out *sink) error {
	var row claudeRow
	// A row with a field of unexpected type is still good for the rest.
	if err := json.Unmarshal(line, &row); err != nil && (!isMismatch(err) || row.Type == "") {
		return claudeFault(err)
	}
	return c.read(&row, out)
}

// claudeFault explains why a line is not a row.
func claudeFault(err error) error {
	if isMismatch(err) {
		return errNoRow
	}
	return err
}

// errNoRow says that a line is JSON, but not a row.
var errNoRow = errors.New("it is not a row of a transcript: it has no type")

// read reads one row.
func (c *claude) read(row *claudeRow, out *sink) error {
	switch {
	case row.Type == "":
		return errNoRow
	case row.abridged():
		return errors.New("it is a row of Entire's transcript.jsonl, which is abridged and names no session; import the full.jsonl that it was made of")
	case row.isQwens():
		return errors.New("it is a row of Qwen Code, whose transcripts wake does not read")
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
	c.restore(row)
	out.copied = c.copied(row)
	id, s := c.session(row, at, out)
	r := claudeReading{c, id, s, row, at, out}
	switch row.Type {
	case "user":
		r.user()
	case "assistant":
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

// event adds an event of the row.
func (r *claudeReading) event(key domain.Key, p domain.Payload) {
	r.out.event(r.id, r.at, key, r.row.ref(), p)
}

// as reads another row in place of this one.
func (r claudeReading) as(row claudeRow) *claudeReading {
	r.row = &row
	return &r
}

// restore gives a copied row its own session back. The first clients began the file of a
// session that continued another one with copies in which prompts kept their session, but
// replies and tools' answers got the new one, and its folder, branch and version.
func (c *claude) restore(row *claudeRow) {
	reply := row.Type == "assistant" || row.Type == "user" && slices.ContainsFunc(row.Message.Content.Blocks, claudeBlock.answers)
	if reply && row.ParentUUID != "" && row.ParentUUID == c.LastUUID && row.SessionID != c.Session {
		c.Restored = true
		row.SessionID, row.CWD, row.GitBranch, row.Version = c.Session, "", "", ""
	}
}

// copied returns the session that a row was copied from, or "" for one of the session's
// own.
func (c *claude) copied(row *claudeRow) string {
	if row.ForkedFrom.SessionID != "" || c.Forked == "" || row.Type != "assistant" || row.Message.ID == "" {
		return row.ForkedFrom.SessionID
	}
	if c.Restated == "" {
		c.Restated = row.Message.ID
	}
	if row.Message.ID != c.Restated {
		return ""
	}
	return c.Forked
}

// session returns the session of a row, and emits it when it is new or has changed.
func (c *claude) session(row *claudeRow, at time.Time, out *sink) (string, *claudeSession) {
	if row.SessionID != "" {
		c.Session = row.SessionID
	} else if c.Session == "" {
		c.Session = sessionName(c.name, ".jsonl", ".json")
	}
	id, parent, agent := c.Session, "", c.agent(row)
	if agent != "" {
		id, parent = AgentSession(c.Session, agent), c.Session
	}
	s := c.Sessions[id]
	known := s != nil
	if !known {
		s = &claudeSession{}
		c.Sessions[id] = s
	}
	if s.Prompts == nil {
		s.Prompts = prompts{}
	}
	unplaced := s.CWD == ""
	changed := s.place(row)
	if !c.told[id] || unplaced && s.CWD != "" { // rows of the queue may come first and name no folder
		c.told[id] = true
		out.session(c.header(id, parent, agent, s, at))
	}
	if known && changed != nil {
		out.event(id, at, domain.RowKey("about", row.UUID), row.ref(), domain.About{Attributes: changed})
	}
	if parent == "" && c.Names.title() != "" {
		s.Names.Own, s.Names.Given = cmp.Or(c.Names.Own, s.Names.Own), cmp.Or(c.Names.Given, s.Names.Given)
		c.Names = claudeNames{}
		s.Names.tell(id, at, out)
	}
	return id, s
}

func (c *claude) header(id, parent, agent string, s *claudeSession, at time.Time) *domain.Session {
	h := &domain.Session{Client: ClientClaudeCode, ClientSessionID: id, ParentID: parent, AgentID: agent,
		Provider: "anthropic", StartedAt: at, Attributes: map[string]string{}}
	setAttributes(h.Attributes, "cwd", s.CWD, "git_branch", s.Branch, "version", s.Version)
	return h
}

// place records folder, branch and version, and returns what changed.
func (s *claudeSession) place(row *claudeRow) map[string]string {
	var changed map[string]string
	note := func(name string, have *string, now string) {
		if now == "" || now == *have {
			return
		}
		*have = now
		if changed == nil {
			changed = map[string]string{}
		}
		changed[name] = now
	}
	note("cwd", &s.CWD, row.CWD)
	note("git_branch", &s.Branch, row.GitBranch)
	note("version", &s.Version, row.Version)
	return changed
}

// agent returns the id of the sub-agent that a row belongs to, or "" for the main
// agent. Older clients wrote sub-agents into the main file without an id; these are
// told apart by the root of their chain of rows.
func (c *claude) agent(row *claudeRow) string {
	if id := row.subagent(); id != "" {
		return id
	}
	if !row.aside() {
		return ""
	}
	if id := c.agentOfFile(); id != "" {
		return id
	}
	root, known := c.Chains.get(row.ParentUUID)
	if !known || row.ParentUUID == "" {
		root = "sidechain-" + row.UUID[:min(8, len(row.UUID))]
	}
	if row.UUID != "" {
		c.Chains.put(row.UUID, root, 512)
	}
	return root
}

// agentOfFile returns the id of the sub-agent whose file is read, or "".
func (c *claude) agentOfFile() string {
	id, ok := strings.CutPrefix(baseName(c.name, ".jsonl"), "agent-")
	if !ok {
		return ""
	}
	return id
}

// title records a name of a conversation. A summary row names the conversation of its
// leaf; at the head of a file, this is the conversation continued there.
func (c *claude) title(row *claudeRow, at time.Time, out *sink) {
	c.Session = cmp.Or(row.SessionID, c.Session)
	names, s := &c.Names, c.Sessions[c.Session]
	if s != nil {
		names = &s.Names
	}
	switch {
	case row.ownTitle():
		names.Own = row.CustomTitle // "" once it is taken back
	case row.Type == "summary" && s != nil && row.LeafUUID != "" && row.LeafUUID != c.LastUUID:
		return
	default:
		names.Given = cmp.Or(row.AITitle, row.Summary, names.Given)
	}
	if s != nil {
		names.tell(c.Session, at, out)
	}
}

func (n *claudeNames) title() string { return cmp.Or(n.Own, n.Given) }

// tell emits the name that counts, if it is another than before. The client repeats its
// rows, so a name that comes back has the key of its occurrence.
func (n *claudeNames) tell(session string, at time.Time, out *sink) {
	hash := shortHash(n.title())
	if n.title() == "" || len(n.Told) > 0 && n.Told[len(n.Told)-1] == hash {
		return
	}
	key := hash
	if nth := countOf(n.Told, hash) + 1; nth > 1 {
		key += ":" + strconv.Itoa(nth)
	}
	n.Told = newest(append(n.Told, hash))
	out.event(session, at, domain.RowKey("title", key), rowRef{}, domain.About{Title: n.title()})
}

// countOf returns how many elements of a list are text.
func countOf(list []string, text string) (n int) {
	for _, s := range list {
		if s == text {
			n++
		}
	}
	return n
}

// claudeDocument reads a session of the web client, one document with the same rows but
// without ids.
type claudeDocument struct {
	claude
}

func (c *claudeDocument) document(doc []byte, out *sink) error {
	var all struct {
		Loglines []json.RawMessage `json:"loglines"`
	}
	err := json.Unmarshal(doc, &all)
	if all.Loglines == nil && decodeRows(doc, out, c.decode) {
		return nil
	}
	if err != nil {
		return claudeFault(err)
	}
	decodeEach(all.Loglines, out, c.decode)
	return nil
}
