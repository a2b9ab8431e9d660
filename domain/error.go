package domain

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
)

// ErrorKind classifies errors by what the caller can do about them.
type ErrorKind string

// The kinds. An error without a kind is a defect or an unforeseen outage. It is
// logged, and shown as an internal error.
const (
	KindInvalid     ErrorKind = "invalid"     // the request is wrong and must be corrected
	KindNotFound    ErrorKind = "not_found"   // nothing has that id or name
	KindConflict    ErrorKind = "conflict"    // it conflicts with what is stored
	KindExpired     ErrorKind = "expired"     // it existed; its time is over
	KindUnavailable ErrorKind = "unavailable" // a resource is unavailable for now; try again as the text says
)

// Error is an error that may be shown to the caller. Text says what is wrong and what
// to do about it, in words that fit both MCP and the command line. Hint is advice that
// each of them puts into words of its own.
type Error struct {
	Kind  ErrorKind
	Text  string
	Hint  Hint
	Cause error // the underlying error, for logs; may be nil

	damaged bool // see Damaged
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

// Damaged returns an error of [KindUnavailable] for something stored that is
// unreadable. Trying again does not help, but something else may be readable.
func Damaged(format string, args ...any) error {
	e := newError(KindUnavailable, format, args)
	e.damaged = true
	return e
}

// IsDamaged reports whether err is one of [Damaged].
func IsDamaged(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.damaged
}

// Advise adds a hint to a new error of this package.
func Advise(err error, h Hint) error {
	if e, ok := err.(*Error); ok {
		e.Hint = h
	}
	return err
}

// maxQuoted is how many characters an error quotes of a value. The advice behind it must
// not get lost, nor a model pay for what it has just sent.
const maxQuoted = 300

// longValue is a text of which %q shows only the beginning.
type longValue string

// Format implements [fmt.Formatter].
func (v longValue) Format(f fmt.State, verb rune) {
	text := string(v)
	if verb == 'q' {
		text = Clip(text, maxQuoted)
	}
	fmt.Fprintf(f, fmt.FormatString(f, verb), text)
}

// shortened returns args with what is too long to be quoted as a [longValue].
func shortened(args []any) []any {
	out := slices.Clone(args)
	for i, a := range out {
		if v := reflect.ValueOf(a); v.Kind() == reflect.String && v.Len() > maxQuoted {
			out[i] = longValue(v.String())
		}
	}
	return out
}

// newError uses the first error among args as the cause.
func newError(kind ErrorKind, format string, args []any) *Error {
	e := &Error{Kind: kind, Text: fmt.Sprintf(format, shortened(args)...)}
	for _, a := range args {
		if err, ok := a.(error); ok {
			e.Cause = err
			break
		}
	}
	return e
}

// KindOf returns the kind of err, "" if it has none.
func KindOf(err error) ErrorKind {
	var e *Error
	if errors.As(err, &e) {
		return e.Kind
	}
	return ""
}

// HintOf returns the hint of err, [NoHint] if it has none.
func HintOf(err error) Hint {
	var e *Error
	if errors.As(err, &e) {
		return e.Hint
	}
	return NoHint
}

// Reason returns what an error of the system says, without the operation and the path or
// address around it: a message for people names these in its own words, once.
func Reason(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("it ends too early")
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	if strings.HasSuffix(err.Error(), ".") {
		return unended{err}
	}
	return err
}

// unended is an error without the full stop with which Windows ends what it says: a message
// goes on behind it.
type unended struct{ error }

func (e unended) Error() string { return strings.TrimSuffix(e.error.Error(), ".") }

func (e unended) Unwrap() error { return e.error }
