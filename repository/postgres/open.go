// Package postgres keeps wake's data in a PostgreSQL database, which several machines
// can share. The tables are the same as in SQLite; search_path in the URL selects their
// schema.
package postgres

import (
	"context"
	"database/sql"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"wake/domain"
	"wake/migrations"
	"wake/repository"
	"wake/repository/internal/sqlstore"
)

// Options configure how a database is opened. The zero value suits servers.
type Options struct {
	// BusyTimeout is how long a write waits for other writers, and a read for a locked
	// table; 0 means 30 seconds. Hooks, whose client waits, set 2 seconds for writes;
	// their reads end when the hook does.
	BusyTimeout time.Duration
	// Brief is for processes that run few statements while a client waits. They do not
	// prepare statements, which would take an extra round trip each.
	Brief bool
	// Version is wake's version, shown to older programs that find the database
	// upgraded.
	Version string

	preparedFrom int // the use from which a statement is prepared; 0 means the default
}

const (
	defaultBusyTimeout = 30 * time.Second
	maxConns           = 8 // per process; all but one of them only read
	maxIdle            = 2
)

// Open connects to the database at a URL like postgres://user:password@host/db and
// brings its tables up to date. If the URL names several hosts, the one that accepts
// writes is used. A malformed URL is an Invalid error, an unreachable server an
// Unavailable error, and tables of a newer wake a Conflict error.
func Open(ctx context.Context, url string, opts Options) (repository.Store, error) {
	known, err := migrations.Postgres()
	if err != nil {
		return nil, err
	}
	return open(ctx, url, opts, known)
}

func open(ctx context.Context, raw string, opts Options, known []migrations.Migration) (repository.Store, error) {
	config, err := pgx.ParseConfig(raw)
	if err != nil {
		return nil, badURL(raw, err)
	}
	if strings.Contains(config.Host, "@") { // part of a password: must be neither shown nor sent to a name server
		return nil, unreadable()
	}
	if config.ValidateConnect == nil && severalHosts(config) {
		config.ValidateConnect = pgconn.ValidateConnectTargetSessionAttrsReadWrite
	}
	if config.ConnectTimeout == 0 {
		config.ConnectTimeout = connectTimeout(opts, severalHosts(config))
	}
	config.DialFunc = dialer().DialContext
	config.RuntimeParams["client_encoding"] = "UTF8" // whatever is set for the user or the database, wake's texts are that
	if config.RuntimeParams[applicationName] == "" {
		config.RuntimeParams[applicationName] = "wake"
	}
	if opts.BusyTimeout == 0 {
		opts.BusyTimeout = defaultBusyTimeout
	}
	e := &engine{
		address: address(raw, config),
		opts:    opts,
		schema:  sqlstore.Schema{Migrations: known, Program: opts.Version},
	}
	if e.db, err = connect(ctx, config, opts); err == nil {
		err = e.migrate(ctx)
	}
	if err != nil {
		e.Close()
		return nil, e.Error(err)
	}
	return sqlstore.New(e), nil
}

// applicationName is whose a connection is in the server's own lists, where its administrator
// looks for who holds a lock or the last free connection.
const applicationName = "application_name"

// connectTimeout is how long one server may take to answer a new connection, if the URL
// gives no connect_timeout. If it names several, a silent one, which may have failed, must
// leave time for the next, and a hook has only seconds.
func connectTimeout(o Options, several bool) time.Duration {
	switch {
	case !several:
		return 10 * time.Second
	case o.Brief:
		return 1500 * time.Millisecond
	default:
		return 4 * time.Second
	}
}

// badURL describes what is wrong with a URL without quoting it: if a password contains
// an unescaped @ or /, nobody can tell where it ends.
func badURL(raw string, err error) error {
	if _, unread := url.Parse(raw); unread != nil {
		return unreadable()
	}
	said := err.Error()
	said = strings.TrimPrefix(said[strings.LastIndexByte(said, '`')+1:], ": ")
	return domain.Invalid("the database URL cannot be used: %s; write it like postgres://user:password@host/db", said)
}

func unreadable() error {
	return domain.Invalid("the database URL cannot be read; write it like postgres://user:password@host/db, with @ / : # %% in the password as %%40 %%2F %%3A %%23 %%25")
}

func pool(config *pgx.ConnConfig, p *prepares) *sql.DB {
	db := sql.OpenDB(connector{stdlib.GetConnector(*config, stdlib.OptionAfterConnect(readEscapes)), p})
	db.SetMaxOpenConns(maxConns)
	db.SetMaxIdleConns(maxIdle)
	db.SetConnMaxIdleTime(5 * time.Minute)
	return db
}

// severalHosts reports whether the URL names more than one server. A fallback may also
// be the same server without TLS.
func severalHosts(config *pgx.ConnConfig) bool {
	return slices.ContainsFunc(config.Fallbacks, func(f *pgconn.FallbackConfig) bool { return f.Host != config.Host || f.Port != config.Port })
}

// address returns the URL without its passwords.
func address(raw string, config *pgx.ConnConfig) string {
	u, err := url.Parse(raw)
	if err != nil || u.Scheme == "" {
		return "postgres://" + config.Host + "/" + config.Database
	}
	if u.User != nil {
		u.User = url.User(u.User.Username())
	}
	query := u.Query()
	query.Del("password")
	query.Del("sslpassword") // of the certificate's key
	u.RawQuery = query.Encode()
	if u.Host == "" && u.Path == "" {
		u.Path = "/" // otherwise String leaves the slashes out
	}
	return u.String()
}

// toolAddress returns the address for PostgreSQL's own tools, which reject settings of
// the server and of the driver in a URL.
func toolAddress(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return address
	}
	known := url.Values{}
	for _, key := range []string{"host", "port", "user", "dbname", "passfile", "service", "sslmode", "sslrootcert", "sslcert", "sslkey"} {
		if value, given := u.Query()[key]; given {
			known[key] = value
		}
	}
	u.RawQuery = known.Encode()
	return u.String()
}
