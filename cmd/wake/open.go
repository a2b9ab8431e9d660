package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
	"wake/repository"
	"wake/repository/postgres"
	"wake/repository/sqlite"
	"wake/summarizer"
)

// do makes a command of fn: the memory is opened before it and closed after it.
func (a *app) do(fn func(context.Context, *memory.Service, []string) error) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		return a.withMemory(c.Context(), func(ctx context.Context, s *memory.Service) error {
			return fn(ctx, s, args)
		})
	}
}

// withMemory opens the memory for fn and closes it when fn is done. What fn
// leaves queued, its bookkeeping, is written even when ctx has ended; where it
// cannot be (a file that is only read) fn has succeeded all the same.
func (a *app) withMemory(ctx context.Context, fn func(context.Context, *memory.Service) error) (err error) {
	set, err := a.settings()
	if err != nil {
		return err
	}
	store, err := openStore(ctx, set.DB)
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

// openStore opens the database at an address: a path or a postgres URL.
func openStore(ctx context.Context, address string) (repository.Store, error) {
	return openWith(ctx, address, sqlite.Options{Version: version})
}

// openForHook is openStore for a process that its client waits for.
func openForHook(ctx context.Context, address string) (repository.Store, error) {
	return openWith(ctx, address, sqlite.Options{Version: version, BusyTimeout: hookBusy, Brief: true})
}

func openWith(ctx context.Context, address string, o sqlite.Options) (repository.Store, error) {
	if isPostgres(address) {
		return postgres.Open(ctx, address, postgres.Options{Version: version, BusyTimeout: o.BusyTimeout, Brief: o.Brief})
	}
	if err := checkPath(address); err != nil {
		return nil, err
	}
	return sqlite.Open(ctx, address, o)
}

// restoreStore puts a copy in the place of the database at an address and returns where
// what was there lies now.
func restoreStore(ctx context.Context, from, address string, progress func(done, total int)) (aside string, err error) {
	if isPostgres(address) {
		return "", postgres.Restore(address)
	}
	if err := checkPath(address); err != nil {
		return "", err
	}
	return sqlite.Restore(ctx, from, address, progress)
}

// checkPath refuses what is meant for another database and would name a file.
func checkPath(address string) error {
	if scheme := schemeOf(address); scheme != "" { // as a path it would make a folder of that name
		return domain.Invalid("%s is not a database that can be opened; give a plain path, or postgres://…", scheme)
	}
	if isSettings(address) { // a file of that name would show the password
		return domain.Invalid("the database is given as key=value settings, which wake does not read; write it like postgres://user:password@host/db")
	}
	return nil
}

// schemeOf is what an address begins with that is no path: mysql://, or file: as SQLite's
// own tools take it.
func schemeOf(address string) string {
	if scheme, _, ok := strings.Cut(address, "://"); ok {
		return scheme + "://"
	}
	for _, scheme := range []string{"file:", "sqlite:", "postgres:", "postgresql:"} {
		if strings.HasPrefix(address, scheme) {
			return scheme
		}
	}
	return ""
}

// isSettings reports whether an address is what PostgreSQL's own tools take beside
// URLs: host=… user=… password=…
func isSettings(address string) bool {
	key, _, ok := strings.Cut(strings.TrimSpace(address), "=")
	return ok && slices.Contains([]string{"host", "hostaddr", "port", "user", "password", "dbname", "service", "sslmode"}, strings.TrimSpace(key))
}

func isPostgres(address string) bool {
	return strings.HasPrefix(address, "postgres://") || strings.HasPrefix(address, "postgresql://")
}

// databaseAt tells the database at an address from all others of this machine: what an
// address of PostgreSQL leaves out, the environment fills in.
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

// service puts the memory over an open store together, for the project that was set or
// the folder's.
func (a *app) service(ctx context.Context, store repository.Store, set settings) (*memory.Service, error) {
	s, err := a.assemble(store, set)
	if err != nil {
		return nil, err
	}
	return s, a.choose(ctx, s, set.Project)
}

// assemble puts the memory together, for no project.
func (a *app) assemble(store repository.Store, set settings) (*memory.Service, error) {
	s := memory.New(store, summarizer.Extractive{})
	s.Log, s.Formula, s.Words = a.logger(), set.Formula, commandWords
	if isPostgres(set.DB) { // several people may share it; a file is one person's
		s.Person = person()
	}
	var err error
	if s.NoDistil, err = noDistil(set.Distil); err != nil {
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

// noDistil reads whether contexts of what sessions decide are switched off.
func noDistil(set string) (bool, error) {
	switch strings.ToLower(set) {
	case "", "on":
		return false, nil
	case off:
		return true, nil
	}
	return false, domain.Invalid("distil is %q; use on or off", set)
}

// choose sets the project of requests that name none: the one that was set, or
// the folder's, under the name that the folder has in this database.
func (a *app) choose(ctx context.Context, s *memory.Service, set string) (err error) {
	if set != "" {
		a.project, a.own, s.DefaultProject = set, set, set
		return nil
	}
	s.Folder = a.here()
	s.DefaultProject, err = s.Folder.NameIn(ctx, s.Store)
	a.own = s.DefaultProject
	return err
}

// logger writes to standard error: warnings, or all with --verbose.
func (a *app) logger() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelDebug
	}
	return slog.New(slog.NewTextHandler(a.err, &slog.HandlerOptions{Level: level}))
}

// by says on whose behalf a command acts.
func by(command string) memory.Caller { return memory.Caller{Via: "wake " + command, Actor: "cli"} }
