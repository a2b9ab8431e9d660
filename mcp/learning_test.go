package mcp_test

import (
	"strings"
	"testing"

	"wake/memory/memorytest"
)

// memory_stats shows the prediction record of a project with a history next to the
// simple rules, and claims nothing for one without.
func TestStatsShowTheRecord(t *testing.T) {
	p, s, c := open(t)
	_, young := p.call("memory_stats", args{})
	if !strings.Contains(young, "nothing to judge by yet") || strings.Contains(young, "lru") {
		t.Errorf("without a history: %s", young)
	}
	memorytest.Live(t, s, c, memorytest.Project, 21)
	stats, said := p.call("memory_stats", args{})
	for _, want := range []string{"Record: in ", "lru (used last first): first ", "newest (saved last first)", "wakeiqx (", "Brier skill", "Learned from ", "it goes by "} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is missing in: %s", want, said)
		}
	}
	learning := stats["learning"].(map[string]any)
	if learning["questions"].(float64) < 100 || len(learning["methods"].([]any)) != 5 || learning["learned"] == nil || learning["day"] == nil {
		t.Errorf("%v", learning)
	}
}
