package clients

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"wake/summarizer/ollamatest"
)

// opencode is the assistant of that name.
type opencode struct {
	assistant
	requests *tapped
}

func newOpencode(t *testing.T) opencode {
	t.Helper()
	a := assistant{newMachine(t), ollamatest.Start(t)}
	return opencode{a, a.tap()}
}

// know tells opencode of the models. Those of sub-agents are talkers.
func (o opencode) know(models ...string) {
	o.Helper()
	known := map[string]any{}
	for _, name := range models {
		known[name] = map[string]any{"tool_call": true}
	}
	raw, err := json.Marshal(map[string]any{
		"autoupdate": false, "share": "disabled", "snapshot": false, "enabled_providers": []string{"ollama"},
		"provider": map[string]any{"ollama": map[string]any{
			"npm": "@ai-sdk/openai-compatible", "options": map[string]any{"baseURL": o.requests.url + "/v1"}, "models": known,
		}},
		"agent": map[string]any{"general": map[string]any{"model": "ollama/talker"}},
	})
	if err != nil {
		o.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(o.folder, "opencode.json"), raw, 0o600); err != nil {
		o.Fatal(err)
	}
}

// connect has wake set itself up, where opencode has been online before: it fetches a package
// for plugins, and does not load any until that has come or failed.
func (o opencode) connect() {
	o.Helper()
	o.must("wake", "setup", "opencode", "--tools", "core", "--db", o.db, "--ollama", "off")
	o.fetched(filepath.Join(o.home, ".config", "opencode"))
}

// fetched makes a folder of settings look as if opencode had fetched that package.
func (o opencode) fetched(settings string) {
	o.Helper()
	if err := os.Mkdir(filepath.Join(settings, "node_modules"), 0o700); err != nil {
		o.Fatal(err)
	}
	const packages = `{"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}`
	if err := os.WriteFile(filepath.Join(settings, "package-lock.json"), []byte(packages), 0o600); err != nil {
		o.Fatal(err)
	}
}

// line is a command line of opencode.
func (o opencode) line(args ...string) []string {
	return append([]string{"env", "OPENCODE_DISABLE_MODELS_FETCH=1", "OPENCODE_DISABLE_DEFAULT_PLUGINS=1", "OPENCODE_DISABLE_LSP_DOWNLOAD=1",
		"opencode"}, args...)
}

// ask gives opencode a task in a session of its own and returns what it printed.
func (o opencode) ask(model, task string) said { return o.askIn(model, task) }

// askIn gives opencode a task, in the session that its flags name.
func (o opencode) askIn(model, task string, flags ...string) said {
	o.Helper()
	line := append(o.line("run", "--format", "json", "-m", "ollama/"+model), flags...)
	return o.must(append(line, strings.Fields(task)...)...) // as words: it would quote a single one
}

// The whole way: an assistant with a local model keeps a decision in one session and finds
// it in the next, whose model is told of it before it asks. Both are recorded by themselves.
func TestOpencode(t *testing.T) {
	o := newOpencode(t)
	o.db = filepath.Join(o.home, `it's "my" wake.db`)
	o.keepers("wake_")
	o.talker("talker", "Yes.")
	o.know("keeper", "finder", "talker")
	o.connect()
	o.remembers(o.ask)
	o.askIn("talker", "Is that so?", "--continue")
	sessions := o.wantSaid("opencode", "Remember that refunds are paid by the ledger service only.", "Who pays refunds?", "Is that so?")

	const told = "wake remembers project shop. Between <wake-memory> marks are quoted notes"
	for model, want := range map[string]int{"keeper": 0, "finder": 1, "talker": 1} {
		for _, r := range o.requests.of(model) {
			if n := strings.Count(r.text(), told); n != want {
				t.Errorf("%s was told %d times, want %d: %s", model, n, want, r.text())
			}
		}
	}
	for i, wants := range [][]string{{`"name":"wake_save_context"`, `"content":"Saved `, "It is kept."}, {`"name":"wake_search_context"`, "The ledger service pays them.", "Yes."}} {
		log := o.must("wake", "session", "export", sessions[i].ID, "--db", o.db)
		if missing := slices.DeleteFunc(wants, func(want string) bool { return strings.Contains(log.out, want) }); len(missing) > 0 {
			t.Errorf("%q is not recorded: %s", missing, log)
		}
		if sessions[i].Status != "ended" {
			t.Errorf("the session is %s", sessions[i].Status)
		}
	}
}

