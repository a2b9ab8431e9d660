package transcript_test

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"wake/domain"
	"wake/transcript"
)

// Every real sample reads with only those complaints that are the file's own
// fault, and every human message comes back byte for byte.
func TestClaudeSamples(t *testing.T) {
	for _, file := range samples(t, "claude-code/*.jsonl", "claude-code/entire/*.jsonl", "agentsview/claude*.jsonl") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		res := read(t, transcript.ClaudeCode, file, data, domain.IngestCursor{})
		if diff := cmp.Diff(plainHumans(data), res.humans(t)); diff != "" {
			t.Errorf("%s: human messages (-want +got):\n%s", file, diff)
		}
		if len(res.skipped) > 0 && !strings.Contains(file, "edge_cases") {
			t.Errorf("%s: skipped %v", file, res.skipped)
		}
		if want, got := plainUsage(data), usageOf(t, res); want != got {
			t.Errorf("%s took %+v, want %+v (I15)", file, got, want)
		}
		half := read(t, transcript.ClaudeCode, file, data[:len(data)/2], domain.IngestCursor{})
		rest := read(t, transcript.ClaudeCode, file, data, half.cursor)
		half.events = append(half.events, rest.events...)
		if diff := cmp.Diff(res.set(t), half.set(t)); diff != "" {
			t.Errorf("%s in pieces:\n%s", file, diff)
		}
	}
}

// usageOf adds up what the API messages took, each at its greatest.
func usageOf(t *testing.T, r result) domain.TokenUsage {
	greatest := map[string]domain.TokenUsage{}
	for _, op := range ofType[domain.OpReport](t, r) {
		if op.Usage != nil {
			greatest[op.OpID] = *op.Usage
		}
	}
	var sum domain.TokenUsage
	for _, u := range greatest {
		sum.Input, sum.Output, sum.CacheRead, sum.CacheWrite = sum.Input+u.Input, sum.Output+u.Output, sum.CacheRead+u.CacheRead, sum.CacheWrite+u.CacheWrite
	}
	return sum
}

// plainUsage adds up the same in another way: by message id, field by field.
func plainUsage(data []byte) domain.TokenUsage {
	type usage struct {
		In    int64 `json:"input_tokens"`
		Out   int64 `json:"output_tokens"`
		Read  int64 `json:"cache_read_input_tokens"`
		Write int64 `json:"cache_creation_input_tokens"`
	}
	most := map[string]usage{}
	for line := range bytes.Lines(data) {
		var row struct {
			Type    string `json:"type"`
			UUID    string `json:"uuid"`
			Message struct {
				ID    string `json:"id"`
				Usage usage  `json:"usage"`
			} `json:"message"`
		}
		if json.Unmarshal(line, &row) != nil || row.Type != "assistant" {
			continue
		}
		id := row.Message.ID
		if id == "" {
			id = row.UUID
		}
		m, u := most[id], row.Message.Usage
		most[id] = usage{max(m.In, u.In), max(m.Out, u.Out), max(m.Read, u.Read), max(m.Write, u.Write)}
	}
	var sum domain.TokenUsage
	for _, m := range most {
		sum.Input, sum.Output, sum.CacheRead, sum.CacheWrite = sum.Input+m.In, sum.Output+m.Out, sum.CacheRead+m.Read, sum.CacheWrite+m.Write
	}
	return sum
}

// plainHumans finds people's words in another, slower way: decoding to maps.
func plainHumans(data []byte) []string {
	var texts []string
	for line := range bytes.Lines(data) {
		var row map[string]any
		if json.Unmarshal(line, &row) != nil || row["type"] != "user" || row["isMeta"] == true || row["isCompactSummary"] == true || row["isSidechain"] == true || row["toolUseResult"] != nil {
			continue
		}
		message, _ := row["message"].(map[string]any)
		text, ok := message["content"].(string)
		if parts, isList := message["content"].([]any); isList {
			var all []string
			for _, p := range parts {
				if block, _ := p.(map[string]any); block["type"] == "text" {
					all = append(all, block["text"].(string))
				}
			}
			text, ok = strings.Join(all, "\n"), len(all) > 0
		}
		if ok && !strings.HasPrefix(text, "<command-") && !strings.HasPrefix(text, "<local-command") && !strings.HasPrefix(text, "Caveat:") {
			texts = append(texts, text)
		}
	}
	return texts
}
