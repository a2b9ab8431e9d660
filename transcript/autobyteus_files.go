package transcript

import (
	"cmp"
	"io/fs"
	"path"
	"slices"
)

// autoFiles lists the files of an agent's folder, memory/agents/<agent id>/ (004-03),
// in the order in which they must be read: oldest events first, and last the snapshot,
// which repeats them. Newer versions move old rows into numbered files.
func autoFiles() []string {
	return []string{autoArchiveFolder + "/*.jsonl", "raw_traces_archive.jsonl", "raw_traces_[0-9]*.jsonl", "raw_traces.jsonl", "raw_traces_active.jsonl",
		"episodic.jsonl", "semantic.jsonl", "working_context_snapshot.json"}
}

const autoArchiveFolder = "raw_traces_archive"

// AutoByteusFiles lists the files of an agent's memory folder in the order in which
// they must be read.
func AutoByteusFiles(folder fs.FS) []string {
	var all []string
	for _, pattern := range autoFiles() {
		found, _ := fs.Glob(folder, pattern) // sorted, and without error for these patterns
		all = append(all, found...)
	}
	return all
}

// isAutoFile recognises a file of an agent's folder by its name.
func isAutoFile(name string) bool { return autoPlace(name) >= 0 }

// autoPlace is the place of a file among those of an agent's folder, -1 for any other file.
func autoPlace(name string) int {
	base := baseName(name)
	if folderAbove(name, 1) == autoArchiveFolder {
		base = path.Join(autoArchiveFolder, base)
	}
	return slices.IndexFunc(autoFiles(), func(pattern string) bool {
		ok, err := path.Match(pattern, base)
		return ok && err == nil
	})
}

// autoAgent returns the agent to whose folder the file belongs.
func autoAgent(name string) string {
	folder := folderAbove(name, 1)
	if folder == autoArchiveFolder {
		folder = cmp.Or(folderAbove(name, 2), folder)
	}
	return cmp.Or(agentFolder(name), folder, baseName(name, ".json", ".jsonl"))
}

// agentFolder returns the agent named by the path, agents/<agent id>/. It takes
// precedence over ids inside the files, because the other files of the folder are
// identified by it.
func agentFolder(name string) string {
	parts := pathParts(name)
	for i := len(parts) - 2; i > 0; i-- {
		if parts[i-1] == "agents" {
			return parts[i]
		}
	}
	return ""
}
