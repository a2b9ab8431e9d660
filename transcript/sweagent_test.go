package transcript_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// mini-swe-agent's trajectories of the first versions: a list of messages, or one beside
// what the run cost. The task and what a person types in between are people's words.
func TestMiniSWEAgentTexts(t *testing.T) {
	messages := `[{"role":"system","content":"You have a shell."},{"role":"user","content":"Solve: the sum is wrong\r\n"},
{"role":"assistant","content":"I look.\n\n` + "```bash\\nls\\n```" + `","extra":{"response":{"id":"r1","model":"gpt-5","usage":{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":60}}}}},
{"role":"user","content":"<returncode>0</returncode>\n<output>\nsum.py\n</output>"},
{"role":"assistant","content":"done"},{"role":"user","content":"Please always provide EXACTLY ONE action in triple backticks."},
{"role":"user","content":"Command not executed. The user rejected your command with the following message: not there"},
{"role":"user","content":"Interrupted by user: Temporary interruption caught."},
{"role":"user","content":"The user added a new task: and the mean"},{"role":"user","content":"User command: \n` + "```bash\\npwd\\n```" + `"}]`
	people := []string{"Solve: the sum is wrong\r\n", "Command not executed. The user rejected your command with the following message: not there", "The user added a new task: and the mean"}
	for name, doc := range map[string]string{
		"last_mini_run.traj.json": messages,
		"a__a-1.traj.json":        `{"info":{"exit_status":"Submitted","submission":"the patch","model_stats":{"instance_cost":0.5,"api_calls":2},"mini_version":"1.9.0"},"messages":` + messages + `,"trajectory_format":"mini-swe-agent-1"}`,
		"run.json":                `{"info":{"exit_status":"LimitsExceeded","model_stats":{"instance_cost":0.5},"mini_version":"1.9.0"},"messages":` + messages + `,"trajectory_format":"mini-swe-agent-1"}`,
	} {
		if f, ok := transcript.Detect(name, []byte(doc)); !ok || f != transcript.SWEAgent {
			t.Errorf("%s is taken for %q", name, f)
		}
		res := read(t, transcript.SWEAgent, name, []byte(doc), domain.IngestCursor{})
		if diff := cmp.Diff(people, res.said(t)); diff != "" || len(res.skipped) != 0 {
			t.Errorf("%s: said (-want +got):\n%s%v", name, diff, res.skipped)
		}
		kinds := map[domain.MessageKind]int{}
		for _, m := range ofType[domain.Message](t, res) {
			kinds[m.Kind]++
		}
		if kinds[domain.CommandMessage] != 1 || kinds[domain.MetaMessage] != 4 {
			t.Errorf("%s: kinds %v", name, kinds)
		}
		var input, cached, output int64
		var cost domain.USD
		for _, op := range ofType[domain.OpReport](t, res) {
			input, cached, output, cost = input+op.Usage.Input, cached+op.Usage.CacheRead, output+op.Usage.Output, cost+op.Usage.Cost
		}
		if input != 40 || cached != 60 || output != 7 || (name != "last_mini_run.traj.json") != (cost == domain.Dollars(0.5)) {
			t.Errorf("%s: took %d, %d from the cache, %d; cost %s", name, input, cached, output, cost)
		}
		if ends := ofType[domain.End](t, res); (name == "last_mini_run.traj.json") != (len(ends) == 0) || len(ends) == 1 && *ends[0].Success != (name == "a__a-1.traj.json") {
			t.Errorf("%s: ends %+v", name, ends)
		}
	}
}

// The first versions of mini-swe-agent count only what the run cost so far, and save it
// after each step: what it cost in the end replaces that.
func TestMiniSWEAgentGrowingCost(t *testing.T) {
	keys := map[domain.Key]bool{}
	for _, cost := range []string{"0.02", "0.08", "0.08"} {
		doc := `{"info":{"model_stats":{"instance_cost":` + cost + `,"api_calls":1},"mini_version":"1.14.0"},"messages":[{"role":"user","content":"fix it"}],"trajectory_format":"mini-swe-agent-1"}`
		res := read(t, transcript.SWEAgent, "a__a-1.traj.json", []byte(doc), domain.IngestCursor{})
		for _, e := range res.events {
			if op, err := e.Op(); err == nil && op.Usage.Cost.String() == cost+"00" {
				keys[e.Key] = true
			}
		}
	}
	if len(keys) != 2 {
		t.Errorf("keys %v, want one for each cost", keys)
	}
}

