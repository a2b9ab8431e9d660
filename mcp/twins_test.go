package mcp_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/uuid"

	"wake/mcp"
	"wake/memory"
	"wake/memory/memorytest"
	"wake/repository"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// For any calls in any order, SQLite and PostgreSQL give the same answers, and so do
// two processes that share a database.
func TestTwins(t *testing.T) {
	server := pgtest.Start(t)
	for seed := range uint64(4) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			file, url := filepath.Join(t.TempDir(), "wake.db"), server.Schema(t)
			openFile := func() (repository.Store, error) { return sqlite.Open(ctx, file, sqlite.Options{}) }
			openServer := func() (repository.Store, error) { return postgres.Open(ctx, url, postgres.Options{}) }
			shared := filepath.Join(t.TempDir(), "wake.db")
			openShared := func() (repository.Store, error) { return sqlite.Open(ctx, shared, sqlite.Options{}) }
			clock := memorytest.NewClock()
			twins := []*twin{
				newTwin(t, "one process", clock, 1, openFile),
				newTwin(t, "two processes", clock, 2, openShared),
				newTwin(t, "two processes on PostgreSQL", clock, 2, openServer),
			}
			askAlike(t, twins, clock, rand.New(rand.NewPCG(seed, 1)))
		})
	}
}

// askAlike sends all twins the same calls until one gives a different answer.
func askAlike(t *testing.T, twins []*twin, clock *memorytest.Clock, random *rand.Rand) {
	calls := caller{Rand: random}
	var asked []string
	for range 150 {
		tool, a := calls.next()
		question, peer := asJSON(t, a), random.IntN(2)
		asked = append(asked, fmt.Sprintf("%d %s %s", peer, tool, question))
		want := twins[0].ask(peer, tool, question)
		for _, other := range twins[1:] {
			if got := other.ask(peer, tool, question); got != want {
				t.Fatalf("%s\n%s answers\n%s\n%s answers\n%s", strings.Join(asked, "\n"), twins[0].name, want, other.name, got)
			}
		}
		calls.learn(tool, want)
		clock.Pass(time.Duration(1+random.IntN(20)) * time.Minute)
		if random.IntN(10) == 0 {
			clock.Pass(time.Duration(random.IntN(30*24)) * time.Hour)
		}
	}
}

// twin is a database with two connections, of one process or of two. In its calls and
// answers, its own ids are numbered in order of appearance, as «7».
type twin struct {
	testing.TB
	name     string
	services []*memory.Service
	peers    []*peer
	made     int
	ids      []string
	numbers  map[string]int
	cursors  []string
}

func newTwin(t testing.TB, name string, clock *memorytest.Clock, processes int, open func() (repository.Store, error)) *twin {
	w := &twin{TB: t, name: name, numbers: map[string]int{}}
	for range processes {
		store, err := open()
		if err != nil {
			t.Fatal(err)
		}
		s := memory.New(store, summarizer.Extractive{})
		s.Now, s.NewID, s.DefaultProject = clock.Now, w.newID, memorytest.Project
		t.Cleanup(func() {
			if err := store.Close(); err != nil {
				t.Error(err)
			}
		})
		w.services = append(w.services, s)
	}
	for i := range 2 {
		w.peers = append(w.peers, connect(t, mcp.New(w.services[i%processes], mcp.Options{Version: "test"})))
	}
	return w
}

// newID returns the same ids for all twins, because ids break ties.
func (w *twin) newID() string {
	w.made++
	return uuid.NewSHA1(uuid.Nil, []byte(strconv.Itoa(w.made))).String()
}

// ask calls a tool, or reads a resource, and returns the whole answer.
func (w *twin) ask(peer int, tool, question string) string {
	var a args
	if err := json.Unmarshal([]byte(w.own(question)), &a); err != nil {
		w.Fatal(err)
	}
	defer w.settle()
	if tool == readsResource {
		said, err := w.peers[peer].read(a["uri"].(string))
		return w.numbered(fmt.Sprint(said, err))
	}
	result := w.peers[peer].try(tool, a)
	data, said := asJSON(w, result.StructuredContent), text(result)
	if fields, ok := result.StructuredContent.(map[string]any); ok && fields["next_cursor"] != nil {
		cursor := fields["next_cursor"].(string)
		w.cursors = append(w.cursors, cursor)
		hide := strings.NewReplacer(cursor, "CURSOR", strings.Trim(asJSON(w, cursor), `"`), "CURSOR")
		data, said = hide.Replace(data), hide.Replace(said)
	}
	return w.numbered(fmt.Sprint(result.IsError, "\n", said, "\n", data))
}

// settle makes all processes write what is pending.
func (w *twin) settle() {
	for _, s := range w.services {
		if err := s.Flush(ctx); err != nil {
			w.Error(err)
		}
	}
}

var (
	ownID      = regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	numberedID = regexp.MustCompile(`«(\d+)»`)
	numberedAt = regexp.MustCompile(`«cursor (\d+)»`)
	// What differs by right: hashes of what holds ids, the size of a file, and the last
	// places of sums, which are added in another order.
	byRight = regexp.MustCompile(`\b[0-9a-f]{64}\b|file"?: ?\d+|file \d+`)
	decimal = regexp.MustCompile(`\d+\.\d{6,}`)
)

func isNoDigit(r rune) bool { return !unicode.IsDigit(r) }

// own replaces numbers by the twin's ids and cursors.
func (w *twin) own(question string) string {
	number := func(marked string, list []string) string {
		if n, err := strconv.Atoi(strings.TrimFunc(marked, isNoDigit)); err == nil && n < len(list) {
			return strings.Trim(asJSON(w, list[n]), `"`)
		}
		return "nothing"
	}
	question = numberedID.ReplaceAllStringFunc(question, func(s string) string { return number(s, w.ids) })
	return numberedAt.ReplaceAllStringFunc(question, func(s string) string { return number(s, w.cursors) })
}

// numbered replaces the twin's ids by numbers.
func (w *twin) numbered(answer string) string {
	answer = ownID.ReplaceAllStringFunc(answer, func(id string) string {
		n, known := w.numbers[id]
		if !known {
			n = len(w.ids)
			w.numbers[id], w.ids = n, append(w.ids, id)
		}
		return fmt.Sprintf("«%d»", n)
	})
	answer = decimal.ReplaceAllStringFunc(answer, func(s string) string {
		f, _ := strconv.ParseFloat(s, 64)
		return fmt.Sprintf("%.4f", f)
	})
	return byRight.ReplaceAllString(answer, "")
}
