package domain_test

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"

	"wake/domain"
)

// A reason fits into a sentence, also if the system ends it as Windows does, and stays the
// same error.
func TestReason(t *testing.T) {
	missing := errors.New("The system cannot find the path specified.")
	got := domain.Reason(&fs.PathError{Op: "open", Path: `C:\x`, Err: missing})
	if got.Error() != "The system cannot find the path specified" || !errors.Is(got, missing) {
		t.Errorf("the reason is %q", got)
	}
	if got := domain.Reason(fmt.Errorf("read: %w", io.ErrUnexpectedEOF)); got.Error() != "it ends too early" {
		t.Errorf("the reason is %q", got)
	}
}

// An error has the first error among its arguments as its cause, and quotes no long text in full.
func TestErrorText(t *testing.T) {
	long := domain.EventType(strings.Repeat("é", 500))
	err := domain.Invalid("%s and %q: %v, %v", "short", long, io.EOF, io.ErrClosedPipe)
	if !errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("the cause of %q is %v", err, errors.Unwrap(err))
	}
	if text := err.Error(); !strings.HasPrefix(text, `short and "éé`) || !strings.HasSuffix(text, `é…": EOF, io: read/write on closed pipe`) || len(text) > 700 {
		t.Errorf("the text is %q", text)
	}
}
