package mcp

import (
	"bytes"
	"encoding/json"
	"io"
	"sync"

	sdk "github.com/mark3labs/mcp-go/mcp"
)

// lineWriter writes messages, one per line and one at a time.
type lineWriter struct {
	mu     sync.Mutex
	out    io.Writer
	broken func() // called once, when the output cannot be written any more
	failed bool
}

func (w *lineWriter) send(message any) error {
	line, err := encode(message)
	if err != nil {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed {
		return errOutputClosed
	}
	if _, err = w.out.Write(append(line, '\n')); err != nil {
		w.failed = true
		w.broken()
	}
	return err
}

// encode encodes a message as the library would. But the structured content of a
// tool's answer, which encoding/json has just written, is inserted as it is: the
// library would check and copy it several times, which takes longer than everything
// else.
func encode(message any) ([]byte, error) {
	response, _ := message.(sdk.JSONRPCResponse)
	r, ok := response.Result.(*sdk.CallToolResult)
	if !ok || len(r.RawStructuredContent) == 0 || len(r.Content) == 0 || r.IsError || len(r.InputRequests) > 0 || r.RequestState != "" {
		return json.Marshal(message)
	}
	head := toolAnswer{JSONRPC: response.JSONRPC, ID: response.ID}
	head.Result.Meta, head.Result.Content, head.Result.Type = r.Meta, r.Content, r.ResultType
	line, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	line = append(line[:len(line)-len("}}")], `,"structuredContent":`...)
	line = append(line, r.RawStructuredContent...)
	return append(line, "}}"...), nil
}

// toolAnswer is a successful answer of a tool up to its structured content, in the
// library's order.
type toolAnswer struct {
	JSONRPC string        `json:"jsonrpc"`
	ID      sdk.RequestId `json:"id"`
	Result  struct {
		Meta    *sdk.Meta      `json:"_meta,omitempty"`
		Content []sdk.Content  `json:"content"`
		Type    sdk.ResultType `json:"resultType,omitempty"`
	} `json:"result"`
}

// asJSON writes a value as JSON; "null" if it has no JSON form.
func asJSON(v any) string {
	data, err := encoded(v)
	if err != nil {
		return "null"
	}
	return string(data)
}

// encoded writes a value as JSON with <, > and & as they are: escaped, they cost a model
// tokens, and a secret that has one would not be found.
func encoded(v any) ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
