package memorytest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/repotest"
)

// crowdStep is how much a crowd writes in one transaction.
const crowdStep = 5000

// Crowd fills a store with contexts of the project "wake" and their use: sessions
// of twenty accesses, most of them within what the session works on, which goes to
// some contexts much more often than to others. It is the same in every run. It
// returns the time of the last access.
func Crowd(t testing.TB, store repository.Store, contexts, accesses int) time.Time {
	t.Helper()
	repotest.NewCorpus().Fill(t, store, contexts)
	all, err := store.Contexts(t.Context(), domain.ContextQuery{Order: domain.Oldest})
	if err != nil {
		t.Fatal(err)
	}
	c := crowd{t: t, store: store, at: all[len(all)-1].Timestamp}
	for i := range all {
		c.add(&all[i], domain.Saved, all[i].Timestamp, "")
	}
	random := rand.New(rand.NewPCG(3, 4))
	popular := rand.NewZipf(random, 1.2, 20, uint64(contexts-1))
	work := make([]uint64, 6)
	for k := range accesses {
		if k%20 == 0 {
			c.at = c.at.Add(2 * time.Hour)
			for i := range work {
				work[i] = popular.Uint64()
			}
		}
		c.at = c.at.Add(time.Minute)
		which := work[random.IntN(len(work))]
		if random.IntN(5) == 0 {
			which = random.Uint64N(uint64(contexts))
		}
		c.add(&all[which], domain.Used, c.at, fmt.Sprint("session ", k/20))
	}
	c.write()
	return c.at
}

type crowd struct {
	t     testing.TB
	store repository.Store
	at    time.Time
	batch []domain.Access
}

func (c *crowd) add(x *domain.ContextSnapshot, how domain.How, at time.Time, session string) {
	c.batch = append(c.batch, domain.Access{ContextN: x.N, ContextID: x.ID, Project: x.Project, At: at, How: how, Via: "crowd", Actor: "claude-code", SessionID: session})
	if len(c.batch) == crowdStep {
		c.write()
	}
}

func (c *crowd) write() {
	ctx := context.Background()
	err := c.store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error { return tx.RecordAccesses(ctx, c.batch) })
	if err != nil {
		c.t.Fatal(err)
	}
	c.batch = c.batch[:0]
}
