package session_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/session"
)

// 004-06, 004-07, 004-16: append-only in an epoch, a copy on build, a reset opens the next epoch.
func TestWorkingContext(t *testing.T) {
	w := session.NewWorkingContext()
	w.AppendUser("hello")
	w.AppendAssistant("", "thinking")
	w.AppendToolCalls([]domain.ToolCall{{ID: "t1", Name: "read", Arguments: []byte(`{}`)}})
	w.AppendToolResult("t1", "read", map[string]any{"lines": 3}, "")
	w.AppendToolResult("t2", "run", nil, "exit status 1")
	built := w.BuildMessages()
	if len(built) != 5 || built[3].Content != `{"lines":3}` || built[4].Error != "exit status 1" {
		t.Errorf("built %+v", built)
	}
	built[0].Content, built[2].ToolCalls[0].Name = "changed", "changed"
	if again := w.BuildMessages(); again[0].Content != "hello" || again[2].ToolCalls[0].Name != "read" {
		t.Error("a change of the copy changed the original")
	}
	w.Reset([]domain.Message{said("summary")}, noon)
	if w.Epoch != 2 || !w.LastCompaction.Equal(noon) || len(w.BuildMessages()) != 1 {
		t.Errorf("after the reset: %+v", w)
	}
}

// someMessage draws a message with everything it can hold.
func someMessage(t *rapid.T) domain.Message {
	text := func(label string) string { return rapid.String().Draw(t, label) }
	m := domain.Message{Role: rapid.SampledFrom([]domain.Role{domain.RoleUser, domain.RoleAssistant, domain.RoleSystem, domain.RoleTool}).Draw(t, "role"), Content: text("content")}
	switch m.Role {
	case domain.RoleAssistant:
		m.Reasoning = text("reasoning")
		if rapid.Bool().Draw(t, "calls") {
			m.ToolCalls = []domain.ToolCall{{ID: "t", Name: text("tool"), Arguments: []byte(`{"a":1}`)}}
		}
		m.Error = text("error")
	case domain.RoleTool:
		m.ToolCallID, m.ToolName, m.Error = text("id"), text("tool"), text("error")
	case domain.RoleUser:
		for i := range rapid.IntRange(0, 3).Draw(t, "media") {
			m.Media = append(m.Media, domain.Media{Type: rapid.SampledFrom([]string{"image", "audio", "video", "file"}).Draw(t, "type"), URL: text("url")})
			if rapid.Bool().Draw(t, "more") {
				m.Media[i].Mime, m.Media[i].Name, m.Media[i].Data = "x/y", text("name"), []byte{byte(i), 255}
			}
		}
	}
	if rapid.Bool().Draw(t, "of a block") {
		m.MessageID, m.Block, m.Model, m.AgentID = "m", 2, text("model"), text("agent")
	}
	m.Kind = rapid.SampledFrom([]domain.MessageKind{domain.PlainMessage, domain.MetaMessage}).Draw(t, "kind")
	return m
}

// 004-08: what is serialised comes back: tool calls and results, media, reasoning.
func TestSerializeIsIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := session.Cached{AgentID: "a", SessionID: "s", Epoch: 3, Seq: 9, PromptHash: "p"}
		want := []session.Placed{}
		for i := range rapid.IntRange(0, 5).Draw(t, "messages") {
			want = append(want, session.Placed{Seq: int64(9 - i), At: noon, Message: someMessage(t)})
		}
		var err error
		if c.Messages, err = session.CachedMessages(want); err != nil {
			t.Fatal(err)
		}
		data, err := session.Serialize(c)
		if err != nil {
			t.Fatal(err)
		}
		back, err := session.Deserialize(data)
		if err != nil {
			t.Fatalf("%v\n%s", err, data)
		}
		got, err := back.NewestFirst()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" || back.Epoch != 3 {
			t.Fatalf("-want +got:\n%s", diff)
		}
	})
}

// I12, 004-17: damage anywhere is seen, and never a panic.
func TestDamagedCacheIsRefused(t *testing.T) {
	messages, err := session.CachedMessages([]session.Placed{{Seq: 1, At: noon, Message: said("hello")}})
	if err != nil {
		t.Fatal(err)
	}
	data, err := session.Serialize(session.Cached{AgentID: "a", SessionID: "s", Epoch: 1, Seq: 1, Messages: messages})
	if err != nil {
		t.Fatal(err)
	}
	for i := range data {
		for bit := range 8 {
			bad := append([]byte(nil), data...)
			bad[i] ^= 1 << bit
			if c, err := session.Deserialize(bad); err == nil && cmp.Diff(c.Messages, messages) != "" {
				t.Fatalf("byte %d, bit %d was not seen: %s", i, bit, bad)
			}
		}
		if _, err := session.Deserialize(data[:i]); err == nil {
			t.Fatalf("cut at %d was not seen", i)
		}
	}
}

