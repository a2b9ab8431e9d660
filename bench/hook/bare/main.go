// Command bare opens a database as wake does and inserts one row: the least that a hook
// could do. Usage: bare [-leave] PATH
//
// With -leave it exits like a hook, without closing a database whose -wal is small, so
// that the next process reads the -wal.
package main

import (
	"database/sql"
	"flag"
	"fmt"
	"os"

	_ "modernc.org/sqlite"
)

func main() {
	leave := flag.Bool("leave", false, "end without closing the database")
	flag.Parse()
	if err := insert(flag.Arg(0), *leave); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func insert(path string, leave bool) error {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(2000)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		return err
	}
	if _, err := db.Exec(`CREATE TABLE IF NOT EXISTS bare (n INTEGER PRIMARY KEY, text TEXT)`); err != nil {
		return err
	}
	if _, err := db.Exec(`INSERT INTO bare (text) VALUES (?)`, "a prompt of some words"); err != nil {
		return err
	}
	if wal, err := os.Stat(path + "-wal"); leave && err == nil && wal.Size() < 1<<20 {
		return nil
	}
	return db.Close()
}
