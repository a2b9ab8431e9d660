package memory

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"wake/domain"
)

// Texts shorter than echoBytes recur by chance. Of more than echoMost records that say the
// same, the rest is not named.
const (
	echoMost  = 20
	echoBytes = 16
)

// echoes collects what names other records that contain a purged text word for word, with
// the command to erase each.
type echoes struct {
	*Service
	text  string
	forms [][]byte // of the text in JSON
	notes []string
}

// echoes looks through everything: a search finds only what contexts and messages say, and
// summaries of compactions, findings and the answers of tools quote, too.
func (s *Service) echoes(ctx context.Context, text string) []string {
	if text = strings.TrimSpace(text); len(text) < echoBytes {
		return nil
	}
	e := &echoes{Service: s, text: text, forms: inJSON(text)}
	err := e.inContexts(ctx)
	if err == nil {
		err = e.inSessions(ctx)
	}
	if err != nil {
		e.notes = append(e.notes, "whether other texts say the same could not be looked up: "+err.Error())
	}
	return e.notes
}

// inJSON returns the forms that a text has within JSON: in a string, and in JSON within a
// string, as the arguments of tools are.
func inJSON(text string) (forms [][]byte) {
	for range 2 {
		var b bytes.Buffer
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		if enc.Encode(text) != nil {
			break
		}
		quoted := bytes.TrimSpace(b.Bytes())
		quoted = quoted[1 : len(quoted)-1]
		forms, text = append(forms, quoted), string(quoted)
	}
	return forms
}

func (e *echoes) full() bool { return len(e.notes) >= echoMost }

func (e *echoes) inContexts(ctx context.Context) error {
	for after := int64(0); !e.full(); {
		some, err := e.Store.ContextsAfter(ctx, after, stepRows)
		if err != nil || len(some) == 0 {
			return err
		}
		after = some[len(some)-1].N
		for _, c := range some {
			rationale := ""
			if c.Causality != nil {
				rationale = c.Causality.Rationale
			}
			if !e.full() && (strings.Contains(c.Content, e.text) || strings.Contains(c.Summary, e.text) || strings.Contains(rationale, e.text)) {
				e.notes = append(e.notes, fmt.Sprintf("context %s says the same; to erase it too: wake purge %s", c.ID, c.ID))
			}
		}
	}
	return nil
}

func (e *echoes) inSessions(ctx context.Context) error {
	all, err := e.Store.Sessions(ctx, domain.SessionQuery{Forgotten: true})
	for i := 0; i < len(all) && err == nil && !e.full(); i++ {
		err = e.inSession(ctx, all[i].ID)
	}
	return err
}

// echoPage is how many events are read at a time; one may have megabytes.
const echoPage = 200

func (e *echoes) inSession(ctx context.Context, id string) error {
	for after := int64(0); !e.full(); {
		events, err := e.Store.Events(ctx, domain.EventQuery{SessionID: id, After: after, Limit: echoPage})
		if err != nil || len(events) == 0 {
			return err
		}
		after = events[len(events)-1].Seq
		for _, event := range events {
			if !e.full() && e.holds(event.Payload) {
				e.notes = append(e.notes, fmt.Sprintf("event %d of session %s says the same; to erase it too: wake purge --session-id %s --seq %d",
					event.Seq, id, id, event.Seq))
			}
		}
	}
	return nil
}

func (e *echoes) holds(payload []byte) (found bool) {
	if e.holdsForm(payload) {
		return true
	}
	if bytes.Contains(payload, []byte(`\u`)) { // JSON of a client, such as what a tool was asked, is kept as it came
		eachText(payload, func(text string) { found = found || strings.Contains(text, e.text) || e.holdsForm([]byte(text)) })
	}
	return found
}

func (e *echoes) holdsForm(data []byte) bool {
	for _, form := range e.forms {
		if bytes.Contains(data, form) {
			return true
		}
	}
	return false
}
