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
	session := ollmSession(o.Session)
	files, err := o.snapshot(session, read)
	if err != nil {
		return nil, err
	}
	transitions, err := o.transitions(session)
	return append(files, transitions...), err
}

// snapshot returns the context snapshot and the two lists that name it.
func (o OLLMSession) snapshot(session string, read func(name string) ([]byte, error)) ([]File, error) {
	id, at := o.Session.ID, o.Session.UpdatedAt
	var snapshot bytes.Buffer
	if err := WriteOLLMSnapshot(&snapshot, id, at, o.Session, o.Events); err != nil {
		return nil, err
	}
	folder := "context-snapshots/" + session + "/snapshots/"
	listName, mapName := folder+"snapshots-index.json", "context-snapshots/snapshot-map.json"
	var list ollmList
	var sessions map[string]string
	if err := cmp.Or(readOLLM(read, listName, &list), readOLLM(read, mapName, &sessions)); err != nil {
		return nil, err
	}
	list.put(map[string]any{"id": id, "sessionId": session, "timestamp": isoMillis(at), "tokenCount": o.Session.Tokens,
		"summary": o.Session.Title, "size": snapshot.Len()})
	if sessions == nil {
		sessions = map[string]string{}
	}
	sessions[id] = session
	files, err := addDocument([]File{{folder + "snapshot-" + id + ".json", snapshot.Bytes()}}, listName, list)
	if err != nil {
		return nil, err
	}
	return addDocument(files, mapName, sessions)
}

// transitions returns the mode transitions, in the order in which they were made.
func (o OLLMSession) transitions(session string) (files []File, err error) {
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
