package main

import (
	"fmt"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/windows"
)

// isPrivate returns true: whoever may put something into a folder can name only pipes there
// that are this user's.
func isPrivate(string) bool { return true }

// isOwn reports whether a file is an ordinary one. Files there are made in folders with
// rights of their own.
func isOwn(info fs.FileInfo) bool { return info.Mode().IsRegular() }

// crowds are groups in which others than a file's owner are.
var crowds = map[windows.WELL_KNOWN_SID_TYPE]string{
	windows.WinWorldSid:             "everyone",
	windows.WinAuthenticatedUserSid: "every user",
	windows.WinBuiltinUsersSid:      "every user of this machine",
	windows.WinBuiltinGuestsSid:     "guests",
	windows.WinAnonymousSid:         "strangers",
	windows.WinInteractiveSid:       "whoever is logged in",
	windows.WinNetworkSid:           "whoever comes over the network",
}

// readers names others who can read a file, "" if only its owner, administrators and
// the system can, or single users whom somebody has let in.
func readers(path string, _ fs.FileInfo) string {
	of, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION)
	if err != nil {
		return "" // whoever may not know its rights has none
	}
	rights, _, err := of.DACL()
	if err != nil || rights == nil { // a file system without rights
		return crowds[windows.WinWorldSid]
	}
	for i := range uint32(rights.AceCount) {
		var entry *windows.ACCESS_ALLOWED_ACE
		if windows.GetAce(rights, i, &entry) != nil || entry.Header.AceType != windows.ACCESS_ALLOWED_ACE_TYPE || !mayRead(entry.Mask) {
			continue
		}
		who := (*windows.SID)(unsafe.Pointer(&entry.SidStart))
		for crowd, name := range crowds {
			if who.IsWellKnown(crowd) {
				return name
			}
		}
	}
	return ""
}

func mayRead(rights windows.ACCESS_MASK) bool {
	return rights&(windows.FILE_READ_DATA|windows.GENERIC_READ|windows.GENERIC_ALL) != 0
}

// keepPrivate takes a file's rights from all but this user, administrators and the system,
// whatever its folder grants. A mode does not do that on this system.
func keepPrivate(path string) error {
	me, err := thisUser()
	if err != nil {
		return err
	}
	to, err := windows.SecurityDescriptorFromString(fmt.Sprintf("D:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;%s)", me))
	if err != nil {
		return err
	}
	rights, _, err := to.DACL()
	if err != nil {
		return err
	}
	return windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, nil, nil, rights, nil)
}

// thisUser is the user of this process.
func thisUser() (*windows.SID, error) {
	me, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return nil, err
	}
	return me.User.Sid, nil
}
