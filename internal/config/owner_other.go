//go:build !unix && !windows

package config

import "io/fs"

// foreignOwner returns a reason for every file: only an administrator may have written a system file, and
// Pollux cannot check the owner on this system.
func foreignOwner(string) (reason, hint string) {
	return "its owner cannot be checked on this system", ""
}

// isOurs returns true: on this system, the directory for temporary files belongs to the user.
func isOurs(fs.FileInfo) bool { return true }
