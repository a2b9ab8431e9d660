package mcp

import (
	"testing"

	"wake/domain"
)

// There is no hint that a model would not be told.
func TestToolWords(t *testing.T) {
	for _, h := range domain.Hints() {
		if toolWords[h] == "" {
			t.Errorf("no words for hint %d", h)
		}
	}
}
