package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"wake/domain"
	"wake/recall"
	"wake/secret"
)

// The length limits of a snippet and of the reason behind it, in bytes.
const (
	snippetLength = 320
	reasonLength  = 160
)

// open loads the requested page of candidates. A superseded context comes after the one
// that replaced it, and a context takes the place of the message that it was distilled
// from.
func (f *searching) open(ctx context.Context, before given, limit int) error {
	opened := limit
	if f.req.Explain {
		opened++
	}
	texts, more, err := f.firstTexts(ctx, before.Hits+opened)
	texts = before.rest(texts)
	f.more = more || len(texts) > limit
	f.page, f.snippets = texts[:min(opened, len(texts))], map[domain.SearchSpace]*recall.Snippets{}
	return err
}

// firstTexts loads at least the first n texts of the answer, if there are so many, and
// reports whether there are more than n. If all of the first n are contexts that keep
// their places, no others are loaded.
func (f *searching) firstTexts(ctx context.Context, n int) (out []text, more bool, err error) {
	first := f.found[:min(n, len(f.found))]
	if !slices.ContainsFunc(first, func(c candidate) bool { return c.space == domain.MessageSpace }) {
		of, err := f.load(ctx, first)
		if err != nil {
			return nil, false, err
		}
		if out = f.texts(first, of); len(out) == n && !slices.ContainsFunc(out, text.mayMove) {
			return out, len(f.found) > n, nil
		}
	}
	out, err = f.inBlocks(ctx, n)
	return out, len(out) > n, err
}

// block is how many consecutive candidates are put in order together. Blocks begin at
// fixed places, whatever page is asked for. Otherwise a text that has to make room on
// one page and not on another would appear on both or on none.
const block = 20

// inBlocks puts texts in order, block by block, until there are more than n, or no more.
func (f *searching) inBlocks(ctx context.Context, n int) (out []text, err error) {
	twins, placed := map[domain.DocumentSource]bool{}, map[string]bool{}
	for at, end := 0, (n/block+1)*block; at < len(f.found) && len(out) <= n; at, end = end, end+block {
		list := f.found[at:min(end, len(f.found))]
		of, err := f.load(ctx, list)
		if err != nil {
			return nil, err
		}
		for part := range slices.Chunk(list, block) {
			here, err := f.successorsFirst(ctx, dropTwins(f.texts(part, of), twins), placed)
			if err != nil {
				return nil, err
			}
			out = append(out, here...)
		}
	}
	return out, nil
}

// mayMove reports whether a text further down may come before this one: one that
// replaced it, or one distilled from it.
func (t text) mayMove() bool { return t.context == nil || t.context.SupersededBy != "" }

// text is a candidate with its content.
type text struct {
	candidate
	context *domain.ContextSnapshot // nil for a message
	event   domain.Event            // zero for a context
	instead string                  // id of the context that this one replaces in the list
	said    string
}

// id is the id of the text's hit.
func (t text) id() string {
	if t.context != nil {
		return t.context.ID
	}
	return fmt.Sprintf("%s/%d", t.of.SessionID, t.of.Seq)
}

// loaded are the contexts and messages of candidates, by their keys.
type loaded struct {
	contexts map[int64]domain.ContextSnapshot
	messages map[int64]domain.Event
}

func (f *searching) load(ctx context.Context, list []candidate) (of loaded, err error) {
	if of.contexts, err = f.contextsOf(ctx, list); err != nil {
		return of, err
	}
	of.messages, err = f.messagesOf(ctx, list)
	return of, err
}

// texts returns candidates with their content, in their order. What has disappeared
// meanwhile is left out.
func (f *searching) texts(list []candidate, of loaded) []text {
	out := make([]text, 0, len(list))
	for _, c := range list {
		t, ok := text{candidate: c}, false
		if c.space == domain.ContextSpace {
			if found, known := of.contexts[c.key()]; known {
				t.context, t.said, ok = &found, found.Content, true
			}
		} else if t.event, ok = of.messages[c.key()]; ok {
			ok = f.message(&t)
		}
		if ok {
			out = append(out, t)
		}
	}
	return out
}

// key is the number of a candidate's document, or if it was listed, that of its
// context.
func (c candidate) key() int64 {
	if c.listed() {
		return c.of.ContextN
	}
	return c.document
}

// keys returns the keys of the candidates of one space.
func keys(list []candidate, space domain.SearchSpace) (out []int64) {
	for _, c := range list {
		if c.space == space {
			out = append(out, c.key())
		}
	}
	return out
}

// contextsOf loads the contexts among the candidates, by key.
func (f *searching) contextsOf(ctx context.Context, list []candidate) (map[int64]domain.ContextSnapshot, error) {
	ns := keys(list, domain.ContextSpace)
	if len(ns) == 0 {
		return nil, nil
	}
	if !slices.ContainsFunc(list, candidate.listed) {
		return f.s.Store.ContextsByDocument(ctx, ns, f.filters.AsOf)
	}
	found, err := f.s.Store.ContextsByN(ctx, ns, true, f.filters.AsOf)
	out := make(map[int64]domain.ContextSnapshot, len(found))
	for _, c := range found {
		out[c.N] = c
	}
	return out, err
}

