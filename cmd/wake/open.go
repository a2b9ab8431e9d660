package main

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
	"wake/repository"
	"wake/repository/postgres"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// runWithMemory makes a command's RunE of fn, which gets an open memory.
func (a *app) runWithMemory(fn func(context.Context, *memory.Service, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return a.withMemory(c.Context(), func(ctx context.Context, s *memory.Service) error {
			return fn(ctx, s, args)
		})
	}
}

// runBeginning is runWithMemory for a command that stores something, also in a folder that
// it makes. Others take one that --db names and that is not there for a slip.
func (a *app) runBeginning(fn func(context.Context, *memory.Service, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return a.openMemory(c.Context(), sqlite.Options{Version: version}, func(ctx context.Context, s *memory.Service) error {
			return fn(ctx, s, args)
		})
	}
}

// withMemory is openMemory for what only asks.
func (a *app) withMemory(ctx context.Context, fn func(context.Context, *memory.Service) error) error {
	return a.openMemory(ctx, sqlite.Options{Version: version, InFolder: a.flags.DB != ""}, fn)
}

// openMemory opens the memory for fn and closes it afterwards. Queued bookkeeping is
// then written even if ctx has ended. If it cannot be written, as to a read-only file,
// that is not an error.
func (a *app) openMemory(ctx context.Context, o sqlite.Options, fn func(context.Context, *memory.Service) error) (err error) {
	set, err := a.settings()
	if err != nil {
		return err
	}
	store, err := openWith(ctx, set.DB, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	s, err := a.service(ctx, store, set)
	if err != nil {
		return err
	}
	defer func() {
		if err := s.Close(context.WithoutCancel(ctx)); err != nil {
			s.Log.Info("bookkeeping was not written", "error", err)
		}
	}()
	return fn(ctx, s)
}

// openForHook opens a database for a process that a client is waiting for. held says that a
// server has it open.
func openForHook(ctx context.Context, address string, held bool) (repository.Store, error) {
	return openWith(ctx, address, sqlite.Options{Version: version, BusyTimeout: hookBusy, Brief: true, Held: held})
}

// openWith opens the database at an address: a path or a postgres URL.
func openWith(ctx context.Context, address string, o sqlite.Options) (repository.Store, error) {
	if isPostgres(address) {
		return postgres.Open(ctx, address, postgres.Options{Version: version, BusyTimeout: o.BusyTimeout, Brief: o.Brief})
	}
	if err := checkPath(address); err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, address, o)
}

// restoreStore replaces the database at an address by a copy and returns where the
// former database is now.
func restoreStore(ctx context.Context, from, address string, progress func(done, total int)) (aside string, err error) {
	if isPostgres(address) {
		return "", postgres.Restore(address)
	}
	if err := checkPath(address); err != nil {
		return "", err
	}
	return sqlite.Restore(ctx, from, address, progress)
}

// checkPath refuses addresses that are not paths; they would become the names of files
// or folders.
func checkPath(address string) error {
	if scheme := schemeOf(address); scheme != "" { // as a path it would make a folder with that name
		return domain.Invalid("%s is not a database that can be opened; give a plain path, or postgres://…", scheme)
	}
	if strings.HasPrefix(address, "$") || strings.HasPrefix(address, "~") { // neither wake nor most clients expand it; ~/ is expanded by now
		return domain.Invalid("the database %s begins with a %s that nothing has expanded; write the path itself, or ~/ for your home folder", address, address[:1])
	}
	if isSettings(address) { // a file with that name would show the password
		return domain.Invalid("the database is given as key=value settings, which wake does not read; write it like postgres://user:password@host/db")
	}
	// As from "C:\temp\new.db" in a file of settings. A database that is there was made before such
	// names were refused, as by a variable whose line ends as on Windows.
	if strings.ContainsFunc(address, unicode.IsControl) && !fileExists(address) {
		return domain.Invalid("the database %q has a control character in it; in JSON, write two backslashes for one, or a slash", address)
	}
	return checkNames(address)
}

