package main

import (
	"testing"

	"wake/domain"
)

// There is no hint that a person would not be told.
func TestCommandWords(t *testing.T) {
	for _, h := range domain.Hints() {
		if commandWords[h] == "" {
			t.Errorf("no words for hint %d", h)
		}
	}
}
