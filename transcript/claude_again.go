package transcript

import "time"

// claudeAgain recognises a history that a file has twice. Where a session is resumed, versions
// 1.0.128 to 2.0 write each part of a prompt that has several in a row of its own, and then
// again all that came after it: some at the times that it had, others all at once.
//
// So a second writing begins with a row that has the first part of such a prompt and answers
// what the prompt answers, and each of its rows answers the one before.
type claudeAgain struct {
	Parts recent[bool] `json:"parts,omitzero"` // of prompts that have several; the first also with the row that it answers
	Tied  bool         `json:"tied,omitempty"` // rows name those that they answer
	Row   string       `json:"row,omitempty"`  // the latest that was written again
	At    time.Time    `json:"at,omitzero"`    // of that row
	Until time.Time    `json:"until,omitzero"` // of the latest row that was not
}

// claudeAtOnce is how far apart rows are, at the most, that a client writes all at once: it may
// halt amid a long history, but a person who answers takes longer.
const claudeAtOnce = 100 * time.Millisecond

// follow notes a row, and whether it has the place and the time of one that is written again.
func (a *claudeAgain) follow(row *claudeRow) {
	a.Tied = a.Tied || row.ParentUUID != ""
	at := row.Timestamp.time()
	if a.begins(row) || a.goesOn(row, at) {
		a.Row, a.At = row.UUID, at
	} else {
		a.Until = at
	}
}

// begins reports whether a second writing begins with the row.
func (a *claudeAgain) begins(row *claudeRow) bool {
	return a.Tied && row.isPart() && a.Parts.Of[firstPart(row)]
}

// goesOn reports whether a second writing goes on with the row. A reply behind it can only
// belong to it; a prompt may be new, if it is not as old or as soon as a repeated one.
func (a *claudeAgain) goesOn(row *claudeRow, at time.Time) bool {
	if row.ParentUUID == "" || row.ParentUUID != a.Row {
		return false
	}
	asBefore := !at.After(a.Until)
	atOnce := at.Sub(a.At) < claudeAtOnce
	return row.reply() || row.isPart() && (asBefore || atOnce)
}

// saidAgain reports whether a person's prompt is one of before, or a part of it, that is
// written again. If not, it keeps what would show that the prompt is.
func (s *claudeSession) saidAgain(row *claudeRow, words string) bool {
	a := &s.Again
	if row.UUID == "" || row.UUID != a.Row {
		a.keep(row)
		return false
	}
	return a.Parts.Of[row.promptParts()[0]] || len(s.Prompts[shortHash(words)]) > 0
}

// keep keeps the parts of a prompt that has several.
func (a *claudeAgain) keep(row *claudeRow) {
	parts := row.promptParts()
	if row.Type != "user" || len(parts) < 2 {
		return
	}
	for _, key := range append(parts, firstPart(row)) {
		a.Parts.put(key, true, 100)
	}
}

// isPart reports whether the row is written like a part of a prompt: alone in a list.
func (r *claudeRow) isPart() bool {
	return r.Type == "user" && r.Message.Content.Listed && len(r.promptParts()) == 1
}

// promptParts returns the hashes of a prompt's texts, and one word for each picture or file.
func (r *claudeRow) promptParts() (parts []string) {
	for _, b := range r.Message.Content.Blocks {
		switch {
		case b.Type == "text":
			parts = append(parts, shortHash(b.Text))
		case b.isMedia():
			parts = append(parts, "media")
		}
	}
	return parts
}

// firstPart names the first part of a row's prompt together with the row that it answers.
func firstPart(row *claudeRow) string { return row.ParentUUID + " " + row.promptParts()[0] }
