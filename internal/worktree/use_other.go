//go:build !unix

package worktree

import "os"

// lockShared does nothing on this system.
func lockShared(*os.File) bool { return true }

func unlock(*os.File) {}

// lockAlone returns false, because this system does not show other users of a file.
func lockAlone(*os.File) bool { return false }