// schemeOf returns the scheme of an address that is not a path: mysql://, or file: and
// :memory: as in SQLite's own tools.
func schemeOf(address string) string {
	if scheme, _, ok := strings.Cut(address, "://"); ok {
		return scheme + "://"
	}
	for _, scheme := range []string{":memory:", "file:", "sqlite:", "postgres:", "postgresql:"} {
		if strings.HasPrefix(address, scheme) {
			return scheme
		}
	}
	return ""
}

// isSettings reports whether an address has the form that PostgreSQL's tools accept
// besides URLs: host=… user=… password=…
func isSettings(address string) bool {
	key, _, ok := strings.Cut(strings.TrimSpace(address), "=")
	return ok && slices.Contains([]string{"host", "hostaddr", "port", "user", "password", "dbname", "service", "sslmode"}, strings.TrimSpace(key))
}

func isPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// databaseAt identifies the database at an address on this machine. What an address of
// PostgreSQL leaves out comes from the environment.
func (a *app) databaseAt(address string) string {
	same := absoluteAddress(address)
	if !isPostgres(address) {
		return same
	}
	for _, name := range []string{"PGSERVICE", "PGSERVICEFILE", "PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGOPTIONS"} {
		if value := a.env(name); value != "" {
			same += "\n" + name + "=" + value
		}
	}
	return same
}

// service makes the memory on an open store, for the project that is set or the
// folder's.
func (a *app) service(ctx context.Context, store repository.Store, set settings) (*memory.Service, error) {
	s, err := a.assemble(store, set)
	if err != nil {
		return nil, err
	}
	return s, a.chooseProject(ctx, s, set.Project)
}

// assemble makes the memory without a project.
func (a *app) assemble(store repository.Store, set settings) (*memory.Service, error) {
	s := memory.New(store, summarizer.Extractive{})
	s.Log, s.Words = a.logger(), commandWords
	if isPostgres(set.DB) { // several people may share it; a file has one user
		s.Person = person()
	}
	var err error
	if s.NoDistil, err = noDistil(set.Distil); err != nil {
		return nil, err
	}
	if s.Formula, err = memory.ParseFormula(set.Formula); err != nil {
		return nil, err
	}
	if s.Now, err = clock(a.env("WAKE_CLOCK")); err != nil {
		return nil, err
	}
	if s.Windows, err = set.Tiers.windows(); err != nil {
		return nil, a.fromFile(err)
	}
	sessions, err := set.Sessions.config()
	if err != nil {
		return nil, a.fromFile(err)
	}
	if err := s.SetSessionConfig(sessions); err != nil {
		return nil, a.fromFile(err)
	}
	s.Model, err = model(set)
	return s, err
}

// noDistil reads the setting that turns distilling off.
func noDistil(set string) (bool, error) {
	switch strings.ToLower(set) {
	case "", "on":
		return false, nil
	case off:
		return true, nil
	}
	return false, domain.Invalid("distil is %q; use on or off", set)
}

// chooseProject sets the project of requests that name none: the one in the settings, or
// the folder's, under its name in this database. If the settings say all projects, that
// is for reading; what is written still belongs to the folder's.
func (a *app) chooseProject(ctx context.Context, s *memory.Service, set string) (err error) {
	if set, err = s.Spelled(ctx, set); err != nil {
		return err
	}
	a.project, a.currentProject, s.DefaultProject = set, set, set
	if set != "" && set != memory.AllProjects {
		return nil
	}
	s.Folder, s.ReadsAll = a.here(), set == memory.AllProjects
	s.DefaultProject, err = s.Folder.NameIn(ctx, s.Store)
	a.currentProject = cmp.Or(set, s.DefaultProject)
	return err
}

// logger logs to standard error: warnings, or everything with --verbose.
func (a *app) logger() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

// by is the caller of requests by a command.
func by(command string) memory.Caller { return memory.Caller{Via: "wake " + command, Actor: "cli"} }
