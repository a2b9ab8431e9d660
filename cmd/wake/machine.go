package main

import (
	"os"
	"runtime"
	"strings"
)

// macNames is where macOS keeps the names of the computer that are set in it.
const macNames = "/Library/Preferences/SystemConfiguration/preferences.plist"

// machine is the name of this computer. The host name of a Mac is that which the present
// network has for it, so the one of its settings counts.
func machine() string {
	if runtime.GOOS == "darwin" {
		if text, err := readRegular(macNames); err == nil {
			if name := localName(string(text)); name != "" {
				return name
			}
		}
	}
	host, _ := os.Hostname() // without a name, all such machines are one
	return host
}

// localName finds the computer's name for its local network in macOS's settings, "" if
// there is none.
func localName(settings string) string {
	_, rest, _ := strings.Cut(settings, "<key>LocalHostName</key>")
	value, ok := strings.CutPrefix(strings.TrimSpace(rest), "<string>")
	name, _, ended := strings.Cut(value, "</string>")
	if !ok || !ended {
		return ""
	}
	return name
}
