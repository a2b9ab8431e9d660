// Command bare opens a database as wake does and inserts one row: the least that
// a hook could do. Usage: bare PATH
package main

import (
	"database/sql"
	"fmt"
	"os"

	_ "modernc.org/sqlite"
)

func main() {
	if err := insert(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func insert(path string) error {
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(WAL)&_pragma=busy_timeout(2000)&_pragma=synchronous(FULL)&_txlock=immediate")
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec(`CREATE TABLE IF NOT EXISTS bare (n INTEGER PRIMARY KEY, text TEXT)`); err != nil {
		return err
	}
	_, err = db.Exec(`INSERT INTO bare (text) VALUES (?)`, "a prompt of some words")
	return err
}
