package sqlite

import "golang.org/x/sys/unix"

// fileSystem returns the name of the network file system that holds path, or "" if it
// is on any other.
func fileSystem(path string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(path, &st); err != nil {
		return "", err
	}
	if st.Flags&unix.MNT_LOCAL != 0 {
		return "", nil
	}
	return unix.ByteSliceToString(st.Fstypename[:]), nil
}
