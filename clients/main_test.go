// Package clients tries wake with the MCP clients that people use, each run as its users run it: over
// pipes and over HTTP, in an empty home, with no network but this machine's own.
//
//	make test-clients
//
// installs them by exact version and runs these tests, which are skipped otherwise. A failure shows what
// the client said.
package clients

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// installed names the folder that install.sh made.
const installed = "WAKE_CLIENTS"

// TestMain builds wake and puts it and the clients before all others on the PATH.
func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	folder := os.Getenv(installed)
	if folder == "" {
		return m.Run()
	}
	work, err := os.MkdirTemp("", "wake-clients-")
	if err != nil {
		return failed(err)
	}
	defer os.RemoveAll(work)
	if out, err := exec.Command("go", "build", "-o", filepath.Join(work, "wake"), "wake/cmd/wake").CombinedOutput(); err != nil {
		return failed(fmt.Errorf("building wake: %w\n%s", err, out))
	}
	path := append([]string{work}, programs(folder)...)
	if err := os.Setenv("PATH", strings.Join(append(path, os.Getenv("PATH")), string(os.PathListSeparator))); err != nil {
		return failed(err)
	}
	return m.Run()
}

func failed(err error) int {
	fmt.Fprintln(os.Stderr, err)
	return 1
}

// programs lists the folders with the clients' programs. Those with native programs come first: install
// scripts, which are not run, would have linked them into the last.
func programs(folder string) []string {
	var dirs []string
	for _, pattern := range []string{"node-*/bin/node", "@anthropic-ai/claude-code-*/claude", "opencode-*/bin/opencode", "@aaif/goose-*/bin/goose"} {
		found, _ := filepath.Glob(filepath.Join(folder, "node_modules", pattern)) // never fails: the patterns are well formed
		for _, program := range found {
			dirs = append(dirs, filepath.Dir(program))
		}
	}
	return append(dirs, filepath.Join(folder, "node_modules", ".bin"))
}
