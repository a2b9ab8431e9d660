package transcript_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"wake/domain"
	"wake/transcript"
)

// I18: whatever is written in wake's own format reads back the same, in order.
func TestWakeLinesIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		items := rapid.SliceOfN(anyItem(), 0, 12).Draw(t, "items")
		var file bytes.Buffer
		w, err := transcript.NewWriter(&file, anyTime().Draw(t, "at"))
		if err != nil {
			t.Fatal(err)
		}
		for _, item := range items {
			if err := w.Write(item); err != nil {
				t.Fatal(err)
			}
		}
		got := readItems(t, file.Bytes())
		if diff := cmp.Diff(items, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(transcript.Item{}, "Whole")); diff != "" {
			t.Fatalf("written and read (-want +got):\n%s\n%s", diff, file.String())
		}
	})
}

func readItems(t *rapid.T, data []byte) []transcript.Item {
	r, err := transcript.NewReader(transcript.Wake, "export.jsonl", bytes.NewReader(data), domain.IngestCursor{})
	if err != nil {
		t.Fatal(err)
	}
	var items []transcript.Item
	for item, err := range r.Items() {
		if err != nil || item.Skipped != nil {
			t.Fatalf("%v %v", err, item.Skipped)
		}
		items = append(items, item)
	}
	return items
}

func anyTime() *rapid.Generator[time.Time] {
	return rapid.Custom(func(t *rapid.T) time.Time {
		return time.UnixMicro(rapid.Int64Range(0, 4e15).Draw(t, "micros")).UTC()
	})
}

// anyText holds what breaks careless writers: quotes, line breaks, markup,
// separators, NUL, other scripts.
func anyText() *rapid.Generator[string] {
	return rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "a\nb", "<b>&\u2028\u2029", "\x00", "\"\\", "日本語 🎉", "{\"type\":\"user\"}"}))
}

// anyName is text that a store can hold as an id or a tag.
func anyName() *rapid.Generator[string] {
	return anyText().Filter(func(s string) bool { return domain.ValidID(s) && !strings.Contains(s, ",") })
}

func anyItem() *rapid.Generator[transcript.Item] {
	return rapid.Custom(func(t *rapid.T) transcript.Item {
		switch rapid.IntRange(0, 9).Draw(t, "what") {
		case 9:
			return transcript.Item{Tombstone: &domain.Tombstone{ID: anyName().Draw(t, "id"), Project: "demo", ContentHash: "h", ErasedAt: anyTime().Draw(t, "at")}}
		case 0:
			return transcript.Item{Session: anySession(t)}
		case 1:
			return transcript.Item{Context: anyContext(t)}
		case 2:
			return transcript.Item{Link: &domain.Link{From: anyName().Draw(t, "from"), To: "b", Kind: domain.Supersedes, Origin: domain.Auto,
				Confidence: rapid.Float64Range(0, 1).Draw(t, "confidence"), Reason: anyText().Draw(t, "reason"), AddedAt: anyTime().Draw(t, "added"), RemovedAt: anyTime().Draw(t, "removed")}}
		case 3:
			return transcript.Item{Access: &domain.Access{ContextID: "c", Project: anyText().Draw(t, "project"), At: anyTime().Draw(t, "at"), How: domain.Used, Via: "tool"}}
		case 4:
			return transcript.Item{Blob: &transcript.Blob{Hash: "h", Data: rapid.SliceOf(rapid.Byte()).Draw(t, "data")}}
		case 5:
			return transcript.Item{Handoff: &domain.Handoff{ID: "h", FromMode: anyText().Draw(t, "mode"), CreatedAt: anyTime().Draw(t, "at"), Skills: rapid.SliceOf(anyText()).Draw(t, "skills")}}
		case 6:
			return transcript.Item{Checkpoint: &domain.Checkpoint{ID: "c", Label: anyText().Draw(t, "label"), CreatedAt: anyTime().Draw(t, "at"), Seq: rapid.Int64().Draw(t, "seq")}}
		case 7:
			return transcript.Item{Outcome: &domain.Outcome{ContextID: "c", PredictedAt: anyTime().Draw(t, "at"), Horizon: time.Hour, Score: rapid.Float64Range(0, 1).Draw(t, "score")}}
		default:
			return transcript.Item{Event: anyEvent(t)}
		}
	})
}

func anySession(t *rapid.T) *domain.Session {
	yes := rapid.Bool().Draw(t, "success")
	return &domain.Session{ID: anyText().Draw(t, "id"), Title: anyText().Draw(t, "title"), Project: anyText().Draw(t, "project"),
		Attributes: map[string]string{"cwd": anyText().Draw(t, "cwd")}, Status: domain.SessionEnded, StartedAt: anyTime().Draw(t, "start"),
		Success: &yes, LastSeq: rapid.Int64().Draw(t, "seq"), Totals: domain.Totals{TokensIn: rapid.Int64().Draw(t, "in"), Cost: domain.USD(rapid.Int64Range(0, 1e15).Draw(t, "cost"))}}
}

