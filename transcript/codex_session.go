package transcript

import (
	"cmp"
	"encoding/json"
	"strings"

	"wake/domain"
)

type codexMeta struct {
	ID         string          `json:"id"`
	Session    string          `json:"session_id"` // of a sub-agent's thread, the first thread's id
	Timestamp  rowTime         `json:"timestamp"`
	CWD        string          `json:"cwd"`
	Version    string          `json:"cli_version"`
	Originator string          `json:"originator"`
	Provider   string          `json:"model_provider"`
	Source     json.RawMessage `json:"source"`
	Thread     string          `json:"thread_source"`
	Parent     string          `json:"parent_thread_id"`
	Nickname   string          `json:"agent_nickname"`
	Path       string          `json:"agent_path"`
	Own        int64           `json:"subagent_history_start_ordinal"`
	ForkedFrom string          `json:"forked_from_id"`
	Base       *codexBase      `json:"history_base"`
	Git        struct {
		Branch string `json:"branch"`
	} `json:"git"`
}

// Attributes of a fork whose rollout has no copy of its history: the thread that it goes on
// from, and the row before which the history ends.
const (
	HistoryOf  = "history_of"
	HistoryEnd = "history_end"
)

// meta reads the head of a rollout. In a forked rollout, the parent's head follows its
// own.
func (r codexReading) meta(payload []byte) error {
	var m codexMeta
	if err := decodeLoose(payload, &m); err != nil {
		return err
	}
	if m.ID = cmp.Or(m.ID, m.Session); m.ID == "" {
		return nil
	}
	if r.Session != "" {
		r.origin(m.ID)
		return nil
	}
	r.Session, r.CWD, r.told = m.ID, m.CWD, true
	s := &domain.Session{Client: ClientCodex, ClientSessionID: m.ID, Provider: cmp.Or(m.Provider, "openai"),
		ForkedFrom: m.ForkedFrom, StartedAt: r.at, Attributes: map[string]string{}}
	if t := m.Timestamp.time(); !t.IsZero() {
		s.StartedAt = t
	}
	s.ParentID, s.AgentID, r.Child = m.spawned()
	if r.Own = m.Own; r.Own == 0 {
		// A fork has copies, with or without its origin's head; a sub-agent's session may have none.
		r.Forked, r.ForkedAt, r.Began, r.Unsure = cmp.Or(m.ForkedFrom, s.ParentID), r.at, r.at, m.ForkedFrom == "" || m.Base != nil
	}
	history := m.history()
	if r.revision() == "" {
		setAttributes(s.Attributes, HistoryOf, history[HistoryOf], HistoryEnd, history[HistoryEnd])
	}
	setAttributes(s.Attributes, "cwd", m.CWD, "git_branch", m.Git.Branch, "version", m.Version, "originator", m.Originator)
	r.out.session(s)
	r.reverted(m.Base)
	if r.revision() != "" && history != nil {
		r.emit(r.rowKey(), r.row(), domain.About{Attributes: history})
	}
	return nil
}

// history says what a fork goes on from, if the rollout's rows follow those of the thread that was
// forked. A revision without a base has gone back to the beginning of all.
func (m codexMeta) history() map[string]string {
	switch {
	case m.ForkedFrom == "" || m.Base != nil && !newerID(m.ID, m.Base.Rollout):
		return nil
	case m.Base == nil:
		return map[string]string{HistoryOf: ""}
	}
	return map[string]string{HistoryOf: m.ForkedFrom, HistoryEnd: codexRow(m.Base.Rollout, m.Base.End)}
}

// origin reads a head that follows the session's own at once. Early versions forked
// whenever the user went back, and named the session they copied in no other way.
func (r codexReading) origin(session string) {
	if r.Unsure && r.Forked == "" && session != r.Session {
		r.Forked, r.ForkedAt, r.Unsure = session, r.at, false
	}
}

// spawned reports whether the session is a sub-agent's. If another session started it,
// it returns that session's id and the agent's name; reviews and the like have neither.
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
	if notNull(source.SubAgent) == nil && m.Thread != "subagent" && m.Thread != "guardian_review" {
		return "", "", false
	}
	return cmp.Or(how.Spawn.Parent, m.Parent), cmp.Or(how.Spawn.Nickname, m.Nickname, how.Spawn.Path, m.Path), true
}

// asked returns the kind of the session's prompts.
func (c *codex) asked() domain.MessageKind {
	if c.Child {
		return domain.MetaMessage
	}
	return domain.PlainMessage
}

// session finds the id of the session, and emits the session once per read.
func (r codexReading) session() {
	if r.Session == "" {
		r.Session = rolloutID(r.name)
	}
	if !r.told {
		r.told = true
		s := &domain.Session{Client: ClientCodex, ClientSessionID: r.Session, StartedAt: r.at, Attributes: map[string]string{}}
		setAttributes(s.Attributes, "cwd", r.CWD)
		r.out.session(s)
	}
}

// codexReviewer returns the id of the thread that reviews for a session, if a hook is its: hooks name
// the session, and only the rollout is the thread's own. Otherwise it returns "".
func codexReviewer(session, rollout string) string {
	base := baseName(rollout, ".jsonl")
	if !strings.HasPrefix(base, "rollout-") || strings.Contains(base, session) {
		return ""
	}
	return rolloutID(rollout)
}

// rolloutID returns the session id in rollout-<time>-<uuid>.jsonl.
func rolloutID(name string) string {
	base := baseName(name, ".jsonl")
	if strings.HasPrefix(base, "rollout-") && len(base) > 36 {
		return base[len(base)-36:]
	}
	return sessionName(name, ".jsonl", ".json")
}

// turnContext records changes of model and folder.
func (r codexReading) turnContext(payload []byte) error {
	var t struct {
		CWD   string `json:"cwd"`
		Model string `json:"model"`
	}
	if err := decodeLoose(payload, &t); err != nil {
		return err
	}
	about := domain.About{}
	if t.Model != r.Model {
		about.Model, r.Model = t.Model, t.Model
	}
	if t.CWD != "" && t.CWD != r.CWD {
		about.Attributes = map[string]string{"cwd": t.CWD}
		r.moved(t.CWD)
	}
	if about.Model != "" || about.Attributes != nil {
		r.session()
		r.emit(r.rowKey(), "", about)
	}
	return nil
}

// moved records the folder in which the session works from now on. If the head named
// none, the session is emitted again.
func (r codexReading) moved(cwd string) {
	first := r.CWD == ""
	if r.CWD = cwd; first {
		r.told = false
		r.session()
	}
}
