package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"wake/domain"
)

// ScheduledNote is the kind of the note that says that Claude Code is about to say a prompt
// that was put on a schedule.
const ScheduledNote = "scheduled_task_fire"

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

// Blocks reports whether a note says that a hook blocked the prompt.
func Blocks(note, prompt string) bool {
	return strings.HasPrefix(note, blockedMark) && strings.HasSuffix(note, "\n\nOriginal prompt: "+prompt)
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
