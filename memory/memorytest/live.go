package memorytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"wake/memory"
)

// Live saves 30 contexts in a project and uses them for some days as people work:
// two sessions a day on a subject of three contexts, which the day of the week
// decides, and now and then on another. It is the same in every run.
func Live(t testing.TB, s *memory.Service, c *Clock, project string, days int) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	var ids []string
	for i := range 30 {
		saved, err := s.Save(context.Background(), memory.SaveRequest{Project: project,
			Content: fmt.Sprintf("fact %d of %s", i, project), Tags: []string{fmt.Sprint("subject", i/3)}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, saved.ID)
		c.Pass(time.Minute)
	}
	for day := range days {
		for part := range 2 {
			by := memory.Caller{Via: "load_context", Actor: "claude-code", SessionID: fmt.Sprint(project, "-", day, "-", part)}
			for _, k := range []int{0, 1, 2, random.IntN(3)} {
				Use(t, s, by, ids[day%7*3+k])
				c.Pass(7 * time.Minute)
			}
			Use(t, s, by, ids[random.IntN(len(ids))])
			c.Pass(3 * time.Hour)
		}
		c.Pass(17 * time.Hour)
	}
}

// Use opens a context as a caller does; the access is written at once.
func Use(t testing.TB, s *memory.Service, by memory.Caller, id string) {
	t.Helper()
	if _, err := s.Load(context.Background(), memory.LoadRequest{By: by, IDs: []string{id}}); err != nil {
		t.Fatal(err)
	}
	if err := s.Flush(context.Background()); err != nil {
		t.Fatal(err)
	}
}
