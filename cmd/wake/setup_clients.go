package main

import (
	"path/filepath"

	"wake/cmd/wake/internal/edit"
)

// mcpClient is a program that wake can be connected to.
type mcpClient struct {
	name, title string
	command     string                // the program's name; "" if it is not unique
	server      func(p places) target // the file that lists MCP servers
	hooks       func(p places) target // the file with hooks; nil if the client has none
	nextStep    string                // what the user has to do next
	hooksStep   string                // how that goes on if there are hooks
	switches    []hookSwitch          // the settings that switch hooks off
	namesModels bool                  // the file with the servers also names models
}

// target is a file, with the entries in it that connect wake.
type target struct {
	path    string
	format  edit.Format
	entries []edit.Entry
	refused []edit.Entry // of other versions of the client, for which this one refuses the file
	blank   string       // content of a new file before the entries
	content string       // content of a file that is all wake's, instead of entries
}

// The server's entry in the form of each client, with fields in their usual order.
type (
	plainServer struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	typedServer struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	codexServer struct {
		Command string   `json:"command"`
		Args    []string `json:"args"`
		EnvVars []string `json:"env_vars"` // Codex passes on only a few of its own accord
	}
	opencodeServer struct {
		Type    string   `json:"type"`
		Command []string `json:"command"`
		Enabled bool     `json:"enabled"`
	}
	gooseServer struct {
		Enabled     bool     `json:"enabled"`
		Type        string   `json:"type"`
		Name        string   `json:"name"`
		Description string   `json:"description"`
		Cmd         string   `json:"cmd"`
		Args        []string `json:"args"`
		Timeout     int      `json:"timeout"` // seconds
	}
)

func (p places) plain() plainServer { return plainServer{p.program, p.args} }

// oneEntry is a target with one entry. Fields of it that somebody else has added, such
// as the server's environment, are kept if the entry starts a program at all: command
// is the field that shows this.
func oneEntry(path string, format edit.Format, command string, value any, keys ...string) target {
	return target{path: path, format: format, entries: []edit.Entry{{Path: keys, Value: value, Like: command}}}
}

const restart = "restart it, and it has wake's tools"

// mcpClients lists the clients that wake can be connected to.
func mcpClients() []mcpClient {
	return []mcpClient{
		{name: "claude-code", title: "Claude Code", command: "claude", nextStep: "start a new session; /mcp shows wake", hooksStep: ", /hooks its hooks",
			server: func(p places) target {
				// The file is in the home folder unless CLAUDE_CONFIG_DIR is set.
				return oneEntry(filepath.Join(p.dir("CLAUDE_CONFIG_DIR"), ".claude.json"), edit.JSON{}, "command",
					typedServer{"stdio", p.program, p.args}, "mcpServers", "wake")
			},
			hooks: claudeCodeHooks, switches: []hookSwitch{{[]string{"disableAllHooks"}, true}}},
		{name: "claude-desktop", title: "Claude Desktop", nextStep: restart,
			server: func(p places) target {
				return oneEntry(filepath.Join(p.claudeDesktop(), "claude_desktop_config.json"), edit.JSON{}, "command", p.plain(), "mcpServers", "wake")
			}},
		{name: "cursor", title: "Cursor", command: "cursor", nextStep: restart,
			server: func(p places) target {
				return oneEntry(p.dir("", ".cursor", "mcp.json"), edit.JSON{}, "command", p.plain(), "mcpServers", "wake")
			},
			hooks: cursorHooks},
		{name: "vscode", title: "VS Code", command: "code", nextStep: "run “MCP: List Servers” and start wake",
			server: func(p places) target {
				return oneEntry(filepath.Join(p.appData(), "Code", "User", "mcp.json"), edit.JSON{}, "command",
					typedServer{"stdio", p.program, p.args}, "servers", "wake")
			}},
		{name: "codex", namesModels: true, title: "Codex", command: "codex", nextStep: "start it again", hooksStep: " and trust wake's hooks when it asks; up to version 0.110 it has no hooks, and one that has them off needs codex_hooks = true under [features]",
			server: func(p places) target {
				return oneEntry(filepath.Join(p.dir("CODEX_HOME", ".codex"), "config.toml"), edit.TOML{}, "command",
					codexServer{p.program, p.args, environment()}, "mcp_servers", "wake")
			},
			hooks: codexHooks, switches: []hookSwitch{{[]string{"features", "hooks"}, false}, {[]string{"features", "codex_hooks"}, false}}},
		{name: "gemini", title: "Gemini CLI", command: "gemini", nextStep: "start it again and trust the folder when it asks; in others it runs neither tools nor hooks", hooksStep: "; an old version, which has hooks off, needs enabled = true under hooks, or enableHooks under tools",
			server: func(p places) target {
				return oneEntry(p.geminiFile(), edit.JSON{}, "command", p.plain(), "mcpServers", "wake")
			},
			hooks: geminiHooks, switches: []hookSwitch{{[]string{"hooksConfig", "enabled"}, false}, {[]string{"hooksConfig", "disabled"}, "wake"}}},
		{name: "opencode", namesModels: true, title: "opencode", command: "opencode", nextStep: "start it again", hooksStep: ", online: it fetches a package for its plugins once, and otherwise waits a minute for it at each start",
			server: func(p places) target {
				return oneEntry(p.opencodeFile(), edit.JSON{}, "command", opencodeServer{"local", append([]string{p.program}, p.args...), true}, "mcp", "wake")
			},
			hooks: opencodeHooks},
		{name: "goose", namesModels: true, title: "goose", nextStep: "start a new session",
			server: func(p places) target {
				const seconds = 60
				return oneEntry(filepath.Join(p.gooseDir(), "config.yaml"), edit.YAML{}, "cmd",
					gooseServer{true, "stdio", "wake", "What was decided, and why", p.program, p.args, seconds}, "extensions", "wake")
			},
			hooks: gooseHooks},
	}
}

