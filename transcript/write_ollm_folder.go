package transcript

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"wake/domain"
)

// OLLMSession is what OLLM's folder, ~/.ollm, holds of a session.
type OLLMSession struct {
	Session  domain.Session
	Events   []domain.Event   // in force
	Handoffs []domain.Handoff // with their messages
}

// File is a file below a folder.
type File struct {
	Name string // relative, with slashes
	Data []byte
}

// Files returns the session's files: a context snapshot, the list of the session's
// snapshots and the map of all snapshots, without which OLLM does not find it (000-08), and
// its mode transitions (000-16). read reads a file that is there, or fails with
// [fs.ErrNotExist]; lists keep what is in them. A list that is not OLLM's is an Invalid
// error.
func (o OLLMSession) Files(read func(name string) ([]byte, error)) ([]File, error) {
	id, at, session := o.Session.ID, o.Session.UpdatedAt, ollmSession(o.Session)
	var snapshot bytes.Buffer
	if err := WriteOLLMSnapshot(&snapshot, id, at, o.Session, o.Events); err != nil {
		return nil, err
	}
	folder := "context-snapshots/" + session + "/snapshots/"
	files := []File{{folder + "snapshot-" + id + ".json", snapshot.Bytes()}}

	list := ollmList{}
	name := folder + "snapshots-index.json"
	if err := readOLLM(read, name, &list); err != nil {
		return nil, err
	}
	list.put(map[string]any{"id": id, "sessionId": session, "timestamp": isoMillis(at), "tokenCount": o.Session.Tokens,
		"summary": o.Session.Title, "size": snapshot.Len()})
	files, err := addDocument(files, name, list)
	if err != nil {
		return nil, err
	}

	sessions := map[string]string{}
	name = "context-snapshots/snapshot-map.json"
	if err := readOLLM(read, name, &sessions); err != nil {
		return nil, err
	}
	sessions[id] = session
	if files, err = addDocument(files, name, sessions); err != nil {
		return nil, err
	}
	last := int64(0) // two hand-offs of one millisecond need two names
	for _, h := range slices.SortedFunc(slices.Values(o.Handoffs), func(a, b domain.Handoff) int { return cmp.Compare(a.Seq, b.Seq) }) {
		var transition bytes.Buffer
		if err := WriteOLLMTransition(&transition, h); err != nil {
			return nil, err
		}
		last = max(last+1, h.CreatedAt.UnixMilli())
		files = append(files, File{"snapshots/session-" + session + "/transition-" + strconv.FormatInt(last, 10) + ".json", transition.Bytes()})
	}
	return files, nil
}

// ollmList is the list of a session's snapshots, newest first.
type ollmList struct {
	Version   string           `json:"version"`
	Snapshots []map[string]any `json:"snapshots"`
}

// put adds a snapshot, or replaces the one with its id.
func (l *ollmList) put(snapshot map[string]any) {
	l.Version = ollmVersion
	l.Snapshots = slices.DeleteFunc(l.Snapshots, func(s map[string]any) bool { return s["id"] == snapshot["id"] })
	l.Snapshots = append(l.Snapshots, snapshot)
	slices.SortStableFunc(l.Snapshots, func(a, b map[string]any) int {
		return strings.Compare(fmt.Sprint(b["timestamp"]), fmt.Sprint(a["timestamp"]))
	})
}

// readOLLM decodes a file of OLLM's, if it is there.
func readOLLM(read func(name string) ([]byte, error), name string, into any) error {
	data, err := read(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, into); err != nil {
		return domain.Invalid("%s is not as OLLM writes it (%v); mend it, or move it away", name, err)
	}
	return nil
}

func addDocument(files []File, name string, v any) ([]File, error) {
	var out bytes.Buffer
	err := writeDocument(&out, v)
	return append(files, File{name, out.Bytes()}), err
}

// ollmSession is a session's id for OLLM, which names folders by it: the client's own, if a
// folder can have that name.
func ollmSession(s domain.Session) string {
	if id := s.ClientSessionID; id != "" && id[0] != '.' && !strings.ContainsFunc(id, notInFileNames) {
		return id
	}
	return s.ID
}

func notInFileNames(r rune) bool { return r < ' ' || strings.ContainsRune(`/\:*?"<>|`, r) }
