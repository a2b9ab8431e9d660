package prediction

import (
	"time"

	"wake/domain"
)

// The reason tags: those of seed 002, then our own.
const (
	ReasonHighScore    = "high_composite_score"      // score at or above 0.7
	ReasonRecent       = "recently_accessed"         // within the last hour
	ReasonToday        = "accessed_today"            // within the last 24 hours
	ReasonHighCount    = "high_access_frequency"     // ten accesses or more
	ReasonSomeCount    = "moderate_access_frequency" // three to nine accesses
	ReasonRoot         = "causal_chain_root"         // has no cause and something follows from it
	ReasonMember       = "causal_chain_member"       // has a cause
	ReasonDecision     = "decision_node"             // its action type is decision
	ReasonActive       = "active_memory_tier"        // its tier is ACTIVE
	ReasonBaseline     = "baseline_prediction"       // nothing else applies
	ReasonPinned       = "pinned"
	ReasonFollows      = "often_follows"      // often used right after what was used last
	ReasonTogether     = "co_accessed"        // often used in the same sessions as what was used last
	ReasonCausalLink   = "causal_neighbour"   // cause or effect of what was used last
	ReasonSameSession  = "same_session_habit" // used earlier in this session, or since the last half hour of rest
	ReasonSameActor    = "used_by_you"        // used before by the actor who asks
	ReasonSimilar      = "similar_topic"      // shares its place or tags with what was used last
	ReasonTimeOfDay    = "time_of_day"        // usually used around this time of day
	ReasonNewlyCreated = "newly_created"      // saved within the last day and not used yet
)

// Reasons returns the tags of seed 002 that apply to a context with the given score, at least one, in a fixed
// order. A root counts as one only if something follows from it or it depends on something.
func Reasons(f Facts, h *History, score float64, now time.Time) []string {
	var r []string
	add := func(ok bool, tag string) {
		if ok {
			r = append(r, tag)
		}
	}
	last, seen := h.last()
	age := now.Unix() - last.At
	add(score >= 0.7, ReasonHighScore)
	add(seen && age < hour, ReasonRecent)
	add(seen && age >= hour && age < day, ReasonToday)
	add(h.Count >= 10, ReasonHighCount)
	add(h.Count >= 3 && h.Count < 10, ReasonSomeCount)
	add(f.Root && f.Effects+f.Dependencies > 0, ReasonRoot)
	add(f.HasCausality && !f.Root, ReasonMember)
	add(f.Decision, ReasonDecision)
	add(f.Tier == domain.TierActive, ReasonActive)
	add(f.Pinned, ReasonPinned)
	add(h.Count == 0 && now.Sub(f.Created) < 24*time.Hour && !f.Created.IsZero(), ReasonNewlyCreated)
	if len(r) == 0 {
		r = append(r, ReasonBaseline)
	}
	return r
}

// InWords describes a tag for people; an unknown tag is returned unchanged.
func InWords(tag string) string {
	switch tag {
	case ReasonHighScore:
		return "high score overall"
	case ReasonRecent:
		return "used within the last hour"
	case ReasonToday:
		return "used within the last day"
	case ReasonHighCount:
		return "used ten times or more"
	case ReasonSomeCount:
		return "used several times"
	case ReasonRoot:
		return "other contexts go back to it"
	case ReasonMember:
		return "part of a chain of causes"
	case ReasonDecision:
		return "a decision"
	case ReasonActive:
		return "still warm"
	case ReasonBaseline:
		return "nothing in particular speaks for it"
	}
	return habitInWords(tag)
}

func habitInWords(tag string) string {
	switch tag {
	case ReasonPinned:
		return "pinned"
	case ReasonFollows:
		return "often used right after what was used last"
	case ReasonTogether:
		return "often used together with what was used last"
	case ReasonCausalLink:
		return "cause or effect of what was used last"
	case ReasonSameSession:
		return "used earlier in this stretch of work"
	case ReasonSameActor:
		return "used before by the one who asks"
	case ReasonSimilar:
		return "about the same as what was used last"
	case ReasonTimeOfDay:
		return "usually used around this time of day"
	case ReasonNewlyCreated:
		return "saved recently and not used yet"
	}
	return tag
}
