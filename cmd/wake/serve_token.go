package main

import (
	"crypto/rand"
	"encoding/base64"
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode"

	"wake/domain"
	"wake/mcp"
)

// token is the token that every request must carry; "" with --no-token.
func (f serveFlags) token() (string, error) {
	if f.noToken {
		if !isLoopback(f.listen) {
			return "", domain.Invalid("--no-token at %s would let the whole network in; leave it out, or listen at 127.0.0.1", f.listen)
		}
		return "", nil
	}
	if f.tokenFile == "" {
		return "", domain.Invalid("--token-file names no file; leave it out for the usual one")
	}
	token, err := readToken(f.tokenFile)
	if errors.Is(err, fs.ErrNotExist) {
		token, err = makeToken(f.tokenFile)
	}
	if err != nil && domain.KindOf(err) == "" {
		err = domain.Unavailable("the token file %s can be neither read nor made: %v; choose another with --token-file", f.tokenFile, domain.Reason(err))
	}
	return token, err
}

func isLoopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && mcp.IsLoopback(host)
}

// readToken reads the token file. It refuses a file that others can read, and a token
// that a header cannot carry.
func readToken(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() { // reading a pipe might never end
		return "", domain.Conflict("%s is not an ordinary file; choose another with --token-file", path)
	}
	if others := readers(path, info); others != "" {
		return "", domain.Conflict("the token file %s can be read by others (%s); delete it for a new one%s", path, others, orChmod())
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", domain.Conflict("the token file %s is empty; delete it for a new one", path)
	}
	if strings.ContainsFunc(token, unicode.IsControl) {
		return "", domain.Conflict("the token in %s has several lines or characters that no client can send; delete the file for a new one", path)
	}
	return token, nil
}

// orChmod is the other remedy, where there are modes.
func orChmod() string {
	if runtime.GOOS == "windows" {
		return ""
	}
	return ", or chmod 600 it"
}

const tokenBytes = 32

// makeToken writes a new token, or returns the one that another server has just
// written.
func makeToken(path string) (string, error) {
	secret := make([]byte, tokenBytes)
	rand.Read(secret) // never fails
	token := base64.RawURLEncoding.EncodeToString(secret)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	part, err := os.CreateTemp(filepath.Dir(path), "token-*") // mode 0600
	if err != nil {
		return "", err
	}
	defer os.Remove(part.Name())
	if err = keepPrivate(part.Name()); err == nil {
		_, err = part.WriteString(token + "\n")
	}
	if err = errors.Join(err, part.Close()); err != nil {
		return "", err
	}
	if err := os.Link(part.Name(), path); errors.Is(err, fs.ErrExist) {
		return readToken(path)
	} else if err != nil {
		return "", err
	}
	return token, nil
}
