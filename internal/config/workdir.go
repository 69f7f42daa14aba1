package config

import (
	"os"
	"path/filepath"

	"pollux/internal/durable"
	"pollux/internal/exit"
)

// WorkingDir returns the working directory without links in it: under that name
// other programs know the project, whichever way the shell has gone there.
func WorkingDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", exit.Errorf(exit.General, "Cannot use the working directory: %w. Change to a directory that exists.", durable.Cause(err))
	}
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		return real, nil
	}
	return dir, nil // a directory on the way that we may not look into
}
