package durable

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
)

// Numbered creates numbered text files. The zero value is ready. It is safe for concurrent use.
type Numbered struct {
	mu   sync.Mutex
	last map[string]int // by the path without the number
}

// Create creates a text file in dir, with mode 0600, and opens it for writing. Its name
// consists of name and the next free number, such as run_shell_command_3.txt. name may be any
// string: other characters than ASCII letters, digits, "_" and "-" are replaced, and a long name
// is cut.
func (c *Numbered) Create(dir, name string) (*os.File, error) {
	const most = 60
	name = cmp.Or(plainName(name), "output")
	base := filepath.Join(dir, name[:min(len(name), most)])
	path := func(n int) string { return base + "_" + strconv.Itoa(n) + ".txt" }
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.last[base] + 1
	if n == 1 { // others may have created some
		n = firstFree(func(n int) bool { _, err := os.Lstat(path(n)); return err == nil })
	}
	for ; ; n++ {
		f, err := os.OpenFile(path(n), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			if c.last == nil {
				c.last = map[string]int{}
			}
			c.last[base] = n
		}
		return f, err
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
