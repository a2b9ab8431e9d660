package clients

import (
	"os"
	"path/filepath"
	"testing"
)

// Both TypeScript SDKs live through the same story over pipes and over HTTP; they check every structured
// answer against its schema. They are the older and the newer protocol.
func TestTypeScript(t *testing.T) {
	for _, client := range []string{"client1.mjs", "client2.mjs"} {
		t.Run(client+"/stdio", func(t *testing.T) {
			m := newMachine(t)
			m.must(append([]string{"node", m.scripts(client), "stdio"}, m.wake()...)...)
		})
		t.Run(client+"/http", func(t *testing.T) {
			m := newMachine(t)
			server := m.serve()
			m.must("node", m.scripts(client), "http", server.url, server.token)
		})
	}
}

// scripts puts the scripts where Node finds the installed packages and returns the path of one.
func (m machine) scripts(name string) string {
	m.Helper()
	dir := filepath.Join(m.home, "typescript")
	if err := os.CopyFS(dir, os.DirFS("typescript")); err != nil {
		m.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(os.Getenv(installed), "node_modules"), filepath.Join(m.home, "node_modules")); err != nil {
		m.Fatal(err)
	}
	return filepath.Join(dir, name)
}
