package transcript

import (
	"encoding/json"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"wake/domain"
)

// Hook is what a client tells the programs it runs at certain moments, in terms common
// to all clients. Fields that a client does not provide are empty.
type Hook struct {
	Client          string
	Moment          HookMoment
	Name            string // the client's own name of the moment
	SessionID       string // the client's id of the session, or of the sub-agent's session if a sub-agent speaks
	ParentID        string // the parent session's id, of a sub-agent's session
	AgentID         string
	TranscriptPath  string
	AgentTranscript string // the sub-agent's
	Folder          string // where the client works
	Source          string // of a start: startup, resume, clear, compact, fork; of a prompt in Claude Code and opencode: where it came from
	Prompt          string
	Trigger         string // of a compaction: manual or auto
	Tokens          int64  // in the window before a compaction, from Cursor
	Summary         string // of a compaction
	Model           string
	Tool            HookTool
	Reply           string         // the assistant's last message
	Title           string         // of a sub-agent's session, and like the next three only from opencode
	MessageID       string         // of a prompt
	Media           []domain.Media // pictures and files of a prompt
	Removed         []string       // messages that are no longer in the conversation, because the user undid them
	Borrowed        bool           // whether another client ran a hook of Claude Code, as some do
	Version         string         // of Cursor
}

// HookTool is a tool that was used.
type HookTool struct {
	ID       string
	Name     string
	Input    json.RawMessage
	Response string
	Media    []domain.Media // pictures and files in the response
	Failed   bool
}

var contextIDPattern = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
})

// SavedContext returns the id of the context that a call of wake's own tool saved, or
// "". The tool's answer begins with it. Clients put the server's name before the
// tool's.
func (t HookTool) SavedContext() string {
	if t.Failed || !strings.HasSuffix(t.Name, "save_context") {
		return ""
	}
	return contextIDPattern().FindString(t.Response)
}

// HookMoment is the moment at which a hook runs.
type HookMoment string

// The moments that wake knows. At any other, [HookOther], wake only reads what is new
// in the transcript.
const (
	HookStart        HookMoment = "start"
	HookPrompt       HookMoment = "prompt"
	HookToolUsed     HookMoment = "tool_used"
	HookSubagentStop HookMoment = "subagent_stop"
	HookStop         HookMoment = "stop"
	HookPreCompact   HookMoment = "pre_compact"
	HookPostCompact  HookMoment = "post_compact"
	HookModelSwitch  HookMoment = "model_switch"
	HookEnd          HookMoment = "end"
	HookOther        HookMoment = "other"
)

// maxHookName is the longest name of a moment, in bytes.
const maxHookName = 100

// hookMoments maps the clients' names of the moments, in lower case. Claude Code and
// Codex share theirs; Gemini and Cursor have some of their own.
var hookMoments = map[string]HookMoment{
	"sessionstart":     HookStart,
	"userpromptsubmit": HookPrompt, "beforeagent": HookPrompt, "beforesubmitprompt": HookPrompt,
	"posttooluse": HookToolUsed, "posttoolusefailure": HookToolUsed, "aftertool": HookToolUsed,
	"aftershellexecution": HookToolUsed, "aftermcpexecution": HookToolUsed, "afterfileedit": HookToolUsed,
	"subagentstop": HookSubagentStop,
	"stop":         HookStop, "afteragent": HookStop, "stopfailure": HookStop, "afteragentresponse": HookStop,
	"precompact": HookPreCompact, "precompress": HookPreCompact,
	"postcompact":     HookPostCompact,
	"postmodelswitch": HookModelSwitch,
	"sessionend":      HookEnd,
}

// HookClients lists the clients with supported hooks.
func HookClients() []string {
	return []string{ClientClaudeCode, ClientCodex, ClientGemini, ClientCursor, ClientGoose, ClientOpencode}
}

// Client names in sessions that are known only from hooks.
const (
	ClientCursor   = "cursor"
	ClientGoose    = "goose"
	ClientOpencode = "opencode" // its hooks are a plugin written by wake setup that uses Claude Code's terms
)