// A command that fails is recorded as one, with its exit code.
func TestOpencodeFailure(t *testing.T) {
	o := newOpencode(t)
	o.model("runner", "bash", `{"command":"echo no such stock; exit 3","description":"look"}`, "It failed.")
	o.know("runner")
	o.connect()
	o.ask("runner", "Look for the stock.")
	log := o.must("wake", "session", "timeline", o.sessions()[0].ID, "--db", o.db)
	if !strings.Contains(log.out, "tool bash failed: exit code 3") || !strings.Contains(log.out, "no such stock") {
		t.Errorf("the failure is not recorded: %s", log)
	}
}

// A model reads no secrets in resources.
func TestOpencodeMasks(t *testing.T) {
	o := newOpencode(t)
	o.know("reader")
	o.connect()
	o.readsMasked(o.ask, "read_mcp_resource", "server")
}

// After a compaction the model is told where it was: with the next message, or, where it goes
// on by itself, at once. What a sub-agent does is kept below its parent's session.
func TestOpencodeCompacts(t *testing.T) {
	o := newOpencode(t)
	o.talker("talker", "Noted.")
	o.model("boss", "task", `{"description":"look around","prompt":"Look around in the shop.","subagent_type":"general"}`, "All is done.")
	o.know("talker", "boss")
	o.connect()
	s := o.serveAPI()
	id := s.open()
	s.say(id, "talker", "Refunds are paid by the ledger service only.")

	const restored = "# Restored by wake: Refunds are paid by the ledger service only."
	s.compact(id, "talker", false)
	s.say(id, "talker", "Who pays refunds?")
	if last := o.requests.last("talker"); !strings.Contains(last.of("user"), restored) {
		t.Errorf("after a compaction the model is told %s", last.text())
	}
	s.compact(id, "talker", true)
	if last := o.requests.last("talker"); !strings.Contains(last.of("system"), restored) || !strings.Contains(last.of("user"), "Continue if you have next steps") {
		t.Errorf("a model that goes on by itself is told %s", last.text())
	}
	s.compact(id, "talker", true)
	if last := o.requests.last("talker"); strings.Count(last.of("system"), restored) != 1 {
		t.Errorf("a model that goes on by itself after a second compaction is told %s", last.text())
	}
	s.say(id, "boss", "Let somebody look around.")
	s.ask("DELETE", "/session/"+id, nil)
	all := o.wantSaid("opencode", "Refunds are paid by the ledger service only.", "Who pays refunds?", "Let somebody look around.")
	child := slices.IndexFunc(all, func(s session) bool { return s.ParentID != "" })
	if len(all) != 2 || child < 0 || all[child].ParentID != all[1-child].ID || len(all[child].said) > 0 || all[child].Status != "ended" {
		t.Fatalf("want a sub-agent's session below its parent's: %v", all)
	}
	s.wantLog(all[1-child].ID, "user: Refunds are paid", "brief", "assistant: Noted.", "compacted (manual)", "user: Who pays refunds?", "restore_text", "assistant: Noted.",
		"compacted (auto)", "assistant: Noted.", "compacted (auto)", "assistant: Noted.", "is now boss", "user: Let somebody look around.", "restore_text", "assistant calls task", "tool task: ", "assistant: All is done.", "ended")
	if kept := o.must("wake", "checkpoint", "list", all[1-child].ID, "--db", o.db); strings.Count(kept.out, "before the client's compaction") != 3 {
		t.Errorf("checkpoints: %s", kept)
	}
}

