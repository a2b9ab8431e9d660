package transcript

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// DetectSize is how many bytes of a file [Detect] needs to see.
const DetectSize = 64 << 10

// Detect determines the format of a file from its name and its first bytes. It
// recognises an SQLite file by its tables, which its first bytes name.
func Detect(name string, head []byte) (Format, bool) {
	base := strings.ToLower(baseName(name))
	if wide := utf16Text(head); wide != nil {
		head, _ = wide.Bytes(head[:len(head)&^1])
	}
	head = bytes.TrimPrefix(head, byteOrderMark)
	switch {
	case isArchive(head):
		return "", false
	case bytes.HasPrefix(head, []byte("SQLite format 3\x00")):
		return detectTables(base, head)
	case isGzip(head):
		return detectGzip(unpackedName(base), head)
	case isZstd(head):
		return detectZstd(unpackedName(base), head)
	case strings.HasSuffix(base, ".traj"), strings.HasSuffix(base, ".traj.json"):
		return SWEAgent, true
	case strings.HasSuffix(base, ".md"):
		return MemoryMD, true
	case base == "logs.json" && bytes.Contains(head, []byte(`"messageId"`)):
		return Gemini, true
	case strings.HasSuffix(base, ".sql"), bytes.Contains(head, []byte("context_snapshots")) && !beginsJSON(head):
		return detectTables(base, head)
	case bytes.HasPrefix(bytes.TrimSpace(head), []byte("[")) && hasWakeIQXRow(head):
		return WakeIQX, true
	}
	return detectJSON(base, head)
}

// Another returns the format of a file that is plainly not of the wanted one: its beginning
// is JSON of another format, and no row there is of the wanted one. Only the rows of Claude
// Code and Codex are told for sure from documents of other products, of which older kinds
// may look like each other's; no JSON is Markdown.
func Another(want Format, name string, head []byte) (Format, bool) {
	if f, _ := Detect(name, head); f == want {
		return "", false
	}
	head = unpackedHead(head)
	if !beginsJSON(head) {
		return "", false
	}
	for line := range bytes.Lines(head) {
		if f, _ := detectRow("", line); f == want {
			return "", false
		}
	}
	if want == Gemini && hasGeminiRow(head) {
		return "", false
	}
	f, _ := Detect("", head) // a name alone proves nothing
	if want == MemoryMD || f == ClaudeCode || f == Codex {
		return f, f != ""
	}
	return "", false
}

// hasGeminiRow recognises what [Detect] takes for rows of Claude Code: those of a session whose
// first one, which names it, is lost, and a log under another name.
func hasGeminiRow(head []byte) bool {
	for line := range bytes.Lines(head) {
		if isGeminiRow(line) {
			return true
		}
	}
	if !isSpread(head) {
		return false
	}
	for row := range spreadRows(head) {
		var logged fields
		if json.Unmarshal(row, &logged) == nil && logged.has("sessionId", "messageId", "message") {
			return true
		}
	}
	return false
}

// detectJSON determines the format of JSON lines or of a document, either of which may
// be truncated.
func detectJSON(base string, head []byte) (Format, bool) {
	for line := range bytes.Lines(head) {
		if f, ok := detectRow(base, line); ok {
			return f, true
		}
	}
	if IsQwenCode(head) { // what is seen of its last row may look like Claude Code's
		return "", false
	}
	if geminiTurns(head) != nil || geminiTurns(closeJSON(head)) != nil {
		return Gemini, true
	}
	if f, ok := detectDocument(base, head); ok {
		return f, true
	}
	if isSpread(head) {
		return detectSpread(base, head)
	}
	return detectRow(base, closeJSON(endOf(head))) // the first row may be longer than head
}

// endOf returns the last line.
func endOf(head []byte) []byte {
	return head[bytes.LastIndexByte(bytes.TrimRight(head, "\n"), '\n')+1:]
}