// messagesOf loads the messages among the candidates, by key.
func (f *searching) messagesOf(ctx context.Context, list []candidate) (map[int64]domain.Event, error) {
	ns := keys(list, domain.MessageSpace)
	if len(ns) == 0 {
		return nil, nil
	}
	return f.s.Store.EventsByDocument(ctx, ns)
}

// message fills in the text of a message. It returns false if the text is gone or is
// the question itself.
func (f *searching) message(t *text) bool {
	m, err := t.event.Message()
	if err != nil || t.event.Erased {
		return false
	}
	t.of, t.said = domain.DocumentSource{SessionID: t.event.SessionID, Seq: t.event.Seq}, m.Content
	echo := m.Human() && strings.TrimSpace(m.Content) == strings.TrimSpace(f.req.Query)
	return !echo // the prompt that asks is not an answer
}

// dropTwins drops messages if a context distilled from them is in this list or was in
// an earlier one.
func dropTwins(list []text, distilled map[domain.DocumentSource]bool) []text {
	for _, t := range list {
		if t.context != nil && t.context.Seq > 0 {
			distilled[domain.DocumentSource{SessionID: t.context.SessionID, Seq: t.context.Seq}] = true
		}
	}
	return slices.DeleteFunc(list, func(t text) bool { return t.context == nil && distilled[t.of] })
}

// hit turns a text into its form in the answer.
func (f *searching) hit(t text) domain.Hit {
	h := domain.Hit{ID: t.id(), Score: round3(t.score), Snippet: f.snippet(t), Why: f.why(t)}
	if t.context == nil {
		h.Project, h.Timestamp, h.SavedAt, h.SessionID, h.Seq = t.ranked.Doc.Project, t.event.At, t.event.At, t.of.SessionID, t.of.Seq
		h.Origin = speaker(t.event)
		return h
	}
	c := t.context
	h.SavedAt = c.SavedAt
	h.Summary, h.Project, h.Tags, h.Timestamp, h.Metadata = c.Summary, c.Project, c.Tags, c.Timestamp, c.Metadata
	h.Tier, h.SupersededBy, h.Origin, h.SessionID, h.Seq = f.s.Windows.Of(c.Touched(), f.now), c.SupersededBy, c.Origin, c.SessionID, c.Seq
	return h
}

// speaker says from whom a message is. What a client puts into the user's mouth is
// searchable only if it is the summary of a compaction, which a model wrote.
func speaker(e domain.Event) domain.Origin {
	switch {
	case e.Human:
		return domain.FromUser
	case e.Role == domain.RoleUser, e.Role == domain.RoleAssistant:
		return domain.FromAssistant
	}
	return domain.FromTool
}

// snippet is the part of a text that answers the question best, and of its reason, which
// is searched as well. Secrets are masked before the text is cut; otherwise half of one
// could be shown.
func (f *searching) snippet(t text) string {
	part := f.snippetsOf(t).Of(secret.Mask(t.said), snippetLength)
	if t.context == nil {
		return part
	}
	if why := whyBesides(*t.context, t.said); why != "" {
		part += " Why: " + f.snippetsOf(t).Of(secret.Mask(why), reasonLength)
	}
	return part
}

// snippetsOf returns the snippets for the texts of t's space. Each space has its own,
// because mistyped words are corrected by the words that a space contains.
func (f *searching) snippetsOf(t text) *recall.Snippets {
	if f.snippets[t.space] == nil {
		switch {
		case f.phrase != (recall.Phrase{}):
			f.snippets[t.space] = f.phrase.Snippets()
		case t.ranked != nil:
			f.snippets[t.space] = recall.NewSnippets(f.q, t.ranked.Terms)
		default:
			return recall.NewSnippets(f.q, nil)
		}
	}
	return f.snippets[t.space]
}

// justNow is up to what age a prompt may be the one that the model is searching for in
// other words. Hooks record a prompt before the model sees it.
const justNow = time.Minute

// why says briefly why a text was found.
func (f *searching) why(t text) string {
	var parts []string
	switch {
	case t.context == nil && t.event.Human && f.now.Sub(t.event.At) < justNow:
		parts = append(parts, "said just now, maybe as the question itself")
	case t.context == nil:
		parts = append(parts, "said in a session")
	}
	if t.instead != "" {
		parts = append(parts, "replaces "+t.instead)
	}
	switch {
	case t.ranked != nil:
		parts = append(parts, t.ranked.Explain(f.q))
	case t.instead != "": // it is here for that alone
	case t.because != "":
		parts = append(parts, t.because)
	}
	if t.context != nil && t.context.SupersededBy != "" {
		parts = append(parts, "superseded by "+t.context.SupersededBy)
	}
	return strings.Join(parts, "; ")
}
