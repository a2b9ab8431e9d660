package main

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/windows"
)

// A file has the rights that its folder gives, maybe to everyone, until it is kept private.
func TestKeepPrivate(t *testing.T) {
	if isWine() {
		t.Skip("Wine makes modes of rights")
	}
	path := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(path, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	grant(t, path, "D:(A;;FA;;;WD)")
	if got := readers(path, nil); got != "everyone" {
		t.Errorf("readers %q", got)
	}
	if err := keepPrivate(path); err != nil {
		t.Fatal(err)
	}
	if got := readers(path, nil); got != "" {
		t.Errorf("kept private, readers %q", got)
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "secret" {
		t.Errorf("its owner reads %q, %v", text, err)
	}
}

// grant gives a file the rights in a descriptor.
func grant(t *testing.T, path, descriptor string) {
	t.Helper()
	of, err := windows.SecurityDescriptorFromString(descriptor)
	if err != nil {
		t.Fatal(err)
	}
	rights, _, err := of.DACL()
	if err != nil {
		t.Fatal(err)
	}
	if err := windows.SetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.DACL_SECURITY_INFORMATION, nil, nil, rights, nil); err != nil {
		t.Fatal(err)
	}
}
