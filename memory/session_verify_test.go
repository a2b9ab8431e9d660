package memory_test

import (
	"fmt"
	"path/filepath"
	"testing"
)

// A session that goes on while it is verified differs from nothing.
func TestVerifyWhileRecorded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "wake.db")
	s, other := at(t, path), at(t, path)
	id := record(t, s, claude, user("begin")).SessionID
	stop, stopped := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(stopped)
		for k := 0; ; k++ {
			select {
			case <-stop:
				return
			default:
				op := fmt.Sprintf(`{"type":"op","op_id":"o%d","kind":"llm","usage":{"input":%d,"output":2,"cost_usd":0.001}}`, k, k)
				if _, err := tryRecord(other, claude, user(fmt.Sprint("question ", k)), assistant("answer"), op); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	for range 20 {
		a, err := s.Verify(ctx, id, nil)
		if err != nil || len(a.Problems) > 0 {
			t.Errorf("%+v, %v", a, err)
			break
		}
	}
	close(stop)
	<-stopped
}
