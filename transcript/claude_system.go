package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"wake/domain"
)

// system reads a row that the client wrote about itself.
func (r *claudeReading) system() {
	row := r.row
	var text string
	_ = json.Unmarshal(row.Content, &text)
	switch row.Subtype {
	case "compact_boundary":
		r.compaction()
		r.s.Boundary = true
	case "local_command":
		r.event(row.key(0, text), domain.Message{Role: domain.RoleUser, Kind: domain.CommandMessage, Content: text})
		r.typed()
	default:
		note := domain.Note{Kind: cmp.Or(row.Subtype, "system"), Text: text}
		switch {
		case row.DurationMS > 0:
			note.Data, _ = json.Marshal(map[string]int64{"duration_ms": row.DurationMS})
		case len(row.Error) > 0:
			note.Data = row.Error
		}
		r.event(row.key(0, text), note)
		if strings.HasPrefix(text, blockedMark) {
			r.s.Blocked = &Rewound{Session: r.id, At: r.at, Refused: true, Row: row.UUID}
			r.out.rewound(*r.s.Blocked)
		}
	}
}

// result notes how a run went. What was said and used is in the rows before it, unless the
// run failed.
func (r *claudeReading) result() {
	run := r.row.claudeRun
	note := domain.Note{Kind: "result"}
	if run.IsError || len(run.Errors) > 0 {
		note.Text = cmp.Or(strings.Join(run.Errors, "\n"), run.Result, r.row.Subtype)
	}
	data := map[string]any{"outcome": r.row.Subtype, "turns": run.Turns, "duration_ms": run.TookMS, "cost_usd": run.Cost}
	if len(run.Denials) > 0 {
		data["permission_denials"] = run.Denials
	}
	note.Data, _ = json.Marshal(data)
	r.event(r.row.key(0, string(note.Data)), note)
}

// compaction emits the event that opens a new epoch.
func (r *claudeReading) compaction() {
	s, row := r.s, r.row
	mark := cmp.Or(row.UUID, string(row.Timestamp))
	nth := slices.Index(s.Compactions, mark)
	if nth < 0 {
		s.Compactions = append(s.Compactions, mark)
		nth = len(s.Compactions) - 1
	}
	meta := row.CompactMetadata
	if streamed := claudeCompact(row.StreamCompact); streamed != (claudeCompact{}) {
		meta = streamed
	}
	r.event(CompactionKey(nth+1), domain.Compaction{
		Trigger: meta.Trigger, TokensBefore: max(meta.PreTokens, 0), TokensAfter: max(meta.PostTokens, 0)})
}

// maxQueue limits the number of remembered queued prompts.
const maxQueue = 64

// queue follows prompts typed while the assistant was working. A dequeued prompt comes
// back as a row of its own. A removed one was handed to the model during its work:
// older clients record it nowhere else, newer ones as an attachment before or after the
// removal.
func (r *claudeReading) queue() {
	s, row := r.s, r.row
	var content claudeContent
	_ = json.Unmarshal(row.Content, &content)
	text := content.text()
	switch row.Operation {
	case "enqueue":
		s.Queue = newest(append(s.Queue, text))
	case "dequeue":
		drop(&s.Handed, shortHash(s.unqueue(text)))
	case "popAll":
		s.Queue, s.Handed = nil, nil
	case "remove":
		text = s.unqueue(text)
		if handed := drop(&s.Handed, shortHash(text)); !handed && row.handedOver() {
			r.taken(text)
		}
	}
}

// handedOver reports whether a prompt left the queue to be read by a model. Older
// clients give no reason; a prompt that was withdrawn, or whose agent had stopped, has
// another one.
func (r *claudeRow) handedOver() bool {
	return slices.Contains([]string{"", "absorbed_mid_turn", "delivered_to_agent"}, r.Reason)
}

// newest returns the part of a list that is remembered.
func newest(list []string) []string { return list[max(0, len(list)-maxQueue):] }

// unqueue removes the given prompt from the queue, or the first one if text is "".
func (s *claudeSession) unqueue(text string) string {
	i := slices.Index(s.Queue, text)
	if text == "" && len(s.Queue) > 0 {
		i = 0
	}
	if i < 0 {
		return text
	}
	text = s.Queue[i]
	s.Queue = slices.Delete(s.Queue, i, i+1)
	return text
}

// taken emits a prompt from the queue as a message.
func (r *claudeReading) taken(text string) {
	if text == "" || clientText(text) != domain.PlainMessage || text[0] == '/' {
		return
	}
	key := r.s.Prompts.key(text, "queue:"+string(r.row.Timestamp))
	r.s.Taken = append(r.s.Taken, shortHash(text))
	r.out.event(r.id, r.at, key, rowRef{}, domain.Message{Role: domain.RoleUser, Content: text})
}

// attachment reads a queued prompt that newer clients write as a row of its own.
func (r *claudeReading) attachment() {
	s, a := r.s, r.row.Attachment
	var content claudeContent
	if a.Type != "queued_command" || json.Unmarshal(a.Prompt, &content) != nil || !content.Set {
		return
	}
	text := content.text()
	own := a.CommandMode != "" && a.CommandMode != "prompt" || (r.row.IsMeta || a.IsMeta) && !a.Origin.chat(text)
	if (own || a.Origin.machine()) && slices.Contains(s.Queue, text) {
		s.Handed = append(s.Handed, shortHash(text)) // so that its removal is not taken for a person's words either
	}
	if own {
		return
	}
	prompt := *r.row
	prompt.Message.Content, prompt.Origin = content, a.Origin
	r.as(prompt).user()
}
