package recall

import (
	"strings"
	"testing"
)

// What a user says in general is told from a remark that begins like it.
func TestInstructs(t *testing.T) {
	for text, want := range map[string]bool{
		"Always format dates as day, month, year": true, "Please always show the types.": true, "Never push to main": true,
		"I never want emoji in commits": true, "Always get approval first": true, "Always run the tests": true, "Never break the public interface": true, "We rarely need that": false,
		"Never mind, I found it": false, "Never mind.": false, "never": false, "always getting a 500 now": false,
		"Never seen this error before": false, "It always fails on the second run": false,
		"Remember: always run the tests": true, "You must always ask first": true, "Note: never commit secrets": true, "OK, always use tabs": true,
		"pls never touch main": true, "The job never ends": false, "the tests always pass on my machine": false,
		"I've never used Redis, how do I begin?": false, "Always show the types, will you?": true,
		"Never in my life " + strings.Repeat("did I see so long a story ", 20): false,
	} {
		if got := NewDocument(Entry{Source: "user", Content: text}).instructs(); got != want {
			t.Errorf("%q is an instruction: %v, want %v", text, got, want)
		}
		if NewDocument(Entry{Source: "assistant", Content: text}).instructs() {
			t.Errorf("%q is an assistant's", text)
		}
	}
}

// What a user prefers is told from preferences that a program has.
func TestPrefers(t *testing.T) {
	for text, want := range map[string]bool{
		"I prefer short names for tests": true, "I'd prefer e-books, can you suggest some?": true, "My preference is the dark theme": true, "I prefer file names in lower case": true, "I prefer tabs": true, "I prefer tables to lists": true,
		"Given my preference for simple tools, what would you use?": true,
		"SharedPreferences crashes on start":                        false, "preferred_username is missing in the token": false, "open preferences.xml and sort the keys": false,
		"The preferences screen has a bug": false, "user preferences need an index": false, "Users prefer the list to the grid": false, "tabs": false,
	} {
		if got := NewDocument(Entry{Source: "user", Content: text}).prefers(); got != want {
			t.Errorf("%q says what is preferred: %v, want %v", text, got, want)
		}
	}
}

// A request is told from a question for a fact, which instructions would only stand before.
func TestRequest(t *testing.T) {
	for question, want := range map[string]bool{
		"Could you add a migration for the new column?": true, "How should I log a failed charge?": true, "How do I calculate the chance?": true,
		"Which queue library would you use here?": true, "What is the best way to name branches?": true, "Where should I put the fixtures?": true,
		"When should I cut the release?": true, "How many tests should I write?": true, "How much am I allowed to spend on gifts?": true,
		"What are some snacks for the walk?": true, "Are there any concerts this weekend?": true, "Welche Bibliothek soll ich nehmen?": true,
		"Which is better, tabs or spaces?": true, "Welche Bibliothek empfiehlst du?": true, "Was ist besser, Tabs oder Leerzeichen?": true,
		"Quelle bibliothèque me conseilles-tu ?": true, "¿Cuál me recomiendas?": true, "Welche Bibliothek hat das Team empfohlen?": false,
		"What is the timeout of the ledger client?": false, "what's the batch size": false, "Which cluster does payments run in?": false,
		"When does the freeze start?": false, "How many rows per batch?": false, "How often does the feed refresh?": false,
		"Why is the replica still on 15?": false, "How does the limiter keep its state?": false, "How did we fix the black frame?": false,
		"What score did Scott get?": false, "Is Tom still on call?": false, "Who suggested the workshop?": false,
		"What port did I say?": false, "Could you tell me what you said about ports, in our chat?": false,
		"Wann ist die Messfahrt?": false, "login feature": false,
	} {
		if got := Understand(question).Request; got != want {
			t.Errorf("%q is a request: %v, want %v", question, got, want)
		}
	}
}
