//go:build !unix

package config

import (
	"fmt"
	"io/fs"
)

// ownedByRoot reports whether only an administrator can have written a system
// file. Pollux cannot tell on this system, so it does not use the file.
func ownedByRoot(scope Scope, path string) (Warning, bool) {
	what := "system settings file"
	if scope == SystemDefaults {
		what = "system defaults file"
	}
	return Warning(fmt.Sprintf("Security Warning: Skipping %s '%s': its owner cannot be checked on this system.", what, path)), false
}

// Foreign says why somebody else than an administrator may have put something at
// a path: on this system nobody can tell.
func Foreign(string) string { return "its owner cannot be checked on this system" }

// isOurs takes files in the user's own directory for the user's: elsewhere than on
// Unix the directory for temporary files is one.
func isOurs(fs.FileInfo) bool { return true }
