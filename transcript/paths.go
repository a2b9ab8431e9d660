package transcript

import (
	"path"
	"strings"
)

// baseName returns the source's file name without folders and endings.
func baseName(name string, endings ...string) string {
	base := path.Base(strings.ReplaceAll(name, `\`, "/"))
	for _, end := range endings {
		base = strings.TrimSuffix(base, end)
	}
	return base
}

// sessionName returns the id of a session whose file contains none: the file's name. A
// name without a digit, such as full or session, is common to many files, so the two
// folders above it are added.
func sessionName(name string, endings ...string) string {
	base := baseName(name, endings...)
	if strings.ContainsAny(base, "0123456789") {
		return base
	}
	return path.Join(folderAbove(name, 2), folderAbove(name, 1), base)
}

// pathParts splits a path of any operating system into its folders and the file name.
func pathParts(name string) []string { return strings.Split(strings.ReplaceAll(name, `\`, "/"), "/") }

// folderAbove returns the name of the nth folder above a file: 1 is the one that it is in. It
// is "" if the path has no more folders.
func folderAbove(name string, n int) string {
	parts := pathParts(name)
	if i := len(parts) - 1 - n; i >= 0 {
		return parts[i]
	}
	return ""
}

// folderID returns what follows prefix in one of the folders of a path, such as the
// session id in session-<id>.
func folderID(name, prefix string) string {
	for _, part := range pathParts(name) {
		if id, ok := strings.CutPrefix(part, prefix); ok && !strings.Contains(id, ".") {
			return id
		}
	}
	return ""
}
