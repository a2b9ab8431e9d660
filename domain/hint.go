package domain

import "strings"

// Hint is what to do next, as an error or a note advises it. Who gives it does not
// know by which door the question came: each door says it in [Words] of its own.
type Hint int

// The hints.
const (
	NoHint             Hint = iota
	FindContexts            // see which contexts there are, with their ids
	ListNewest              // list the newest contexts instead of asking
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

// Hints lists every hint: a door has words for each.
func Hints() []Hint {
	all := make([]Hint, 0, endOfHints-1)
	for h := NoHint + 1; h < endOfHints; h++ {
		all = append(all, h)
	}
	return all
}

// Words are the hints as one door says them. "ID" stands in them for the id of what
// the hint is about.
type Words map[Hint]string

// Say says a hint, about the thing with an id where one is given. It is "" where
// there are no words for it.
func (w Words) Say(h Hint, id string) string {
	if id == "" {
		return w[h]
	}
	return strings.ReplaceAll(w[h], "ID", id)
}

// Behind is a text with the words of a hint behind it, where there are any.
func (w Words) Behind(text string, h Hint, id string) string {
	if said := w.Say(h, id); said != "" {
		return text + "; " + said
	}
	return text
}
