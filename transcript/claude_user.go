package transcript

import (
	"cmp"
	"slices"
	"strings"

	"wake/domain"
)

// user reads a row sent as the user: a person's words, tool answers, the summary of a
// compaction, commands, reminders.
func (r *claudeReading) user() {
	row := r.row
	texts, media, answered := r.parts()
	if len(texts) == 0 && len(media) == 0 {
		return
	}
	m := domain.Message{Role: domain.RoleUser, Content: strings.Join(texts, "\n"), Media: media, AgentID: row.AgentID}
	words := promptWords(m.Content, row.Message.Content.Listed)
	m.Kind = userKind(row, texts, answered)
	unknown := m.Human() && row.ParentUUID != "" && row.ParentUUID == r.Branches.Caveat && strings.HasPrefix(m.Content, unknownCommandMark)
	if m.Human() && !unknown && r.s.saidAgain(row, words) {
		return
	}
	if m.Kind == domain.SummaryMessage {
		r.summary()
	}
	key, place := row.key(0, m.Content), row.ref()
	again := m.Human() && r.s.Prompts.has(words, row.SentAs)
	switch {
	case unknown: // with the key that older versions of wake gave it
		key, m.Kind = r.s.Prompts.key(words, row.UUID), domain.CommandMessage
	case again: // it stays a row of its own, to which a person can go back
		key, m.Kind = r.s.Prompts.key(words, row.UUID), domain.MetaMessage
	case m.Human():
		if r.s.Blocked != nil { // now there is a prompt after which the session can be named
			r.out.rewound(*r.s.Blocked)
			r.s.Blocked = nil
		}
		key = r.s.humanKey(words, Words(ClientClaudeCode, m.Content), row)
		if r.Restored && r.id != baseName(r.name, ".jsonl") {
			place.id = "" // it may be the copy's, not the prompt's
		}
	}
	if m.Kind == domain.MetaMessage && row.byItself() {
		r.ofNobody(m.Content)
	}
	r.out.event(r.id, r.at, key, place, m)
	if (again || isTyped(m)) && row.Type == "user" { // a queued message is handed over in the midst of a turn
		r.typed()
	}
}

// ofNobody tells that the client itself said what its hook may have told of as a prompt, without
// the line that the client puts before it.
func (r *claudeReading) ofNobody(text string) {
	text = strings.TrimPrefix(strings.TrimPrefix(text, noticeMark), foreignMark)
	if clientText(text) == domain.PlainMessage {
		r.withdrawn(text, 0)
	}
}

// parts returns the texts and media of a row. It emits the answers of tools in it, and
// reports whether there are any.
func (r *claudeReading) parts() (texts []string, media []domain.Media, answered bool) {
	for _, b := range r.row.Message.Content.Blocks {
		switch {
		case b.answers():
			r.toolResult(b)
			answered = true
		case b.Type == "text":
			texts = append(texts, b.Text)
		case b.isMedia():
			media = append(media, b.media())
		}
	}
	return texts, media, answered
}

// summary handles the row that sums up what was compacted. Early clients wrote no
// boundary before it; some later ones write both again.
func (r *claudeReading) summary() {
	s, row := r.s, r.row
	again := row.UUID != "" && slices.Contains(s.Summaries, row.UUID)
	if !s.Boundary && !again {
		boundary := *row
		if s.silent() && row.ParentUUID != "" {
			boundary.UUID = row.ParentUUID // the file begins after it
		}
		r.as(boundary).compaction()
	}
	if s.Boundary = false; !again {
		s.Summaries = newest(append(s.Summaries, row.UUID))
	}
}

// silent reports whether the session has no messages yet.
func (s *claudeSession) silent() bool {
	return len(s.Prompts) == 0 && len(s.Models) == 0 && len(s.Compactions) == 0
}

// humanKey is the key of a person's message in these words. A message already emitted from
// the queue, which has them as they were typed, keeps its key.
func (s *claudeSession) humanKey(words, typed string, row *claudeRow) domain.Key {
	hash := shortHash(typed)
	queued := row.Type == "attachment" || row.PromptSource == "queued"
	if drop(&s.Taken, hash) || queued && drop(&s.Late, hash) {
		return s.Prompts.rename(typed, row.UUID)
	}
	if row.Type == "attachment" {
		s.handed(hash)
	}
	return s.Prompts.key(words, row.UUID)
}

// userKind distinguishes a person's words from text that the client adds in the user's
// role.
func userKind(row *claudeRow, texts []string, answered bool) domain.MessageKind {
	switch {
	case row.IsCompactSummary:
		return domain.SummaryMessage
	case row.Origin.chat(strings.Join(texts, "\n")):
		return domain.PlainMessage
	case row.IsMeta, row.TranscriptOnly, row.TurnCompanion, row.IsSynthetic, row.aside(), row.subagent() != "", row.byItself():
		return domain.MetaMessage
	case row.ToolUseResult != nil && !answered:
		return domain.MetaMessage
	case len(texts) == 0:
		return domain.PlainMessage
	}
	if strings.HasPrefix(texts[0], continuedMark) && !row.fromPerson() {
		return domain.SummaryMessage // before the client marked such rows
	}
	kind := domain.PlainMessage
	for _, text := range texts {
		k := clientText(text)
		if k == domain.PlainMessage || k == domain.MetaMessage && row.typed() && row.Origin.Kind == "human" {
			return domain.PlainMessage // a person may paste what the client writes
		}
		kind = k
	}
	return kind
}

// toolResult reads a tool's answer.
func (r *claudeReading) toolResult(b claudeBlock) {
	row := r.row
	tool, _ := r.s.Tools.take(b.ToolUseID)
	m := domain.Message{Role: domain.RoleTool, ToolCallID: b.ToolUseID, ToolName: tool, Content: b.Content.answer(), AgentID: row.AgentID}
	for _, part := range b.Content.Blocks {
		if part.isMedia() {
			m.Media = append(m.Media, part.media())
		}
		b.IsError = b.IsError || strings.HasSuffix(part.Type, "_tool_result_error")
	}
	if b.IsError {
		m.Error = cmp.Or(firstLine(m.Content, 200), "failed")
	}
	if b.ToolUseID == "" {
		r.event(row.key(int(r.out.block), m.Content), m)
		return
	}
	r.event(r.s.answerKey(b.ToolUseID), m)
	if row.ToolUseResult != nil && row.ToolUseResult.AgentID != "" && r.out.copied == "" { // a fork has no files of its origin's sub-agents
		child := AgentSession(r.Session, row.ToolUseResult.AgentID)
		r.event(domain.RowKey("child", b.ToolUseID),
			domain.OpReport{OpID: b.ToolUseID, Kind: domain.OpTool, Status: domain.OpOK, ChildSessionID: child})
	}
}