// SWE-agent names the model only in the configuration of the run, which is an object in
// its first files and a text in later ones.
func TestSWEAgentModel(t *testing.T) {
	config := `{"env":{"name":"main"},"agent":{"name":"main","model":{"name":"gpt-4o","temperature":1.0}}}`
	for _, config := range []string{config, strconv.Quote(config)} {
		doc := `{"environment":"main","history":[{"role":"user","content":"fix it","agent":"main","message_type":"observation"},
			{"role":"assistant","content":"done","thought":"done","action":"submit","agent":"main","message_type":"action"}],
			"info":{"exit_status":"submitted","model_stats":{"instance_cost":0.02,"tokens_sent":7141,"tokens_received":243,"api_calls":5}},"replay_config":` + config + `}`
		res := read(t, transcript.SWEAgent, "a__a-1.traj", []byte(doc), domain.IngestCursor{})
		if s := res.sessions; len(s) != 1 || s[0].Model != "gpt-4o" {
			t.Errorf("sessions %+v", s)
		}
		if m := ofType[domain.Message](t, res); len(m) != 2 || m[0].Model != "" || m[1].Model != "gpt-4o" {
			t.Errorf("messages %+v", m)
		}
		if ops := ofType[domain.OpReport](t, res); len(ops) != 1 || ops[0].Model != "gpt-4o" {
			t.Errorf("operations %+v", ops)
		}
	}
}

