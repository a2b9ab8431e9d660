package transcript

import (
	"encoding/json"
	"slices"
	"time"

	"wake/domain"
)

// system reads what the client itself noted.
func (c *claude) system(id string, s *claudeSession, row *claudeRow, at time.Time, out *sink) {
	var text string
	_ = json.Unmarshal(row.Content, &text)
	switch row.Subtype {
	case "compact_boundary":
		c.compaction(id, s, row, at, out)
		s.Boundary = true
	case "local_command":
		out.event(id, at, rowKey(row, 0, text), ref(row), domain.Message{Role: domain.RoleUser, Kind: domain.CommandMessage, Content: text})
	default:
		note := domain.Note{Kind: row.Subtype, Text: text}
		if note.Kind == "" {
			note.Kind = "system"
		}
		switch {
		case row.DurationMS > 0:
			note.Data, _ = json.Marshal(map[string]int64{"duration_ms": row.DurationMS})
		case len(row.Error) > 0:
			note.Data = row.Error
		}
		out.event(id, at, rowKey(row, 0, text), ref(row), note)
	}
}

// compaction gives the event that opens a new epoch.
func (c *claude) compaction(id string, s *claudeSession, row *claudeRow, at time.Time, out *sink) {
	mark := row.UUID
	if mark == "" {
		mark = string(row.Timestamp)
	}
	nth := slices.Index(s.Compactions, mark)
	if nth < 0 {
		s.Compactions = append(s.Compactions, mark)
		nth = len(s.Compactions) - 1
	}
	meta := row.CompactMetadata
	if streamed := claudeCompact(row.StreamCompact); streamed != (claudeCompact{}) {
		meta = streamed
	}
	out.event(id, at, CompactionKey(nth+1), ref(row), domain.Compaction{
		Trigger: meta.Trigger, TokensBefore: max(meta.PreTokens, 0), TokensAfter: max(meta.PostTokens, 0)})
}

// maxQueue bounds the prompts that may wait.
const maxQueue = 64

// queue follows the prompts that a person typed while the assistant worked. One
// that is dequeued comes back as a row of its own; one that is removed was handed
// to the model in the middle of its work, and shows up nowhere else with older
// clients, before or behind the removal as an attachment with newer ones.
func (c *claude) queue(id string, s *claudeSession, row *claudeRow, at time.Time, out *sink) {
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
			c.taken(id, s, text, string(row.Timestamp), at, out)
		}
	}
}

// handedOver reports whether a prompt left the queue to be read by a model. Older clients
// give no reason; one that was taken back, or whose agent had stopped, has another.
func (r *claudeRow) handedOver() bool {
	return slices.Contains([]string{"", "absorbed_mid_turn", "delivered_to_agent"}, r.Reason)
}

// newest is as much of a list as is remembered.
func newest(list []string) []string { return list[max(0, len(list)-maxQueue):] }

// unqueue takes the named prompt out of the queue, or the first where none is named.
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

// taken gives a prompt out of the queue as a message.
func (c *claude) taken(id string, s *claudeSession, text, stamp string, at time.Time, out *sink) {
	if text == "" || clientText(text) != domain.PlainMessage || text[0] == '/' {
		return
	}
	key := s.Prompts.key(text, "queue:"+stamp)
	s.Taken = append(s.Taken, shortHash(text))
	out.event(id, at, key, rowRef{}, domain.Message{Role: domain.RoleUser, Content: text})
}

// attachment reads a queued prompt that newer clients keep as a row of its own.
func (c *claude) attachment(id string, s *claudeSession, row *claudeRow, at time.Time, out *sink) {
	a := row.Attachment
	var content claudeContent
	if a.Type != "queued_command" || json.Unmarshal(a.Prompt, &content) != nil || !content.Set {
		return
	}
	own := a.CommandMode != "" && a.CommandMode != "prompt" || row.IsMeta || a.IsMeta
	if text := content.text(); (own || a.Origin.machine()) && slices.Contains(s.Queue, text) {
		s.Handed = append(s.Handed, shortHash(text)) // its removal tells of no person's words either
	}
	if own {
		return
	}
	user := *row
	user.Message.Content, user.Origin = content, a.Origin
	c.user(id, s, &user, at, out)
}
