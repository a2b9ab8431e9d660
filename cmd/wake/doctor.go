package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"wake/domain"
	"wake/memory"
	"wake/repository"
)

const doctorLong = `Opens the memory, looks for what is wrong (damage, lost links, an index that lags behind,
permissions, a full disk, a missing model) and says what to do. Exits 1 if it finds a problem.
--repair rebuilds what is derived; what was saved is never changed.`

// check is one thing that the doctor looked at.
type check struct {
	Name   string `json:"check"`
	Level  string `json:"level"` // ok, note, warning or problem
	Text   string `json:"text"`
	Remedy string `json:"remedy,omitempty"`
}

func (a *app) doctorCommand() *cobra.Command {
	var repair bool
	c := &cobra.Command{
		Use:   "doctor",
		Short: "Look for what is wrong and say what to do",
		Long:  doctorLong,
		Args:  takes(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			d := &doctor{app: a}
			return d.run(c.Context(), repair)
		},
	}
	c.Flags().BoolVar(&repair, "repair", false, "rebuild links, tags and the index")
	return c
}

// doctor prints findings as it goes, so that a slow check shows progress.
type doctor struct {
	*app
	problems int
	err      error // of printing
}

func (d *doctor) run(ctx context.Context, repair bool) error {
	b := thisBuild()
	d.ok("wake", "%s %s, %s", b.Version, cmp.Or(b.Revision, "of unknown revision"), b.Platform)
	set, err := d.settings()
	if err != nil {
		d.tell(check{"settings", "problem", err.Error(), hintOf(err)})
		return d.verdict()
	}
	d.configFile()
	d.checkFiles(set.DB)
	d.checkRoom(set.DB)
	d.checkSpool(set.DB)
	if err := d.withMemory(ctx, func(ctx context.Context, s *memory.Service) error { return d.checkMemory(ctx, s, set, repair) }); err != nil {
		if ctx.Err() != nil {
			return err // an interrupted check has found no problem
		}
		d.tell(check{"database", "problem", err.Error(), hintOf(err)})
	}
	return d.verdict()
}

func (d *doctor) verdict() error {
	if d.err != nil || d.problems == 0 {
		return d.err
	}
	return fmt.Errorf("%s found", domain.Many(d.problems, "problem"))
}

func (d *doctor) tell(c check) {
	if c.Level == "problem" {
		d.problems++
	}
	err := printOne(d.app, c, func(p *printer, c check) {
		p.line("%s %-9s %s", p.level(c.Level), c.Name, oneLine(c.Text))
		if c.Remedy != "" {
			p.line("                  %s", oneLine(c.Remedy))
		}
	})
	d.err = errors.Join(d.err, err)
}

func (d *doctor) ok(name, format string, args ...any) {
	d.tell(check{Name: name, Level: "ok", Text: fmt.Sprintf(format, args...)})
}

func (d *doctor) configFile() {
	switch path := d.configPath(); {
	case fileExists(path):
		d.ok("settings", "%s", path)
	case d.env("WAKE_CONFIG") != "":
		d.tell(check{"settings", "warning", "there is no file " + path + ", which WAKE_CONFIG names", "correct the name, or unset WAKE_CONFIG"})
	}
}

// checkFiles checks whether others can read the data, or replace it. Of the folder
// only wake's own must be closed to readers.
func (d *doctor) checkFiles(address string) {
	if isPostgres(address) {
		return
	}
	file := absolute(linkedTo(address))
	if runtime.GOOS == "windows" { // which has no modes; files have the rights that their folder gives
		if others := readers(file, nil); others != "" {
			d.tell(check{"files", "warning", fmt.Sprintf("%s can be read by others (%s)", file, others), "keep it below your home folder, which others cannot enter"})
		}
		return
	}
	folder := filepath.Dir(file)
	if info, err := os.Stat(folder); err == nil {
		switch mode := info.Mode(); {
		case folder == d.dataDir() && mode.Perm()&0o077 != 0:
			d.tell(check{"files", "warning", fmt.Sprintf("%s can be used by others (mode %o)", folder, mode.Perm()), "chmod 700 " + folder})
		case mode.Perm()&0o022 != 0 && mode&os.ModeSticky == 0:
			d.tell(check{"files", "warning", fmt.Sprintf("others can replace files in %s (mode %o)", folder, mode.Perm()), "chmod go-w " + folder})
		}
	}
	if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 { // a folder of mode 600 cannot be entered
		d.tell(check{"files", "warning", fmt.Sprintf("%s can be used by others (mode %o)", file, info.Mode().Perm()), "chmod 600 " + file})
	}
}

// checkRoom checks whether something can be stored at all. Hooks report a full disk only
// where nobody looks.
func (d *doctor) checkRoom(address string) {
	if isPostgres(address) {
		return
	}
	folder := filepath.Dir(absolute(linkedTo(address)))
	switch err := tryWriting(folder); {
	case err == nil, errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR): // opening the database makes the folder, or says why not
	case errors.Is(err, fs.ErrPermission), isReadOnlyDisk(err):
		d.tell(check{"room", "warning", fmt.Sprintf("nothing can be stored in %s: %v", folder, domain.Reason(err)), "make the folder writable, unless the memory is only to be read"})
	default:
		d.tell(check{"room", "problem", fmt.Sprintf("nothing can be stored in %s: %v", folder, domain.Reason(err)), "free some space on its disk, or lift the limit on file sizes"})
	}
}