// The second version calls tools, and says when, what each call took and who interrupts.
func TestMiniSWEAgentTools(t *testing.T) {
	doc := `{"info":{"model_stats":{"instance_cost":0.03,"api_calls":2},"config":{"model":{"model_name":"deepseek/chat"},"environment":{"cwd":"/src"},"environment_type":"minisweagent.environments.local.LocalEnvironment"},"mini_version":"2.3.0","exit_status":"Submitted","submission":"the patch"},
"messages":[{"role":"system","content":"You have a shell."},{"role":"user","content":"fix it"},
{"role":"assistant","content":"I look.","reasoning_content":"Where is it?","tool_calls":[{"index":0,"function":{"arguments":"{\"command\": \"ls\"}","name":"bash"},"id":"call_0","type":"function"},{"index":1,"function":{"arguments":"{\"command\": \"pwd\"}","name":"bash"},"id":"call_1","type":"function"}],
 "extra":{"actions":[{"command":"ls","tool_call_id":"call_0"}],"response":{"id":"r1","model":"chat","usage":{"prompt_tokens":50,"completion_tokens":5}},"cost":0.01,"timestamp":1780680349.5}},
{"content":"<returncode>0</returncode>\n<output>\na.py\n</output>","extra":{"returncode":0,"timestamp":1780680350.5},"tool_call_id":"call_0","role":"tool"},
{"content":"<returncode>1</returncode>","extra":{"returncode":1,"timestamp":1780680350.6,"exception_info":"it was killed"},"tool_call_id":"call_1","role":"tool"},
{"role":"user","content":"Interrupted by user: not in /src","extra":{"interrupt_type":"UserInterruption"}},
{"role":"user","content":"Tool call error","extra":{"interrupt_type":"FormatError","response":{"id":"r2","usage":{"prompt_tokens":60,"completion_tokens":6}}}},
{"role":"user","content":[{"type":"text","text":"The user added a new task: see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw=="}}],"extra":{"interrupt_type":"UserNewTask"}},
{"role":"assistant","content":null,"tool_calls":[{"function":{"arguments":"{}","name":"bash"},"id":"call_0","type":"function"}],"extra":{"timestamp":1780680360}},
{"content":"second","tool_call_id":"call_0","role":"tool","extra":{}},
{"object":"response","id":"resp_3","output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Nearly."}]},{"type":"message","role":"assistant","content":[{"type":"output_text","text":"I submit."}]},{"type":"function_call","call_id":"fc_9","name":"bash","arguments":"{\"command\": \"submit\"}"}],"usage":{"input_tokens":70,"output_tokens":7,"input_tokens_details":{"cached_tokens":20}},"extra":{"cost":0.02,"timestamp":1780680361}},
{"type":"function_call_output","call_id":"fc_9","output":"bye","extra":{"returncode":0,"timestamp":1780680362}},
{"role":"exit","content":"the patch","extra":{"exit_status":"Submitted","submission":"the patch"}}],"trajectory_format":"mini-swe-agent-1.1","instance_id":"a__a-1"}`
	if f, ok := transcript.Detect("trajectory.json", []byte(doc)); !ok || f != transcript.SWEAgent {
		t.Errorf("it is taken for %q", f)
	}
	res := read(t, transcript.SWEAgent, "gpt/a__a-1/a__a-1.traj.json", []byte(doc), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"fix it", "Interrupted by user: not in /src", "The user added a new task: see"}, res.said(t)); diff != "" || len(res.skipped) != 0 {
		t.Errorf("said (-want +got):\n%s%v", diff, res.skipped)
	}
	var calls, answers, media []string
	failed, replied := 0, ""
	for _, m := range ofType[domain.Message](t, res) {
		for _, c := range m.ToolCalls {
			calls = append(calls, c.ID)
		}
		for _, p := range m.Media {
			media = append(media, p.URL)
		}
		if m.Role == domain.RoleTool {
			answers = append(answers, m.ToolCallID)
		}
		if m.Error != "" {
			failed++
		}
		if m.Role == domain.RoleAssistant {
			replied += m.Content
		}
	}
	if replied != "I look.I submit." {
		t.Errorf("replied %q", replied)
	}
	if want := []string{"call_0", "call_1", "call_0", "fc_9"}; !slices.Equal(calls, want) || !slices.Equal(answers, want) || failed != 1 || len(media) != 1 {
		t.Errorf("calls %q, answers %q, %d failed, pictures %q", calls, answers, failed, media)
	}
	if n := len(res.set(t)); n != len(res.events) {
		t.Errorf("%d keys for %d events", n, len(res.events))
	}
	if thoughts := ofType[domain.Reasoning](t, res); len(thoughts) != 2 || thoughts[0].Content != "Where is it?" || thoughts[1].Content != "Nearly." {
		t.Errorf("thoughts %+v", thoughts)
	}
	var ids []string
	var input, output int64
	var cost domain.USD
	for _, op := range ofType[domain.OpReport](t, res) {
		ids, input, output, cost = append(ids, op.OpID), input+op.Usage.Input, output+op.Usage.Output, cost+op.Usage.Cost
	}
	if !slices.Equal(ids, []string{"r1", "r2", "resp_3"}) || input != 160 || output != 18 || cost != domain.Dollars(0.03) {
		t.Errorf("calls of the model %q took %d and %d for %s", ids, input, output, cost)
	}
	began := time.Date(2026, 6, 5, 17, 25, 49, 5e8, time.UTC)
	if s := res.sessions[0]; s.ClientSessionID != "gpt/a__a-1" || s.Model != "deepseek/chat" || s.Attributes["cwd"] != "/src" || !s.StartedAt.Equal(began) || !res.events[0].At.Equal(began) {
		t.Errorf("session %+v, first event at %v", s, res.events[0].At)
	}
}

// The first version says only when the model answered, and through OpenRouter who ran it. Sessions
// are named without that time.
func TestMiniSWEAgentFirstTimes(t *testing.T) {
	run := func(created string) result {
		doc := `{"info":{"mini_version":"1.14.4"},"trajectory_format":"mini-swe-agent-1","messages":[{"role":"system","content":"You have a shell."},{"role":"user","content":"fix it"},
{"role":"assistant","content":"I look.","extra":{"response":{"id":"r1","provider":"xAI","model":"x-ai/grok"` + created + `,"usage":{"prompt_tokens":50,"completion_tokens":5}}}},{"role":"user","content":"a.py"},
{"role":"assistant","content":"done","extra":{"response":{"id":"r2","created":1761433540,"usage":{"prompt_tokens":60,"completion_tokens":6}}}}]}`
		return read(t, transcript.SWEAgent, "last_mini_run.traj.json", []byte(doc), domain.IngestCursor{})
	}
	res := run(`,"created":1761433538`)
	var times []int64
	for _, m := range res.events {
		if m.Type == domain.EventMessage {
			times = append(times, m.At.Unix()-1761433538)
		}
	}
	if !slices.Equal(times, []int64{0, 0, 0, 0, 2}) || res.sessions[0].StartedAt.Unix() != 1761433538 {
		t.Errorf("messages at %v, begun at %v", times, res.sessions[0].StartedAt)
	}
	if got, want := res.sessions[0].ClientSessionID, run("").sessions[0].ClientSessionID; got != want {
		t.Errorf("the session is %q, without the time %q", got, want)
	}
	if ops := ofType[domain.OpReport](t, res); len(ops) != 2 || ops[0].Provider != "xAI" || ops[1].Provider != "" {
		t.Errorf("calls of the model %+v", ops)
	}
}

