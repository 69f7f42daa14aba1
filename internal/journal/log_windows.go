package journal

import (
	"io/fs"
	"os"
)

const nonBlocking, noFollow = 0, 0

// lock does nothing: Windows has no advisory locks.
func lock(*os.File) error { return nil }

func unlock(*os.File) {}

func isLink(error) bool { return false }

func isStale(error) bool { return false }

func isRemoved(fs.FileInfo) bool { return false }
