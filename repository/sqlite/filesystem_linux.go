package sqlite

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// fileSystem returns the name of the network file system that holds path, or "" if it
// is on any other.
func fileSystem(path string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", err
	}
	if uint32(st.Type) != unix.FUSE_SUPER_MAGIC {
		return networkName(uint32(st.Type)), nil
	}
	var file unix.Stat_t
	if err := unix.Stat(path, &file); err != nil {
		return "", err
	}
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	return remoteFUSE(uint64(file.Dev), string(mounts)), err
}

// networkName returns the name of a file system whose clients share no memory, or "".
func networkName(magic uint32) string {
	switch magic {
	case unix.NFS_SUPER_MAGIC:
		return "nfs"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return "smb"
	case unix.V9FS_MAGIC:
		return "9p"
	case unix.AFS_SUPER_MAGIC, unix.AFS_FS_MAGIC:
		return "afs"
	case unix.CODA_SUPER_MAGIC:
		return "coda"
	case unix.CEPH_SUPER_MAGIC:
		return "ceph"
	case unix.NCP_SUPER_MAGIC:
		return "ncp"
	case 0x0bd00bd0:
		return "lustre"
	case 0x01161970:
		return "gfs2"
	case 0x7461636f:
		return "ocfs2"
	}
	return ""
}

// remoteFUSE finds a device in the system's list of mounts and returns the name of its
// FUSE file system if that one works over a network, else "". Other FUSE file systems
// (encrypted folders, NTFS) are local. Mount points would not tell: a link may lead to
// one, and the list writes a space in them as \040.
func remoteFUSE(device uint64, mounts string) string {
	kind, number := "", fmt.Sprintf("%d:%d", unix.Major(device), unix.Minor(device))
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		dash := slices.Index(fields, "-")
		if dash > 2 && dash+1 < len(fields) && fields[2] == number {
			kind = fields[dash+1]
		}
	}
	name, isFUSE := strings.CutPrefix(kind, "fuse.")
	remote := []string{
		"sshfs", "rclone", "s3fs", "gcsfuse", "goofys", "blobfuse", "blobfuse2", "glusterfs", "ceph-fuse", "juicefs",
		"mfs", "davfs", "davfs2", "curlftpfs", "smbnetfs", "afpfs", "gvfsd-fuse", "google-drive-ocamlfuse", "onedriver",
	}
	if isFUSE && slices.Contains(remote, name) {
		return name
	}
	return ""
}
