package mcp

import "testing"

// The path of an open folder on Windows may be on a drive, on a share, or in the Linux there.
func TestPathOf(t *testing.T) {
	for uri, want := range map[string]string{
		"file:///c%3A/Users/ann/my%20shop":           `c:\Users\ann\my shop`,
		"file:///C:/shop":                            `C:\shop`,
		"file://localhost/c:/shop":                   `c:\shop`,
		"file://server/share/shop":                   `\\server\share\shop`,
		"file://wsl.localhost/Ubuntu/home/ann/shop":  `\\wsl.localhost\Ubuntu\home\ann\shop`,
		"vscode-remote://wsl%2Bubuntu/home/ann/shop": "",
		"file:///home/ann/shop":                      `\home\ann\shop`,
	} {
		if got := pathOf(uri); got != want {
			t.Errorf("%s: %q, want %q", uri, got, want)
		}
	}
}
