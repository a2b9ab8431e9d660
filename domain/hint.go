package domain

import "strings"

// Hint is advice on what to do next, given by an error or a note. The code that
// gives it does not know whether a model or a person asked: MCP and the command
// line each have their own [Words] for it.
type Hint int

// The hints.
const (
	NoHint             Hint = iota
	FindContexts            // see which contexts there are, with their ids
	ListNewest              // list the newest contexts instead of asking
	OpenWhole               // read the context ID whole
	SaveContext             // keep the next context
	SaveFirst               // keep the first context of a project
	ChangeContext           // change what may change about the context ID
	Supersede               // say that the context ID replaces another
	SayWhy                  // save contexts with the reason why they exist
	ExplainLost             // see which contexts a chain has lost
	ForgetExpired           // see which expired contexts could go
	CatchUpPredictions      // learn the rest of the access log
	CatchUpSummaries        // let the model work its queue
	OpenSession             // have a session recorded
	NameSession             // say which session is meant
	ListSessions            // see which sessions there are
	ResumeSession           // go on with the session ID
	UnforgetSession         // bring a forgotten session back
	ListCheckpoints         // see which checkpoints there are
	RestoreCheckpoint       // set the session back to the checkpoint ID
	UndeleteCheckpoint      // bring a deleted checkpoint back first
	ListHandoffs            // see which hand-offs there are
	MakeHandoff             // make a hand-off, or do without
	endOfHints
)

// Words are the hints as MCP or the command line words them, "" those that it has no
// words for. "ID" stands for the id of what the hint is about.
type Words [endOfHints]string

// Say words a hint, about the thing with the given id if there is one.
func (w Words) Say(h Hint, id string) string {
	if id == "" {
		return w[h]
	}
	return strings.ReplaceAll(w[h], "ID", id)
}

// Behind appends the words of a hint to a text, if there are any.
func (w Words) Behind(text string, h Hint, id string) string {
	if said := w.Say(h, id); said != "" {
		return text + "; " + said
	}
	return text
}
