package mcp

import (
	"context"
	"errors"

	sdk "github.com/mark3labs/mcp-go/mcp"

	"wake/domain"
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
		return errorWords[known.Kind] + ": " + toolWords.Behind(known.Text, known.Hint, "")
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
	return errors.New(s.explain(where, err))
}
