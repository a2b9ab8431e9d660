package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"wake/memory"
	"wake/memory/memorytest"
)

// The prediction record of six weeks of work is drawn for people and complete in JSON.
func TestStatsPrediction(t *testing.T) {
	home := t.TempDir()
	db := filepath.Join(home, "history.db")
	t.Run("live", func(t *testing.T) { // closes the file at its end
		s, c := memorytest.OpenFile(t, db)
		memorytest.Live(t, s, c, "shop", 45)
	})
	text := run(t, home, "--db", db, "--project", "shop", "stats", "--prediction")
	t.Log(text)
	for _, want := range []string{
		"what was used stood", "wake ", "lru ", "newest ", "wakeiqx ", "0.4 time + 0.3 causes + 0.3 frequency",
		"chances within 24 hours", "chances within 7 days", "Brier score", "calibration error", "| said   * came   + both",
		"it goes by", "what goes together", "it listens to", "activation alone", "settled",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing", want)
		}
	}
	var got memory.ProjectRecord
	if err := json.Unmarshal([]byte(run(t, home, "--json", "--db", db, "--project", "shop", "stats", "--prediction")), &got); err != nil {
		t.Fatal(err)
	}
	if got.Project != "shop" || got.Questions < 200 || len(got.Methods) != 5 || got.Day == nil || got.Week == nil || got.Learned == nil || len(got.Verdict) < 2 {
		t.Errorf("%+v", got)
	}
	if lines := strings.Count(run(t, home, "--json", "--db", db, "--project", "*", "stats", "--prediction"), "\n"); lines != 1 {
		t.Errorf("%d lines of JSON for one project", lines)
	}
	young := run(t, home, "--db", db, "--project", "new", "stats", "--prediction")
	if !strings.Contains(young, "nothing to judge by yet") || strings.Contains(young, "what was used stood") {
		t.Errorf("without a history:\n%s", young)
	}
	id := strings.TrimSpace(run(t, home, "--db", db, "--project", "new", "save", "One decision."))[len("saved "):][:36]
	run(t, home, "--db", db, "load", id)
	if early := run(t, home, "--db", db, "--project", "new", "stats", "--prediction"); !strings.Contains(early, "only 1 use so far; methods are compared from 25 on") || strings.Contains(early, "what was used stood") {
		t.Errorf("after one use:\n%s", early)
	}
}

// A bin is drawn at its predicted and its actual probability.
func TestCurveRow(t *testing.T) {
	for _, tt := range []struct {
		given, used float64
		at          map[int]byte
	}{
		{0, 1, map[int]byte{0: '|', curveWidth: '*', 1: '.'}},
		{0.5, 0.5, map[int]byte{curveWidth / 2: '+'}},
		{1, 0.1, map[int]byte{curveWidth: '|', curveWidth / 10: '*'}},
	} {
		row := curveRow(memory.CurveBin{Given: tt.given, Used: tt.used})
		for k, want := range tt.at {
			if row[k] != want || len(row) != curveWidth+1 {
				t.Errorf("%v: %s", tt, row)
			}
		}
	}
}
