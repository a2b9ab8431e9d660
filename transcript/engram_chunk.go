package transcript

import (
	"cmp"
	"encoding/json"
	"iter"
	"maps"
	"slices"
)

// isEngramChunk recognises what engram writes for a team into .engram/chunks, or the
// beginning of it, by the columns of its first rows.
func isEngramChunk(doc fields) bool {
	for list, columns := range map[string][]string{"sessions": {"directory", "started_at"}, "observations": {"session_id", "content"}, "mutations": {"entity", "op"}} {
		var rows []fields
		if json.Unmarshal(doc[list], &rows) == nil && len(rows) > 0 && rows[0].has(columns...) {
			return true
		}
	}
	return false
}

// engramTables returns the tables of an engram chunk after the changes that it lists: a
// chunk has relations only there, and one for engram's cloud may have everything there.
// A row that is also in the chunk's tables is whole in these. What cannot be done is
// reported to fault.
func engramTables(tables Tables, changes []Row, fault func(reason string)) Tables {
	names := map[string]string{"session": "sessions", "observation": "observations", "prompt": "user_prompts", "relation": "memory_relations"}
	changed := map[string][]Row{}
	for _, change := range changes {
		entity := change.text("entity")
		table := names[entity]
		row := engramPayload(change)
		switch {
		case table == "":
			fault("a change is of no kind that wake knows: " + entity)
		case row == nil:
			fault("a change of the " + entity + " " + change.text("entity_key") + " cannot be read")
		default:
			changed[table] = append(changed[table], row)
		}
	}
	return func(table string) iter.Seq2[Row, error] {
		rows := tables(table)
		if len(changed[table]) == 0 {
			return rows
		}
		return func(yield func(Row, error) bool) {
			all, err := allRows(rows)
			if err != nil {
				yield(nil, err)
				return
			}
			eachOf(changedRows(table, all, changed[table], fault), yield)
		}
	}
}

// engramPayload returns the row that a change sets; nil if there is none. A row that the
// change deletes has a deleted_at.
func engramPayload(change Row) Row {
	row := Row{}
	if payload := change.text("payload"); payload != "" {
		if row = decodeRow([]byte(payload)); row == nil {
			return nil
		}
	}
	key := "sync_id"
	if change.text("entity") == "session" {
		key = "id"
	}
	for column, value := range map[string]string{key: change.text("entity_key"), "project": change.text("project"), "created_at": change.text("occurred_at"), "updated_at": change.text("occurred_at")} {
		if row.text(column) == "" {
			row[column] = value
		}
	}
	if (change.text("op") == "delete" || row.text("deleted") == "true") && row.text("deleted_at") == "" {
		row["deleted_at"] = cmp.Or(change.text("occurred_at"), "unknown")
	}
	return row
}

// changedRows returns the rows of a table after the changes. Of the deleted ones only
// observations stay, which other files may have.
func changedRows(table string, rows, changes []Row, fault func(reason string)) []Row {
	observations := table == "observations"
	key := func(r Row) string { return r.text("sync_id", "id") }
	known := map[string]Row{}
	for _, r := range rows {
		known[key(r)] = r
	}
	whole := maps.Clone(known)
	deletedHere := map[string]bool{}
	for _, c := range changes {
		had, deleted := known[key(c)], c.text("deleted_at") != ""
		if !deleted && deletedHere[key(c)] {
			delete(had, "deleted_at") // it is set again
		}
		deletedHere[key(c)] = deleted
		switch {
		case had == nil && deleted && !observations:
			fault("it deletes " + key(c) + ", which is not in this file")
		case had == nil:
			known[key(c)] = c
			rows = append(rows, c)
		case deleted:
			had["deleted_at"] = c.text("deleted_at")
		case whole[key(c)] == nil:
			created := had["created_at"]
			maps.Copy(had, c)
			had["created_at"] = created
		}
	}
	return slices.DeleteFunc(rows, func(r Row) bool { return r.text("deleted_at") != "" && !observations })
}
