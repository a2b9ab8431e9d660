package memory

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"wake/domain"
	"wake/secret"
)

// tokensOf estimates the tokens that v takes in an answer as JSON, including ids and
// times.
func tokensOf(v any) int64 {
	raw, err := json.Marshal(v)
	if err != nil { // it cannot be answered at all
		return 0
	}
	return domain.Tokens(string(raw))
}

// fitting returns how many of the first items have room in a token budget. 0 tokens
// mean no bound.
func fitting[T any](list []T, budget int) int {
	if budget <= 0 {
		return len(list)
	}
	room := int64(budget)
	for i := range list {
		if room -= tokensOf(&list[i]); room < 0 {
			return i
		}
	}
	return len(list)
}

// fit cuts the list to a token budget and reports whether anything was cut off. The
// first context always stays; if it alone is too long, its texts are shortened.
func (a *LoadAnswer) fit(budget int, w domain.Words) (cut bool) {
	keep := fitting(a.Contexts, budget)
	if keep == 0 && len(a.Contexts) > 0 {
		if note := shorten(&a.Contexts[0], int64(budget), w); note != "" {
			a.Notes, a.Shortened = append(a.Notes, note), true
		}
		keep = 1
	}
	cut = keep < len(a.Contexts)
	a.Contexts = a.Contexts[:keep]
	return cut
}

// leftOut names the contexts of a chain for which there was no room. A further call
// from the farthest kept context would not find those that branch off earlier.
func leftOut(all, kept []ChainNode) string {
	const most = 100
	var ids []string
	for _, n := range all {
		if !slices.ContainsFunc(kept, func(k ChainNode) bool { return k.ID == n.ID }) {
			ids = append(ids, n.ID)
		}
	}
	return fmt.Sprintf("%s of the chain had no room in one answer; load by id what is wanted of %s",
		domain.Many(len(ids), "context"), strings.Join(ids[:min(len(ids), most)], ", "))
}

// Shortened returns a context cut to a number of tokens: first the metadata goes, then
// rationale and content are cut at a character boundary. The note says so; it is "" if
// nothing was cut. 0 tokens mean no bound.
func (s *Service) Shortened(c domain.ContextSnapshot, tokens int) (short domain.ContextSnapshot, note string) {
	if tokens > 0 && tokensOf(c) > int64(tokens) {
		note = shorten(&c, int64(tokens), s.Words)
	}
	return c, note
}

// shorten is Shortened for a context that is longer than room. A summary is never cut, so
// there may be nothing to leave out.
func shorten(c *domain.ContextSnapshot, room int64, w domain.Words) string {
	var without []string
	if len(c.Metadata) > 0 && tokensOf(c.Metadata) > room/4 {
		c.Metadata, without = nil, append(without, "metadata")
	}
	if why := c.Causality; why != nil && domain.Tokens(why.Rationale) > room/4 {
		short := *why
		short.Rationale = beforeSecret(why.Rationale, domain.Head(why.Rationale, int(room)))
		c.Causality, without = &short, append(without, "the end of its rationale")
	}
	whole := c.Content
	if headIn(&c.Content, room, func() int64 { return tokensOf(c) }); len(c.Content) < len(whole) {
		c.Content = beforeSecret(whole, c.Content)
		without = append(without, fmt.Sprintf("its content behind the first %d of %d bytes", len(c.Content), len(whole)))
	}
	if without == nil {
		return ""
	}
	return w.Behind(fmt.Sprintf("the token budget has no room for all of %s; left out: %s", c.ID, strings.Join(without, ", ")), domain.OpenWhole, c.ID)
}

// beforeSecret cuts the head of a text before a secret that it ends in the middle of:
// whoever masks it later would not recognize that half.
func beforeSecret(whole, head string) string {
	for _, f := range secret.Find(whole) {
		if f.Start < len(head) && len(head) < f.End {
			return head[:f.Start]
		}
	}
	return head
}

// headIn cuts a text to the longest beginning for which cost stays within room. cost
// is that of everything the text is part of.
func headIn(text *string, room int64, cost func() int64) {
	whole, all := *text, cost()
	if all <= room {
		return
	}
	*text = ""
	frame := cost()
	keep := float64(len(whole)) * float64(room-frame) / float64(all-frame)
	for ; keep >= 1; keep *= 0.9 {
		if *text = domain.Head(whole, int(keep)); cost() <= room {
			return
		}
	}
	*text = ""
}

// fit cuts the hits to a token budget. The first hit always stays, without its
// metadata if that makes it too long.
func (a *SearchAnswer) fit(budget int) {
	keep := fitting(a.Hits, budget)
	if keep == 0 && len(a.Hits) > 0 {
		if first := &a.Hits[0]; len(first.Metadata) > 0 {
			first.Metadata = nil
			a.Notes = append(a.Notes, fmt.Sprintf("the metadata of %s has no room in the token budget", first.ID))
		}
		keep = 1
	}
	a.Hits = a.Hits[:keep]
}
