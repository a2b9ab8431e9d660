package postgres

import (
	"context"
	"crypto/tls"
	"database/sql/driver"
	"errors"
	"io"
	"net"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"wake/domain"
)

// Error implements [sqlstore.Engine].
func (e *engine) Error(err error) error {
	if err == nil || domain.KindOf(err) != "" || errors.Is(err, context.Canceled) {
		return err
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return e.serverError(pg, err)
	}
	var refused *pgconn.ConnectError
	if !errors.As(err, &refused) && errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var untrusted *tls.CertificateVerificationError
	if errors.As(err, &untrusted) {
		return domain.Unavailable("the certificate of the server at %s cannot be verified: name the authority that signed it in the URL "+
			"(?sslrootcert=FILE), and the host as the certificate does (%v)", e.address, err)
	}
	if errors.As(err, &refused) || lost(err) {
		return e.away(err)
	}
	return err
}

// lost reports whether an established connection has broken.
func lost(err error) bool {
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// cut reports whether a connection was lost, or ended by the server.
func cut(err error) bool {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return false
	}
	var refused *pgconn.ConnectError
	if errors.As(err, &refused) {
		return false
	}
	var pg *pgconn.PgError
	if errors.As(err, &pg) {
		return slices.Contains([]string{"57P01", "57P02", "57P05"}, pg.Code) // admin_shutdown, crash_shutdown, idle_session_timeout
	}
	return lost(err)
}

// protocolViolation is the answer of poolers to a setting they do not support; servers
// accept every setting they know. PgBouncer also gives it for other reasons, for
// instance if the server behind it is down.
const protocolViolation = "08P01"

func isProtocolViolation(err error) bool {
	var pg *pgconn.PgError
	return errors.As(err, &pg) && pg.Code == protocolViolation
}

const (
	insufficientPrivilege = "42501"
	readOnlyTransaction   = "25006"
)

// serverError translates an error by its SQLSTATE.
func (e *engine) serverError(pg *pgconn.PgError, err error) error {
	switch pg.Code {
	case "55P03": // lock_not_available
		return domain.Unavailable("others have held the database, or locked a table of it, for %v; try again (%v)", e.opts.BusyTimeout, err)
	case readOnlyTransaction:
		return domain.Unavailable("the server at %s accepts no writes: where it is a standby, name the primary in the URL too, after a comma; "+
			"where it makes transactions read-only for wake's user (default_transaction_read_only), end that (%v)", e.address, err)
	case "57014": // query_canceled
		return domain.Unavailable("the server at %s ends statements before wake's are finished; raise its statement_timeout for wake's user or in the URL (?statement_timeout=60s) and try again (%v)", e.address, err)
	case "53300": // too_many_connections
		return domain.Unavailable("the server at %s has no connection free for wake: raise its max_connections, or the limit of wake's user or database, "+
			"or end other clients, and try again (%v)", e.address, err)
	case "25P03", "25P04": // idle_in_transaction_session_timeout, transaction_timeout
		return domain.Unavailable("the server at %s ended this transaction, because it took too long or wake was silent for too long during it; nothing was changed, try again (%v)", e.address, err)
	case "53100": // disk_full
		return domain.Unavailable("nothing was saved, because the server's disk is full; free some space there and try again (%v)", err)
	case "XX001", "XX002": // data_corrupted, index_corrupted
		return domain.Damaged("the database at %s is damaged: have its administrator put a backup in its place; wake export -o FILE saves what can be read (%v)", e.address, err)
	case protocolViolation:
		switch {
		case strings.Contains(pg.Message, "startup parameter"):
			return domain.Unavailable("the server at %s, perhaps a pooler, refuses a setting of the URL; leave that out and set it for wake's user instead "+
				"(ALTER ROLE wake SET search_path = …), or name the server itself (%v)", e.address, err)
		case strings.Contains(pg.Message, "statement pooling"):
			return domain.Unavailable("the pooler at %s allows no transactions: set its pool_mode to transaction or session for this database, "+
				"or name the server itself (%v)", e.address, err)
		}
	case "42P07", "42710", "42703": // duplicate_table, duplicate_object, undefined_column
		return foreign(err)
	case "21000", "42P01": // cardinality_violation, undefined_table
		return err // a defect of ours
	}
	return e.classError(pg, err)
}

