package transcript

import (
	"cmp"
	"strings"
	"time"

	"wake/domain"
)

type claudeSession struct {
	Model       string               `json:"model,omitempty"`
	Models      []string             `json:"models,omitempty"` // including earlier ones
	CWD         string               `json:"cwd,omitempty"`
	Branch      string               `json:"branch,omitempty"`
	Version     string               `json:"version,omitempty"`
	Prompts     prompts              `json:"prompts,omitempty"`
	Again       claudeAgain          `json:"again,omitzero"`
	Messages    recent[*claudeMsg]   `json:"messages,omitzero"` // API messages
	Tools       recent[string]       `json:"tools,omitzero"`    // names of open tool calls
	Called      recent[claudeCalled] `json:"called,omitzero"`   // calls whose ids may be reused
	Compactions []string             `json:"compactions,omitempty"`
	Summaries   []string             `json:"summaries,omitempty"` // ids of summary rows
	Boundary    bool                 `json:"boundary,omitempty"`  // a compaction boundary came, and its summary has not
	Queue       []string             `json:"queue,omitempty"`     // prompts typed while the assistant worked
	Taken       []string             `json:"taken,omitempty"`     // hashes of prompts that were just taken out of the queue and emitted as messages
	Late        []string             `json:"late,omitempty"`      // the same, but followed by an answer
	Handed      []string             `json:"handed,omitempty"`    // maybe still in the queue, but emitted as rows of their own
	Blocked     *Rewound             `json:"blocked,omitempty"`   // the last prompt that was, until a person's is sent
	Names       claudeNames          `json:"names,omitzero"`
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
		out.session(s.header(id, parent, agent, at))
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

// header describes the session.
func (s *claudeSession) header(id, parent, agent string, at time.Time) *domain.Session {
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
