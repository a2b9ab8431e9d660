package main

import (
	"io/fs"
	"os"
	"path/filepath"
)

// places determine the entries: folders, and how to start wake.
type places struct {
	home    string
	goos    string // the system, as runtime.GOOS names it
	env     func(string) string
	program string
	args    []string // of the server
	flags   []string // of the server and of the hooks
	remove  bool     // whether the entries are to be removed
}

// dir is a client's folder: the value of its variable, else a folder in the home
// folder.
func (p places) dir(variable string, below ...string) string {
	if dir := p.env(variable); dir != "" && variable != "" {
		return dir
	}
	return filepath.Join(append([]string{p.home}, below...)...)
}

// appData is the folder of desktop programs' settings.
func (p places) appData() string {
	switch p.goos {
	case "darwin":
		return filepath.Join(p.home, "Library", "Application Support")
	case "windows":
		return p.dir("APPDATA", "AppData", "Roaming")
	}
	return p.dir("XDG_CONFIG_HOME", ".config")
}

// claudeDesktop is Claude Desktop's folder. Its present installer on Windows redirects
// its folders to ones of its own, in some versions; the folder that is there counts.
func (p places) claudeDesktop() string {
	usual := filepath.Join(p.appData(), "Claude")
	if p.goos != "windows" {
		return usual
	}
	packages := filepath.Join(p.dir("LOCALAPPDATA", "AppData", "Local"), "Packages")
	found, _ := fs.Glob(os.DirFS(packages), "Claude_*") // without the folder there are no matches
	for _, name := range found {
		if own := redirected(packages, name); isFolder(own) {
			return own
		}
	}
	if len(found) > 0 && !isFolder(usual) {
		return redirected(packages, found[0])
	}
	return usual
}

// redirected is where a package of Windows has what it keeps in the folder Claude.
func redirected(packages, name string) string {
	return filepath.Join(packages, name, "LocalCache", "Roaming", "Claude")
}

// gooseDir is goose's folder.
func (p places) gooseDir() string {
	if p.goos == "windows" {
		return filepath.Join(p.appData(), "Block", "goose", "config")
	}
	return filepath.Join(p.dir("XDG_CONFIG_HOME", ".config"), "goose")
}

// geminiFile is Gemini CLI's settings file. Gemini's home folder can be set.
func (p places) geminiFile() string {
	return filepath.Join(p.dir("GEMINI_CLI_HOME"), ".gemini", "settings.json")
}