// The file of the latest run has one name for all runs: each is a session of its own.
func TestMiniSWEAgentLatestRun(t *testing.T) {
	id := func(task string, second float64) string {
		doc := fmt.Sprintf(`{"info":{"mini_version":"2.0.0"},"messages":[{"role":"user","content":%q},{"role":"assistant","content":"ok","extra":{"timestamp":%f}}]}`, task, second)
		return read(t, transcript.SWEAgent, "/home/u/.config/mini-swe-agent/last_mini_run.traj.json", []byte(doc), domain.IngestCursor{}).sessions[0].ClientSessionID
	}
	first := id("one", 1780680349)
	if first != id("one", 1780680349) || first == id("two", 1780680349) || first == id("one", 1780680350) || !strings.Contains(first, "last_mini_run") {
		t.Errorf("the session is %q", first)
	}
}

// An agent that tries several times writes a file for each attempt and one that holds them
// all, where the best stands again: each attempt is a session, what it took is told once.
func TestSWEAgentAttempts(t *testing.T) {
	run := func(said string, sent int) string {
		return fmt.Sprintf(`{"trajectory":[],"history":[{"role":"system","content":"be good"},{"role":"user","content":"ISSUE"},{"role":"assistant","content":%q}],
			"info":{"exit_status":"submitted","model_stats":{"tokens_sent":%d,"instance_cost":1}}}`, said, sent)
	}
	all := `{"attempts":[` + run("ls", 10) + `, ` + strings.ReplaceAll(run("cat", 20), ":", ": ") + `]`
	best := strings.TrimSuffix(strings.TrimPrefix(run("cat", 33), "{"), "}}") + `,"best_attempt_idx":1,"rloop_model_stats":{"tokens_sent":3,"instance_cost":0.5}}}`
	for name, doc := range map[string]string{"chosen": all + "," + best, "not yet chosen": all + "}"} {
		var events []domain.Event
		var sessions []string
		for _, file := range []struct{ name, doc string }{
			{"gpt/i-1/attempt_0/i-1.traj", run("ls", 10)}, {"gpt/i-1/i-1.traj", doc}, {"gpt/i-1/attempt_1/i-1.traj", run("cat", 20)}} {
			if f, ok := transcript.Detect("x.json", []byte(file.doc)); !ok || f != transcript.SWEAgent {
				t.Errorf("%s is taken for %q", file.name, f)
			}
			res := read(t, transcript.SWEAgent, file.name, []byte(file.doc), domain.IngestCursor{})
			events = append(events, res.events...)
			for _, s := range res.sessions {
				sessions = append(sessions, s.ClientSessionID)
				if (s.ParentID == "gpt/i-1") != (s.ClientSessionID != "gpt/i-1") {
					t.Errorf("%s: %s is below %q", name, s.ClientSessionID, s.ParentID)
				}
			}
		}
		seen := map[string]bool{}
		var sent int64
		said := map[string]int{}
		for _, e := range events {
			if id := e.SessionID + string(e.Key); seen[id] {
				continue
			} else {
				seen[id] = true
			}
			if m, err := e.Message(); err == nil && m.Role == domain.RoleAssistant {
				said[e.SessionID+": "+m.Content]++
			}
			if op, err := e.Op(); err == nil && op.Usage != nil {
				sent += op.Usage.Input
			}
		}
		if diff := cmp.Diff(map[string]int{"gpt/i-1/attempt_0: ls": 1, "gpt/i-1/attempt_1: cat": 1}, said); diff != "" {
			t.Errorf("%s: said (-want +got):\n%s", name, diff)
		}
		if want := map[string]int64{"chosen": 33, "not yet chosen": 30}[name]; sent != want {
			t.Errorf("%s: %d tokens were sent, want %d", name, sent, want)
		}
		slices.Sort(sessions)
		if want := []string{"gpt/i-1", "gpt/i-1/attempt_0", "gpt/i-1/attempt_0", "gpt/i-1/attempt_1", "gpt/i-1/attempt_1"}; !slices.Equal(sessions, want) {
			t.Errorf("%s: sessions %q", name, sessions)
		}
	}
}

