package sqlite

import (
	"testing"

	"golang.org/x/sys/unix"
)

// Network file systems are known by their numbers, FUSE ones by the names of their
// devices in the list of mounts.
func TestNetworkNames(t *testing.T) {
	for magic, want := range map[uint32]string{
		0x6969: "nfs", 0xff534d42: "smb", 0xfe534d42: "smb", 0x01021997: "9p", 0xef53: "", 0x01021994: "", 0x794c7630: "",
	} {
		if got := networkName(magic); got != want {
			t.Errorf("file system %x is %q, want %q", magic, got, want)
		}
	}
	mounts := `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
31 22 0:30 / /home/me/far\040away rw,nosuid shared:9 - fuse.sshfs host:/x rw,user_id=0
32 22 0:31 / /home/me/vault rw - fuse.gocryptfs /home/me/.vault rw
33 31 0:32 / /home/me/far\040away/near rw master:1 shared:2 - fuse /dev/sda1 rw
34 31 0:300 / /home/me/drive rw master:1 shared:2 - fuse.rclone drive: rw
broken line
35 31 0:33 -
`
	for minor, want := range map[uint32]string{30: "sshfs", 31: "", 32: "", 300: "rclone", 3: "", 33: ""} {
		if got := remoteFUSE(unix.Mkdev(0, minor), mounts); got != want {
			t.Errorf("device 0:%d is %q, want %q", minor, got, want)
		}
	}
}
