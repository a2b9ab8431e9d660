package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"time"

	"wake/domain"
)

// serverMemory reads the file of the official memory server: a line for each
// entity with its observations, and for each relation, or the one document of all
// that its tool read_graph answers. Every observation and every relation becomes a
// context of its own, so that what was imported before stays one when the entity
// grows. The file holds no times.
type serverMemory struct {
	wholeDocument
}

type memoryLine struct {
	Type         string              `json:"type"`
	Name         string              `json:"name"`
	EntityType   string              `json:"entityType"`
	Observations []memoryObservation `json:"observations"`
	From         string              `json:"from"`
	To           string              `json:"to"`
	RelationType string              `json:"relationType"`
}

// memoryObservation is what was observed, by itself or, with some servers, beside more.
type memoryObservation string

// UnmarshalJSON reads both shapes and passes over others.
func (o *memoryObservation) UnmarshalJSON(data []byte) error {
	var row struct {
		Content     string `json:"content"`
		Text        string `json:"text"`
		Observation string `json:"observation"`
	}
	if json.Unmarshal(data, (*string)(o)) != nil && json.Unmarshal(data, &row) == nil {
		*o = memoryObservation(cmp.Or(row.Content, row.Text, row.Observation))
	}
	return nil
}

func (m *serverMemory) document(doc []byte, out *sink) error {
	graph, isGraph := memoryGraph(doc)
	rows := bytes.Lines(doc)
	if isGraph {
		rows = slices.Values(graph)
	}
	var good []memoryLine
	n := 0
	for raw := range rows {
		n++
		if raw = trimLine(raw); len(bytes.TrimSpace(raw)) == 0 {
			continue
		}
		for _, one := range apart(raw) {
			row, fault := readMemoryLine(one)
			if fault != "" {
				out.begin(n, 0)
				out.skip(fault)
				continue
			}
			good = append(good, row)
		}
	}
	entities := map[string]string{} // name → id of its context
	for _, row := range good {
		if row.Type == "entity" {
			entities[row.Name] = row.entity().ID
		}
	}
	for i, row := range good {
		out.begin(i+1, 0)
		row.items(entities, out)
	}
	return nil
}

// memoryGraph takes a graph that is written as one document apart, into rows as
// the server's own file has them.
func memoryGraph(doc []byte) (rows [][]byte, ok bool) {
	var graph struct {
		Entities  []json.RawMessage `json:"entities"`
		Relations []json.RawMessage `json:"relations"`
	}
	if decodeLoose(doc, &graph) != nil || graph.Entities == nil && graph.Relations == nil {
		return nil, false
	}
	for _, row := range graph.Entities {
		rows = append(rows, ofKind("entity", row))
	}
	for _, row := range graph.Relations {
		rows = append(rows, ofKind("relation", row))
	}
	return rows, true
}

// ofKind is a row that says what it is; what is no object stays as it is.
func ofKind(kind string, row json.RawMessage) json.RawMessage {
	var fields map[string]json.RawMessage
	if json.Unmarshal(row, &fields) != nil || fields == nil {
		return row
	}
	fields["type"] = json.RawMessage(`"` + kind + `"`)
	row, _ = json.Marshal(fields) // of JSON that was read just now
	return row
}

// apart takes rows apart that stand on one line: early servers wrote no newline behind
// the last one. What is no JSON stays as it is.
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

// readMemoryLine reads a row, or says what is wrong with it.
func readMemoryLine(raw []byte) (row memoryLine, fault string) {
	switch err := decodeLoose(raw, &row); {
	case err != nil:
		return row, "it is not JSON"
	case row.Type != "entity" && row.Type != "relation":
		return row, "it is neither an entity nor a relation"
	}
	return row, ""
}

// entity is the context that stands for an entity.
func (row memoryLine) entity() *domain.ContextSnapshot {
	text := row.Name
	if row.EntityType != "" {
		text += " (" + row.EntityType + ")"
	}
	c := importedContext(ServerMemory, "entity:"+row.Name, time.Time{}, text)
	c.Kind, c.Tags = domain.Semantic, cutTags("entity", row.EntityType)
	return c
}

func (row memoryLine) items(entities map[string]string, out *sink) {
	if row.Type == "relation" {
		text := row.From + " " + row.RelationType + " " + row.To
		c := statement("relation", text)
		c.Kind, c.Tags = domain.Semantic, cutTags("relation", row.RelationType)
		out.context(c)
		out.link(c.ID, entities[row.From], row.RelationType)
		out.link(c.ID, entities[row.To], row.RelationType)
		return
	}
	entity := row.entity()
	out.context(entity)
	for _, text := range row.Observations {
		if strings.TrimSpace(string(text)) == "" {
			continue
		}
		c := statement("observation:"+row.Name, row.Name+": "+string(text))
		c.Kind, c.Tags = domain.Semantic, cutTags("observation", row.EntityType)
		out.context(c)
		out.link(c.ID, entity.ID, "about "+row.Name)
	}
}

// statement is the context of an observation or a relation. These have no name of
// their own by which a later one could be told to take its place.
func statement(of, text string) *domain.ContextSnapshot {
	c := importedContext(ServerMemory, of, time.Time{}, text)
	delete(c.Metadata, "source_id")
	return c
}

// link adds a dependency between two contexts; none when one is not known.
func (s *sink) link(from, to, reason string) {
	if from == "" || to == "" || from == to {
		return
	}
	s.items = append(s.items, Item{Link: &domain.Link{From: from, To: to, Kind: domain.Dependency, Origin: domain.Explicit, Confidence: 1, Reason: reason}})
}
