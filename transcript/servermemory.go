package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

type memoryLine struct {
	Type         string              `json:"type"`
	Kind         string              `json:"_type"` // the same, with some servers
	Name         string              `json:"name"`
	EntityType   string              `json:"entityType"`
	Observations []memoryObservation `json:"observations"`
	Relations    []memoryLine        `json:"relations"` // from the entity, with some servers
	From         string              `json:"from"`
	To           string              `json:"to"`
	FromEntity   string              `json:"from_entity"` // the same, with some servers
	ToEntity     string              `json:"to_entity"`
	RelationType string              `json:"relationType"`
	Created      stamp               `json:"createdAt"`
	Updated      stamp               `json:"updatedAt"`
}

// kind returns entity, relation or, for other rows, "". Some servers do not write it.
func (row memoryLine) kind() string {
	switch kind := cmp.Or(row.Type, row.Kind); {
	case kind == "entity" || kind == "relation":
		return kind
	case kind == "" && row.Name != "" && row.EntityType != "":
		return "entity"
	case kind == "" && row.From != "" && row.To != "" && row.RelationType != "":
		return "relation"
	}
	return ""
}

// memoryObservation is what was observed: a text or, with some servers, an object that
// contains one.
type memoryObservation struct {
	text string
	at   time.Time
}

// UnmarshalJSON accepts both shapes and ignores others.
func (o *memoryObservation) UnmarshalJSON(data []byte) error {
	var row struct {
		Content     string `json:"content"`
		Text        string `json:"text"`
		Observation string `json:"observation"`
		Timestamp   stamp  `json:"timestamp"`
	}
	if json.Unmarshal(data, &o.text) != nil && json.Unmarshal(data, &row) == nil {
		o.text, o.at = cmp.Or(row.Content, row.Text, row.Observation), row.Timestamp.Time
	}
	return nil
}

// readServerMemory reads the file of the official memory server, with a line for each
// entity with its observations and for each relation, or the single document that its
// tool read_graph returns. Every observation and every relation becomes a context of
// its own, so that earlier imports stay valid when an entity grows. The file has no
// times; those of other servers that keep such a file may have them.
func readServerMemory(_ string, doc []byte, out *sink) error {
	rows := memoryLines(doc, out)
	entities := map[string]string{} // context id by entity name
	for _, row := range rows {
		if row.Type == "entity" {
			entities[row.Name] = row.entity().ID
		}
	}
	for i, row := range rows {
		out.begin(i + 1)
		row.items(entities, out)
	}
	forgetSharedNames(out.items)
	return nil
}

// forgetSharedNames clears the names of entities of several types that share one: none
// replaces another.
func forgetSharedNames(items []Item) {
	ids, shared := map[any]string{}, map[any]bool{}
	for _, item := range items {
		if c := item.Context; c != nil {
			name := c.Metadata["source_id"]
			shared[name] = shared[name] || ids[name] != "" && ids[name] != c.ID
			ids[name] = c.ID
		}
	}
	for _, item := range items {
		if c := item.Context; c != nil && shared[c.Metadata["source_id"]] {
			delete(c.Metadata, "source_id")
		}
	}
}

// memoryLines reads the rows of a file. Faulty ones are skipped.
func memoryLines(doc []byte, out *sink) (good []memoryLine) {
	lines := bytes.Lines(doc)
	if graph, ok := memoryGraph(doc, out); ok {
		lines = slices.Values(graph)
	} else if isSpread(doc) { // as some tools export it
		lines = memorySpread(doc)
	}
	n := 0
	for raw := range lines {
		n++
		if raw = trimLine(raw); len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		for _, one := range apart(raw) {
			row, fault := readMemoryLine(one)
			if fault != "" {
				out.begin(n)
				out.skip(fault)
				continue
			}
			good = append(good, row)
		}
	}
	return good
}

// memorySpread yields rows that are not lines; instead of a broken one, what is wrong
// with it.
func memorySpread(doc []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		for row, err := range spreadRows(doc) {
			if err != nil {
				row = []byte(err.Error())
			}
			if !yield(row) {
				return
			}
		}
	}
}

