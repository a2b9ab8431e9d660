package main

import (
	"bufio"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// An editor starts its servers in the home folder, and says which folder it has open
// only when asked.
func TestProjectOfOpenFolder(t *testing.T) {
	home := filepath.Join(t.TempDir(), "ann")
	open, letters := filepath.Join(home, "ledger", "src"), filepath.Join(home, "my letters")
	for _, dir := range []string{open, letters, filepath.Join(home, "ledger", ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	const can, cannot = `{"roots":{"listChanged":true}}`, `{}`
	for _, test := range []struct {
		name, capabilities, answer string // "" is none
		dir, project               string
		asked                      bool
		want                       string
	}{
		{"a folder in a repository", can, roots(fileURI(open)), home, "", true, "ledger"},
		{"a name with a space", can, roots(fileURI(letters)), home, "", true, "my letters"},
		{"the first on this machine", can, roots("vscode-vfs://github/a/b", fileURI(letters), fileURI(open)), home, "", true, "my letters"},
		{"one that is not there", can, roots("file:///nowhere/at/all"), home, "", true, "ann"},
		{"none open", can, roots(), home, "", true, "ann"},
		{"refused", can, `"error":{"code":-32601,"message":"no"}`, home, "", true, "ann"},
		{"no answer", can, "", home, "", true, "ann"},
		{"a client that cannot say", cannot, "", home, "", false, "ann"},
		{"at the root", can, roots(fileURI(open)), "/", "", true, "ledger"},
		{"started in a project", can, roots(fileURI(open)), letters, "", false, "my letters"},
		{"told its project", can, roots(fileURI(open)), home, "shop", false, "shop"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			c := command(home, "mcp", "--db", filepath.Join(t.TempDir(), "wake.db"))
			c.Dir, c.Env = test.dir, append(c.Env, "WAKE_PROJECT="+test.project, "CLAUDE_PROJECT_DIR=")
			in, answers := startPiped(t, c)
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":`+test.capabilities+`,"clientInfo":{"name":"editor","version":"1"}}}`)
			fmt.Fprintln(in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`)
			fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"call","method":"tools/call","params":{"name":"save_context","arguments":{"content":"by the editor"}}}`)
			if test.answer != "" { // which comes after the call
				fmt.Fprintln(in, `{"jsonrpc":"2.0","id":"open-folder",`+test.answer+`}`)
			}
			out := readUntil(t, answers, `"id":"call"`)
			in.Close()
			waitFor(t, c)
			if asked := strings.Contains(out, `"method":"roots/list"`); asked != test.asked {
				t.Errorf("asked: %v", asked)
			}
			if saved := regexp.MustCompile(`"structuredContent":\{"id":"[^"]+","project":"(.*?)"`).FindStringSubmatch(out); saved == nil || saved[1] != test.want {
				t.Errorf("%q; want %q\n%s", saved, test.want, out)
			}
		})
	}
}

// Two windows may open in folders of one name before anything was kept in either. The first to keep
// something has the name, and the other neither reads nor is refused what is its own.
func TestProjectsOfTwoWindows(t *testing.T) {
	home := t.TempDir()
	window := func(dir string) *raw {
		c := command(home, "mcp")
		c.Dir, c.Env = filepath.Join(home, dir, "shop"), append(c.Env, "WAKE_PROJECT=", "CLAUDE_PROJECT_DIR=")
		if err := os.MkdirAll(c.Dir, 0o700); err != nil {
			t.Fatal(err)
		}
		return introduce(t, c)
	}
	first, second := window("a"), window("b")
	first.call(1, "Refunds are paid by hand.")
	first.answer(t)
	second.send(`{"jsonrpc":"2.0","id":2,"method":"prompts/get","params":{"name":"review","arguments":{"project":""}}}`)
	if told := readUntil(t, second.out, `"id":2`); strings.Contains(told, "by hand") {
		t.Errorf("the second window is told of the first: %s", told)
	}
	second.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search_context","arguments":{"query":"refunds"}}}`)
	if found := readUntil(t, second.out, `"id":1`); !strings.Contains(found, "Nothing found") {
		t.Errorf("the second window reads of the first: %s", found)
	}
	second.call(3, "Refunds are paid by the ledger.")
	second.answer(t)
	if found := run(t, home, "search", "refunds", "--project", "shop~2"); !strings.Contains(found, "by the ledger") || strings.Contains(found, "by hand") {
		t.Errorf("in the second window's project: %s", found)
	}
}

// A folder may be moved, and used at its new place, while a window that began in it is open.
func TestProjectOfAMovedFolder(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder in which a program works cannot be moved")
	}
	home := t.TempDir()
	old, moved := filepath.Join(home, "old", "shop"), filepath.Join(home, "new", "shop")
	for _, dir := range []string{old, filepath.Dir(moved)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	within := func(dir string, args ...string) *exec.Cmd {
		c := command(home, args...)
		c.Dir, c.Env = dir, append(c.Env, "WAKE_PROJECT=", "CLAUDE_PROJECT_DIR=")
		return c
	}
	window := introduce(t, within(old, "mcp"))
	window.call(1, "Refunds are paid by hand.")
	window.answer(t)
	if err := os.Rename(old, moved); err != nil {
		t.Fatal(err)
	}
	if out, err := within(moved, "save", "Fees are in cents.").CombinedOutput(); err != nil || !strings.Contains(string(out), "in shop\n") {
		t.Fatalf("%v: %s", err, out)
	}
	window.call(2, "Tolls are in euros.")
	window.answer(t)
	if out, err := within(moved, "load").CombinedOutput(); err != nil || !strings.Contains(string(out), "in euros") {
		t.Errorf("%v: %s", err, out)
	}
}

// fileURI is the URI of a file, as clients write it: VS Code also escapes the colon of a drive.
func fileURI(path string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	return "file://" + strings.ReplaceAll((&url.URL{Path: path}).EscapedPath(), ":", "%3A")
}

// roots is a client's answer about its open folders.
func roots(uris ...string) string {
	listed := make([]string, len(uris))
	for i, uri := range uris {
		listed[i] = fmt.Sprintf(`{"uri":%q}`, uri)
	}
	return `"result":{"roots":[` + strings.Join(listed, ",") + `]}`
}

// readUntil reads lines until one contains the wanted text.
func readUntil(t *testing.T, from io.Reader, wanted string) string {
	t.Helper()
	var all strings.Builder
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadString('\n')
		all.WriteString(line)
		if err != nil {
			t.Fatalf("%v after %s", err, &all)
		}
		if strings.Contains(line, wanted) {
			return all.String()
		}
	}
}
