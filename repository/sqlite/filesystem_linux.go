package sqlite

import "golang.org/x/sys/unix"

// fileSystem names the network file system that path lies on, "" for any other.
func fileSystem(path string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", err
	}
	return networkName(uint32(st.Type)), nil
}

// networkName knows the numbers of file systems whose clients share no memory.
// FUSE is among them where it is known to be remote: its own number says nothing,
// but local uses of it (encrypted folders, NTFS) keep no reliable locks either.
func networkName(magic uint32) string {
	switch magic {
	case unix.NFS_SUPER_MAGIC:
		return "nfs"
	case unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return "smb"
	case unix.V9FS_MAGIC:
		return "9p"
	case unix.FUSE_SUPER_MAGIC:
		return "fuse"
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
