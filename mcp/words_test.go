package mcp

import (
	"testing"

	"wake/domain"
)

// There is no hint that a model would not be told.
func TestToolWords(t *testing.T) {
	for h, words := range toolWords {
		if words == "" && domain.Hint(h) != domain.NoHint {
			t.Errorf("no words for hint %d", h)
		}
	}
}
