package main

import (
	"testing"

	"wake/domain"
)

// There is no hint that a person would not be told.
func TestCommandWords(t *testing.T) {
	for h, words := range commandWords {
		if words == "" && domain.Hint(h) != domain.NoHint {
			t.Errorf("no words for hint %d", h)
		}
	}
}
