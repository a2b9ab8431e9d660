package mcp

import (
	"context"
	"errors"

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

// errorCodeKey is the context key of a variable for the error code of a request. The
// library reports every error of ours as internal, but calls a hook with it, where the
// right code is noted. Over HTTP the library's answer cannot be corrected.
type errorCodeKey struct{}

func withErrorCode(ctx context.Context) (context.Context, *int) {
	code := new(int)
	return context.WithValue(ctx, errorCodeKey{}, code), code
}

// noteErrorCode stores the code of an error in the request's variable.
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
