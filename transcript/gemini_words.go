package transcript

import (
	"cmp"
	"slices"
	"strings"

	"wake/domain"
)

// What hooks had to say stands around a prompt in these marks, or in a row of its own.
const (
	hookOpens  = "<hook_context>"
	hookCloses = "</hook_context>"
)

// geminiKind tells a person's words from what the client tells the model by itself.
func geminiKind(text string) domain.MessageKind {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, "</state_snapshot>") && strings.Contains(text, "<state_snapshot>") {
		return domain.SummaryMessage // what the history was compressed to
	}
	for mark, kind := range fencedMarks() {
		if strings.HasPrefix(text, mark) && strings.HasSuffix(text, "\n```") {
			return kind
		}
	}
	for _, mark := range []string{"This is the Gemini CLI. We are setting up the context", "<session_context>", "System: Potential loop detected. Details: "} {
		if strings.HasPrefix(text, mark) {
			return domain.MetaMessage
		}
	}
	inside, whole := strings.CutSuffix(text, hookCloses)
	if text == "System: Please continue." || whole && strings.HasPrefix(inside, hookOpens) && !strings.Contains(inside, hookCloses) {
		return domain.MetaMessage
	}
	return domain.PlainMessage
}

// geminiFolder is the folder that the client tells the model it works in, the first of
// several; "" where the text tells of none.
func geminiFolder(text string) string {
	for _, mark := range []string{"\nI'm currently working in the directory: ", "\nI'm currently working in the following directories:\n  - "} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			folder, _, _ := strings.Cut(rest, "\n")
			return strings.TrimSpace(folder)
		}
	}
	return ""
}

// fencedMarks begin what the client tells of the editor and of a shell line; it ends
// with a fence.
func fencedMarks() map[string]domain.MessageKind {
	return map[string]domain.MessageKind{
		"Here is the user's editor context as a JSON object. This is for your information only.\n```json\n": domain.MetaMessage,
		"Here is a summary of changes in the user's editor context":                                         domain.MetaMessage,
		"I ran the following shell command:\n```sh\n":                                                       domain.CommandMessage,
	}
}

// geminiWords are a prompt without what hooks had to say before and behind it.
func geminiWords(text string) string {
	words := text
	if strings.HasPrefix(words, hookOpens) {
		if _, rest, closed := strings.Cut(words, hookCloses); closed {
			words = strings.TrimLeft(rest, "\n")
		}
	}
	if at := strings.LastIndex(words, hookOpens); at >= 0 && strings.HasSuffix(words, hookCloses) {
		words = strings.TrimSuffix(words[:at], "\n")
	}
	return cmp.Or(words, text)
}

// kind is what the user's parts are, which say the text together: beside a tool's
// answer stands what belongs to it.
func (c geminiContent) kind(text string) domain.MessageKind {
	answers := slices.ContainsFunc(c, func(p geminiPart) bool { return p.FunctionResponse != nil })
	switch {
	case answers:
		return domain.MetaMessage
	case isCommand(text):
		return domain.CommandMessage
	}
	return geminiKind(text)
}

// words are a prompt's texts one behind the other, as a hook is given them.
func (c geminiContent) words() string {
	var words strings.Builder
	for _, part := range c {
		if !part.Thought {
			words.WriteString(part.Text)
		}
	}
	return geminiWords(words.String())
}
