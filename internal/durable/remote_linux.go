package durable

import "golang.org/x/sys/unix"

// isRemote reports whether other machines may use the file system of an open file. It is a variable for
// tests.
var isRemote = func(fd int) bool {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return true
	}
	const ceph, lustre, gpfs, smb2 = 0xc36400, 0xbd00bd0, 0x47504653, 0xfe534d42
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, smb2, unix.AFS_SUPER_MAGIC, unix.CODA_SUPER_MAGIC,
		unix.FUSE_SUPER_MAGIC, unix.V9FS_MAGIC, ceph, lustre, gpfs:
		return true
	}
	return false
}
