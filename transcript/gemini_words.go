package transcript

import (
	"cmp"
	"slices"
	"strings"

	"wake/domain"
)

// What hooks add to a prompt is between these marks, or in a row of its own.
const (
	hookOpens  = "<hook_context>"
	hookCloses = "</hook_context>"
)

// geminiKind distinguishes a person's words from what the client tells the model by
// itself.
func geminiKind(text string) domain.MessageKind {
	text = strings.TrimSpace(text)
	if strings.HasSuffix(text, "</state_snapshot>") && strings.Contains(text, "<state_snapshot>") {
		return domain.SummaryMessage // the result of compressing the history
	}
	for mark, kind := range fencedMarks() {
		if strings.HasPrefix(text, mark) && strings.HasSuffix(text, "\n```") {
			return kind
		}
	}
	inside, whole := strings.CutSuffix(text, hookCloses)
	if beginsWith(text, geminiOpenings()...) || slices.Contains(geminiSentences(), text) ||
		whole && strings.HasPrefix(inside, hookOpens) && !strings.Contains(inside, hookCloses) {
		return domain.MetaMessage
	}
	return domain.PlainMessage
}

// geminiOpenings begin what the client says to the model by itself.
func geminiOpenings() []string {
	return []string{
		"This is the Gemini CLI. We are setting up the context",
		"<session_context>",
		"- **Workspace Directories:**\n  - ", // after /directory
		"System: Potential loop detected. Details: ",
		"Background execution update:\n<background_output>\n",
		"[Function Response: ", // a tool answered with a picture, in early versions
	}
}

// geminiSentences are what the client says to the model by itself and in whole.
func geminiSentences() []string {
	const left = "User has manually exited Plan Mode. Switching to "
	return []string{
		"System: Please continue.",
		"First, reason in your scratchpad. Then, generate the <state_snapshot>.", // to compress, in early versions
		"[System: You successfully executed a tool but returned an empty response. Please analyze the tool output and explain your progress or final answer.]",
		left + "Default mode (edits will require confirmation).",
		left + "Auto-Edit mode (edits will be applied automatically).",
		left + "YOLO mode (all tool calls auto-approved).",
	}
}

// geminiThanks is what the client itself answers to a summary in the model's name, where no
// model was asked. As the assistant's last words it would hide the true ones.
const geminiThanks = "Got it. Thanks for the additional context!"

// geminiFolder returns the working folder that the client tells the model, the first of
// several, or "" if the text names none.
func geminiFolder(text string) string {
	for _, mark := range []string{"\n- **Workspace Directories:**\n  - ", "\nI'm currently working in the directory: ", "\nI'm currently working in the following directories:\n  - "} {
		if _, rest, ok := strings.Cut(text, mark); ok {
			folder, _, _ := strings.Cut(rest, "\n")
			return strings.TrimSpace(folder)
		}
	}
	return ""
}

// fencedMarks begin what the client says about the editor and about a shell line; it
// ends with a code fence.
func fencedMarks() map[string]domain.MessageKind {
	return map[string]domain.MessageKind{
		"Here is the user's editor context as a JSON object. This is for your information only.\n```json\n": domain.MetaMessage,
		"Here is a summary of changes in the user's editor context":                                         domain.MetaMessage,
		"I ran the following shell command:\n```sh\n":                                                       domain.CommandMessage,
	}
}

// geminiWords returns a prompt without what hooks added before and after it. wake's own
// hook is one of them: what it told would come back as the person's words.
func geminiWords(text string) string {
	words := aheadOfTold(behindTold(text))
	if strings.HasPrefix(words, hookOpens) {
		if _, rest, closed := strings.Cut(words, hookCloses); closed {
			words = strings.TrimLeft(rest, "\n")
		}
	}
	if at := strings.LastIndex(words, hookOpens); at >= 0 && strings.HasSuffix(words, hookCloses) {
		words = strings.TrimSuffix(words[:at], "\n")
	}
	if hint, steers := steered(words); steers {
		return hint
	}
	return cmp.Or(words, text)
}

// steered returns what a person said to the model while it worked. Gemini CLI puts an
// instruction of its own behind it, and it may stand beside the answer of a tool.
func steered(text string) (hint string, steers bool) {
	rest, begins := strings.CutPrefix(text, "User steering update:\n<user_input>\n")
	hint, _, ends := strings.Cut(rest, "\n</user_input>\nInternal instruction: ")
	return hint, begins && ends
}

