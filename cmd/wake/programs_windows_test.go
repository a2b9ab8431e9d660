package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Claude Desktop starts its servers in a folder of Windows, or in one of its own with its
// version in the name. Both are no project.
func TestProjectOfADesktopProgram(t *testing.T) {
	home := t.TempDir()
	t.Setenv("LOCALAPPDATA", filepath.Join(home, "Local"))
	squirrel := filepath.Join(home, "Local", "AnthropicClaude", "app-1.2.3")
	editor := filepath.Join(home, "Local", "Programs", "editor")
	checkout := filepath.Join(home, "Local", "Programs", "shop")
	for _, dir := range []string{squirrel, editor, filepath.Join(checkout, ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	write(t, filepath.Join(filepath.Dir(squirrel), "Update.exe"), "")
	root := filepath.VolumeName(realPath(home)) + `\`
	folders := []string{filepath.Join(os.Getenv("SystemRoot"), "System32"), os.Getenv("ProgramFiles"), os.Getenv("ProgramFiles(x86)"), squirrel, editor}
	for _, told := range []bool{true, false} {
		if !told { // as by MCP's libraries
			t.Setenv("ProgramFiles", "")
			t.Setenv("ProgramFiles(x86)", "")
		}
		for _, dir := range folders {
			if f := projectFolder(dir, home); f.Name != unnamed || f.Path != root {
				t.Errorf("%s: %q in %s; told the folders of programs: %v", dir, f.Name, f.Path, told)
			}
		}
	}
	if f := projectFolder(checkout, home); f.Name != "shop" {
		t.Errorf("a repository: %q in %s", f.Name, f.Path)
	}
	if f := projectFolder(filepath.Dir(squirrel), home); f.Name != "AnthropicClaude" {
		t.Errorf("another folder: %q", f.Name)
	}
}