func anyContext(t *rapid.T) *domain.ContextSnapshot {
	return &domain.ContextSnapshot{ID: anyName().Draw(t, "id"), Content: anyText().Draw(t, "content"), Summary: anyText().Draw(t, "summary"),
		Tags: rapid.SliceOf(anyName()).Draw(t, "tags"), Timestamp: anyTime().Draw(t, "at"), SavedAt: anyTime().Draw(t, "saved"),
		Metadata:  map[string]any{"text": anyText().Draw(t, "meta"), "number": rapid.Float64Range(-1e9, 1e9).Draw(t, "number"), "list": []any{"a", nil, true}},
		Causality: &domain.Causality{ActionType: domain.Decision, CausedBy: anyName().Draw(t, "cause"), Dependencies: rapid.SliceOf(anyName()).Draw(t, "deps")},
		Memory:    domain.Memory{Tier: domain.TierRecent, AccessCount: rapid.Int64().Draw(t, "count"), LastAccessed: anyTime().Draw(t, "accessed")}}
}

// anyEvent has payloads that this wake made, that another one made with blanks,
// and that are no JSON at all.
func anyEvent(t *rapid.T) *domain.Event {
	e, err := domain.NewEvent(anyTime().Draw(t, "at"), domain.Key(anyText().Draw(t, "key")), domain.Message{Role: domain.RoleUser, Content: anyText().Draw(t, "content")})
	if err != nil {
		t.Fatal(err)
	}
	switch rapid.IntRange(0, 3).Draw(t, "payload") {
	case 0:
		e.Payload = []byte(`{ "role": "user" }`)
	case 1:
		e.Payload = rapid.SliceOf(rapid.Byte()).Draw(t, "bytes")
	}
	e.Parsed = nil // a file does not tell it
	e.SessionID, e.ID, e.Seq, e.RecordedAt = "s", anyText().Draw(t, "id"), rapid.Int64().Draw(t, "seq"), anyTime().Draw(t, "recorded")
	e.Source = domain.SourcePos{Name: anyText().Draw(t, "source"), Pos: rapid.Int64().Draw(t, "pos")}
	e.Facts = domain.Facts{Turn: rapid.Int64().Draw(t, "turn"), Human: true, Hash: "x", Spent: domain.Totals{ToolsRun: 1}}
	return &e
}

// A file of a newer wake is left unread: the place that is kept of it is its beginning, so
// that a wake which knows it takes in all of it.
func TestWakeLinesOfNewerWake(t *testing.T) {
	file := fmt.Sprintf(`{"wake":%d}`, transcript.LinesVersion+1) + "\n" + `{"link":{"from":"a"}}` + "\n"
	r, err := transcript.NewReader(transcript.Wake, "export.jsonl", strings.NewReader(file), domain.IngestCursor{})
	if err != nil {
		t.Fatal(err)
	}
	for item, failed := range r.Items() {
		if failed == nil {
			t.Errorf("it was read: %+v", item)
		}
		err = failed
	}
	if domain.KindOf(err) != domain.KindConflict || !strings.Contains(err.Error(), "newer wake") {
		t.Errorf("reading gave %v", err)
	}
	cursor, err := r.Cursor()
	if err != nil || cursor.Offset != 0 {
		t.Fatalf("the place is %d, %v", cursor.Offset, err)
	}
	known := strings.Replace(file, fmt.Sprint(transcript.LinesVersion+1), fmt.Sprint(transcript.LinesVersion), 1)
	if res := read(t, transcript.Wake, "export.jsonl", []byte(known), cursor); len(res.links) != 1 || len(res.skipped) != 0 {
		t.Errorf("the wake that knows it read %+v", res)
	}
}

// A file without its header is not guessed at, nor is a line that says too little.
func TestWakeLinesVersions(t *testing.T) {
	for file, reason := range map[string]string{
		`{"link":{"from":"a"}}` + "\n":                                                                            "header",
		`{"wake":1}` + "\n" + `{"spaceship":{}}` + "\n":                                                           "nothing that this wake knows",
		`{"wake":1}` + "\n" + `{"access":{"context_id":"a","how":"used"}}` + "\n":                                 "when it was",
		`{"wake":1}` + "\n" + `{"outcome":{"context_id":"a","predicted_at":"0001-01-01T00:00:00Z"}}` + "\n":       "when it was",
		`{"wake":1}` + "\n" + `{"erased":{"id":"a"}}` + "\n":                                                      "when it was",
		`{"wake":1}` + "\n" + `{"event":{"seq":1,"type":"note","at":"2026-01-01T00:00:00Z","payload":{}}}` + "\n": "of which session",
	} {
		res := read(t, transcript.Wake, "export.jsonl", []byte(file), domain.IngestCursor{})
		if len(res.links) != 0 || len(res.skipped) == 0 || !strings.Contains(res.skipped[len(res.skipped)-1].Reason, reason) {
			t.Errorf("%q: %v", file, res.skipped)
		}
	}
	var file bytes.Buffer
	w, _ := transcript.NewWriter(&file, time.Time{})
	if err := w.Write(transcript.Item{}); domain.KindOf(err) != domain.KindInvalid {
		t.Errorf("an empty item: %v", err)
	}
	if !json.Valid(bytes.TrimSpace(file.Bytes())) {
		t.Errorf("header %q", file.String())
	}
	if f, ok := transcript.Detect("x", file.Bytes()); f != transcript.Wake || !ok {
		t.Errorf("detected %q", f)
	}
}