// IsQwenCode reports whether a file begins with rows of Qwen Code, which wake does not read.
func IsQwenCode(head []byte) bool {
	is := func(line []byte) bool {
		var row fields
		return json.Unmarshal(line, &row) == nil && row.has("uuid") && isQwenRow(row)
	}
	for line := range bytes.Lines(head) {
		if is(line) {
			return true
		}
	}
	return is(closeJSON(endOf(head)))
}

// isQwenRow reports whether a row is of Qwen Code: it has a message of Gemini's in a row of
// Claude Code's, or Qwen Code's own data.
func isQwenRow(row fields) bool {
	var message fields
	_ = json.Unmarshal(row["message"], &message)
	return row.has("systemPayload") || message.has("parts") && !message.has("content")
}

// detectSpread determines the format of rows that are not lines, which only the readers of
// rows of Claude Code, Codex and the memory server take.
func detectSpread(base string, head []byte) (f Format, ok bool) {
	for row := range spreadRows(head) {
		if f, ok = detectRow(base, row); ok {
			break
		}
	}
	if !ok {
		f, ok = detectRow(base, closeJSON(bytes.TrimLeft(head, "[ \t\r\n"))) // the first row may be longer than head
	}
	return f, ok && (f == ClaudeCode || f == Codex || f == ServerMemory)
}

// detectTables determines whose tables a database or a dump holds.
func detectTables(base string, head []byte) (Format, bool) {
	has := func(word string) bool { return bytes.Contains(head, []byte(word)) }
	switch {
	case has("context_snapshots"):
		return WakeIQX, !has("content_hash") // with this column it is wake's own
	case strings.Contains(base, "claude-mem"), has("sdk_sessions"):
		return ClaudeMem, true
	case strings.Contains(base, "engram"), has("observations_fts"), has("topic_key"):
		return Engram, true
	}
	return "", false
}

// areGeminis reports whether messages are of Gemini CLI. Tools that keep parts of sessions,
// such as Entire, leave out what else is in its files.
func areGeminis(messages json.RawMessage) bool {
	var rows []geminiRow
	_ = decodeLoose(messages, &rows)
	return slices.ContainsFunc(rows, func(r geminiRow) bool { return r.Type == "gemini" })
}

// hasWakeIQXRow recognises rows of a WakeIQX database in a JSON text by their columns.
func hasWakeIQXRow(text []byte) bool {
	return !slices.ContainsFunc(wakeIQXColumns(), func(column string) bool {
		return !bytes.Contains(text, []byte(`"`+column+`":`))
	})
}

func wakeIQXColumns() []string { return []string{"project", "summary", "memory_tier", "caused_by"} }

// detectGzip looks into a packed file. ai-agent's tree is the only document that is always
// packed; one whose beginning is damaged is known by its name alone.
func detectGzip(base string, head []byte) (Format, bool) {
	data, damage, err := gunzip(head)
	if err != nil {
		return "", false
	}
	cutShort := damage != "" && len(data) < DetectSize
	data = data[:min(len(data), unpackedSize(base))]
	if f, ok := Detect(base, data); ok {
		return f, true
	}
	return AIAgent, !isArchive(data) && bytes.Contains(data, []byte(`"opTree"`)) || cutShort && strings.HasSuffix(base, ".json")
}

// detectZstd looks into a packed file.
func detectZstd(base string, head []byte) (Format, bool) {
	r, err := zstdReader(bytes.NewReader(head))
	if err != nil {
		return "", false
	}
	data, _ := io.ReadAll(io.LimitReader(r, int64(unpackedSize(base)))) // as far as head goes
	return Detect(base, data)
}

// unpackedSize is how many bytes of a packed file to look at. In a dump, another table may stand
// before the one that tells whose it is.
func unpackedSize(base string) int {
	if strings.HasSuffix(base, ".sql") {
		return 64 * DetectSize
	}
	return DetectSize
}
