//go:build !unix

package file

import "syscall"

// errnoName returns the name that Node.js has for an error of Windows, "" if it has none.
func errnoName(e syscall.Errno) string {
	switch e {
	case 2, 3, 123: // ERROR_FILE_NOT_FOUND, ERROR_PATH_NOT_FOUND, ERROR_INVALID_NAME
		return "ENOENT"
	case 5: // ERROR_ACCESS_DENIED
		return "EPERM"
	case 32, 33: // ERROR_SHARING_VIOLATION, ERROR_LOCK_VIOLATION
		return "EBUSY"
	case 39, 112: // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
		return "ENOSPC"
	case 80, 183: // ERROR_FILE_EXISTS, ERROR_ALREADY_EXISTS
		return "EEXIST"
	case 145: // ERROR_DIR_NOT_EMPTY
		return "ENOTEMPTY"
	case 206: // ERROR_FILENAME_EXCED_RANGE
		return "ENAMETOOLONG"
	}
	return ""
}
