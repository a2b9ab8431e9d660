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
	folders := pathParts(name)
	folders = folders[:len(folders)-1]
	return path.Join(append(folders[max(0, len(folders)-2):], base)...)
}

// pathParts splits a path of any operating system into its folders and the file name.
func pathParts(name string) []string { return strings.Split(strings.ReplaceAll(name, `\`, "/"), "/") }

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
