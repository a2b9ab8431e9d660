package mcp

import (
	"context"
	"errors"

	sdk "github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"wake/domain"
	"wake/memory"
)

// errorWords begin the text of a tool error, so that a model sees at once what
// sort of thing went wrong.
var errorWords = map[domain.ErrorKind]string{
	domain.KindInvalid:     "Invalid",
	domain.KindNotFound:    "NotFound",
	domain.KindConflict:    "Conflict",
	domain.KindExpired:     "Expired",
	domain.KindUnavailable: "Unavailable",
}

// toolError turns an error into a tool result that says what to do. What has no
// kind is logged and shown as an internal error.
func (s *Server) toolError(tool string, err error) *sdk.CallToolResult {
	return sdk.NewToolResultError(clip(s.explain(tool, err), maxText))
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

// shownError is an error whose text may be shown as it is, for the parts of the
// protocol that have no tool result.
func (s *Server) shownError(where string, err error) error {
	return &shown{s.explain(where, err), domain.KindOf(err)}
}

// shown is an error in words for the caller.
type shown struct {
	text string
	kind domain.ErrorKind
}

func (e *shown) Error() string { return e.text }

// errorCodeKey holds a place for the number that the protocol has for what goes wrong with a
// request. The library calls every error of ours an internal one, but tells of it on the
// way; over HTTP nobody can mend its answer.
type errorCodeKey struct{}

func withErrorCode(ctx context.Context) (context.Context, *int) {
	code := new(int)
	return context.WithValue(ctx, errorCodeKey{}, code), code
}

// noteErrorCode puts the number of an error in its place.
func noteErrorCode(ctx context.Context, method sdk.MCPMethod, err error) {
	var e *shown
	code, wanted := ctx.Value(errorCodeKey{}).(*int)
	if !wanted || !errors.As(err, &e) {
		return
	}
	gone := e.kind == domain.KindNotFound || e.kind == domain.KindExpired
	switch {
	case gone && method == sdk.MethodResourcesRead && !sdk.IsModernProtocol(server.RequestProtocolVersion(ctx)):
		*code = sdk.RESOURCE_NOT_FOUND
	case gone || e.kind == domain.KindInvalid:
		*code = sdk.INVALID_PARAMS
	}
}
