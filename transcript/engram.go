package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"slices"
	"strings"

	"wake/domain"
)

// engramJSON reads what `engram export` writes: one document with the rows of
// sessions, observations and prompts.
type engramJSON struct {
	wholeDocument
}

func (e *engramJSON) document(doc []byte, out *sink) error {
	var export map[string]json.RawMessage
	if err := json.Unmarshal(doc, &export); err != nil {
		return err
	}
	if export["observations"] == nil && export["sessions"] == nil {
		return errors.New("it is no export of engram: it has neither observations nor sessions")
	}
	items := out.items
	for item := range readEngram(e.name, jsonTables(export, map[string]string{"user_prompts": "prompts"})) {
		items = append(items, item)
	}
	out.items = items
	return nil
}

// jsonTables reads tables out of an export, in which some may have other names.
func jsonTables(export map[string]json.RawMessage, names map[string]string) Tables {
	return func(table string) iter.Seq2[Row, error] {
		data := export[table]
		if data == nil {
			data = export[names[table]]
		}
		return func(yield func(Row, error) bool) {
			var rows []map[string]any
			dec := json.NewDecoder(bytes.NewReader(data))
			dec.UseNumber()
			_ = dec.Decode(&rows)
			for _, row := range rows {
				if row != nil && !yield(row, nil) {
					return
				}
			}
		}
	}
}

// readEngram reads engram's tables (~/.engram/engram.db): observations become
// contexts, session summaries too, prompts messages of their sessions. Deleted
// observations are left out.
func readEngram(name string, tables Tables) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		t := newTableReader(name, tables, yield)
		t.each("sessions", t.engramSession)
		t.each("observations", t.engramObservation)
		t.each("user_prompts", func(r Row) {
			session := r.text("session_id")
			project := orText(r.text("project"), t.projects[session])
			t.prompt("engram", session, project, r.text("sync_id", "id"), r.text("content"), r.time("created_at"))
		})
	}
}

func (t *tableReader) engramSession(r Row) {
	id := r.text("id")
	t.projects[id] = r.text("project")
	text := r.text("summary")
	if text == "" {
		return
	}
	c := importedContext(Engram, "session:"+id, r.time("ended_at", "started_at"), text)
	c.Project, c.SessionID, c.Tags = cutName(r.text("project")), id, cutTags("session_summary")
	if dir := r.text("directory"); dir != "" {
		c.Metadata["directory"] = dir
	}
	t.out.context(c)
}

func (t *tableReader) engramObservation(r Row) {
	if r.text("deleted_at") != "" {
		return
	}
	c := importedContext(Engram, r.text("sync_id", "id"), r.time("created_at", "updated_at"), r.text("content"))
	kind := r.text("type")
	c.SessionID = r.text("session_id")
	c.Project = cutName(orText(r.text("project"), t.projects[c.SessionID]))
	if title := cutSummary(r.text("title")); title != "" {
		c.Summary, c.SummaryBy = title, domain.ByCaller
	}
	c.Tags = cutTags(kind, r.text("scope"), r.text("topic_key"))
	c.Kind, c.Causality = engramKind(kind)
	for _, column := range []string{"topic_key", "tool_name", "revision_count", "duplicate_count", "scope"} {
		if v := r.text(column); v != "" {
			c.Metadata[column] = v
		}
	}
	t.out.context(c)
}

// engramKind tells lasting knowledge from the run of events, and names the
// action where the type says it.
func engramKind(kind string) (domain.Kind, *domain.Causality) {
	lasting := []string{"decision", "architecture", "bugfix", "pattern", "discovery", "learning", "config", "preference", "feature", "refactor", "change"}
	k := domain.Episodic
	if slices.Contains(lasting, strings.ToLower(kind)) {
		k = domain.Semantic
	}
	action, err := domain.ParseActionType(kind)
	if err != nil {
		return k, nil
	}
	return k, &domain.Causality{ActionType: action}
}
