package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// usersOf lists the other processes that have a file open. The system tells of those of
// other users only to root.
func usersOf(path string) string {
	links, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil || len(links) == 0 {
		return ""
	}
	path = realPath(path) // as the system names it
	var users []string
	for _, link := range links {
		target, err := os.Readlink(link)
		pid := strings.Split(link, "/")[2]
		if err != nil || target != path || pid == strconv.Itoa(os.Getpid()) {
			continue
		}
		if user := fmt.Sprintf("%s (process %s)", commandOf(pid), pid); !slices.Contains(users, user) {
			users = append(users, user)
		}
	}
	return strings.Join(users, ", ")
}

// commandOf is the name and first argument of a process, such as wake mcp.
func commandOf(pid string) string {
	line, err := os.ReadFile("/proc/" + pid + "/cmdline")
	words := strings.Split(strings.TrimRight(string(line), "\x00"), "\x00")
	if err != nil || words[0] == "" {
		return "a process"
	}
	words[0] = filepath.Base(words[0])
	return strings.Join(words[:min(2, len(words))], " ")
}
