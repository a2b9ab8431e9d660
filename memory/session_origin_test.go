package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"wake/memory"
	"wake/memory/memorytest"
)

// codexRollout writes a rollout of a thread whose first row has the ordinal first, and in which a
// person says something each ten rows.
func codexRollout(thread, head string, first int, at time.Time, said ...string) *codexFile {
	f := &codexFile{id: thread, name: "rollout-" + at.Format("2006-01-02T15-04-05-") + thread + ".jsonl"}
	row := func(ordinal int, kind, payload string) {
		f.text += fmt.Sprintf(`{"timestamp":%q,"ordinal":%d,"type":%q,"payload":%s}`+"\n", at.Add(time.Duration(ordinal)*time.Second).Format(time.RFC3339), ordinal, kind, payload)
	}
	row(first, "session_meta", fmt.Sprintf(`{"id":%q,"cwd":"/work/api","history_mode":"paginated"%s}`, thread, head))
	for i, words := range said {
		if words == "compact" {
			row(first+10*i+1, "compacted", `{"message":""}`)
			continue
		}
		row(first+10*i+1, "event_msg", fmt.Sprintf(`{"type":"item_completed","thread_id":%q,"item":{"type":"UserMessage","content":[{"type":"text","text":%q}]}}`, thread, words))
		row(first+10*i+2, "response_item", fmt.Sprintf(`{"type":"message","role":"assistant","content":[{"type":"output_text","text":%q}]}`, "Done: "+words))
	}
	return f
}

// forkedAt is what the head of a fork's rollout says of its history.
func forkedAt(thread string, end int) string {
	return fmt.Sprintf(`,"forked_from_id":%[1]q,"history_base":{"thread_id":%[1]q,"end_ordinal_exclusive":%[2]d}`, thread, end)
}

// The rollout of a Codex fork has no copy of its history, which a compaction takes from the model too.
func TestCodexForkTellsItsHistory(t *testing.T) {
	began := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	const forkOfFork = "01a214a6-9d83-74d3-8765-7eb469eff56f"
	files := []*codexFile{
		codexRollout(codexOriginID, "", 0, began, "use tabs", "mend the fees", "look at tolls", "said after the fork"),
		codexRollout(codexThreadID, forkedAt(codexOriginID, 21), 21, began, "fork it", "compact"),
		codexRollout(forkOfFork, forkedAt(codexThreadID, 35), 35, began.Add(time.Minute), "compact"),
	}
	for how, order := range map[string][]int{"in order": {0, 1, 2}, "forks first": {2, 1, 0}} {
		t.Run(how, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			for _, i := range order {
				takeRollout(t, s, files[i], len(files[i].text), true)
			}
			for _, thread := range []string{codexThreadID, forkOfFork} {
				owner, err := s.Store.SessionByClient(ctx, "codex", thread)
				if err != nil {
					t.Fatal(err)
				}
				text, err := s.RestoreText(ctx, owner.ID, 0, 4000)
				if err != nil {
					t.Fatal(err)
				}
				whole, err := s.Resume(ctx, memory.ResumeRequest{Ref: memory.SessionRef{SessionID: owner.ID}})
				if err != nil {
					t.Fatal(err)
				}
				for _, text := range []string{text, whole.Text} {
					for _, words := range []string{"use tabs", "mend the fees", "fork it"} {
						if !isTold(text, words) {
							t.Errorf("%q is not told: %s", words, text)
						}
					}
					if strings.Contains(text, "tolls") || strings.Contains(text, "after the fork") {
						t.Errorf("what came later is told: %s", text)
					}
				}
			}
		})
	}
}

// A fork that goes back to before it began has only what its origin had before that.
func TestCodexForkGoesBack(t *testing.T) {
	began := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	for name, known := range map[string]struct {
		base string
		tabs bool
	}{
		"to its origin":                {forkedAt(codexOriginID, 11), true},
		"to the beginning of them all": {fmt.Sprintf(`,"forked_from_id":%q`, codexOriginID), false},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := memorytest.Open(t)
			first := 0
			if known.tabs {
				first = 11
			}
			back := codexRollout(codexThreadID, known.base, first, began.Add(time.Minute), "begin anew")
			back.name = strings.Replace(back.name, ".jsonl", "_01a214a6-ce3a-7ed0-850a-9001caae0001.jsonl", 1)
			for _, f := range []*codexFile{codexRollout(codexOriginID, "", 0, began, "use tabs", "mend the fees"),
				codexRollout(codexThreadID, forkedAt(codexOriginID, 21), 21, began, "fork it"), back} {
				takeRollout(t, s, f, len(f.text), true)
			}
			owner, err := s.Store.SessionByClient(ctx, "codex", codexThreadID)
			if err != nil {
				t.Fatal(err)
			}
			text, err := s.RestoreText(ctx, owner.ID, 0, 4000)
			if err != nil || isTold(text, "mend the fees") || isTold(text, "use tabs") != known.tabs || !isTold(text, "begin anew") {
				t.Errorf("%v: %s", err, text)
			}
		})
	}
}

// What the origin's session keeps later was not said before the fork.
func TestCodexForkTellsNoLaterDecisions(t *testing.T) {
	began := time.Date(2026, 5, 4, 8, 0, 0, 0, time.UTC)
	s, _ := memorytest.Open(t)
	origin := codexRollout(codexOriginID, "", 0, began, "use tabs", "mend the fees", "look at tolls")
	save := func(words string) {
		t.Helper()
		owner, err := s.Store.SessionByClient(ctx, "codex", codexOriginID)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Save(ctx, memory.SaveRequest{Content: words, SessionID: owner.ID, Project: "demo", ActionType: "decision"}); err != nil {
			t.Fatal(err)
		}
	}
	upTo := strings.Index(origin.text, "look at tolls")
	takeRollout(t, s, origin, strings.LastIndex(origin.text[:upTo], "\n")+1, true)
	save("Fees are in cents.")
	takeRollout(t, s, origin, len(origin.text), true)
	for i := range 12 {
		save(fmt.Sprintf("Toll %d is in euros.", i))
	}
	fork := codexRollout(codexThreadID, forkedAt(codexOriginID, 21), 21, began, "fork it", "compact")
	takeRollout(t, s, fork, len(fork.text), true)
	owner, err := s.Store.SessionByClient(ctx, "codex", codexThreadID)
	if err != nil {
		t.Fatal(err)
	}
	text, err := s.RestoreText(ctx, owner.ID, 0, 4000)
	if err != nil || !strings.Contains(text, "in cents") || strings.Contains(text, "in euros") {
		t.Errorf("%v: %s", err, text)
	}
}
