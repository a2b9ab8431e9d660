package transcript

import (
	"cmp"
	"iter"
	"strings"

	"wake/domain"
)

// readClaudeMem reads claude-mem's tables (~/.claude-mem/claude-mem.db) of any version.
// Observations, session summaries and standing rules become contexts, prompts become
// messages of their sessions.
func readClaudeMem(name string, tables Tables) iter.Seq2[Item, error] {
	return func(yield func(Item, error) bool) {
		t := newTableReader(name, tables, yield)
		defer t.end()
		client := map[string]string{} // client session id by memory session id
		t.each("sdk_sessions", func(r Row) {
			memory, id := r.text("memory_session_id", "sdk_session_id"), r.text("content_session_id", "claude_session_id")
			if memory != "" && id != "" {
				client[memory] = id
			}
			t.projects[cmp.Or(id, memory)], t.titles[cmp.Or(id, memory)] = r.text("project"), r.text("custom_title")
		})
		session := func(r Row) string {
			id := r.text("memory_session_id", "sdk_session_id", "session_id")
			return cmp.Or(client[id], id)
		}
		t.each("observations", func(r Row) { t.claudeMemObservation(r, "observation:"+r.text("id"), session(r)) })
		t.each("session_summaries", func(r Row) { t.claudeMemSummary(r, session(r)) })
		t.each("directives", t.claudeMemDirective)
		t.each("user_prompts", func(r Row) {
			id := r.text("content_session_id", "claude_session_id", "session_id")
			t.prompt("claude-mem", id, cmp.Or(t.projects[id], r.text("project")), r.text("id"), r.text("prompt_text"), r.time("created_at_epoch", "created_at"))
		})
		t.claudeMemItems()
		t.each("sdk_sessions", t.claudeMemFirstPrompt)
	}
}

// claudeMemFirstPrompt reads the prompt that a session began with. Early versions kept no
// others; newer ones keep it there too, with what the user marked as private.
func (t *tableReader) claudeMemFirstPrompt(r Row) {
	id, text := r.text("content_session_id", "claude_session_id"), r.text("user_prompt")
	if t.told[id] || strings.Contains(text, "<private>") {
		return
	}
	t.prompt("claude-mem", id, r.text("project"), "first", text, r.time("started_at_epoch", "started_at"))
}

// claudeMemItems reads what claude-mem's own server adds to the same file since version 13.
// What it copied there from the older tables is left out.
func (t *tableReader) claudeMemItems() {
	project, session, copied := map[string]string{}, map[string]string{}, map[string]bool{}
	t.each("projects", func(r Row) { project[r.text("id")] = r.text("name") })
	t.each("server_sessions", func(r Row) { session[r.text("id")] = r.text("content_session_id", "memory_session_id") })
	t.each("memory_sources", func(r Row) {
		if r.text("legacy_table") != "" {
			copied[r.text("memory_item_id")] = true
		}
	})
	t.each("memory_items", func(r Row) {
		id, owner := "item:"+r.text("id"), session[r.text("server_session_id")]
		r["project"] = project[r.text("project_id")]
		switch {
		case r.text("legacy_observation_id") != "" || copied[r.text("id")]:
		case r.text("kind") == "prompt":
			t.prompt("claude-mem", owner, r.text("project"), id, r.text("text", "narrative"), r.time("created_at_epoch"))
		default:
			t.claudeMemObservation(r, id, owner)
		}
	})
}

// claudeMemObservation makes a context of an observation; key distinguishes it from all others.
func (t *tableReader) claudeMemObservation(r Row, key, session string) {
	facts := r.list("facts")
	for i, f := range facts {
		facts[i] = "- " + f
	}
	content := paragraphs(r.text("title"), r.text("subtitle"), r.text("narrative"), strings.Join(facts, "\n"))
	if text := r.text("text"); !strings.Contains(content, strings.TrimSpace(text)) {
		content = paragraphs(content, text)
	}
	kind := r.text("type")
	c := importedContext(ClaudeMem, key, r.time("created_at_epoch", "created_at"), content)
	c.Project, c.SessionID = claudeMemProject(r), session
	summarize(c, r.text("title"))
	c.Tags = cutTags(append([]string{kind}, r.list("concepts")...)...)
	c.Kind, c.Causality = engramKind(kind)
	for _, column := range []string{"files_read", "files_modified", "files_edited"} {
		if files := r.list(column); len(files) > 0 {
			c.Metadata[column] = files
		}
	}
	t.out.context(c)
}

func (t *tableReader) claudeMemSummary(r Row, session string) {
	var parts []string
	for _, column := range []string{"request", "investigated", "learned", "completed", "next_steps", "notes"} {
		if text := r.text(column); text != "" {
			parts = append(parts, strings.ReplaceAll(column, "_", " ")+": "+text)
		}
	}
	c := importedContext(ClaudeMem, "summary:"+r.text("id"), r.time("created_at_epoch", "created_at"), strings.Join(parts, "\n\n"))
	c.Project, c.SessionID, c.Tags = claudeMemProject(r), session, cutTags("session_summary")
	summarize(c, r.text("request"))
	t.out.context(c)
}

// claudeMemProject returns the project of a memory. The memories of a worktree may have been
// merged into the project that it belongs to.
func claudeMemProject(r Row) string { return cutName(r.text("merged_into_project", "project")) }

// claudeMemDirective reads a rule set by the user, which claude-mem repeats at the start of
// every session. A rule no longer in force is left out.
func (t *tableReader) claudeMemDirective(r Row) {
	if status := r.text("status"); status != "" && status != "active" {
		return
	}
	c := importedContext(ClaudeMem, "directive:"+r.text("id"), r.time("created_at_epoch", "created_at"), r.text("content"))
	c.Project, c.Tags, c.Kind, c.Pinned = cutName(r.text("project")), cutTags("directive"), domain.Semantic, true
	t.out.context(c)
}

// paragraphs joins the texts that are not empty.
func paragraphs(texts ...string) string {
	var all []string
	for _, text := range texts {
		if strings.TrimSpace(text) != "" {
			all = append(all, text)
		}
	}
	return strings.Join(all, "\n\n")
}
