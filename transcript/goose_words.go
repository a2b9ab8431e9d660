package transcript

import (
	"slices"
	"strings"

	"wake/domain"
)

// gooseKind tells the commands that goose carries out itself from what a person says to the
// model. Any other text behind a slash goes to the model as it is, and so do the words of a goal.
func gooseKind(prompt string) domain.MessageKind {
	prompt = strings.TrimSpace(prompt)
	name, _, _ := strings.Cut(prompt, " ")
	if slices.Contains(gooseCommands(), name) || prompt == "Please compact this conversation" {
		return domain.CommandMessage
	}
	return domain.PlainMessage
}

func gooseCommands() []string {
	return []string{"/compact", "/summarize", "/clear", "/prompts", "/prompt", "/skills", "/status", "/doctor"}
}