// Timeouts of hooks. Claude Code and Codex want seconds, Gemini milliseconds.
const (
	hookSeconds = 10
	hookMillis  = 1000 * hookSeconds
)

type (
	execHook struct {
		Type    string   `json:"type"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
		Timeout int      `json:"timeout"`
	}
	shellHook struct {
		Name    string `json:"name,omitempty"`
		Type    string `json:"type"`
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
	hookGroup[H any] struct {
		Hooks []H `json:"hooks"`
	}
	cursorHook struct {
		Command string `json:"command"`
		Timeout int    `json:"timeout"`
	}
)

// codexEndSeconds is the longest timeout at a session's end that Codex accepts without
// a warning.
const codexEndSeconds = 3

// codexHooks includes events that an older Codex does not know and ignores.
func codexHooks(p places) target {
	hook := shellHook{Type: "command", Command: p.shell(powerShell, "hook codex"), Timeout: hookSeconds}
	entries := p.hookEntries(hookGroup[shellHook]{[]shellHook{hook}},
		"SessionStart", "UserPromptSubmit", "PostToolUse", "SubagentStop", "PreCompact", "PostCompact", "Stop")
	hook.Timeout = codexEndSeconds
	entries = append(entries, p.hookEntries(hookGroup[shellHook]{[]shellHook{hook}}, "SessionEnd")...)
	return hookTarget(filepath.Join(p.dir("CODEX_HOME", ".codex"), "hooks.json"), entries)
}

// geminiHooks never end with a code of the shell, such as that for a program which is gone:
// Gemini CLI would refuse the prompt. With code 1 it only warns. On Windows, it runs hooks in
// PowerShell, which knows no || before version 7.
func geminiHooks(p places) target {
	hook := shellHook{"wake", "command", p.shell(powerShell, "hook gemini"), hookMillis}
	if p.goos != "windows" {
		hook.Command += " || exit 1"
	}
	return hookTarget(p.geminiFile(),
		p.hookEntries(hookGroup[shellHook]{[]shellHook{hook}},
			"SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd"))
}

func cursorHooks(p places) target {
	entries := p.hookEntries(cursorHook{p.shell(powerShell, "hook cursor"), hookSeconds},
		"sessionStart", "beforeSubmitPrompt", "afterShellExecution", "afterMCPExecution", "afterFileEdit",
		"afterAgentResponse", "preCompact", "subagentStop", "stop", "sessionEnd")
	return target{path: p.dir("", ".cursor", "hooks.json"), format: edit.JSON{}, entries: entries, blank: "{\n  \"version\": 1\n}\n"}
}

// gooseHooks are a plugin. There is none for the start of a session, because goose
// does not give its model the answers of hooks.
func gooseHooks(p places) target {
	plugin := p.dir("", ".agents", "plugins", "wake")
	hook := shellHook{Type: "command", Command: p.shell(posix, "hook goose"), Timeout: hookSeconds}
	return hookTarget(filepath.Join(plugin, "hooks", "hooks.json"), p.hookEntries(hookGroup[shellHook]{[]shellHook{hook}},
		"UserPromptSubmit", "PostToolUse", "PostToolUseFailure", "Stop", "SessionEnd"))
}

func hookTarget(path string, entries []edit.Entry) target {
	return target{path: path, format: edit.JSON{}, entries: entries}
}

// hookEntries makes an entry with the hook for each event.
func (p places) hookEntries(hook any, events ...string) []edit.Entry {
	entries := make([]edit.Entry, len(events))
	mine := func(v any) bool { return runsHook(v, p.program) }
	for i, event := range events {
		entries[i] = edit.Entry{Path: []string{"hooks", event}, Value: hook, Mine: mine}
	}
	return entries
}
