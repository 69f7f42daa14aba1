//go:build unix

package process

import (
	"fmt"
	"syscall"
)

// Replace replaces this process with a program, which keeps its number and its files. argv begins with the program's own name. It returns only if
// that fails.
func Replace(path string, argv, env []string) error {
	return fmt.Errorf("run %s: %w", path, syscall.Exec(path, argv, env))
}
