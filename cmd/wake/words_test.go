package main

import (
	"testing"

	"wake/domain"
)

// Every hint has words for people.
func TestCommandWords(t *testing.T) {
	for h, words := range commandWords {
		if words == "" && domain.Hint(h) != domain.NoHint {
			t.Errorf("no words for hint %d", h)
		}
	}
}
