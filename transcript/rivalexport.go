package transcript

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
)

// readExport reads another product's tables from a text: the JSON document of its own
// export, or an SQL dump of its database.
func readExport(format Format, name string, doc []byte, out *sink) error {
	tables, err := exportedTables(doc, out.fault)
	if err != nil {
		return err
	}
	read, err := ReadTables(format, name, tables)
	if err != nil {
		return err
	}
	for item, err := range read {
		if err != nil {
			return err
		}
		out.add(item)
	}
	return nil
}

// exportedTables returns the tables in a text. An export may name them differently than
// the database does.
func exportedTables(doc []byte, fault func(reason string)) (Tables, error) {
	names := map[string]string{"user_prompts": "prompts", "memory_relations": "relations", "sdk_sessions": "sessions", "session_summaries": "summaries"}
	var export map[string]json.RawMessage
	if bytes.HasPrefix(bytes.TrimSpace(doc), []byte("{")) {
		damage, err := decodeSaved(doc, messageDepth, &export)
		if err != nil {
			return nil, err
		}
		if damage != "" {
			fault(damage)
		}
		if export["observations"] == nil && export["sessions"] == nil && export["mutations"] == nil {
			return nil, errors.New("it is not an export of a memory: it has neither observations nor sessions")
		}
		tables := jsonTables(export, names, fault)
		changes, err := allRows(tables("mutations"))
		return engramTables(tables, changes, fault), err
	}
	rows := map[string][]Row{}
	d := &sqlDump{text: string(doc), fault: fault}
	d.row = func(table string, row Row) { rows[table] = append(rows[table], row) }
	d.read()
	if rows["observations"] == nil && rows["sessions"] == nil && rows["sdk_sessions"] == nil {
		return nil, errors.New("it is neither an export nor a dump of a memory: it holds no rows of observations or sessions")
	}
	return func(table string) iter.Seq2[Row, error] {
		return func(yield func(Row, error) bool) { eachOf(rows[table], yield) }
	}, nil
}

// jsonTables returns the tables in an export, in which some may have other names.
func jsonTables(export map[string]json.RawMessage, names map[string]string, fault func(reason string)) Tables {
	return func(table string) iter.Seq2[Row, error] {
		data := export[table]
		if data == nil {
			data = export[names[table]]
		}
		return func(yield func(Row, error) bool) {
			var list []json.RawMessage
			if data != nil && json.Unmarshal(data, &list) != nil {
				fault("what it has of " + table + " is not a list")
			}
			rows := jsonRows(table, list, fault)
			for _, row := range rows {
				delete(row, "user_prompt") // an export has the prompts that were searched for, and no others
			}
			eachOf(rows, yield)
		}
	}
}

// jsonRows decodes the rows of a table and reports those that are not rows to fault.
func jsonRows(table string, list []json.RawMessage, fault func(reason string)) []Row {
	var rows []Row
	for i, raw := range list {
		row := decodeRow(raw)
		if row == nil {
			fault(fmt.Sprintf("number %d of %s is not a row", i+1, table))
			continue
		}
		rows = append(rows, row)
	}
	return rows
}

// decodeRow decodes a row with its numbers as they are written; nil if it is none.
func decodeRow(data []byte) (row Row) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if dec.Decode(&row) != nil {
		return nil
	}
	return row
}

func eachOf(rows []Row, yield func(Row, error) bool) {
	for _, row := range rows {
		if row != nil && !yield(row, nil) {
			return
		}
	}
}

func allRows(rows iter.Seq2[Row, error]) (all []Row, err error) {
	for row, err := range rows {
		if err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, nil
}
