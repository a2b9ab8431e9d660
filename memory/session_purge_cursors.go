package memory

import (
	"context"
	"encoding/json"
	"strings"

	"wake/domain"
	"wake/repository"
	"wake/session"
	"wake/transcript"
)

// purgeCursors erases the purged texts from what imports remember of the rows they have read.
func purgeCursors(ctx context.Context, tx repository.Tx, texts map[string]bool) error {
	cursors, err := tx.Cursors(ctx)
	if err != nil {
		return err
	}
	for _, c := range cursors {
		state, changed := transcript.Unsay(c.State, func(text string) bool { return quotes(text, texts) })
		if !changed {
			continue
		}
		c.State = state
		if err := tx.PutCursor(ctx, c); err != nil {
			return err
		}
	}
	return nil
}

// unsayTitles removes titles that sessions must not have from what an import remembers: their
// source still has them.
func unsayTitles(c *domain.IngestCursor, purged []string) {
	if len(purged) > 0 {
		c.State, _ = transcript.Unsay(c.State, func(text string) bool { return session.IsPurgedTitle(purged, text) })
	}
}

// quotes reports whether a text is one of some texts, or contains a long one.
func quotes(text string, texts map[string]bool) bool {
	if texts[text] {
		return true
	}
	for t := range texts {
		if len(t) >= echoBytes && len(t) < len(text) && strings.Contains(text, t) {
			return true
		}
	}
	return false
}

// noteTexts adds the texts that are lost when an event is erased, and the titles that its
// session has or could have from it.
func (gone *PurgedEvent) noteTexts(owner domain.Session, was domain.Event) {
	if gone.texts == nil {
		gone.texts = map[string]bool{}
	}
	if about, err := domain.PayloadAs[domain.About](was); err == nil {
		// An import that forgets a folder or a branch would take it for a new one.
		gone.texts[about.Title], gone.texts[about.Status] = true, true
	} else {
		eachText(was.Payload, func(text string) { gone.texts[strings.TrimSpace(text)] = true })
	}
	for _, title := range []string{owner.Title, owner.Opened.Title, session.TitleOf(saidIn(was))} {
		gone.texts[title] = true
	}
	eachText(bare(was), func(text string) { delete(gone.texts, text) })
	delete(gone.texts, "")
}

// eachText calls do for each text in JSON.
func eachText(data []byte, do func(string)) {
	var all any
	if json.Unmarshal(data, &all) == nil {
		eachTextIn(all, do)
	}
}

func eachTextIn(value any, do func(string)) {
	switch v := value.(type) {
	case string:
		do(v)
	case []any:
		for _, part := range v {
			eachTextIn(part, do)
		}
	case map[string]any:
		for _, part := range v {
			eachTextIn(part, do)
		}
	}
}
