package domain

import (
	"errors"
	"fmt"
)

// ErrorKind sorts errors by what the caller can do about them.
type ErrorKind string

// The kinds. An error without one is a defect or an unforeseen outage: it is
// logged and shown as an internal error.
const (
	KindInvalid     ErrorKind = "invalid"     // the request is wrong as it stands; correct it
	KindNotFound    ErrorKind = "not_found"   // nothing has that id or name
	KindConflict    ErrorKind = "conflict"    // it clashes with what is stored
	KindExpired     ErrorKind = "expired"     // it was there; its time is over
	KindUnavailable ErrorKind = "unavailable" // a resource is away for now; try again as the text says
)

// Error is an error that may be shown to the caller. Text says what is wrong and, in
// words that fit MCP and the command line alike, what to do about it. Hint is advice
// that each of them words in its own way.
type Error struct {
	Kind  ErrorKind
	Text  string
	Hint  Hint
	Cause error // what lay below, for logs; may be nil

	damaged bool // what was asked for is there and cannot be read, however often one tries
}

func (e *Error) Error() string { return e.Text }

// Unwrap returns the cause, for errors.Is and errors.As.
func (e *Error) Unwrap() error { return e.Cause }

// Invalid returns an error of [KindInvalid].
func Invalid(format string, args ...any) error { return newError(KindInvalid, format, args) }

// NotFound returns an error of [KindNotFound].
func NotFound(format string, args ...any) error { return newError(KindNotFound, format, args) }

// Conflict returns an error of [KindConflict].
func Conflict(format string, args ...any) error { return newError(KindConflict, format, args) }

// Expired returns an error of [KindExpired].
func Expired(format string, args ...any) error { return newError(KindExpired, format, args) }

// Unavailable returns an error of [KindUnavailable].
func Unavailable(format string, args ...any) error { return newError(KindUnavailable, format, args) }

// Damaged returns an error of [KindUnavailable] about what is stored and cannot be
// read: trying again does not help, asking for something else may.
func Damaged(format string, args ...any) error {
	e := newError(KindUnavailable, format, args)
	e.damaged = true
	return e
}

// IsDamaged reports whether err says that what was asked for is damaged.
func IsDamaged(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.damaged
}

// Advise adds a hint to a new error of this package: what to do next.
func Advise(err error, h Hint) error {
	if e, ok := err.(*Error); ok {
		e.Hint = h
	}
	return err
}

// newError keeps the first error among args as the cause.
func newError(kind ErrorKind, format string, args []any) *Error {
	e := &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.Cause = err
			break
		}
	}
	return e
}

// KindOf returns the kind of err, "" when it has none.
func KindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// HintOf returns the hint that err gives.
func HintOf(err error) Hint {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return NoHint
}