// behindTold returns a prompt without the brief or the restore text that a hook of wake's
// told at the start. Gemini CLI 0.24 to 0.26 puts it, without marks, before the prompt of its
// command line.
func behindTold(text string) string {
	for begin, end := range map[string]string{
		briefBegins: briefEnds + "\n\n",
		quoteBegins: quoteEnds + "\n\n",
	} {
		if _, rest, ends := strings.Cut(text, end); ends && strings.HasPrefix(text, begin) {
			return rest
		}
	}
	return text
}

// How what wake's hooks tell begins and ends. The marks of a quotation are escaped within it.
const (
	briefBegins = "wake remembers "
	briefEnds   = "\nMore: search_context with a question, causal_chain with an id for the why."
	quoteBegins = "Between <wake-memory> marks are quoted notes: "
	quoteEnds   = "\n</wake-memory>"
)

// aheadOfTold returns a prompt without what a hook of wake's told at it: the brief, contexts
// that may belong to it, or the restore text. Gemini CLI 0.24 to 0.26 puts it, without marks,
// right behind the prompt.
func aheadOfTold(text string) string {
	for strings.HasSuffix(text, quoteEnds) || strings.HasSuffix(strings.TrimSuffix(text, "\n\n"), briefEnds) {
		at := strings.LastIndex(text, quoteBegins)
		if at < 0 {
			break
		}
		words := text[:at]
		if begin := strings.LastIndex(words, briefBegins); begin >= 0 && strings.HasSuffix(words, ". ") && !strings.Contains(words[begin:], "\n") {
			words = words[:begin]
		}
		text = words
	}
	return text
}

// What a prompt's @ names follows the prompt: agents in a note, files and resources between
// marks. If no file could be read, another sentence closes what resources have told.
const (
	agentsOpen  = "\n<system_note>\nThe user has explicitly selected the following agent(s): "
	agentsClose = "\n</system_note>\n"
	filesOpen   = "\n--- Content from referenced files ---"
	filesClose  = "\n--- End of content ---"
	filesNone   = "No files matching the criteria were found or all were skipped."
)

// cutNamed separates what a person typed from what the client put behind it of the agents
// and files that it names.
func cutNamed(words string) (typed, named string) {
	typed = words
	if at := strings.Index(words, filesOpen); at > 0 && (strings.HasSuffix(words, filesClose) || strings.HasSuffix(words, filesNone)) {
		typed = words[:at]
	}
	if at := strings.LastIndex(typed, agentsOpen); at > 0 && strings.HasSuffix(strings.TrimRight(typed, "\n")+"\n", agentsClose) {
		typed = typed[:at]
	}
	if typed == words {
		return words, ""
	}
	return strings.TrimSuffix(typed, "\n"), strings.TrimPrefix(words[len(typed):], "\n")
}

// namedKey is the key of what the prompt with an id, which may be "", names.
func namedKey(id, named string) domain.Key {
	return domain.RowKey(ClientGemini, "files of "+cmp.Or(id, shortHash(named)))
}

// kind returns the kind of the user's parts, whose joined text is given. Text beside a
// tool's answer belongs to the answer, unless a person steers the model.
func (c geminiContent) kind(text string) domain.MessageKind {
	answers := slices.ContainsFunc(c, func(p geminiPart) bool { return p.FunctionResponse != nil })
	_, steers := steered(text)
	switch {
	case answers && !steers:
		return domain.MetaMessage
	case isCommand(text):
		return domain.CommandMessage
	}
	return geminiKind(text)
}

// words joins a prompt's texts as in the input of a hook, which has not what hooks told behind
// them. The prompt may end with a line break, as one from a pipe does.
func (c geminiContent) words() string {
	var words strings.Builder
	for i, part := range c {
		told := i > 0 && strings.HasPrefix(part.Text, hookOpens) && strings.HasSuffix(part.Text, hookCloses)
		if !part.Thought && !told {
			words.WriteString(part.Text)
		}
	}
	return geminiWords(words.String())
}

// typed is what a person typed of a prompt's texts. The log of prompts has no more.
func (c geminiContent) typed() string {
	typed, _ := cutNamed(c.words())
	return typed
}
