package transcript

import "time"

// claudeAgain recognises a history that a file has twice. Where a session is resumed, versions
// 1.0.128 to 2.0 write each part of a prompt that has several in a row of its own, and then
// again all that came after it: some at the times that it had, others all at once.
type claudeAgain struct {
	Parts recent[bool] `json:"parts,omitzero"` // of prompts that have several; the first also with the row that it answers
	Tied  bool         `json:"tied,omitempty"` // rows name those that they answer
	Row   string       `json:"row,omitempty"`  // the latest that was written again
	At    time.Time    `json:"at,omitzero"`    // of that row
	Until time.Time    `json:"until,omitzero"` // of the latest row that was not
}

// claudeParts returns the hashes of a prompt's texts, and one word for each picture or file.
func claudeParts(row *claudeRow) (parts []string) {
	for _, b := range row.Message.Content.Blocks {
		switch {
		case b.Type == "text":
			parts = append(parts, shortHash(b.Text))
		case b.isMedia():
			parts = append(parts, "media")
		}
	}
	return parts
}

// follow notes a row, and whether it has the place and the time of one that is written again.
func (a *claudeAgain) follow(row *claudeRow) {
	at, parts := row.Timestamp.time(), claudeParts(row)
	a.Tied = a.Tied || row.ParentUUID != ""
	part := row.Type == "user" && row.Message.Content.Listed && len(parts) == 1 && a.Tied
	begins := part && a.Parts.Of[row.ParentUUID+" "+parts[0]]
	soon := !at.After(a.Until) || at.Sub(a.At) < 100*time.Millisecond // the client may halt amid a long history
	goesOn := row.ParentUUID != "" && row.ParentUUID == a.Row && (row.reply() || part && soon)
	if begins || goesOn {
		a.Row, a.At = row.UUID, at
		return
	}
	a.Until = at
}

// saidAgain reports whether a person's prompt is one of before, or a part of it, that is
// written again.
func (s *claudeSession) saidAgain(row *claudeRow, words string) bool {
	parts, a := claudeParts(row), &s.Again
	if row.UUID != "" && row.UUID == a.Row {
		return a.Parts.Of[parts[0]] || len(s.Prompts[shortHash(words)]) > 0
	}
	if row.Type == "user" && len(parts) > 1 {
		for _, key := range append(parts, row.ParentUUID+" "+parts[0]) {
			a.Parts.put(key, true, 100)
		}
	}
	return false
}
