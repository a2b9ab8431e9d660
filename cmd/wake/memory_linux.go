package main

import (
	"io/fs"
	"math"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// availableMemory returns how many bytes this process may use: what the machine has, or
// less in a container.
func availableMemory() int64 {
	all := int64(math.MaxInt64)
	var machine unix.Sysinfo_t
	if unix.Sysinfo(&machine) == nil {
		all = int64(machine.Totalram) * int64(machine.Unit)
	}
	return min(all, groupLimit(os.DirFS("/")))
}

// groupLimit returns the least number of bytes that a control group of this process, or one
// around it, allows.
func groupLimit(root fs.FS) int64 {
	least := int64(math.MaxInt64)
	groups, _ := fs.ReadFile(root, "proc/self/cgroup") // absent in some sandboxes
	for line := range strings.Lines(string(groups)) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers, group
		if len(parts) < 3 {
			continue
		}
		folder, file := "sys/fs/cgroup", "memory.max"
		if parts[1] != "" { // of version 1, which has a tree per controller
			folder, file = "sys/fs/cgroup/memory", "memory.limit_in_bytes"
			if !slices.Contains(strings.Split(parts[1], ","), "memory") {
				continue
			}
		}
		// A container may see its own group as the root, under whatever name it has outside.
		for group := path.Join("/", parts[2]); ; group = path.Dir(group) {
			least = min(least, numberIn(root, path.Join(folder, group, file)))
			if group == "/" {
				break
			}
		}
	}
	return least
}

// numberIn reads a file that holds a number of bytes, or the word "max".
func numberIn(root fs.FS, name string) int64 {
	text, err := fs.ReadFile(root, name)
	if err != nil {
		return math.MaxInt64
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return math.MaxInt64
	}
	return n
}
