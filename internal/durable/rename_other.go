//go:build !unix && !windows

package durable

import (
	"os"
	"time"
)

// replaceFile renames a file, which may replace another one.
func replaceFile(from, to string, _ func(time.Duration)) error { return os.Rename(from, to) }
