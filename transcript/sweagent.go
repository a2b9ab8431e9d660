package transcript

import (
	"cmp"
	"encoding/json"
	"errors"
	"strconv"
	"strings"
	"time"

	"wake/domain"
)

// ClientSWEAgent is the client name in sessions of SWE-agent.
const ClientSWEAgent = "swe-agent"

type sweTrajectory struct {
	Environment string            `json:"environment"`
	History     []json.RawMessage `json:"history"`
	Messages    []json.RawMessage `json:"messages"`    // of mini-swe-agent, instead of the history
	Attempts    []json.RawMessage `json:"attempts"`    // of an agent that tries several times
	ExitStatus  string            `json:"exit_status"` // of a row of a collection, like the next
	Patch       string            `json:"generated_patch"`
	Trajectory  []struct {
		Role        string          `json:"role"` // of a message; collections keep it here
		Action      string          `json:"action"`
		Observation string          `json:"observation"`
		Response    json.RawMessage `json:"response"`
		Thought     string          `json:"thought"`
	} `json:"trajectory"`
	Info struct {
		ExitStatus string      `json:"exit_status"`
		Submission string      `json:"submission"`
		ModelStats sweStats    `json:"model_stats"`
		Judge      *sweStats   `json:"rloop_model_stats"` // cost of choosing among the attempts
		MiniConfig *miniConfig `json:"config"`
	} `json:"info"`
	Config json.RawMessage `json:"replay_config"` // an object, or a text that holds it
}

// model returns the name of the model that the run was configured with, or "".
func (t sweTrajectory) model() string {
	if t.Info.MiniConfig != nil {
		return t.Info.MiniConfig.Model.Name
	}
	var config struct {
		Agent struct {
			Model struct {
				Name string `json:"name"`
			} `json:"model"`
		} `json:"agent"`
	}
	_ = json.Unmarshal(jsonInText(t.Config), &config)
	return config.Agent.Model.Name
}

type sweStats struct {
	Cost     float64 `json:"instance_cost"`
	Sent     int64   `json:"tokens_sent"`
	Received int64   `json:"tokens_received"`
	Calls    int64   `json:"api_calls"`
}

// readTrajectory reads SWE-agent trajectories. They have no times and no message ids. The
// history holds the messages; the steps only tell how long actions took.
func readTrajectory(name string, doc []byte, out *sink) error {
	var t sweTrajectory
	damage, err := decodeSaved(doc, messageDepth, &t)
	switch {
	case err != nil:
		return err
	case damage != "" && len(t.History) == 0 && len(t.Messages) == 0:
		return errors.New("it is damaged or cut off before its messages") // reading on would repeat the steps
	case damage != "":
		out.skip(damage)
	}
	_ = json.Unmarshal(doc, &t.Messages) // the first versions of mini-swe-agent wrote only these
	if t.History == nil && t.Trajectory == nil && t.Attempts == nil && !isMini(t.Messages) {
		return errors.New("it is not a trajectory of SWE-agent: it has neither history, trajectory nor messages")
	}
	if t.History == nil && len(t.Trajectory) > 0 && t.Trajectory[0].Role != "" {
		t.collected(doc)
	}
	id, parent := sweRun(name)
	if len(t.Attempts) > 0 {
		attempts(id, t.Attempts, out)
		t.History, t.Trajectory = nil, nil // they repeat the best attempt
		t.Info.ModelStats = sweStats{}
		if t.Info.Judge != nil {
			t.Info.ModelStats = *t.Info.Judge
		}
	}
	t.emit(id, parent, out)
	return nil
}

// collected uses the messages of a row of a collection as the history.
func (t *sweTrajectory) collected(doc []byte) {
	var row struct {
		Messages []json.RawMessage `json:"trajectory"`
	}
	_ = decodeLoose(doc, &row)
	t.History, t.Trajectory = row.Messages, nil
	t.Info.ExitStatus, t.Info.Submission = cmp.Or(t.Info.ExitStatus, t.ExitStatus), cmp.Or(t.Info.Submission, t.Patch)
}

