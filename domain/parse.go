package domain

import (
	"slices"
	"strings"
)

// actionSynonyms are words that models use for the seed's action types.
var actionSynonyms = map[string]ActionType{
	"chat": Conversation, "discussion": Conversation, "message": Conversation, "question": Conversation, "note": Conversation,
	"decide": Decision, "decided": Decision, "decisions": Decision, "preference": Decision, "choice": Decision, "architecture": Decision, "design": Decision,
	"edit": FileEdit, "file": FileEdit, "code": FileEdit, "implementation": FileEdit, "refactor": FileEdit, "fix": FileEdit, "bugfix": FileEdit, "bug_fix": FileEdit, "change": FileEdit,
	"tool": ToolUse, "command": ToolUse, "tool_call": ToolUse, "run": ToolUse,
	"investigation": Research, "finding": Research, "analysis": Research, "explore": Research, "discovery": Research, "insight": Research, "root_cause": Research,
}

// ParseActionType parses an action type in any case, with dashes or blanks, or a
// common synonym. Its Invalid error lists the five types.
func ParseActionType(s string) (ActionType, error) {
	word := EnumWord(s)
	if a := ActionType(word); slices.Contains(ActionTypes, a) {
		return a, nil
	}
	if a, ok := actionSynonyms[word]; ok {
		return a, nil
	}
	return "", Invalid("action_type %q is unknown; use one of %s", s, joinEnum(ActionTypes))
}

// tierSynonyms are everyday words for tiers.
var tierSynonyms = map[string]Tier{
	"HOT": TierActive, "WARM": TierRecent, "COLD": TierArchived, "OLD": TierExpired, "ARCHIVE": TierArchived, "EXPIRE": TierExpired,
}

// ParseTier parses a tier in any case, or a common synonym. Its Invalid error lists
// the four tiers.
func ParseTier(s string) (Tier, error) {
	word := strings.ToUpper(EnumWord(s))
	if t := Tier(word); slices.Contains(Tiers, t) {
		return t, nil
	}
	if t, ok := tierSynonyms[word]; ok {
		return t, nil
	}
	return "", Invalid("tier %q is unknown; use one of %s", s, joinEnum(Tiers))
}

// ParseKind parses semantic or episodic in any case; "" stays "".
func ParseKind(s string) (Kind, error) {
	switch k := Kind(EnumWord(s)); k {
	case Semantic, Episodic, "":
		return k, nil
	}
	return "", Invalid("kind %q is unknown; use semantic (lasting knowledge) or episodic (part of the course of events)", s)
}

// ParseDirection parses causes, effects or both, or an everyday synonym; "" means
// causes.
func ParseDirection(s string) (Direction, error) {
	switch EnumWord(s) {
	case "", "causes", "cause", "up", "upstream", "back", "backward", "backwards", "why", "past", "parents":
		return Causes, nil
	case "effects", "effect", "down", "downstream", "forward", "forwards", "future", "children", "consequences":
		return Effects, nil
	case "both", "all", "any":
		return Both, nil
	}
	return "", Invalid("direction %q is unknown; use causes, effects or both", s)
}

// EnumWord turns a word into the form of our enumerations: lower case, with
// underscores.
func EnumWord(s string) string {
	return strings.NewReplacer("-", "_", " ", "_").Replace(strings.ToLower(strings.TrimSpace(s)))
}

func joinEnum[T ~string](all []T) string {
	words := make([]string, len(all))
	for i, w := range all {
		words[i] = string(w)
	}
	return strings.Join(words, ", ")
}