// 004-15, I12: the seed's rules of shape, and no other schema version.
func TestValidate(t *testing.T) {
	for text, good := range map[string]bool{
		`{"schema_version":1,"agent_id":"a","messages":[]}`:                                  true,
		`{"schema_version":1,"agent_id":"a","messages":[{"role":"user","content":"hello"}]}`: true,
		`{"schema_version":2,"agent_id":"a","messages":[]}`:                                  false,
		`{"schema_version":"1","agent_id":"a","messages":[]}`:                                false,
		`{"schema_version":1,"agent_id":7,"messages":[]}`:                                    false,
		`{"schema_version":1,"messages":[]}`:                                                 false,
		`{"schema_version":1,"agent_id":"a"}`:                                                false,
		`{"schema_version":1,"agent_id":"a","messages":{}}`:                                  false,
		`{"schema_version":1,"agent_id":"a","messages":[3]}`:                                 false,
		`{"schema_version":1,"agent_id":"a","messages":[{"role":1}]}`:                        false,
		`[]`: false, ``: false, `null`: false,
	} {
		if err := session.Validate([]byte(text)); (err == nil) != good {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// I12: stale, foreign or made for another prompt is unfit.
func TestFits(t *testing.T) {
	c := session.Cached{SessionID: "s", AgentID: "a", Epoch: 2, Seq: 10, PromptHash: "p"}
	for _, x := range []struct {
		session, agent string
		epoch, last    int64
		prompt         string
		fit            bool
	}{
		{"s", "a", 2, 10, "p", true}, {"s", "a", 2, 99, "p", true}, {"s", "a", 2, 10, "", true},
		{"other", "a", 2, 10, "p", false}, {"s", "b", 2, 10, "p", false}, {"s", "a", 3, 10, "p", false},
		{"s", "a", 2, 9, "p", false}, {"s", "a", 2, 10, "q", false},
	} {
		if c.Fits(x.session, x.agent, x.epoch, x.last, x.prompt) != x.fit {
			t.Errorf("%+v", x)
		}
	}
}

// I20: every call is answered, once, after it; no answer stands without its call;
// nothing else is lost and the order is kept.
func TestCloseCalls(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var list []session.Placed
		for i := range rapid.IntRange(0, 25).Draw(t, "length") {
			m := session.Placed{Seq: int64(i + 1)}
			switch rapid.IntRange(0, 2).Draw(t, "what") {
			case 0:
				m.Message = said(fmt.Sprint(i))
			case 1:
				for j := range rapid.IntRange(1, 3).Draw(t, "calls") {
					m.Role = domain.RoleAssistant
					m.ToolCalls = append(m.ToolCalls, domain.ToolCall{ID: fmt.Sprint(i, ".", j), Name: "x"})
				}
			case 2:
				m.Message = domain.Message{Role: domain.RoleTool, ToolCallID: fmt.Sprint(rapid.IntRange(0, 25).Draw(t, "to"), ".", rapid.IntRange(0, 2).Draw(t, "call"))}
			}
			list = append(list, m)
		}
		out := session.CloseCalls(list)
		open, answered, others := map[string]bool{}, map[string]bool{}, 0
		for _, m := range out {
			for _, c := range m.ToolCalls {
				open[c.ID] = true
			}
			if m.Role == domain.RoleTool {
				if !open[m.ToolCallID] || answered[m.ToolCallID] {
					t.Fatalf("an answer to %q that is not open", m.ToolCallID)
				}
				answered[m.ToolCallID] = true
				continue
			}
			others++
		}
		if len(answered) != len(open) {
			t.Fatalf("%d calls, %d answers", len(open), len(answered))
		}
		for _, m := range list {
			if m.Role != domain.RoleTool {
				others--
			}
		}
		if again := session.CloseCalls(out); others != 0 || cmp.Diff(out, again) != "" {
			t.Fatal("a message was lost, or closing twice is not closing once")
		}
	})
}

// Blocks of one API message become one message again.
func TestJoin(t *testing.T) {
	block := func(id, text string) session.Placed {
		return session.Placed{Message: domain.Message{Role: domain.RoleAssistant, MessageID: id, Content: text}}
	}
	out := session.Join([]session.Placed{block("m1", "a"), block("m1", ""), block("m1", "b"), block("m2", "c"), block("", "d"), block("", "e")})
	var got []string
	for _, m := range out {
		got = append(got, m.Content)
	}
	if diff := cmp.Diff([]string{"a\nb", "c", "d", "e"}, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// I21: a packed list fits its budget, holds whole messages or pointers, the newest
// ones, and always the user's last message.
func TestPack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var newest []session.Placed
		n := rapid.IntRange(0, 30).Draw(t, "messages")
		for i := range n {
			text := rapid.StringN(0, 200, 800).Draw(t, "text")
			newest = append(newest, session.Placed{Seq: int64(n - i), At: noon, Message: said(text)})
		}
		var must *session.Placed
		if n > 0 && rapid.Bool().Draw(t, "must") {
			must = &newest[rapid.IntRange(0, n-1).Draw(t, "which")]
		}
		budget := rapid.Int64Range(120, 3000).Draw(t, "budget")
		packed := session.Pack(newest, must, budget, func(seq int64) string { return session.MessageURI("s", seq) })
		total, hasMust := int64(0), must == nil
		for i, m := range packed {
			total += session.Weight(m)
			hasMust = hasMust || m.Seq == must.Seq
			if i > 0 && packed[i-1].Seq >= m.Seq {
				t.Fatal("out of order")
			}
			if i > 0 && packed[i-1].Seq+1 != m.Seq && (must == nil || packed[i-1].Seq != must.Seq) {
				t.Fatal("a message is missing in between")
			}
			if m.Pointer == "" && m.Content != newest[n-int(m.Seq)].Content {
				t.Fatal("a message was cut")
			}
		}
		if total > budget || !hasMust {
			t.Fatalf("%d tokens of %d, last message in: %v", total, budget, hasMust)
		}
	})
}

// The JSON that answers carry is what is weighed.
func TestWeightIsHonest(t *testing.T) {
	m := session.Placed{Seq: 1, At: noon, Message: said("quotes \" and \n lines")}
	data, err := json.Marshal(m.Message)
	if err != nil || session.Weight(m) < int64(len(data))/4 {
		t.Errorf("weighs %d, is %d bytes, %v", session.Weight(m), len(data), err)
	}
}
