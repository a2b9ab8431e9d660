package postgres_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"
	"time"

	"wake/domain"
	"wake/repository"
	"wake/repository/postgres/pgtest"
)

// A server may be far away, so what counts is how often wake waits for an answer.
func testRoundTrips(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	mustOpen(t, url) // makes the tables
	far, waits := watched(t, url)
	s := mustOpenWith(t, far, brief)
	if got := waits.Load(); got != 1 {
		t.Errorf("to open, wake waits %d times, want 1", got)
	}
	ctx := t.Context()
	now := time.Unix(0, 0)
	opened := domain.Session{ID: "s", Project: "p", Client: "c", Status: domain.SessionActive, StartedAt: now, UpdatedAt: now}
	event := domain.Event{SessionID: "s", Seq: 1, ID: "e", Type: domain.EventNote, At: now, RecordedAt: now, Payload: []byte("{}")}
	for _, c := range []struct {
		does string
		want int64
		fn   func() error
	}{
		{"look a session up", 1, func() error { _, err := s.SessionIDsUnder(ctx, "x", 1); return err }},
		{"list sessions", 1, func() error { _, err := s.Sessions(ctx, domain.SessionQuery{Project: "p"}); return err }},
		{"list contexts", 1, func() error {
			_, err := s.Contexts(ctx, domain.ContextQuery{Project: "p", Limit: 5})
			return err
		}},
		{"read events", 1, func() error { _, err := s.Events(ctx, domain.EventQuery{SessionID: "s"}); return err }},
		{"find keys", 1, func() error { _, err := s.EventPlaces(ctx, "s", []domain.Key{"a"}); return err }},
		{"name a project", 1, func() error {
			_, err := s.ProjectName(ctx, "p", domain.Place{Path: "/p"}, nil)
			return err
		}},
		{"read a cursor", 1, func() error { _, err := s.Cursor(ctx, "f"); return err }},
		{"read a model", 1, func() error { _, err := s.PredictionModel(ctx, "p"); return err }},
		{"count keys", 1, func() error { _, err := s.CountKeys(ctx, "s", "a", "b"); return err }},
		{"note the use of two contexts", 3, func() error {
			return s.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
				return tx.RecordAccesses(ctx, []domain.Access{
					{ContextN: 1, ContextID: "x", Project: "p", At: now, How: domain.Used}, {ContextN: 2, ContextID: "y", Project: "p", At: now, How: domain.Used}})
			})
		}},
		{"open a session", 3, func() error {
			return s.Write(ctx, repository.Durable, func(tx repository.Tx) error { return tx.OpenSession(ctx, opened) })
		}},
		{"add two links that wake found", 2, func() error {
			return s.Write(ctx, repository.Durable, func(tx repository.Tx) error {
				link := domain.Link{From: "x", To: "y", Kind: domain.Dependency, Origin: domain.Auto, Confidence: .5, AddedAt: now}
				other := link
				other.To = "z"
				return tx.AddLinks(ctx, []domain.Link{link, other})
			})
		}},
		{"store what nothing is asked of", 2, func() error {
			return s.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
				if err := tx.PutCursor(ctx, domain.IngestCursor{Source: "f", UpdatedAt: now}); err != nil {
					return err
				}
				if err := tx.PutTurns(ctx, []domain.Turn{{SessionID: "s", FirstSeq: 1, LastSeq: 1, StartedAt: now}}); err != nil {
					return err
				}
				return tx.SaveSession(ctx, opened)
			})
		}},
		{"append an event", 3, func() error {
			return s.Write(ctx, repository.Durable, func(tx repository.Tx) error {
				if err := tx.AppendEvents(ctx, []domain.Event{event}); err != nil {
					return err
				}
				return tx.SaveSession(ctx, opened)
			})
		}},
	} {
		before := waits.Load()
		if err := c.fn(); err != nil {
			t.Fatalf("%s: %v", c.does, err)
		}
		if got := waits.Load() - before; got != c.want {
			t.Errorf("to %s, wake waits %d times, want %d", c.does, got, c.want)
		}
	}
}

// watched returns a URL whose server counts how often its client waits for it.
func watched(t *testing.T, raw string) (string, *atomic.Int64) {
	t.Helper()
	u, err := url.Parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	socket := query.Get("host") + "/.s.PGSQL.5432"
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	var waits atomic.Int64
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go passOn(client, socket, &waits)
		}
	}()
	query.Del("host")
	query.Set("sslmode", "disable")
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	return u.String(), &waits
}

// passOn connects a client with the server.
func passOn(client net.Conn, socket string, waits *atomic.Int64) {
	defer client.Close()
	server, err := (&net.Dialer{}).DialContext(context.Background(), "unix", socket)
	if err != nil {
		return
	}
	go func() {
		io.Copy(client, server)
		client.Close()
	}()
	countWaits(server, client, waits)
	server.Close()
}

// countWaits passes on what a client sends, and counts the messages behind which it waits
// for an answer: queries, and the ends of what was sent together. A connection that lay idle
// on a slow machine is tested with a comment, which does not count.
func countWaits(to io.Writer, from io.Reader, waits *atomic.Int64) {
	message := make([]byte, 4) // the first one has no type
	for {
		if _, err := io.ReadFull(from, message); err != nil {
			return
		}
		kind, rest := message[:len(message)-4], binary.BigEndian.Uint32(message[len(message)-4:])-4
		body := make([]byte, rest)
		if _, err := io.ReadFull(from, body); err != nil {
			return
		}
		if string(kind) == "S" || string(kind) == "Q" && !bytes.HasPrefix(body, []byte("--")) {
			waits.Add(1)
		}
		if _, err := to.Write(append(message, body...)); err != nil {
			return
		}
		message = make([]byte, 5)
	}
}
