package sqlite

import (
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
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	return remoteFUSE(path, string(mounts)), err
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

// remoteFUSE finds path in the system's list of mounts and returns the name of its FUSE
// file system if that one works over a network, else "". Other FUSE file systems
// (encrypted folders, NTFS) are local.
func remoteFUSE(path, mounts string) string {
	kind, longest := "", -1
	for line := range strings.Lines(mounts) {
		fields := strings.Fields(line)
		dash := slices.Index(fields, "-")
		if len(fields) < 5 || dash < 0 || dash+1 >= len(fields) {
			continue
		}
		// The 5th field is the mount point; later mounts hide earlier ones.
		if point := fields[4]; len(point) >= longest && within(path, point) {
			kind, longest = fields[dash+1], len(point)
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

func within(path, folder string) bool {
	return folder == "/" || path == folder || strings.HasPrefix(path, folder+"/")
}
