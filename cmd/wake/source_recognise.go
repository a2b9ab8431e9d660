package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"wake/domain"
	"wake/transcript"
)

// fileSource returns one file as a source. A file that was named is taken for what the
// user said it is, unless it is plainly something else; one found in a folder must look like it.
func fileSource(want transcript.Format, path string, named bool) ([]source, error) {
	if named {
		if err := refuseNamed(want, path); err != nil {
			return nil, err
		}
		if want != transcript.Auto {
			return []source{{format: want, path: path}}, nil
		}
	}
	format, ok, err := recognised(path)
	if err != nil {
		return nil, err
	}
	switch {
	case !ok && named && isDatabase(path):
		return nil, withHint(domain.Invalid("%s is a database of no product that wake knows", path),
			"a copy of wake's own goes in as an export: wake --db FILE export -o everything.jsonl")
	case !ok && named:
		return nil, domain.Unavailable("wake does not recognise the format of %s; name the format if you know it", path)
	case !ok || want != transcript.Auto && format != want:
		return nil, nil
	case format == transcript.MemoryMD && !named && filepath.Base(path) != "MEMORY.md":
		return nil, nil // a Markdown file can be anything; a memory folder has an index
	}
	return []source{{format: format, path: path}}, nil
}

// refuseNamed refuses a file that a user named and that is plainly not what they said.
func refuseNamed(want transcript.Format, path string) error {
	if err := checkRegular(path); err != nil { // a device may have no end, and a pipe cannot be read twice
		return withHint(domain.Unavailable("%s cannot be imported: %v", path, domain.Reason(err)), "write it into a file first")
	}
	if isArchive(path) {
		return withHint(domain.Invalid("%s is an archive", path), "unpack it, and import the folder")
	}
	if transcript.IsQwenCode(unpackedHead(path)) {
		return domain.Invalid("%s is a chat of Qwen Code, which wake does not read", path)
	}
	if err := refuseOwn(path); err != nil || want == transcript.Auto {
		return err
	}
	return notAnother(want, path)
}

func isArchive(path string) bool {
	head, _ := headOf(path) // what cannot be read is told of later
	return transcript.IsArchive(head)
}

// refuseOwn refuses what wake writes for people, as json or markdown, and for other programs:
// an import would make something else of it.
func refuseOwn(path string) error {
	head := unpackedHead(path)
	is := func(start string, fields ...string) bool {
		return bytes.HasPrefix(head, []byte(start)) && !slices.ContainsFunc(fields, func(f string) bool { return !bytes.Contains(head, []byte(f)) })
	}
	switch {
	case is("{\n  \"contexts\": [", `"content_hash": `), is("{\n  \"session\": {", `"snapshot_seq": `),
		is("# Contexts\n\n## ", "\n- id: `", "\n- source: "), is("# ", "\n\n- Project: ", "\n- Session: ", "\n- Started: "):
		return withHint(domain.Invalid("%s is for people to read", path), "export again without --format; that file holds everything")
	case is(`{"session_id":"`, `"seq":`, `"recorded_at":`):
		return withHint(domain.Invalid("%s is what wake session export prints", path), "wake export --session-id SESSION -o FILE writes what can be imported")
	}
	return nil
}

// notAnother checks that a file is not plainly of another format than the one that a user
// named: most readers would make something up of it.
func notAnother(want transcript.Format, path string) error {
	head, _ := headOf(path) // the import will say that it cannot be read
	if format, ok := transcript.Another(want, path, head); ok {
		return withHint(domain.Invalid("%s is of the format %s, not %s", path, format, want), "leave the format out, and wake recognises it")
	}
	return nil
}

// longHead is how much is read of a JSON file or a dump to recognise it, if what
// [transcript.Detect] usually needs does not do: a long text, or another table, may stand
// before all that tells formats apart.
const longHead = 4 << 20

// recognised returns the format of a file.
func recognised(path string) (transcript.Format, bool, error) {
	head, err := headOf(path)
	if err != nil {
		return "", false, err
	}
	format, ok := transcript.Detect(path, head)
	if ok || len(head) < transcript.DetectSize || head[0] != '{' && head[0] != '[' && !isDump(path) {
		return format, ok, nil
	}
	if head, err = beginningOf(path, longHead); err != nil {
		return "", false, err
	}
	format, ok = transcript.Detect(path, head)
	return format, ok, nil
}

// isDump reports whether a file's name is that of SQL text, compressed or not.
func isDump(path string) bool {
	name := strings.ToLower(path)
	return strings.HasSuffix(strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst"), ".sql")
}

func headOf(path string) ([]byte, error) { return beginningOf(path, transcript.DetectSize) }

// unpackedHead is the beginning of a file that may be compressed; nil if it cannot be read.
func unpackedHead(path string) []byte {
	head, err := headOf(path)
	if err != nil {
		return nil
	}
	if r, packed, err := transcript.Unpacked(bytes.NewReader(head)); err == nil && packed {
		head, _ = io.ReadAll(io.LimitReader(r, transcript.DetectSize)) // as much as there is
	}
	return head
}

func beginningOf(path string, size int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, domain.NotFound("%s cannot be read: %v", path, domain.Reason(err))
	}
	head, err := io.ReadAll(io.LimitReader(f, size))
	return head, errors.Join(err, f.Close())
}