// tryWriting writes a file as large as a context may be, and removes it.
func tryWriting(folder string) error {
	f, err := os.CreateTemp(folder, ".wake-doctor-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(fullPage())
	return cmp.Or(err, f.Sync(), f.Close())
}

// fullPage is as large as a context may be. Zeros would take no room on some disks.
func fullPage() []byte {
	page := make([]byte, domain.MaxContent)
	rand.Read(page) // never fails
	return page
}

// checkSpool reports what hooks could not store.
func (d *doctor) checkSpool(address string) {
	s := d.spool(address)
	if n := s.count(time.Now()); n > 0 {
		d.tell(check{"spool", "note", fmt.Sprintf("%s of assistants could not be stored yet; see %s", domain.Many(n, "report"), s.dir),
			"the next hook or a server takes them in once the database can be written; wake recalculate does so at once"})
	}
	for _, other := range s.others() {
		d.tell(check{"spool", "note", fmt.Sprintf("%s of assistants could not be stored in another database and wait in %s", domain.Many(other.count(time.Now()), "report"), other.dir),
			"if that was this one under another address, move what is there to " + s.dir})
	}
}

// errTried ends a transaction that was only to show that one is possible.
var errTried = errors.New("tried")

// checkWriting checks whether anything can be saved: a database that opens may still be
// read-only, locked, or of a newer wake. Whether a server's disk has room shows only when
// something as large as a context may be is stored there, which is taken back.
func (d *doctor) checkWriting(ctx context.Context, s *memory.Service, address string) {
	err := s.Store.Write(ctx, repository.Relaxed, func(tx repository.Tx) error {
		if !isPostgres(address) {
			return nil
		}
		const name = "wake doctor"
		if err := tx.PutCursor(ctx, domain.IngestCursor{Source: name, State: fullPage(), UpdatedAt: s.Now()}); err != nil {
			return err
		}
		_, err := tx.Cursor(ctx, name) // what nothing is asked of may not have been sent
		return cmp.Or(err, errTried)
	})
	if err != nil && !errors.Is(err, errTried) {
		d.tell(check{"writing", "problem", err.Error(), hintOf(err)})
	}
}

// checkMemory checks an open memory.
func (d *doctor) checkMemory(ctx context.Context, s *memory.Service, set settings, repair bool) error {
	info, err := s.Store.Info(ctx)
	if err != nil {
		return err
	}
	d.ok("database", "%s, %s, tables of version %d, %s", info.Address, info.Engine, info.Schema, size(info.Size))
	d.ok("project", "%s (%s)", s.DefaultProject, d.projectFrom(s))
	d.checkName(s, set.DB)
	d.checkWriting(ctx, s, set.DB)
	if users := usersOf(info.Address); len(users) > 0 {
		d.ok("in use", "by %s", users)
	}
	if repair {
		if err := d.repair(ctx, s); err != nil {
			return err
		}
	}
	if err := d.integrity(ctx, s); err != nil {
		return err
	}
	d.ollama(ctx, set)
	return d.health(ctx, s)
}

func (d *doctor) projectFrom(s *memory.Service) string {
	switch {
	case s.Folder.Path == "":
		return "as set"
	case s.ReadsAll:
		return "from " + s.Folder.Path + ", to record in; all projects are read, as set"
	}
	return "from " + s.Folder.Path
}

// checkName tells of a name that strangers may share: containers call their folder /app or
// /workspace, whatever is in it.
func (d *doctor) checkName(s *memory.Service, address string) {
	at := s.Folder.Path
	if above := filepath.Dir(at); isPostgres(address) && at != "" && above == filepath.Dir(above) {
		d.tell(check{"project", "note", fmt.Sprintf("what works in %s on another machine shares project %s, be it another repository", at, s.DefaultProject),
			"set WAKE_PROJECT there, or here, if these are not one"})
	}
}

func (d *doctor) repair(ctx context.Context, s *memory.Service) error {
	bar := d.progress()
	err := s.Repair(ctx, func(done, total int) { bar.show("repair", done, total) })
	bar.end()
	if err == nil {
		d.ok("repair", "links, tags and the index are rebuilt")
	}
	return err
}

func (d *doctor) integrity(ctx context.Context, s *memory.Service) error {
	bar := d.progress()
	findings, err := s.Check(ctx, func(done, total int) { bar.show("check", done, total) })
	bar.end()
	if err != nil {
		return err
	}
	for _, f := range findings {
		d.tell(check{f.Subject, "problem", fmt.Sprintf("%s (%d)", f.Detail, f.Count), f.Remedy})
	}
	if len(findings) == 0 {
		d.ok("integrity", "tables, links, tags and index agree")
	}
	return nil
}

func (d *doctor) health(ctx context.Context, s *memory.Service) error {
	stats, err := s.Stats(ctx, memory.AllProjects)
	if err != nil {
		return err
	}
	d.ok("contexts", "%d kept, %d forgotten", stats.Contexts, stats.Forgotten)
	for _, h := range stats.Health {
		if h.Level == "note" { // a warning is that nothing can be written, which is told as a problem
			d.tell(check{"health", h.Level, h.Text, h.Action})
		}
	}
	return nil
}
