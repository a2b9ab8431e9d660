// Package summarizer says in a few words what a stored text is about: a summary, tags
// and, with a model, an embedding.
//
// [Extractive] needs only the text and returns at once, so that every save has a
// summary before it is acknowledged. [Ollama] asks a model on the user's machine and is
// meant for a job that runs later. Both mask secrets, and neither follows instructions
// in stored text.
package summarizer

// The limits of a summary.
const (
	MaxSummary  = 280 // columns of a summary; one long sentence may go up to MaxSentence
	MaxSentence = 400 // columns
	MaxTags     = 6
	MaxTag      = 40 // characters
)
