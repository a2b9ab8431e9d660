package transcript

import (
	"strings"

	"wake/domain"
)

// codexKind distinguishes a person's words from what Codex adds in user rows:
// instructions, the environment, notices. Most of these are one or more complete elements, so
// the words of a person who mentions one, or goes on behind it, are not misread.
func codexKind(text string) domain.MessageKind {
	t := strings.TrimSpace(text)
	if strings.HasPrefix(t, codexSide) {
		return domain.MetaMessage
	}
	begins := strings.HasPrefix(t, "# AGENTS.md instructions")
	ends := false
	for _, name := range codexElements() {
		rest, opens := strings.CutPrefix(t, "<"+name)
		opens = opens && rest != "" && strings.ContainsRune("> ", rune(rest[0]))
		closes := strings.HasSuffix(t, "</"+name+">")
		if opens && closes && name == "user_shell_command" {
			return domain.CommandMessage
		}
		begins, ends = begins || opens, ends || closes
	}
	if begins && ends {
		return domain.MetaMessage
	}
	return domain.PlainMessage
}

// codexSide begins what Codex tells the model, before the person's first words, in a conversation beside another (/side).
const codexSide = "Side conversation boundary.\n\nEverything before this boundary is inherited history from "

// codexElements are the elements that are added by Codex, or by a program that runs it,
// such as Conductor.
func codexElements() []string {
	return []string{"environment_context", "user_instructions", "INSTRUCTIONS", "turn_aborted", "permissions instructions", "collaboration_mode",
		"skill", "subagent_notification", "user_action", "model_switch", "personality_spec", "app-context", "user_shell_command",
		"codex_internal_context", "goal_context", "hook_prompt", "heartbeat", "codex_delegation", "system_instruction"}
}

// codexAnswer is the element in which a person answers a question that the model asked
// while it worked. Most of them have no event.
const codexAnswer = "send_user_message_question_reply"

// codexItemKind is codexKind for a response item with several parts. It belongs to
// nobody if every part was added by Codex, or is one complete element.
func codexItemKind(parts contentParts) domain.MessageKind {
	kind := domain.PlainMessage
	for _, part := range parts {
		text := strings.TrimSpace(part.Text)
		if text == "" {
			continue
		}
		if kind = codexKind(text); kind == domain.PlainMessage {
			name := elementName(text)
			if !strings.Contains(name, "_") || !strings.HasSuffix(text, "</"+name+">") || name == codexAnswer {
				return domain.PlainMessage // also text that people paste: HTML has no such names
			}
			kind = domain.MetaMessage
		}
	}
	return kind
}

// codexWarnings returns the beginnings of what Codex has told its model in the user's role.
func codexWarnings() []string {
	return []string{"Warning: apply_patch was requested via ", "Warning: The maximum number of unified exec processes ", "Warning: Your account was flagged "}
}

// codexFolder returns the working folder that Codex tells the model. Early rollouts
// record it nowhere else.
func codexFolder(text string) string {
	if !strings.HasPrefix(text, "<environment_context>") {
		return ""
	}
	for _, around := range [][2]string{{"<cwd>", "</cwd>"}, {"\nCurrent working directory: ", "\n"}} {
		if _, rest, ok := strings.Cut(text, around[0]); ok {
			folder, _, _ := strings.Cut(rest, around[1])
			return strings.TrimSpace(folder)
		}
	}
	return ""
}