// memoryGraph splits a graph in one document into rows as in the server's own file. Of a
// damaged one it takes what is whole.
func memoryGraph(doc []byte, out *sink) (rows [][]byte, ok bool) {
	var graph struct {
		Entities  []json.RawMessage `json:"entities"`
		Relations []json.RawMessage `json:"relations"`
		Name      string            `json:"name"` // of a single entity
	}
	damage, err := decodeSaved(doc, messageDepth, &graph)
	if err != nil || graph.Entities == nil && graph.Relations == nil || graph.Name != "" {
		return nil, false
	}
	if damage != "" {
		out.fault(damage)
	}
	for _, row := range graph.Entities {
		rows = append(rows, ofKind("entity", row))
	}
	for _, row := range graph.Relations {
		rows = append(rows, ofKind("relation", row))
	}
	return rows, true
}

// ofKind adds its kind to a row; anything but an object is left unchanged.
func ofKind(kind string, row json.RawMessage) json.RawMessage {
	var all fields
	if json.Unmarshal(row, &all) != nil || all == nil {
		return row
	}
	all["type"] = json.RawMessage(`"` + kind + `"`)
	row, _ = json.Marshal(all) // this JSON was just decoded
	return row
}

// apart splits rows on the same line: early servers wrote no newline after the last
// one. Anything but JSON is left unchanged.
func apart(line []byte) (rows [][]byte) {
	if json.Valid(line) {
		return [][]byte{line}
	}
	dec := json.NewDecoder(bytes.NewReader(line))
	for {
		var row json.RawMessage
		before := dec.InputOffset()
		if err := dec.Decode(&row); errors.Is(err, io.EOF) {
			return rows
		} else if err != nil {
			return append(rows, line[before:])
		}
		rows = append(rows, row)
	}
}

// readMemoryLine parses a row, or returns what is wrong with it.
func readMemoryLine(raw []byte) (row memoryLine, fault string) {
	if err := decodeLoose(raw, &row); err != nil {
		return row, "it is not JSON"
	}
	row.From, row.To = cmp.Or(row.From, row.FromEntity), cmp.Or(row.To, row.ToEntity)
	switch row.Type = row.kind(); {
	case row.Type == "":
		return row, "it is neither an entity nor a relation"
	case row.Type == "entity" && row.Name == "":
		return row, "the entity has no name"
	case row.Type == "relation" && (row.From == "" || row.To == ""):
		return row, "the relation does not say between what"
	}
	return row, ""
}

// entity returns the context that represents an entity.
func (row memoryLine) entity() *domain.ContextSnapshot {
	text := row.Name
	if row.EntityType != "" {
		text += " (" + row.EntityType + ")"
	}
	c := importedContext(ServerMemory, "entity:"+row.Name, row.Created.Time, text)
	c.Kind, c.Tags = domain.Semantic, cutTags("entity", row.EntityType)
	return c
}

func (row memoryLine) items(entities map[string]string, out *sink) {
	if row.Type == "relation" {
		text := row.From + " " + row.RelationType + " " + row.To
		c := statement("relation", row.Created.Time, text)
		c.Kind, c.Tags = domain.Semantic, cutTags("relation", row.RelationType)
		out.context(c)
		out.link(c.ID, entities[row.From], row.RelationType)
		out.link(c.ID, entities[row.To], row.RelationType)
		return
	}
	entity, last := row.entity(), cmp.Or(row.Updated, row.Created).Time
	out.context(entity)
	for _, o := range row.Observations {
		if strings.TrimSpace(o.text) == "" {
			continue
		}
		c := statement("observation:"+row.Name, cmp.Or(o.at, last), row.Name+": "+o.text)
		c.Kind, c.Tags = domain.Semantic, cutTags("observation", row.EntityType)
		out.context(c)
		out.link(c.ID, entity.ID, "about "+row.Name)
	}
	for _, to := range row.Relations {
		if to.To != "" && to.RelationType != "" {
			memoryLine{Type: "relation", From: row.Name, To: to.To, RelationType: to.RelationType}.items(entities, out)
		}
	}
}

// statement returns the context of an observation or a relation. These have no name by
// which a later one could be recognised as its replacement.
func statement(of string, at time.Time, text string) *domain.ContextSnapshot {
	c := importedContext(ServerMemory, of, at, text)
	delete(c.Metadata, "source_id")
	return c
}
