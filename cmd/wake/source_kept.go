package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"wake/transcript"
)

// keptPlace is the variable that says where another memory keeps its file: the file itself,
// or the folder of it.
type keptPlace struct {
	variable string
	format   transcript.Format
	file     string // in the folder; "" if the variable names the file
}

func keptPlaces() []keptPlace {
	return []keptPlace{
		{"ENGRAM_DATA_DIR", transcript.Engram, "engram.db"},
		{"CLAUDE_MEM_DATA_DIR", transcript.ClaudeMem, "claude-mem.db"},
		{"MEMORY_FILE_PATH", transcript.ServerMemory, ""},
	}
}

// keptElsewhere finds the files of other memories outside the folders in which they are
// searched: those that their variables name, in wake's own environment, in claude-mem's
// settings, or where a client starts them as MCP servers; and those of a memory server that
// npx runs, which keeps its file beside its program.
func (a *app) keptElsewhere() (found []transcript.Found) {
	at := places{home: a.home(), goos: runtime.GOOS, env: a.env}
	settings := at.memorySettings()
	for _, p := range keptPlaces() {
		for _, value := range append([]string{a.env(p.variable)}, valuesIn(settings, p.variable)...) {
			if path := filepath.Join(a.fromHome(value), p.file); filepath.IsAbs(path) && value != "" {
				found = appendFile(found, p.format, path)
			}
		}
	}
	for _, cache := range []string{at.dir("npm_config_cache", ".npm"), filepath.Join(at.dir("LOCALAPPDATA", "AppData", "Local"), "npm-cache")} {
		files, _ := filepath.Glob(filepath.Join(cache, "_npx", "*", "node_modules", "@modelcontextprotocol", "server-memory", "dist", "memory.json*"))
		for _, path := range files {
			found = appendFile(found, transcript.ServerMemory, path)
		}
	}
	return found
}

// appendFile adds a file to what was found, if it is there.
func appendFile(found []transcript.Found, format transcript.Format, path string) []transcript.Found {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return found
	}
	return append(found, transcript.Found{Format: format, Path: path, Changed: info.ModTime()})
}

// memorySettings returns the settings of claude-mem and of the clients, which may start
// memory servers.
func (p places) memorySettings() (all []string) {
	paths := []string{p.dir("", ".claude-mem", "settings.json"), filepath.Join(p.dir("CLAUDE_CONFIG_DIR", ".claude"), "settings.json")}
	for _, client := range mcpClients() {
		paths = append(paths, client.server(p).path)
	}
	for _, path := range paths {
		if text, err := beginningOf(path, longHead); err == nil {
			all = append(all, string(text))
		}
	}
	return all
}

// valuesIn returns the values that settings in JSON, TOML or YAML have under a name,
// wherever they stand.
func valuesIn(settings []string, name string) (values []string) {
	named := regexp.MustCompile(`\b` + regexp.QuoteMeta(name) + `["']?\s*[:=]\s*("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"',}]+)`)
	for _, text := range settings {
		for _, m := range named.FindAllStringSubmatch(text, -1) {
			value := m[1]
			if json.Unmarshal([]byte(value), &value) != nil {
				value = strings.Trim(value, `"'`)
			}
			values = append(values, value)
		}
	}
	return values
}