// attempts reads the attempts of an agent that tries several times, each as a session.
func attempts(run string, all []json.RawMessage, out *sink) {
	for i, raw := range all {
		var t sweTrajectory
		if err := decodeLoose(raw, &t); err != nil {
			out.begin(i + 1)
			out.skip(err.Error())
			continue
		}
		t.emit(run+"/"+attemptFolder+strconv.Itoa(i), run, out)
	}
}

// emit emits a trajectory as the session with the given id.
func (t sweTrajectory) emit(id, parent string, out *sink) {
	h := &domain.Session{Client: ClientSWEAgent, ClientSessionID: id, ParentID: parent, Model: t.model(), Attributes: map[string]string{}}
	setAttributes(h.Attributes, "environment", t.Environment, "exit_status", t.Info.ExitStatus)
	r := sweReader{session: id, model: h.Model, attempt: parent != "", prompts: prompts{}, names: map[string]string{}, answered: map[string]bool{}, out: out}
	if t.Messages != nil {
		r.mini(t, h)
		return
	}
	out.session(h)
	decodeEach(t.History, out, r.decode)
	if t.History == nil {
		out.begin(1)
		r.steps(t)
	}
	out.begin(len(t.History) + 1)
	r.end(t)
}

// attemptFolder begins the name of the folder with an attempt's file.
const attemptFolder = "attempt_"

// sweRun returns the id of a trajectory's run. SWE-agent names files and their folders
// after the instance alone, which other runs try too; the folder above belongs to the
// run. The file of one of several attempts is one folder further down, and parent is
// then the id of the whole run.
func sweRun(name string) (id, parent string) {
	run, up := baseName(name, ".json", ".traj"), 1
	attempt := folderAbove(name, 1)
	if strings.HasPrefix(attempt, attemptFolder) {
		up = 2
	}
	if above := folderAbove(name, up+1); above != "" && folderAbove(name, up) == run {
		run = above + "/" + run
	}
	if up == 2 {
		return run + "/" + attempt, run
	}
	return run, ""
}

type sweReader struct {
	session  string
	model    string    // by the configuration
	attempt  bool      // one of several attempts
	at       time.Time // time of the current message; SWE-agent has none
	prompts  prompts
	names    map[string]string // of tool calls
	answered map[string]bool   // ids of tool calls
	asked    bool              // the issue was given; further user messages come from the environment
	out      *sink
}

// event adds an event at the current message's time.
func (r *sweReader) event(key domain.Key, p domain.Payload) {
	r.out.event(r.session, r.at, key, rowRef{}, p)
}

// rowID identifies a message by its place and its contents, because another run has
// another message there. An attempt is in two files, which differ in whitespace.
func (r *sweReader) rowID(raw json.RawMessage) string {
	text := string(raw)
	if r.attempt {
		text = rawText(raw)
	}
	return strconv.Itoa(r.out.line) + "-" + shortHash(text)
}

// sweDemo begins a demonstration, which early versions did not mark.
const sweDemo = "Here is a demonstration of how to correctly accomplish this task.\n"

func (r *sweReader) decode(raw []byte, _ *sink) error {
	var m sweMessage
	if err := decodeLoose(raw, &m); err != nil {
		return err
	}
	id := r.rowID(raw)
	key := domain.RowKey(ClientSWEAgent, id)
	msg := domain.Message{Content: cmp.Or(m.Content.text(), m.Text, m.Prompt), Media: m.Content.media(), AgentID: m.Agent}
	if msg.AgentID == "main" || msg.AgentID == "primary" { // in early versions
		msg.AgentID = ""
	}
	switch m.Role {
	case "assistant", "ai":
		r.assistant("step-"+id, m, msg)
		return nil
	case "tool":
		msg.Role = domain.RoleTool
		if len(m.CallIDs) > 0 {
			msg.ToolCallID, msg.ToolName = m.CallIDs[0], r.names[m.CallIDs[0]]
			key = r.answerKey(msg.ToolCallID, key)
		}
	case "user":
		msg.Role = domain.RoleUser
		// The first user message is the issue given by a person; later ones are answers
		// of the environment, or a demonstration.
		switch {
		case m.IsDemo || r.asked:
			msg.Kind = domain.MetaMessage
		case strings.HasPrefix(msg.Content, sweDemo):
			msg.Kind, key = domain.MetaMessage, r.prompts.key(msg.Content, "") // an earlier wake took it for the issue
		default:
			r.asked, key = true, r.prompts.key(msg.Content, "")
		}
	default:
		msg.Role, msg.Kind = domain.RoleSystem, domain.MetaMessage
	}
	r.event(key, msg)
	return nil
}

