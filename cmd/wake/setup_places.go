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
// its folders to ones of its own.
func (p places) claudeDesktop() string {
	if p.goos == "windows" {
		packages := filepath.Join(p.dir("LOCALAPPDATA", "AppData", "Local"), "Packages")
		if own, _ := fs.Glob(os.DirFS(packages), "Claude_*"); len(own) > 0 { // without the folder there are no matches
			return filepath.Join(packages, own[0], "LocalCache", "Roaming", "Claude")
		}
	}
	return filepath.Join(p.appData(), "Claude")
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