// classError translates an error by the class of its SQLSTATE, the first two
// characters.
func (e *engine) classError(pg *pgconn.PgError, err error) error {
	var refused *pgconn.ConnectError
	atLogin := errors.As(err, &refused)
	switch pg.Code[:2] {
	case "22", "54": // data_exception, program_limit_exceeded
		if atLogin {
			break
		}
		return domain.Invalid("the database cannot hold that value (%v)", err)
	case "23": // integrity_constraint_violation
		return domain.Conflict("it clashes with what is stored (%v)", err)
	case "3F": // invalid_schema_name
		return domain.Unavailable("%s has no schema that search_path names, in the URL or for its user, or none that the user may use; create it, or grant it, and try again (%v)", e.address, err)
	case "28", "3D": // invalid_authorization_specification, invalid_catalog_name
		if strings.Contains(pg.Message, "pg_hba.conf") {
			return domain.Unavailable("the server at %s lets no such login in from this machine: ask for TLS in the URL (?sslmode=require), "+
				"or have its administrator allow this machine, user and database in pg_hba.conf (%v)", e.address, err)
		}
		return domain.Unavailable("the server at %s refused the login: check user, password and database in the URL (%v)", e.address, err)
	case "42": // syntax_error_or_access_rule_violation
		if pg.Code == insufficientPrivilege && !atLogin {
			return domain.Unavailable("the user of %s lacks the permission for that; have the owner grant it with "+
				"GRANT ALL ON SCHEMA %[2]s TO user; GRANT ALL ON ALL TABLES IN SCHEMA %[2]s TO user (%[3]v)", e.address, e.place.name, err)
		}
	case "08", "53", "57", "58": // connection_exception, insufficient_resources, operator_intervention, system_error
		return e.away(err)
	case "40": // transaction_rollback
		return domain.Unavailable("the server could not finish this because of other transactions; try again (%v)", err)
	}
	if atLogin {
		return domain.Unavailable("the server at %s refuses what the URL asks for: check it (%v)", e.address, err)
	}
	return err
}

// notUpgraded is the error for tables of an older version that this user, or this
// server, may only read.
func (e *engine) notUpgraded(have int, err error) error {
	var pg *pgconn.PgError
	if have == 0 || !errors.As(err, &pg) || pg.Code != insufficientPrivilege && pg.Code != readOnlyTransaction {
		return err
	}
	return domain.Unavailable("the database %s is of an older wake (version %d of its tables), and neither upgraded by this user nor by a server "+
		"that only reads; open it once as the owner of the tables, where it can be written (%v)", e.address, have, err)
}

// foreign is the error for tables of another program under names that wake uses.
func foreign(err error) error {
	return domain.Invalid("the database has tables of another program that bear the names of wake's: give wake a schema of its own "+
		"(CREATE SCHEMA wake) and name that alone in the URL (?search_path=wake) (%v)", err)
}

func (e *engine) away(err error) error {
	return domain.Unavailable("the PostgreSQL server at %s cannot be reached or is not ready: start it, or check the URL, and try again (%v)", e.address, inBrief{err})
}

// inBrief is an error of the network that says only why it failed, without the addresses
// that were tried: the message around it names the server.
type inBrief struct{ error }

func (e inBrief) Error() string {
	var op *net.OpError
	var name *net.DNSError
	switch {
	case errors.As(e.error, &name):
		return name.Err
	case errors.As(e.error, &op):
		return domain.Reason(op).Error()
	}
	return e.error.Error()
}

func (e inBrief) Unwrap() error { return e.error }
