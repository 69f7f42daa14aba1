package durable

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// CreateNumbered creates a text file in dir, with mode 0600, and opens it for writing. Its name
// consists of name and the next free number, such as run_shell_command_3.txt. name may be any
// string: other characters than ASCII letters, digits, "_" and "-" are replaced, and a long name
// is cut.
func CreateNumbered(dir, name string) (*os.File, error) {
	const most = 60
	name = cmp.Or(plainName(name), "output")
	path := func(n int) string {
		return filepath.Join(dir, fmt.Sprintf("%s_%d.txt", name[:min(len(name), most)], n))
	}
	for n := firstFree(func(n int) bool { _, err := os.Lstat(path(n)); return err == nil }); ; n++ {
		f, err := os.OpenFile(path(n), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// firstFree returns a number from 1 on that is not taken, the first one if all numbers before it
// are taken. It asks about few numbers, however many are taken.
func firstFree(taken func(n int) bool) int {
	free := 1
	for taken(free) {
		free *= 2
	}
	last := free / 2 // taken, or 0
	for free-last > 1 {
		if n := (last + free) / 2; taken(n) {
			last = n
		} else {
			free = n
		}
	}
	return free
}

// plainName returns s in lower case, with "_" for all characters that are not plain.
func plainName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_', r == '-':
			return r
		}
		return '_'
	}, s)
}
