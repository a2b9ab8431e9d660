package transcript

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"wake/domain"
)

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
		if !slices.Contains(s.Queue, text) {
			drop(&s.Handed, shortHash(text)) // that one has left the queue
		}
		s.Queue = newest(append(s.Queue, text))
	case "dequeue":
		text = s.unqueue(text)
		drop(&s.Handed, shortHash(text))
		r.cleared(text)
	case "popAll":
		r.withdrawn(text, 0)
		s.Queue, s.Handed = nil, nil
	case "remove":
		if text == "" && row.Reason != "" { // of a prompt in parts, which an attachment has
			drop(&s.Queue, "")
			return
		}
		text = s.unqueue(text)
		if handed := drop(&s.Handed, shortHash(text)); !handed && row.handedOver() {
			r.taken(text)
		}
	}
}

// cleared tells, if a command out of the queue began another session, that the prompts behind
// it went along: they come as rows of that session.
func (r *claudeReading) cleared(command string) {
	name, _, _ := strings.Cut(command, " ")
	if !slices.Contains([]string{"/clear", "/new", "/reset"}, name) {
		return
	}
	for i, text := range r.s.Queue {
		r.withdrawn(text, i)
	}
	r.s.Queue, r.s.Handed = nil, nil
}

// withdrawn tells that no person's prompt in these words was sent in this session: one was taken
// back from the queue to be edited, it went along to another session, or the client said it by
// itself. Its hook may have told of it. place distinguishes those that left the queue at once.
func (r *claudeReading) withdrawn(text string, place int) {
	if words := Words(ClientClaudeCode, text); words != "" {
		id := "withdrawn:" + string(r.row.Timestamp) + ":" + shortHash(words)
		if place > 0 {
			id += ":" + strconv.Itoa(place)
		}
		r.out.rewound(Rewound{Session: r.id, At: r.at, Refused: true, Words: words, ID: id})
	}
}

// handedOver reports whether a prompt left the queue to be read by a model. Older
// clients give no reason; a prompt that was withdrawn, or whose agent had stopped, has
// another one.
func (r *claudeRow) handedOver() bool {
	return slices.Contains([]string{"", "absorbed_mid_turn", "delivered_to_agent"}, r.Reason)
}

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

// handed notes a prompt that is emitted, and may still be in the queue. What of the queue
// comes before the file's beginning is unknown.
func (s *claudeSession) handed(hash string) { s.Handed = newest(append(s.Handed, hash)) }

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
	if own || a.Origin.machine() {
		s.handed(shortHash(text)) // so that its removal is not taken for a person's words either
	}
	if own {
		return
	}
	prompt := *r.row
	prompt.Message.Content, prompt.Origin = content, a.Origin
	r.as(prompt).user()
}
