//go:build unix

package main

import (
	"os"
	"slices"
	"strings"
)

// outOfPrograms returns the root for a folder in which a program of Windows starts what runs
// in the Linux within it: one of Windows or of a program, or the user's own. Elsewhere
// desktop programs start their servers in the root.
func outOfPrograms(dir string) string {
	drive, below := driveOf(dir)
	if drive == "" || !strings.HasPrefix(dir, "/mnt/") || os.Getenv("WSL_DISTRO_NAME") == "" {
		return dir
	}
	folders := strings.Split(strings.ToLower(below), "/")
	if slices.Contains([]string{"", "windows", "program files", "program files (x86)"}, folders[0]) || folders[0] == "users" && len(folders) < 3 {
		return "/"
	}
	return dir
}
