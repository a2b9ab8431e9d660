package clients

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"wake/summarizer/ollamatest"
)

// codexServer is a running codex app-server, through which editors use Codex.
type codexServer struct {
	codex
	driven
	ids int
}

// serveEditors starts codex app-server, until the test ends.
func (c codex) serveEditors() *codexServer {
	c.Helper()
	s := &codexServer{codex: c, driven: c.start("env", "CODEX_OSS_BASE_URL="+c.ollama.URL+"/v1", "codex", "app-server")}
	s.ask("initialize", map[string]any{"clientInfo": map[string]string{"name": "test", "version": "1"}, "capabilities": map[string]bool{"experimentalApi": true}}, nil)
	return s
}

// codexLine is a message of the server: an answer or a notification.
type codexLine struct {
	ID     *int
	Method string
	Result json.RawMessage
	Error  json.RawMessage
}

// ask sends a request and reads its answer.
func (s *codexServer) ask(method string, params, answer any) {
	s.Helper()
	s.ids++
	s.send(map[string]any{"id": s.ids, "method": method, "params": params})
	got := until(s.driven, func(l codexLine) bool { return l.ID != nil && *l.ID == s.ids && l.Method == "" })
	if got.Error != nil {
		s.Fatalf("%s: %s", method, got.Error)
	}
	if answer == nil {
		return
	}
	if err := json.Unmarshal(got.Result, answer); err != nil {
		s.Fatal(err)
	}
}

// open begins a thread and returns its id.
func (s *codexServer) open(model string) string {
	s.Helper()
	var started struct{ Thread struct{ ID string } }
	s.ask("thread/start", map[string]any{"model": model + ":latest", "modelProvider": "ollama", "cwd": s.folder, "historyMode": "paginated",
		"config": map[string]bool{"bypass_hook_trust": true}}, &started)
	return started.Thread.ID
}

// say is a turn, and returns its id when it has ended.
func (s *codexServer) say(thread, text string) string {
	s.Helper()
	var started struct{ Turn struct{ ID string } }
	s.ask("turn/start", map[string]any{"threadId": thread, "input": []map[string]string{{"type": "text", "text": text}}}, &started)
	until(s.driven, func(l codexLine) bool { return l.Method == "turn/completed" })
	return started.Turn.ID
}

// What the user takes back in Codex is told no more, from then on: by hooks, and where the
// rollouts are imported alone.
func TestCodexRevert(t *testing.T) {
	c := codex{assistant{newMachine(t), ollamatest.Start(t)}}
	c.must("wake", "setup", "codex", "--db", c.db, "--ollama", "off")
	c.talker("talker", "Noted.")
	s := c.serveEditors()
	id := s.open("talker")
	s.say(id, "Refunds are paid by hand.")
	turn := s.say(id, "Fees are paid by hand.")
	s.say(id, "Taxes are paid by hand.")
	s.ask("thread/revert", map[string]string{"threadId": id, "beforeTurnId": turn}, nil)
	s.say(id, "Fees are paid by the ledger.")

	imported := filepath.Join(c.home, "imported.db")
	c.must("wake", "import", "codex", filepath.Join(c.home, ".codex", "sessions"), "--db", imported, "--ollama", "off")
	for _, db := range []string{c.db, imported} {
		c.db = db
		all := c.wantSaid("codex", "Refunds are paid by hand.", "Fees are paid by hand.", "Taxes are paid by hand.", "Fees are paid by the ledger.")
		if len(all) != 1 {
			t.Fatalf("%s has %d sessions", filepath.Base(db), len(all))
		}
		told := c.must("wake", "resume", all[0].ID, "--db", db).out
		for text, want := range map[string]bool{"Refunds are paid by hand.": true, "Fees are paid by hand.": false, "Taxes are paid by hand.": false, "Fees are paid by the ledger.": true} {
			if strings.Contains(told, text) != want {
				t.Errorf("%q told: %v\n%s", text, !want, told)
			}
		}
	}
}
