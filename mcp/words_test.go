package mcp

import (
	"testing"

	"wake/domain"
)

// Every hint has words for a model.
func TestToolWords(t *testing.T) {
	for h, words := range toolWords {
		if words == "" && domain.Hint(h) != domain.NoHint {
			t.Errorf("no words for hint %d", h)
		}
	}
}