// Heard reports whether the client passes the hook's answer at this moment to the
// model. Gemini CLI does so at a start, but without a terminal before the prompt's own
// words: then it runs no command that they name, reads files that the answer names, and
// leaves the prompt out when the session goes on. After /clear it forgets the answer.
// opencode's plugin keeps what goes with a prompt, and begins a session when it is opened,
// which may be long before anybody speaks.
func (h Hook) Heard() bool {
	switch h.Client {
	case ClientGoose:
		return false
	case ClientCursor:
		return h.Moment == HookStart || h.Moment == HookPrompt && cursorHearsPrompts(h.Version)
	case ClientGemini:
		return h.Moment == HookPrompt
	case ClientOpencode:
		return h.Moment == HookStart && h.Source != "startup" || h.Moment == HookPrompt && !h.IsTask()
	}
	return h.Moment == HookStart || h.Moment == HookPrompt
}

// cursorHearsPrompts reports whether Cursor in this version gives its model what a prompt's
// hook answers, as 3.20 does, which does not document it. Cursor's command line calls its
// versions by dates; whether it does is not known.
func cursorHearsPrompts(version string) bool {
	const firstDate = 2000
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	first, err := strconv.Atoi(major)
	second, minorErr := strconv.Atoi(minor)
	return err == nil && minorErr == nil && first < firstDate && (first > 3 || first == 3 && second >= 20)
}

// OnlyWord reports whether no other hook, and no transcript that wake reads, will tell of
// the compaction that a hook announces. Nothing can stop Cursor then.
func (h Hook) OnlyWord() bool { return h.Client == ClientCursor && h.Moment == HookPreCompact }

// PromptKind distinguishes a person's words from what else clients pass to a prompt
// hook: slash commands, and messages of their own, such as the end of a background
// task.
func (h Hook) PromptKind() domain.MessageKind {
	switch {
	case h.AgentID != "", h.IsTask():
		return domain.MetaMessage // a model wrote the prompt of a sub-agent
	case slices.Contains(machineSources, h.Source) && !(h.Client == ClientClaudeCode && isChat(h.Prompt)):
		return domain.MetaMessage
	}
	switch h.Client {
	case ClientClaudeCode:
		if isCommand(h.Prompt) {
			return domain.CommandMessage
		}
		return clientText(h.Prompt)
	case ClientCodex:
		return codexKind(h.Prompt)
	case ClientGemini:
		if isCommand(h.Prompt) {
			return domain.CommandMessage
		}
		return geminiKind(h.Prompt)
	case ClientGoose:
		return gooseKind(h.Prompt)
	}
	return domain.PlainMessage
}

// IsTask reports whether a model of opencode asks a sub-agent to do something.
func (h Hook) IsTask() bool {
	return h.Client == ClientOpencode && h.Moment == HookPrompt && h.Source == "task"
}

// machineSources are Claude Code's names for the sources of prompts that nobody typed:
// a limit that was reset, another session, a loop, a scheduled task, an event of the
// program that runs it.
var machineSources = []string{"system", "loop_wakeup", "schedule_wakeup", "poll_event"}

// AgentSession returns the client's id of the session of the sub-agent that a hook in
// its parent's session is about.
func (h Hook) AgentSession() string {
	if h.Client == ClientCodex { // its sub-agents are ordinary threads
		return h.AgentID
	}
	return AgentSession(h.SessionID, h.AgentID)
}

// AgentFolder returns the folder beside the session's transcript in which Claude Code keeps
// those of its sub-agents, "" for other clients.
func (h Hook) AgentFolder() string {
	own, found := strings.CutSuffix(h.TranscriptPath, ".jsonl")
	if h.Client != ClientClaudeCode || !found {
		return ""
	}
	return filepath.Join(own, "subagents")
}

// IsAgentFile reports whether a file of that folder is by its name the transcript of a
// sub-agent that a model or a person started. Into those of agents that Claude Code starts
// beside a conversation, some after every turn, some versions copy all of it; only an import
// reads them.
func IsAgentFile(name string) bool {
	id, isAgent := strings.CutPrefix(name, "agent-")
	id, isTranscript := strings.CutSuffix(id, ".jsonl")
	return isAgent && isTranscript && asideMarks(id) == nil
}
