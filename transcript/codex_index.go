package transcript

import (
	"bytes"
	"errors"
)

// codexIndexFile is where Codex keeps the names of its sessions. Those that a person gave
// are often in no rollout.
const codexIndexFile = "session_index.jsonl"

func isCodexIndex(name string) bool { return baseName(name) == codexIndexFile }

type codexIndexRow struct {
	ID   string `json:"id"`
	Name string `json:"thread_name"`
	At   stamp  `json:"updated_at"`
}

// readCodexIndex reads the names: the last one of a session counts. It reads a document,
// because Codex removes rows too.
func readCodexIndex(_ string, doc []byte, out *sink) error {
	place := map[string]int{}
	var names []Named
	eachRow(finished(doc), out, func(line []byte, out *sink) error {
		var row codexIndexRow
		if err := decodeLoose(line, &row); err != nil {
			return err
		}
		if row.ID == "" {
			return errors.New("it names no session")
		}
		if row.Name == "" {
			return nil
		}
		i, known := place[row.ID]
		if !known {
			i = len(names)
			place[row.ID], names = i, append(names, Named{})
		}
		names[i] = Named{Session: row.ID, Title: row.Name, At: row.At.Time}
		return nil
	})
	for _, n := range names {
		n.Client = ClientCodex
		out.named(n)
	}
	return nil
}

// finished returns rows without the last one if that is still being written.
func finished(rows []byte) []byte {
	return rows[:bytes.LastIndexByte(rows, '\n')+1]
}
