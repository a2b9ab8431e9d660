package mcp

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
)

// Bounds of answers that can grow. Claude Code gives a model only the data of an
// answer, and nothing of one with more than 25,000 tokens. Ids and times take more
// tokens than [domain.Tokens] counts.
const (
	claudeTokens = 16_000 // tokens of an answer that lists contexts
	listBytes    = 30_000 // bytes of JSON of a list about a session; the newest items stay
	textChars    = 8_000  // characters of a text whose content is in the data as well
)

// room is how many tokens an answer that lists contexts may have if the call names no
// budget. 0 means no bound, which is so for all clients but Claude Code.
func room(by memory.Caller) int {
	if by.Actor == claudeCode {
		return claudeTokens
	}
	return 0
}

// exceeds reports whether v exceeds room tokens; 0 is no bound.
func exceeds(v any, room int) bool { return room > 0 && domain.Tokens(asJSON(v)) > int64(room) }

// fitList keeps the first items of a list that fit, but at least one, and notes how
// many do not.
func fitList[T any](list *[]T, of string, room int, notes *[]string) {
	if room == 0 {
		return
	}
	tokens := int64(room)
	for i, item := range *list {
		if tokens -= domain.Tokens(asJSON(item)); tokens < 0 && i > 0 {
			*notes = append(*notes, fmt.Sprintf("%s holds the first %d; %d more have no room in one answer", of, i, len(*list)-i))
			*list = (*list)[:i]
			return
		}
	}
}

// fitCheckpoints drops the details in a list of checkpoints that is too long. Each
// checkpoint has them if shown by id.
func fitCheckpoints(a *memory.CheckpointAnswer, room int) {
	if !exceeds(a.Checkpoints, room) {
		return
	}
	for i := range a.Checkpoints {
		m := &a.Checkpoints[i].Manifest
		m.Goals, m.Task, m.LastUser, m.LastUserText = nil, "", nil, ""
	}
	a.Notes = append(a.Notes, "goals, tasks and last messages have no room in this list; checkpoint {action: show, id} has them")
}

// fitSaved shortens the rationale in the answer of a save.
func fitSaved(a *memory.SaveAnswer, room int) {
	if why := a.Causality; why != nil && exceeds(a, room) {
		short := *why
		short.Rationale = domain.Clip(memory.PlainText(why.Rationale), textChars)
		a.Causality = &short
		a.Notes = append(a.Notes, "the rationale is kept whole; this answer has its beginning")
	}
}

// fitForget shortens the lists of forgotten, protected and restored contexts.
func fitForget(a *memory.ForgetAnswer, room int) {
	fitList(&a.Forgotten, "forgotten", room/3, &a.Notes)
	fitList(&a.Protected, "protected", room/3, &a.Notes)
	fitList(&a.Restored, "restored", room/3, &a.Notes)
}

// fitChain shortens the texts of a chain that is too long even with the nearest
// contexts only.
func fitChain(a *memory.ChainAnswer, room int) {
	if !exceeds(a, room) {
		return
	}
	whole := "wake://contexts/" + a.ID
	a.Reasoning, a.Rendered = shortText(a.Reasoning, whole), shortText(a.Rendered, whole)
	for i := range a.Nodes {
		a.Nodes[i].Rationale = domain.Clip(memory.PlainText(a.Nodes[i].Rationale), textChars/2)
	}
}

// newest returns the last items of a list that fit into room bytes of JSON.
func newest[T any](list []T, room int) []T {
	for i := len(list) - 1; i >= 0; i-- {
		if room -= len(asJSON(list[i])); room < 0 {
			return list[i+1:]
		}
	}
	return list
}

// shortText returns the beginning of a text that is too long, with the URI of the whole.
func shortText(text, whole string) string {
	if utf8.RuneCountInString(text) <= textChars {
		return text
	}
	return wholeLines(text, textChars) + "\n… the rest: " + whole + "\n"
}

// newestLines is as much of the end of text as fits into n characters, from the beginning
// of a line on.
func newestLines(text string, n int) string {
	runes := []rune(text)
	if len(runes) <= n {
		return text
	}
	_, kept, _ := strings.Cut(string(runes[len(runes)-n:]), "\n")
	return kept
}

// fitReport shortens the report of a long session to its newest operations.
func fitReport(a *memory.ReportAnswer) {
	whole := "wake://sessions/" + a.ID + "/optree"
	if a.Format == memory.ReportTimeline {
		a.Text = newestLines(a.Text, textChars)
	} else {
		a.Text = shortText(a.Text, whole)
	}
	ledger := a.Ledger
	if a.Ledger = newest(ledger, listBytes); len(a.Ledger) < len(ledger) {
		a.Notes = append(a.Notes, fmt.Sprintf("ledger holds the newest %d of %d entries; all: %s", len(a.Ledger), len(ledger), whole))
	}
	if a.Tree != nil {
		tree := *a.Tree
		if fitTree(&tree) {
			a.Notes = append(a.Notes, fmt.Sprintf("tree holds the newest %d of %s, or less of the last; all: %s",
				len(tree.Turns), domain.Many(len(a.Tree.Turns), "turn"), whole))
		}
		a.Tree = &tree
	}
}

// fitTree keeps the newest turns of a tree; if not even the last one fits, its newest
// operations. It reports whether anything was dropped.
func fitTree(tree *domain.SessionNode) (cut bool) {
	turns, children := tree.Turns, tree.Orphans
	tree.Turns, tree.Orphans = newest(turns, listBytes), newest(children, listBytes)
	if len(turns) > 0 && len(tree.Turns) == 0 {
		last := turns[len(turns)-1]
		last.Ops = newest(last.Ops, listBytes)
		tree.Turns = []domain.TurnNode{last}
		cut = true
	}
	return cut || len(tree.Turns) < len(turns) || len(tree.Orphans) < len(children)
}

// fitHandoffs drops findings and reasoning in a list of hand-offs, because each has
// those of the whole session. A single hand-off is shortened.
func fitHandoffs(a *memory.HandoffAnswer) {
	for i := range a.Handoffs {
		a.Handoffs[i].Findings, a.Handoffs[i].Reasoning = nil, nil
	}
	if a.Handoff != nil {
		a.Text = shortText(a.Text, "wake://handoffs/"+a.ID)
		a.Handoff = fitHandoff(a.Handoff, &a.Notes)
	}
}

// fitHandoff returns a hand-off, which may be nil, with its newest findings and reasoning
// alone if it is too long.
func fitHandoff(h *domain.Handoff, notes *[]string) *domain.Handoff {
	if h == nil {
		return nil
	}
	kept := *h
	if len(asJSON(kept.Findings)) > listBytes {
		kept.Findings = newestFindings(kept.Findings)
	}
	kept.Reasoning = newest(kept.Reasoning, listBytes/3)
	if len(kept.Reasoning) < len(h.Reasoning) || len(asJSON(kept.Findings)) < len(asJSON(h.Findings)) {
		*notes = append(*notes, "the hand-off holds the newest findings and thoughts; all: wake://handoffs/"+kept.ID)
	}
	return &kept
}

// newestFindings returns the newest findings; each of their lists gets the same share
// of the room.
func newestFindings(all map[string]domain.ModeFindings) map[string]domain.ModeFindings {
	kept, share := make(map[string]domain.ModeFindings, len(all)), listBytes/(4*len(all))
	for mode, f := range all {
		kept[mode] = domain.ModeFindings{Errors: newest(f.Errors, share), RootCause: domain.Clip(memory.PlainText(f.RootCause), share),
			Fixes: newest(f.Fixes, share), Notes: newest(f.Notes, share)}
	}
	return kept
}
