package domain

import "strings"

// Hint is advice on what to do next, in an error or a note. The code that gives it
// does not know whether a model or a person will read it; MCP and the command line
// each have their own [Words] for it.
type Hint int

// The hints.
const (
	NoHint             Hint = iota
	FindContexts            // see the contexts with their ids
	OpenMessage             // read a message that a search found
	ListNewest              // list the newest contexts instead of searching
	OpenWhole               // read all of the context ID
	SaveContext             // save the next context
	SaveFirst               // save the first context of a project
	ChangeContext           // change the context ID
	Supersede               // say that the context ID replaces another
	SayWhy                  // save contexts with the reason why they exist
	ExplainLost             // see which causes are lost
	UnforgetContext         // bring a forgotten context back
	ForgetExpired           // see which expired contexts could be forgotten
	CatchUpPredictions      // learn the rest of the access log
	CatchUpSummaries        // let the model work through its queue
	OpenSession             // have a session recorded
	NameSession             // name the session
	ListSessions            // see the sessions
	ResumeSession           // resume the session ID
	UnforgetSession         // bring a forgotten session back
	ListCheckpoints         // see the checkpoints
	RestoreCheckpoint       // restore the checkpoint ID
	UndeleteCheckpoint      // bring a deleted checkpoint back first
	ListHandoffs            // see the hand-offs
	MakeHandoff             // make a hand-off, or do without
	endOfHints
)

// Words are the words of MCP or of the command line for each hint, "" for hints that
// it does not give. "ID" stands for the id of what the hint is about.
type Words [endOfHints]string

// Say returns the words for a hint about the thing with an id, which may be "".
func (w Words) Say(h Hint, id string) string {
	if id == "" {
		return w[h]
	}
	return strings.ReplaceAll(w[h], "ID", id)
}

// Behind appends the words of a hint, if any, to a text; to a list, on a line of their own.
func (w Words) Behind(text string, h Hint, id string) string {
	said := w.Say(h, id)
	switch {
	case said == "":
		return text
	case strings.Contains(text, "\n"):
		return text + "\n" + said
	}
	return text + "; " + said
}
