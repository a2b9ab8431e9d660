package postgres_test

import (
	"testing"

	"wake/repository"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
	"wake/repository/repotest"
)

func TestSuite(t *testing.T) { repotest.Run(t, fresh(pgtest.Start(t))) }

// fresh is a schema of the test's own on one server.
func fresh(server *pgtest.Server) repotest.Fresh {
	return func(t testing.TB) repotest.Open {
		url := server.Schema(t)
		return func() repository.Store { return mustOpen(t, url) }
	}
}

func mustOpen(t testing.TB, url string) repository.Store {
	t.Helper()
	s, err := postgres.Open(t.Context(), url, postgres.Options{Version: "test"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("closing: %v", err)
		}
	})
	return s
}