// The restore text goes with the first message after a compaction, also where the user takes that
// one back, or begins a fork before it. So does the brief with the first of all.
func TestOpencodeRestoresAgain(t *testing.T) {
	o := newOpencode(t)
	o.must("wake", "save", "--db", o.db, "--ollama", "off", "The shop sells lamps.")
	o.talker("talker", "Noted.")
	o.know("talker")
	o.connect()
	s := o.serveAPI()
	id := s.open()
	wantTold := func(session, said, told string) {
		t.Helper()
		s.say(session, "talker", said)
		if last := o.requests.last("talker"); strings.Count(last.of("user"), told) != 1 {
			t.Errorf("with %q the model is told %s", said, last.text())
		}
	}
	const brief, restored = "wake remembers project shop", "# Restored by wake: Taxes are paid by hand."
	wantTold(id, "Refunds are paid by hand.", brief)
	s.undo(id, "Refunds are paid by hand.")
	wantTold(id, "Taxes are paid by hand.", brief)
	s.compact(id, "talker", false)
	wantTold(id, "Who pays refunds?", restored)
	wantTold(s.fork(id, "Who pays refunds?"), "Who pays fees?", restored)
	s.undo(id, "Who pays refunds?")
	wantTold(id, "Who pays taxes?", restored)

	s.say(id, "talker", "Since when?")
	s.compact(id, "talker", true)
	s.undo(id, "Since when?")
	s.say(id, "talker", "Who pays rents?")
	if last := o.requests.last("talker"); strings.Count(last.text(), "# Restored by wake") != 1 {
		t.Errorf("after an undone compaction the model is told %s", last.text())
	}
}

// Of a command is kept what was typed, also where a sub-agent is asked by it, whose session has
// the name that opencode gave it.
func TestOpencodeCommands(t *testing.T) {
	o := newOpencode(t)
	o.talker("talker", "Noted.")
	o.know("talker")
	folder := filepath.Join(o.folder, ".opencode", "command")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"fix":  "---\ndescription: fix\n---\nYou are careful. Repair $ARGUMENTS. Never use gas.\n",
		"look": "---\ndescription: look\nsubtask: true\nagent: general\n---\nLook well at $ARGUMENTS.\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name+".md"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	o.fetched(filepath.Dir(folder))
	o.connect()
	s := o.serveAPI()
	id := s.open()
	for _, name := range []string{"fix", "look"} {
		s.ask("POST", "/session/"+id+"/command", map[string]string{"model": "ollama/talker", "command": name, "arguments": "the “stove”"})
	}
	s.say(id, "talker", "Thanks.")
	s.ask("DELETE", "/session/"+id, nil)
	all := o.wantSaid("opencode", "/fix the “stove”", "/look the “stove”", "Thanks.")
	child := slices.IndexFunc(all, func(s session) bool { return s.ParentID != "" })
	if len(all) != 2 || child < 0 || !strings.HasPrefix(all[child].Title, "look (@general") {
		t.Errorf("want a sub-agent's session with opencode's name of it: %v", all)
	}
}

// wake's prompts are commands, to which what was typed is added.
func TestOpencodePrompts(t *testing.T) {
	o := newOpencode(t)
	o.talker("talker", "Noted.")
	o.know("talker")
	o.connect()
	s := o.serveAPI()
	id := s.open()
	for name, tool := range map[string]string{"why": "causal_chain", "continue": "resume"} {
		s.ask("POST", "/session/"+id+"/command", map[string]string{"model": "ollama/talker", "command": "wake:" + name, "arguments": "the “stove”"})
		if asked := o.requests.last("talker").of("user"); !strings.Contains(asked, tool) || !strings.Contains(asked, "the “stove”") {
			t.Errorf("by /wake:%s the model is asked: %s", name, asked)
		}
	}
}

// What the user undoes is told no more once they say something else; what they redo is.
func TestOpencodeUndo(t *testing.T) {
	o := newOpencode(t)
	o.talker("talker", "Noted.")
	o.know("talker")
	o.connect()
	s := o.serveAPI()
	id := s.open()
	for _, text := range []string{"Refunds are paid by hand.", "Fees are paid by hand.", "Taxes are paid by hand."} {
		s.say(id, "talker", text)
	}
	s.undo(id, "Fees are paid by hand.")
	s.ask("POST", "/session/"+id+"/unrevert", struct{}{})
	s.undo(id, "Taxes are paid by hand.")
	s.say(id, "talker", "Taxes are paid by the ledger.")
	s.ask("DELETE", "/session/"+id, nil)
	all := o.wantSaid("opencode", "Refunds are paid by hand.", "Fees are paid by hand.", "Taxes are paid by hand.", "Taxes are paid by the ledger.")
	s.wantLog(all[0].ID, "user: Refunds", "brief", "assistant: Noted.", "user: Fees", "assistant: Noted.", "user: Taxes are paid by hand.", "assistant: Noted.",
		"user: Taxes are paid by the ledger.", "the user had gone back and dropped events", "assistant: Noted.", "ended")
	told := o.must("wake", "resume", all[0].ID, "--db", o.db).out
	if strings.Contains(told, "Taxes are paid by hand.") || !strings.Contains(told, "Fees are paid by hand.") || !strings.Contains(told, "Taxes are paid by the ledger.") {
		t.Errorf("told: %s", told)
	}
}

