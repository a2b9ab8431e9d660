package main

import (
	"regexp"
	"runtime"
	"strings"
	"sync"

	"wake/domain"
)

// checkNames refuses the path of a file that Windows takes for something else: what is
// written there would be lost, or hidden.
func checkNames(path string) error { return checkNamesOn(runtime.GOOS, path) }

func checkNamesOn(goos, path string) error {
	if goos != "windows" {
		return nil
	}
	below := withoutDrive(strings.TrimPrefix(slashed(path), "//?/"))
	if strings.Contains(below, ":") {
		return domain.Invalid("%s has a colon in it, behind which Windows would hide a file within another; name it without", path)
	}
	for name := range strings.SplitSeq(below, "/") {
		if device().MatchString(name) {
			return domain.Invalid("%s is a device for Windows, whatever its folder and ending; give it another name", name)
		}
	}
	return nil
}

// device matches the names that Windows keeps for devices. Before version 11 it did that with
// any ending behind them.
var device = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(CON|PRN|AUX|NUL|CONIN\$|CONOUT\$|(COM|LPT)[0-9¹²³])[. ]*(\..*)?$`)
})
