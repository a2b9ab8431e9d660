package main

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
)

// outOfPrograms returns the root for a folder of Windows or of a program. Desktop programs
// start their servers there, as elsewhere in the root, and the name of the folder may be
// another after each upgrade. Many pass on only some variables to their servers, and not those
// that name the folders of programs.
func outOfPrograms(dir string) string {
	system := os.Getenv("SystemRoot")
	drive := filepath.VolumeName(system)
	for _, programs := range []string{system, cmp.Or(os.Getenv("ProgramFiles"), drive+`\Program Files`),
		cmp.Or(os.Getenv("ProgramFiles(x86)"), drive+`\Program Files (x86)`), filepath.Join(os.Getenv("LOCALAPPDATA"), "Programs")} {
		if filepath.IsAbs(programs) && isBelow(dir, realPath(programs)) {
			return filepath.VolumeName(dir) + `\`
		}
	}
	// Claude Desktop's older installer keeps each version in a folder beside its updater.
	if strings.HasPrefix(filepath.Base(dir), "app-") && fileExists(filepath.Join(filepath.Dir(dir), "Update.exe")) {
		return filepath.VolumeName(dir) + `\`
	}
	return dir
}

// isBelow reports whether a folder is another one or in it.
func isBelow(dir, folder string) bool {
	return strings.EqualFold(dir, folder) || len(dir) > len(folder) && strings.EqualFold(dir[:len(folder)+1], folder+`\`)
}
