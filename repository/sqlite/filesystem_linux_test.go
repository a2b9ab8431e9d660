package sqlite

import "testing"

// Network file systems are known by their numbers, FUSE ones by their names.
func TestNetworkNames(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "nfs", 0xff534d42: "smb", 0xfe534d42: "smb", 0x01021997: "9p", 0xef53: "", 0x01021994: "", 0x794c7630: "",
	} {
		if got := networkName(magic); got != want {
			t.Errorf("file system %x is %q, want %q", magic, got, want)
		}
	}
	mounts := `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
31 22 0:30 / /home/me/far rw,nosuid shared:9 - fuse.sshfs host:/x rw,user_id=0
32 22 0:31 / /home/me/vault rw - fuse.gocryptfs /home/me/.vault rw
33 31 0:32 / /home/me/far/near rw master:1 shared:2 - tmpfs tmpfs rw
broken line
`
	for path, want := range map[string]string{
		"/home/me/far/wake.db": "sshfs", "/home/me/far": "sshfs", "/home/me/farther/x": "", "/home/me/vault/x": "", "/home/me/far/near/x": "", "/": "",
	} {
		if got := remoteFUSE(path, mounts); got != want {
			t.Errorf("%s lies on %q, want %q", path, got, want)
		}
	}
}
