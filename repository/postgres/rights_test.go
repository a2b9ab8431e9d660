package postgres_test

import (
	"fmt"
	"strings"
	"testing"

	"wake/domain"
	"wake/migrations"
	"wake/repository/postgres"
	"wake/repository/postgres/pgtest"
)

// Who may only read does so; what needs more says who can give it.
func testRights(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	exec(t, url, `CREATE ROLE reader LOGIN`)
	reader, readOnly := strings.Replace(url, "wake@", "reader@", 1), url+"&default_transaction_read_only=on"
	wants := map[string]string{reader: "GRANT ALL ON SCHEMA " + schemaOf(url), readOnly: "default_transaction_read_only"}
	exec(t, url, `GRANT USAGE ON SCHEMA `+schemaOf(url)+` TO reader`)
	for address, says := range wants {
		_, err := postgres.Open(t.Context(), address, postgres.Options{})
		wantKind(t, err, domain.KindUnavailable, says)
	}
	mustOpen(t, url)
	exec(t, url, `GRANT SELECT ON ALL TABLES IN SCHEMA `+schemaOf(url)+` TO reader`)
	known, err := migrations.Postgres()
	if err != nil {
		t.Fatal(err)
	}
	newer := append(known, migrations.Migration{Version: len(known) + 1, SQL: "ALTER TABLE projects ADD x BIGINT"})
	for address, says := range wants {
		s := mustOpen(t, address)
		if _, err := s.Contexts(t.Context(), domain.ContextQuery{Limit: 1}); err != nil {
			t.Error(err)
		}
		wantKind(t, claim(t, s, "y"), domain.KindUnavailable, says)
		_, err := postgres.OpenKnowing(t.Context(), address, postgres.Options{}, newer)
		wantKind(t, err, domain.KindUnavailable, "older wake")
	}
}

// Tables that an upgrade makes are for whom the others are: who upgrades locks no
// colleague out who has a user of their own.
func testRightsAfterUpgrade(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	schema := schemaOf(url)
	mustOpen(t, url)
	exec(t, url, `CREATE ROLE "Ann-1" LOGIN; CREATE ROLE seer LOGIN; CREATE ROLE stranger LOGIN;
		GRANT USAGE ON SCHEMA `+schema+` TO PUBLIC;
		GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA `+schema+` TO "Ann-1"; GRANT SELECT ON ALL TABLES IN SCHEMA `+schema+` TO seer`)
	known, err := migrations.Postgres()
	if err != nil {
		t.Fatal(err)
	}
	newer := append(known, migrations.Migration{Version: len(known) + 1, SQL: "CREATE TABLE added (x BIGINT)"})
	s, err := postgres.OpenKnowing(t.Context(), url, postgres.Options{}, newer)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for user, may := range map[string]string{"Ann-1": "rw", "seer": "r", "stranger": ""} {
		as := strings.Replace(url, "wake@", user+"@", 1)
		got := ""
		if tryExec(t, as, `SELECT * FROM added`) == nil {
			got += "r"
		}
		if tryExec(t, as, `INSERT INTO added VALUES (1)`) == nil {
			got += "w"
		}
		if got != may {
			t.Errorf("%s may %q of the new table, want %q", user, got, may)
		}
	}
}

// A hook, which has only seconds, does not begin the upgrade of large tables: it would be
// broken off, and all others would have waited in vain.
func testBriefUpgrade(t *testing.T, server *pgtest.Server) {
	url := server.Schema(t)
	mustOpen(t, url)
	known, err := migrations.Postgres()
	if err != nil {
		t.Fatal(err)
	}
	upgrade := func(brief bool) error {
		known = append(known, migrations.Migration{Version: len(known) + 1, SQL: fmt.Sprintf("CREATE TABLE added_%d (x BIGINT)", len(known))})
		s, err := postgres.OpenKnowing(t.Context(), url, postgres.Options{Brief: brief}, known)
		if err == nil {
			err = s.Close()
		}
		return err
	}
	if err := upgrade(true); err != nil {
		t.Error(err)
	}
	exec(t, url, `ALTER TABLE blobs ALTER data SET STORAGE EXTERNAL; INSERT INTO blobs SELECT n::text, 1, decode(repeat('00', 1024 * 1024), 'hex') FROM generate_series(1, 33) n`)
	wantKind(t, upgrade(true), domain.KindUnavailable, "too large to be upgraded while a client waits")
	if err := upgrade(false); err != nil {
		t.Error(err)
	}
}
