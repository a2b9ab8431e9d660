package recall

import "testing"

// What a user says in general is told from a remark that begins like it.
func TestInstructs(t *testing.T) {
	for text, want := range map[string]bool{
		"Always format dates as day, month, year": true, "Please always show the types.": true, "Never push to main": true,
		"I never want emoji in commits": true, "Always get approval first": true, "Always run the tests": true, "Never break the public interface": true, "We rarely need that": false,
		"Never mind, I found it": false, "Never mind.": false, "never": false, "always getting a 500 now": false,
		"Never seen this error before": false, "It always fails on the second run": false,
	} {
		if got := NewDocument(Entry{Source: "user", Content: text}).instructs(); got != want {
			t.Errorf("%q is an instruction: %v, want %v", text, got, want)
		}
		if NewDocument(Entry{Source: "assistant", Content: text}).instructs() {
			t.Errorf("%q is an assistant's", text)
		}
	}
}
