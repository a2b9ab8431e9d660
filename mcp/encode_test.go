package mcp

import (
	"encoding/json"
	"errors"
	"testing"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"pgregory.net/rapid"
)

// The output is the same as the library's, byte for byte.
func TestEncodeAsTheLibrary(t *testing.T) {
	text := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{"", "<b>&\u2028\n", "\xff\"", `"}}`}))
	rapid.Check(t, func(t *rapid.T) {
		r := &sdk.CallToolResult{IsError: rapid.IntRange(0, 9).Draw(t, "error") == 0}
		for _, s := range rapid.SliceOfN(text, 0, 3).Draw(t, "content") {
			r.Content = append(r.Content, sdk.NewTextContent(s))
		}
		if rapid.Bool().Draw(t, "structured") {
			r.RawStructuredContent = json.RawMessage(asStructured(t, rapid.MapOf(text, rapid.SliceOf(text)).Draw(t, "value")))
		}
		if rapid.Bool().Draw(t, "meta") {
			r.Meta = sdk.NewMetaFromMap(map[string]any{text.Draw(t, "key"): text.Draw(t, "meta value"), "progressToken": 7})
		}
		r.ResultType = sdk.ResultType(rapid.SampledFrom([]string{"", "complete"}).Draw(t, "type"))
		id := rapid.OneOf(rapid.Map(rapid.Int64(), func(n int64) any { return n }), rapid.Map(text, func(s string) any { return s })).Draw(t, "id")
		message := sdk.JSONRPCResponse{JSONRPC: sdk.JSONRPC_VERSION, ID: sdk.NewRequestId(id), Result: r}
		want, err := json.Marshal(message)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := encode(message); err != nil || string(got) != string(want) {
			t.Fatalf("%v\n%s, want\n%s", err, got, want)
		}
	})
}

// asStructured encodes a value as result does.
func asStructured(t *rapid.T, v any) []byte {
	raw, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

// closedPipe is an output that nobody reads; it counts what was written to it.
type closedPipe int

func (p *closedPipe) Write([]byte) (int, error) {
	*p++
	return 0, errors.New("broken pipe")
}

// An output that cannot be written is told of once, and not tried again.
func TestBrokenOutput(t *testing.T) {
	var pipe closedPipe
	told := 0
	w := &lineWriter{out: &pipe, broken: func() { told++ }}
	first, again := w.send("a"), w.send("b")
	if first == nil || !errors.Is(again, errOutputClosed) || told != 1 || pipe != 1 {
		t.Errorf("%v, then %v; told %d times of %d writes", first, again, told, pipe)
	}
}
