package recall

import (
	"runtime"
	"sync"
)

// maxSpread is on how many processors one question is worked at most; more would
// not make it much faster, and others ask too.
const maxSpread = 4

// Spread cuts 0 … n into stretches and calls do for each of them, at the same time
// where there are processors for it. It returns when all is done; when do panics,
// it panics too.
func Spread(n int, do func(from, to int)) {
	parts := min(n, maxSpread, runtime.GOMAXPROCS(0))
	if parts < 2 {
		do(0, n)
		return
	}
	failed := make(chan any, parts)
	var others sync.WaitGroup
	for i := 1; i < parts; i++ {
		others.Go(func() {
			defer func() {
				if r := recover(); r != nil {
					failed <- r
				}
			}()
			do(i*n/parts, (i+1)*n/parts)
		})
	}
	defer func() {
		others.Wait()
		if len(failed) > 0 {
			panic(<-failed)
		}
	}()
	do(0, n/parts)
}