// A document of other messages, or of none, is no run.
func TestNoMiniSWEAgentRun(t *testing.T) {
	for _, doc := range []string{`[1,2]`, `[]`, `{"info":{},"messages":[]}`, `[{"name":"x"}]`} {
		res := read(t, transcript.SWEAgent, "a-1.traj.json", []byte(doc), domain.IngestCursor{})
		if len(res.sessions) != 0 || len(res.events) != 0 || len(res.skipped) != 1 {
			t.Errorf("%s: %+v, %d events, skipped %v", doc, res.sessions, len(res.events), res.skipped)
		}
	}
}

// The steps of a run are told where it has no history.
func TestSWEAgentSteps(t *testing.T) {
	doc := `{"trajectory":[{"thought":"I look.","action":"ls src","observation":"a.py"},{"response":"done","action":"submit","observation":""}],"info":{}}`
	var said []string
	for _, m := range ofType[domain.Message](t, read(t, transcript.SWEAgent, "a.traj", []byte(doc), domain.IngestCursor{})) {
		for _, c := range m.ToolCalls {
			m.Content += " " + c.Name + string(c.Arguments)
		}
		said = append(said, string(m.Role)+": "+m.Content)
	}
	if diff := cmp.Diff([]string{`assistant: I look. ls{"action":"ls src"}`, "tool: a.py", `assistant: done submit{"action":"submit"}`, "tool: "}, said); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// Collections of runs keep the messages where SWE-agent keeps the steps, some with words of
// their own for who speaks.
func TestSWEAgentRows(t *testing.T) {
	doc := `{"instance_id":"a__a-1","model_name":"m","exit_status":"submitted","generated_patch":"the patch","trajectory":[
{"role":"system","text":"","system_prompt":"be good"},{"role":"user","text":"ISSUE: x\n","system_prompt":null},{"role":"ai","text":"I look."},{"role":"user","text":"a.py"},{"role":"ai","text":"done","mask":true}]}`
	res := read(t, transcript.SWEAgent, "row-1.json", []byte(doc), domain.IngestCursor{})
	var said []string
	for _, m := range ofType[domain.Message](t, res) {
		said = append(said, string(m.Role)+": "+m.Content)
		if len(m.ToolCalls) > 0 {
			t.Errorf("a call in %+v", m)
		}
	}
	want := []string{"system: be good", "user: ISSUE: x\n", "assistant: I look.", "user: a.py", "assistant: done"}
	if diff := cmp.Diff(want, said); diff != "" || !slices.Equal(res.said(t), []string{"ISSUE: x\n"}) || len(res.skipped) != 0 {
		t.Errorf("messages (-want +got):\n%s%q %v", diff, res.said(t), res.skipped)
	}
	if ends := ofType[domain.End](t, res); len(ends) != 1 || !*ends[0].Success {
		t.Errorf("ends %+v", ends)
	}
}

// SWE-agent: the issue is a person's, demonstrations and the environment's
// answers are not.
func TestSWEAgent(t *testing.T) {
	res := read(t, transcript.SWEAgent, "fix-colon.traj", own(t, "swe-agent", "fix-colon.traj"), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"ISSUE: a colon is missing"}, res.humans(t)); diff != "" || len(res.skipped) != 0 {
		t.Errorf("%s%v", diff, res.skipped)
	}
	ends := ofType[domain.End](t, res)
	ops := ofType[domain.OpReport](t, res)
	if len(ends) != 1 || !*ends[0].Success || len(ops) != 1 || ops[0].Usage.Cost != domain.Dollars(0.05) {
		t.Errorf("%+v %+v", ends, ops)
	}
}

// What a model thinks by itself stands beside its words since version 1.1.
func TestSWEAgentThinking(t *testing.T) {
	res := read(t, transcript.SWEAgent, "a.traj", []byte(`{"history":[{"role":"user","content":"ISSUE"},
		{"role":"assistant","content":"I look.","thought":"I look.","thinking_blocks":[{"type":"thinking","thinking":"Where is it?","signature":"x"},{"type":"redacted_thinking","data":"y"}]},
		{"role":"assistant","content":"","thought":"","thinking_blocks":null}]}`), domain.IngestCursor{})
	if got := ofType[domain.Reasoning](t, res); len(got) != 1 || got[0].Content != "Where is it?" {
		t.Errorf("%+v", got)
	}
}