// A picture alone is a message, too.
func TestOpencodePicture(t *testing.T) {
	o := newOpencode(t)
	o.talker("talker", "A plan of the shop.")
	o.know("talker")
	o.connect()
	s := o.serveAPI()
	id := s.open()
	s.ask("POST", "/session/"+id+"/message", map[string]any{
		"model": map[string]string{"providerID": "ollama", "modelID": "talker"},
		"parts": []map[string]string{{"type": "file", "mime": "image/png", "filename": "shop.png", "url": "data:image/png;base64," +
			"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="}},
	})
	s.ask("DELETE", "/session/"+id, nil)
	log := o.must("wake", "session", "export", o.sessions()[0].ID, "--db", o.db)
	if !strings.Contains(log.out, "shop.png") || !strings.Contains(log.out, "A plan of the shop.") {
		t.Errorf("the picture is not recorded: %s", log)
	}
}

// A fork has what was said before it, as its model does, and is not told again of the project.
func TestOpencodeFork(t *testing.T) {
	o := newOpencode(t)
	o.must("wake", "save", "--db", o.db, "--ollama", "off", "The shop sells lamps.")
	o.talker("talker", "Noted.")
	o.model("runner", "bash", `{"command":"echo in stock","description":"look"}`, "It is there.")
	o.know("talker", "runner")
	o.connect()
	s := o.serveAPI()
	id := s.open()
	s.say(id, "runner", "Refunds are paid by hand.")
	s.say(id, "talker", "Fees are paid by hand.")
	fork := s.fork(id, "Fees are paid by hand.")
	s.say(fork, "talker", "Fees are paid by the ledger.")
	if n := strings.Count(o.requests.last("talker").text(), "wake remembers project shop"); n != 1 {
		t.Errorf("in the fork the model is told of the project %d times", n)
	}
	s.ask("DELETE", "/session/"+fork, nil)
	s.ask("DELETE", "/session/"+id, nil)
	all := o.wantSaid("opencode", "Refunds are paid by hand.", "Fees are paid by hand.", "Refunds are paid by hand.", "Fees are paid by the ledger.")
	s.wantLog(all[1].ID, "user: Refunds are paid by hand.", "context_told", "brief", "assistant calls bash", "tool bash: in stock", "is now runner", "assistant: It is there.",
		"is now talker", "user: Fees are paid by the ledger.", "assistant: Noted.", "ended")
}

// opencode goes on, and prints nothing of it, where wake is gone or hangs.
func TestOpencodeGoesOn(t *testing.T) {
	for name, script := range map[string]string{"gone": "", "hangs": "#!/bin/sh\nexec sleep 300\n"} {
		t.Run(name, func(t *testing.T) {
			o := newOpencode(t)
			o.talker("talker", "Noted.")
			o.know("talker")
			o.connect()
			plugin := filepath.Join(o.home, ".config", "opencode", "plugin", "wake.js")
			text, err := os.ReadFile(plugin)
			if err != nil {
				t.Fatal(err)
			}
			stand := filepath.Join(o.home, "stand-in")
			wake, err := exec.LookPath("wake")
			if err != nil {
				t.Fatal(err)
			}
			moved := strings.Replace(string(text), wake, stand, 1)
			if err := os.WriteFile(plugin, []byte(moved), 0o600); err != nil || moved == string(text) {
				t.Fatal(err, moved)
			}
			if script != "" {
				if err := os.WriteFile(stand, []byte(script), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			began := time.Now()
			answer := o.ask("talker", "Is anybody there?")
			if !strings.Contains(answer.out, "Noted.") || answer.errors != "" || time.Since(began) > time.Minute/2 {
				t.Errorf("after %s: %s", time.Since(began), answer)
			}
		})
	}
}
