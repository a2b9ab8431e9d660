package clients

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"wake/summarizer/ollamatest"
)

// drivenClaude is a running Claude Code that a program drives.
type drivenClaude struct {
	claude
	driven
	ids int
}

func (c claude) drive(model string) *drivenClaude {
	c.Helper()
	return &drivenClaude{claude: c, driven: c.start("env", "ANTHROPIC_BASE_URL="+c.ollama.URL, "ANTHROPIC_AUTH_TOKEN=none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1",
		"claude", "-p", "--model", model, "--input-format", "stream-json", "--output-format", "stream-json", "--verbose")}
}

// drivenLine is a message of the client.
type drivenLine struct {
	Type     string
	Response struct {
		Response struct{ Rewound bool }
	}
}

// say is a turn, and returns the id of the message when it has ended. content is a text or a
// list of parts.
func (d *drivenClaude) say(content any) string {
	d.Helper()
	d.ids++
	id := fmt.Sprintf("%08d-0000-4000-8000-000000000000", d.ids)
	d.send(map[string]any{"type": "user", "uuid": id, "message": map[string]any{"role": "user", "content": content}})
	until(d.driven, func(l drivenLine) bool { return l.Type == "result" })
	return id
}

// cut goes back to before a message. The client is told which one was the last that the
// person has seen.
func (d *drivenClaude) cut(before, last string) {
	d.Helper()
	d.ids++
	d.send(map[string]any{"type": "control_request", "request_id": fmt.Sprint(d.ids), "request": map[string]string{
		"subtype": "rewind_conversation", "target_message_uuid": before, "last_seen_user_message_uuid": last}})
	got := until(d.driven, func(l drivenLine) bool { return l.Type == "control_response" })
	if !got.Response.Response.Rewound {
		d.Fatalf("it did not go back: %s", d.out.Text())
	}
}

// leave ends the client, as an editor does.
func (d *drivenClaude) leave() {
	d.Helper()
	_ = d.in.Close()
	for d.out.Scan() {
	}
	if err := d.process.Wait(); err != nil {
		d.Error(err)
	}
}

// What the user takes back in a program that drives Claude Code is told no more, whether or
// not they say anything then: by hooks, and where the transcript is imported alone.
func TestClaudeCodeCut(t *testing.T) {
	const refunds, fees, taxes, ledger = "Refunds are paid by hand.", "Fees are paid by hand.", "Taxes are paid by hand.", "All is paid by the ledger."
	for name, c := range map[string]struct {
		cut  int      // before which message
		then []string // what is said next
		told map[string]bool
	}{
		"nothing more":   {1, nil, map[string]bool{refunds: true, fees: false, taxes: false}},
		"another":        {1, []string{ledger}, map[string]bool{refunds: true, fees: false, taxes: false, ledger: true}},
		"from the first": {0, []string{ledger}, map[string]bool{refunds: false, fees: false, taxes: false, ledger: true}},
	} {
		t.Run(name, func(t *testing.T) {
			m := claude{assistant{newMachine(t), ollamatest.Start(t)}}
			m.must("wake", "setup", "claude-code", "--db", m.db, "--ollama", "off")
			m.talker("talker", "Noted.")
			d := m.drive("talker")
			var ids []string
			said := []string{refunds, fees, taxes}
			for _, text := range said {
				ids = append(ids, d.say(text))
			}
			d.cut(ids[c.cut], ids[2])
			for _, text := range c.then {
				d.say(text)
			}
			d.leave()
			m.must("wake", "import", "claude-code", filepath.Join(m.home, ".claude", "projects"), "--db", filepath.Join(m.home, "imported.db"), "--ollama", "off")
			for _, db := range []string{m.db, filepath.Join(m.home, "imported.db")} {
				m.db = db
				all := m.wantSaid("claude-code", append(said, c.then...)...)
				if len(all) != 1 {
					t.Fatalf("%s has %d sessions", filepath.Base(db), len(all))
				}
				told := m.must("wake", "resume", all[0].ID, "--db", db).out
				for text, want := range c.told {
					if strings.Contains(told, text) != want {
						t.Errorf("%s: %q told: %v\n%s", filepath.Base(db), text, !want, told)
					}
				}
			}
		})
	}
}

// Claude Code tells its hooks of a prompt in parts without the blanks around it, and of a text
// with them. Each is one message, told by a hook and read in the transcript.
func TestClaudeCodePromptInParts(t *testing.T) {
	m := claude{assistant{newMachine(t), ollamatest.Start(t)}}
	m.must("wake", "setup", "claude-code", "--db", m.db, "--ollama", "off")
	m.talker("talker", "Noted.")
	d := m.drive("talker")
	d.say([]map[string]string{{"type": "text", "text": "  Refunds are paid "}, {"type": "text", "text": " by hand.\n"}})
	d.say("  Fees are paid by hand.\n")
	d.leave()
	m.must("wake", "import", "claude-code", filepath.Join(m.home, ".claude", "projects"), "--db", m.db, "--ollama", "off")
	m.wantSaid("claude-code", "Refunds are paid \n by hand.", "  Fees are paid by hand.\n")
}
