package mcp

import (
	"cmp"
	"context"
	"errors"
	"strings"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"wake/domain"
	"wake/memory"
)

// errorWords are the first words of a tool error, so that a model sees at once what
// kind of error it is.
var errorWords = map[domain.ErrorKind]string{
	domain.KindInvalid:     "Invalid",
	domain.KindNotFound:    "NotFound",
	domain.KindConflict:    "Conflict",
	domain.KindExpired:     "Expired",
	domain.KindUnavailable: "Unavailable",
}

// toolError turns an error into a tool result that says what to do. An error without a
// kind is logged and shown as an internal error.
func (s *Server) toolError(tool string, err error) *sdk.CallToolResult {
	return sdk.NewToolResultError(domain.Clip(s.explain(tool, err), maxText))
}

// explain is the text of an error for the caller.
func (s *Server) explain(where string, err error) string {
	var known *domain.Error
	switch {
	case errors.As(err, &known):
		return errorWords[known.Kind] + ": " + memory.Unquoted(s.service.Words.Behind(known.Text, known.Hint, ""))
	case errors.Is(err, context.Canceled):
		return "Unavailable: the call was cancelled before it was done"
	case errors.Is(err, context.DeadlineExceeded):
		return "Unavailable: the call took too long; try it again"
	}
	s.log.Error("internal error", "in", where, "error", err)
	return "Internal error in " + where + ". It is logged on the server's standard error; run `wake doctor` to see whether the database is well, then try again."
}

// shownError turns an error into one whose text may be shown to the client, for parts
// of the protocol that have no tool result.
func (s *Server) shownError(where string, err error) error {
	return &shown{s.explain(where, err), domain.KindOf(err)}
}

// shown is an error for the client.
type shown struct {
	text string
	kind domain.ErrorKind
}

func (e *shown) Error() string { return e.text }

// correction is how an error of a request is told better than by the library, which
// reports every error of ours as internal. But it calls a hook with it, which notes the
// right code, or text, here. 0 and "" leave the library's. Over HTTP the library's answer
// cannot be corrected.
type correction struct {
	code int
	text string
}

type correctionKey struct{}

func withCorrection(ctx context.Context) (context.Context, *correction) {
	better := new(correction)
	return context.WithValue(ctx, correctionKey{}, better), better
}

func (c correction) of(e sdk.JSONRPCErrorDetails) sdk.JSONRPCErrorDetails {
	e.Code, e.Message = cmp.Or(c.code, e.Code), cmp.Or(c.text, e.Message)
	return e
}

// noteError stores in the request's correction how an error is to be told.
func (s *Server) noteError(ctx context.Context, method sdk.MCPMethod, err error) {
	better, wanted := ctx.Value(correctionKey{}).(*correction)
	if !wanted {
		return
	}
	var kind domain.ErrorKind
	if e := new(shown); errors.As(err, &e) {
		kind = e.kind
	}
	gone := kind == domain.KindNotFound || kind == domain.KindExpired
	switch {
	case errors.Is(err, server.ErrResourceNotFound):
		uris := each(s.resources(), func(r resource) string { return r.uri })
		better.text = "NotFound: no resource has that URI; there are " + strings.Join(uris, ", ")
	case errors.Is(err, server.ErrToolNotFound):
		names := each(s.tools, func(t tool) string { return t.name })
		better.text = "NotFound: no tool has that name; there are " + strings.Join(names, ", ")
	case errors.Is(err, server.ErrPromptNotFound):
		better.text = "NotFound: no prompt has that name; there are " + strings.Join(s.prompts, ", ")
	case gone && method == sdk.MethodResourcesRead && !sdk.IsModernProtocol(server.RequestProtocolVersion(ctx)):
		better.code = sdk.RESOURCE_NOT_FOUND
	case gone || kind == domain.KindInvalid:
		better.code = sdk.INVALID_PARAMS
	}
}
