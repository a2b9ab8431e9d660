package transcript

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"wake/domain"
)

// readEngram reads engram's tables (~/.engram/engram.db). Observations and session
// summaries become contexts, prompts messages of their sessions, and judged relations
// between observations links. Deleted observations are left out, also where they were
// imported before.
func readEngram(name string, tables Tables) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		t := newTableReader(name, tables, yield)
		defer t.end()
		contexts := map[string]string{} // context id by an observation's sync_id
		t.each("sessions", t.engramSession)
		t.each("observations", func(r Row) { t.engramObservation(r, contexts) })
		t.each("sync_mutations", func(r Row) { t.engramErased(r, contexts) })
		t.each("memory_relations", func(r Row) { t.engramRelation(r, contexts) })
		t.each("user_prompts", func(r Row) {
			session := r.text("session_id")
			project := cmp.Or(r.text("project"), t.projects[session])
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

func (t *tableReader) engramObservation(r Row, contexts map[string]string) {
	if r.text("deleted_at") != "" {
		t.engramDeleted(r, contexts)
		return
	}
	c := importedContext(Engram, r.text("sync_id", "id"), r.time("created_at", "updated_at"), r.text("content"))
	kind := r.text("type")
	c.SessionID = r.text("session_id")
	c.Project = cutName(cmp.Or(r.text("project"), t.projects[c.SessionID]))
	summarize(c, r.text("title"))
	c.Tags = cutTags(kind, r.text("scope"), r.text("topic_key"))
	c.Kind, c.Causality = engramKind(kind)
	c.Pinned = slices.Contains([]string{"1", "true"}, r.text("pinned"))
	for _, column := range []string{"topic_key", "tool_name", "revision_count", "duplicate_count", "scope"} {
		if v := r.text(column); v != "" {
			c.Metadata[column] = v
		}
	}
	if at := r.time("updated_at"); !at.IsZero() {
		c.Metadata["updated_at"] = domain.FormatTime(at)
	}
	t.out.context(c)
	contexts[r.text("sync_id")] = c.ID
}

// engramDeleted says that an observation was deleted. Without a sync_id it cannot be told
// from those of other databases.
func (t *tableReader) engramDeleted(r Row, contexts map[string]string) {
	id := r.text("sync_id")
	if id == "" {
		return
	}
	contexts[id] = ""
	t.out.add(Item{Distant: &Distant{From: id, Deleted: true, At: domain.Moment(r.time("deleted_at"))}})
}

// engramErased reads from the journal for engram's cloud that an observation was deleted for
// good, so that its table has nothing of it.
func (t *tableReader) engramErased(change Row, contexts map[string]string) {
	id := change.text("entity_key")
	if _, kept := contexts[id]; kept || change.text("entity") != "observation" || change.text("op") != "delete" {
		return
	}
	if row := engramPayload(change); row != nil {
		row["sync_id"] = id
		t.engramDeleted(row, contexts)
	}
}

// engramRelation adds a link for a judged relation between two observations: one
// replaces the other, or they belong together. A pending guess is not a judgement.
func (t *tableReader) engramRelation(r Row, contexts map[string]string) {
	source, target, relation := r.text("source_id"), r.text("target_id"), r.text("relation")
	judged := r.text("judgment_status") == "judged" && r.text("superseded_at") == "" && r.text("deleted_at") == ""
	if !judged || source == "" || target == "" || source == target || relation == "not_conflict" {
		return
	}
	l := domain.Link{Kind: domain.Dependency, Origin: domain.Explicit, Confidence: 1,
		Reason: strings.Trim(relation+": "+r.text("reason"), ": "), AddedAt: domain.Moment(r.time("created_at"))}
	if relation == "supersedes" {
		l.Kind = domain.Supersedes
	}
	from, hasFrom := contexts[source]
	to, hasTo := contexts[target]
	switch {
	case hasFrom && from == "" || hasTo && to == "":
		return // one of them was deleted
	case hasFrom && hasTo:
		l.From, l.To = from, to
		t.out.add(Item{Link: &l})
	default:
		t.out.add(Item{Distant: &Distant{From: source, To: target, Link: l}})
	}
}

// engramKind distinguishes lasting knowledge from events, and returns the action if the
// type names one.
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