// Early versions did not mark a demonstration, and their agent had another name.
func TestSWEAgentEarlyDemonstration(t *testing.T) {
	res := read(t, transcript.SWEAgent, "a.traj", []byte(`{"history":[{"role":"system","content":"SETTING","agent":"primary"},
		{"role":"user","content":"Here is a demonstration of how to correctly accomplish this task.\nIt shows the interface.","agent":"primary"},
		{"role":"user","content":"ISSUE","agent":"primary"},{"role":"assistant","content":"I look.","agent":"primary"},{"role":"user","content":"seen","agent":"primary"}]}`), domain.IngestCursor{})
	if diff := cmp.Diff([]string{"ISSUE"}, res.humans(t)); diff != "" {
		t.Error(diff)
	}
	if demo := res.events[1]; demo.Human || !strings.HasPrefix(string(demo.Key), string(domain.HumanKeys)) {
		t.Errorf("what an earlier wake took for the issue would be stored twice: %+v", demo)
	}
	for _, m := range ofType[domain.Message](t, res) {
		if m.AgentID != "" {
			t.Errorf("the main agent is named: %+v", m)
		}
	}
}

// Runs of the same instance have files of the same name: none hides what another
// said, and a file that grew tells what it took until now.
func TestSWEAgentRuns(t *testing.T) {
	run := func(said string, tokens int) []byte {
		return fmt.Appendf(nil, `{"history":[{"role":"system","content":"be good"},{"role":"user","content":"ISSUE"},{"role":"assistant","content":%q},{"role":"user","content":"OBSERVATION"}],
			"info":{"model_stats":{"tokens_sent":%d}}}`, said, tokens)
	}
	one := read(t, transcript.SWEAgent, "a.traj", run("ls", 10), domain.IngestCursor{})
	two := read(t, transcript.SWEAgent, "a.traj", run("cat", 20), domain.IngestCursor{})
	both := result{events: append(one.events, two.events...)}
	if n := len(both.set(t)); n != len(one.events)+2 {
		t.Errorf("%d events of two runs, want %d and what one said and took", n, len(one.events))
	}
	for name, want := range map[string]string{"gpt4__install/a/a.traj": "gpt4__install/a", `runs\claude\a\a.traj`: "claude/a", "runs/claude/a.traj": "a", "a/a.traj": "a", "/a/a.traj": "a"} {
		if got := read(t, transcript.SWEAgent, name, run("ls", 10), domain.IngestCursor{}).sessions[0].ClientSessionID; got != want {
			t.Errorf("%s is run %q, want %q", name, got, want)
		}
	}
}

// A trajectory that was cut off brings the messages that are whole, and each once when
// the whole comes. What only the steps before the messages tell waits for that.
func TestSWEAgentCutOff(t *testing.T) {
	history := `"history":[{"role":"system","content":"rules"},{"role":"user","content":"fix it"},{"role":"assistant","content":"I look."},{"role":"user","content":"seen"}]`
	whole := `{"trajectory":[{"action":"ls","observation":"a","thought":"I look."}],` + history + `,"info":{"exit_status":"submitted"}}`
	at := func(mark string) int { return strings.Index(whole, mark) }
	all := read(t, transcript.SWEAgent, "run.traj", []byte(whole), domain.IngestCursor{}).set(t)
	for name, c := range map[string]struct {
		end    int
		events int
	}{
		"behind the second message":     {at(`,{"role":"assistant"`) + 20, 2},
		"in the first message":          {at(`"rules"`), 0},
		"in what stands before history": {at(`"a"`), 0},
	} {
		cut := read(t, transcript.SWEAgent, "run.traj", []byte(whole[:c.end]), domain.IngestCursor{})
		if len(cut.events) != c.events || len(cut.skipped) != 1 {
			t.Errorf("%s: %d events, skipped %v", name, len(cut.events), cut.skipped)
		}
		for key := range cut.set(t) {
			if _, known := all[key]; !known {
				t.Errorf("%s: %v is not of the whole", name, key)
			}
		}
	}
}
