package recall_test

import (
	"testing"

	"wake/recall"
)

func TestSpreadDoesAllOfIt(t *testing.T) {
	for n := range 20 {
		done := make([]int, n)
		recall.Spread(n, func(from, to int) {
			for i := from; i < to; i++ {
				done[i]++
			}
		})
		for i, times := range done {
			if times != 1 {
				t.Errorf("%d of %d was done %d times", i, n, times)
			}
		}
	}
}

// A panic on another processor reaches the caller, who may be prepared for it.
func TestSpreadPanicsInTheCaller(t *testing.T) {
	for bad := range 8 {
		func() {
			defer func() {
				if r := recover(); r != "bad" {
					t.Errorf("recovered %v", r)
				}
			}()
			recall.Spread(8, func(from, to int) {
				if from <= bad && bad < to {
					panic("bad")
				}
			})
		}()
	}
}
