package mcp

import (
	"fmt"
	"unicode/utf8"

	"wake/domain"
	"wake/memory"
)

// Bounds of what grows. Claude Code gives a model the data of an answer alone, and nothing
// of one that has more than 25,000 tokens. Ids and times take more tokens than are counted.
const (
	claudeTokens = 16_000 // of an answer that lists contexts
	listBytes    = 30_000 // of a list of a session as JSON; the newest stay
	storyChars   = 8_000  // of a text that tells what stands in the data as well
)

// room is how many tokens an answer that lists contexts may take for the client of a call
// that names no budget; 0 is all that it needs. Other clients take what was asked for.
func room(by memory.Caller) int {
	if by.Actor == "claude-code" {
		return claudeTokens
	}
	return 0
}

// crowds reports whether v has no room in so many tokens.
func crowds(v any, room int) bool { return room > 0 && domain.Tokens(asJSON(v)) > int64(room) }

// fitList keeps the first items of a list that have room, at least one, and notes how many
// do not.
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

// fitCheckpoints leaves out of a list of checkpoints that has no room what only one that is
// asked for by its id gives.
func fitCheckpoints(a *memory.CheckpointAnswer, room int) {
	if !crowds(a.Checkpoints, room) {
		return
	}
	for i := range a.Checkpoints {
		m := &a.Checkpoints[i].Manifest
		m.Goals, m.Task, m.LastUser, m.LastUserText = nil, "", nil, ""
	}
	a.Notes = append(a.Notes, "goals, tasks and last messages have no room in this list; checkpoint {action: show, id} has them")
}

// fitSaved shortens the rationale that a save gives back.
func fitSaved(a *memory.SaveAnswer, room int) {
	if why := a.Causality; why != nil && crowds(a, room) {
		short := *why
		short.Rationale = clip(why.Rationale, storyChars)
		a.Causality = &short
		a.Notes = append(a.Notes, "the rationale is kept whole; this answer has its beginning")
	}
}

// fitForget leaves out of what went or stays what has no room.
func fitForget(a *memory.ForgetAnswer, room int) {
	fitList(&a.Forgotten, "forgotten", room/3, &a.Notes)
	fitList(&a.Protected, "protected", room/3, &a.Notes)
	fitList(&a.Restored, "restored", room/3, &a.Notes)
}

// fitChain shortens the texts of a chain of which even the nearest have no room.
func fitChain(a *memory.ChainAnswer, room int) {
	if !crowds(a, room) {
		return
	}
	whole := "wake://contexts/" + a.ID
	a.Reasoning, a.Rendered = story(a.Reasoning, whole), story(a.Rendered, whole)
	for i := range a.Nodes {
		a.Nodes[i].Rationale = clip(a.Nodes[i].Rationale, storyChars/2)
	}
}

// newest are the last items of a list that fit into room bytes of JSON.
func newest[T any](list []T, room int) []T {
	for i := len(list) - 1; i >= 0; i-- {
		if room -= len(asJSON(list[i])); room < 0 {
			return list[i+1:]
		}
	}
	return list
}

// story is the beginning of a text, with where the rest is.
func story(text, whole string) string {
	if utf8.RuneCountInString(text) <= storyChars {
		return text
	}
	return wholeLines(text, storyChars) + "\n… the rest: " + whole + "\n"
}

// fitReport leaves the oldest operations of a long session out of a report.
func fitReport(a *memory.ReportAnswer) {
	whole := "wake://sessions/" + a.ID + "/optree"
	a.Text = story(a.Text, whole)
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

// fitTree keeps the newest turns of a tree, or of a last one that does not fit the newest
// operations, and reports whether anything went.
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

// fitHandoffs leaves out of a list of hand-offs what only one that is asked for by its id
// gives: each holds what was found in all of the session.
func fitHandoffs(a *memory.HandoffAnswer) {
	for i := range a.Handoffs {
		a.Handoffs[i].Findings, a.Handoffs[i].Reasoning = nil, nil
	}
	if a.Handoff != nil {
		a.Text = story(a.Text, "wake://handoffs/"+a.ID)
		fitHandoff(&a.Handoff, &a.Notes)
	}
}

// fitHandoff leaves the oldest of what was found and thought out of a hand-off that has
// more of it than fits.
func fitHandoff(h **domain.Handoff, notes *[]string) {
	if *h == nil {
		return
	}
	kept := **h
	if len(asJSON(kept.Findings)) > listBytes {
		kept.Findings = newestFindings(kept.Findings)
	}
	kept.Reasoning = newest(kept.Reasoning, listBytes/3)
	if len(kept.Reasoning) < len((*h).Reasoning) || len(asJSON(kept.Findings)) < len(asJSON((*h).Findings)) {
		*notes = append(*notes, "the hand-off holds the newest findings and thoughts; all: wake://handoffs/"+kept.ID)
	}
	*h = &kept
}

// newestFindings are what fits of findings; each of their lists has the same share.
func newestFindings(all map[string]domain.ModeFindings) map[string]domain.ModeFindings {
	kept, share := make(map[string]domain.ModeFindings, len(all)), listBytes/(4*len(all))
	for mode, f := range all {
		kept[mode] = domain.ModeFindings{Errors: newest(f.Errors, share), RootCause: clip(f.RootCause, share),
			Fixes: newest(f.Fixes, share), Notes: newest(f.Notes, share)}
	}
	return kept
}
