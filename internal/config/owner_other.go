//go:build !unix

package config

import (
	"fmt"
	"io/fs"
)

// ownedByRoot returns false: only an administrator may have written a system file, and Pollux
// cannot check the owner on this system.
func ownedByRoot(scope Scope, path string) (Warning, bool) {
	what := "system settings file"
	if scope == SystemDefaults {
		what = "system defaults file"
	}
	return Warning(fmt.Sprintf("Security Warning: Skipping %s '%s': its owner cannot be checked on this system.", what, path)), false
}

// OwnershipProblem returns the reason why a user other than the administrator may have written the file
// at a path. On this system the owner cannot be checked.
func OwnershipProblem(string) string { return "its owner cannot be checked on this system" }

// isOurs returns true: except on Unix, the directory for temporary files belongs to the user.
func isOurs(fs.FileInfo) bool { return true }