// answerKey is the key of a call's answer: the call's id, or its own key if another
// call had the id before.
func (r *sweReader) answerKey(callID string, own domain.Key) domain.Key {
	if r.answered[callID] {
		return own
	}
	r.answered[callID] = true
	return domain.ToolResultKey(callID)
}

func (r *sweReader) assistant(id string, m sweMessage, msg domain.Message) {
	msg.Role, msg.MessageID, msg.Model = domain.RoleAssistant, id, cmp.Or(msg.Model, r.model)
	if thought := m.thought(msg.Content); thought != "" {
		r.event(domain.AssistantKey(id, 1), domain.Reasoning{Content: thought, Complete: true})
	}
	for i, c := range m.ToolCalls {
		callID, name := cmp.Or(c.ID, id+"-"+strconv.Itoa(i)), cmp.Or(c.Function.Name, "unknown")
		r.names[callID] = name
		msg.ToolCalls = append(msg.ToolCalls, domain.ToolCall{ID: callID, Name: name, Arguments: jsonInText(c.Function.Arguments)})
	}
	r.event(domain.AssistantKey(id, 0), msg)
}

// steps reads a trajectory without history.
func (r *sweReader) steps(t sweTrajectory) {
	for i, s := range t.Trajectory {
		id := "step-" + strconv.Itoa(i+1) + "-" + shortHash(s.Action+string(s.Response)+s.Observation)
		args, _ := json.Marshal(map[string]string{"action": s.Action})
		name, _, _ := strings.Cut(strings.TrimSpace(s.Action), " ")
		name = cmp.Or(firstLine(name, 100), "action")
		text := cmp.Or(s.Thought, rawText(s.Response))
		r.event(domain.AssistantKey(id, 0), domain.Message{Role: domain.RoleAssistant, Model: r.model,
			MessageID: id, Content: text, ToolCalls: []domain.ToolCall{{ID: id, Name: name, Arguments: args}}})
		r.event(domain.ToolResultKey(id), domain.Message{Role: domain.RoleTool,
			ToolCallID: id, ToolName: name, Content: s.Observation})
	}
}

// end emits the cost of the run and how it ended.
func (r *sweReader) end(t sweTrajectory) {
	stats := t.Info.ModelStats
	if stats.Sent > 0 || stats.Received > 0 || stats.Cost > 0 {
		usage := domain.TokenUsage{Input: max(stats.Sent, 0), Output: max(stats.Received, 0), Cost: domain.Dollars(stats.Cost)}
		key, all := modelCall("model", "", r.model, usage)
		if usage.Total() == 0 { // mini-swe-agent adds up only the cost, and saves the run after each step
			key = domain.OpKey(all.OpID, all.Status, int64(usage.Cost))
		}
		all.Label = "all " + strconv.FormatInt(stats.Calls, 10) + " calls"
		r.event(key, all)
	}
	if t.Info.ExitStatus == "" {
		return
	}
	if t.Info.Submission != "" {
		r.event(domain.RowKey(ClientSWEAgent, "submission"), domain.Note{Kind: "submission", Text: t.Info.Submission})
	}
	done := strings.HasPrefix(strings.ToLower(t.Info.ExitStatus), "submitted")
	end := domain.End{Success: &done}
	if !done {
		end.Error = t.Info.ExitStatus
	}
	r.event(domain.RowKey(ClientSWEAgent, "end"), end)
}
