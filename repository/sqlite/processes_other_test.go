//go:build !unix

package sqlite_test

var systemChildren map[string]child
