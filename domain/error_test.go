package domain_test

import (
	"errors"
	"io/fs"
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
}
