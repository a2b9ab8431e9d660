package transcript

import (
	"bytes"
	"encoding/json"
	"strings"
	"time"

	"wake/domain"
)

// serverMemory reads the file of the official memory server: a line for each
// entity with its observations, and for each relation. Every observation and
// every relation becomes a context of its own, so that what was imported before
// stays one when the entity grows. The file holds no times.
type serverMemory struct {
	wholeDocument
}

type memoryLine struct {
	Type         string   `json:"type"`
	Name         string   `json:"name"`
	EntityType   string   `json:"entityType"`
	Observations []string `json:"observations"`
	From         string   `json:"from"`
	To           string   `json:"to"`
	RelationType string   `json:"relationType"`
}

func (m *serverMemory) document(doc []byte, out *sink) error {
	var rows []memoryLine
	entities := map[string]string{} // name → id of its context
	items := out.items
	n := 0
	for line := range bytes.Lines(doc) {
		n++
		if line = trimLine(line); len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		var row memoryLine
		err := decodeLoose(line, &row)
		if err != nil || row.Type != "entity" && row.Type != "relation" {
			items = append(items, Item{Skipped: &Skipped{Source: out.source, Line: n, Reason: memoryFault(line, err)}})
			continue
		}
		if row.Type == "entity" {
			entities[row.Name] = row.entity().ID
		}
		rows = append(rows, row)
	}
	for i, row := range rows {
		out.begin(i+1, 0)
		row.items(entities, out)
		items = append(items, out.items...)
	}
	out.items = items
	return nil
}

func memoryFault(line []byte, err error) string {
	if err != nil || !json.Valid(line) {
		return "it is not JSON"
	}
	return "it is neither an entity nor a relation"
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
		if strings.TrimSpace(text) == "" {
			continue
		}
		c := statement("observation:"+row.Name, row.Name+": "+text)
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
