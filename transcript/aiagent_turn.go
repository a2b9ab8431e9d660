package transcript

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"wake/domain"
)

// turnNote is what a turn or step holds beside its operations and its label.
type turnNote struct {
	Index      int64           `json:"index"`
	System     bool            `json:"system,omitempty"`
	StartedAt  time.Time       `json:"started_at,omitzero"`
	EndedAt    time.Time       `json:"ended_at,omitzero"`
	Status     string          `json:"status,omitempty"`
	Warnings   []string        `json:"warnings,omitempty"`
	Errors     []string        `json:"errors,omitempty"`
	Attributes json.RawMessage `json:"attributes,omitempty"`
}

// key tells the note of a turn that has ended from that of one that has not.
func (n turnNote) key(kind string) domain.Key {
	ended := "open"
	if !n.EndedAt.IsZero() {
		ended = "ended"
	}
	return domain.RowKey(kind, strconv.FormatInt(n.Index, 10)+":"+ended)
}

func (n turnNote) note(kind, label string) domain.Note {
	data, _ := json.Marshal(n)
	return domain.Note{Kind: kind, Text: label, Data: data}
}

// TellTurns restores, in the turns of an imported tree, what its product recorded about
// them: label, times and prompts. notes are the notes among the session's events.
func TellTurns(turns []domain.TurnNode, notes []domain.Event) []domain.TurnNode {
	told := map[int64]bool{}
	for _, e := range notes {
		n, err := domain.PayloadAs[domain.Note](e)
		var t turnNote
		if err != nil || n.Kind != "turn" || json.Unmarshal(n.Data, &t) != nil {
			continue
		}
		i := slices.IndexFunc(turns, func(n domain.TurnNode) bool { return n.Index == t.Index })
		if i < 0 {
			i, turns = len(turns), append(turns, domain.TurnNode{Turn: domain.Turn{SessionID: e.SessionID, Index: t.Index}})
		}
		told[t.Index] = true
		turns[i].Label, turns[i].StartedAt, turns[i].EndedAt, turns[i].Attributes = n.Text, t.StartedAt, t.EndedAt, t.Attributes
	}
	if len(told) == 0 {
		return turns
	}
	turns = slices.DeleteFunc(turns, func(n domain.TurnNode) bool { return !told[n.Index] && len(n.Ops) == 0 })
	slices.SortStableFunc(turns, func(a, b domain.TurnNode) int { return cmp.Compare(a.Index, b.Index) })
	return turns
}
