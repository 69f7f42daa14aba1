// Package drop recognizes pastes that consist of names of files, such as terminals send for files that the user drops on
// their window.
package drop

import (
	"cmp"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"pollux/internal/crash"
)

// Limits of a paste that may be names of files.
const (
	maxSize  = 64 << 10 // bytes
	maxNames = 100
)

// usualPatience is how long the disk may take to find the files. A paste that takes longer is text.
const usualPatience = 50 * time.Millisecond

// Names recognizes pastes. Its fields must not change once it is used.
type Names struct {
	GOOS string // the operating system, as in [runtime.GOOS]
	Home string // replaces "~"; "" for none
	Dir  string // that relative names begin in
	// Exists reports whether there is a file or directory of an absolute path.
	Exists func(path string) bool
	// Mention returns the text with which a prompt names a path, false if it cannot.
	Mention func(path string) (string, bool)

	patience   time.Duration // 0 is the usual one
	isChecking atomic.Bool
}

// Replace returns the mentions of the files that a paste consists of, each with a space behind it; false for any other
// paste. It takes at most a moment, even if the disk does not respond.
func (n *Names) Replace(pasted string) (string, bool) {
	if !MayBeNames(pasted) {
		return "", false
	}
	readings := n.readings(strings.TrimSpace(pasted))
	if len(readings) == 0 || !n.isChecking.CompareAndSwap(false, true) {
		return "", false
	}
	found := make(chan []string, 1)
	go func() {
		defer crash.Recover()
		paths := n.firstExisting(readings)
		n.isChecking.Store(false) // before the caller can check the next paste
		found <- paths
	}()
	late := time.NewTimer(cmp.Or(n.patience, usualPatience))
	defer late.Stop()
	select {
	case paths := <-found:
		return n.mentions(paths)
	case <-late.C:
		return "", false
	}
}

// MayBeNames reports whether a paste begins like the name of a file.
func MayBeNames(pasted string) bool {
	text := strings.TrimLeft(pasted[:min(len(pasted), 64)], " \t\r\n")
	return len(pasted) <= maxSize && text != "" && (strings.IndexByte(`/~.\'"`, text[0]) >= 0 || strings.HasPrefix(text, "file://") || hasDrive(text))
}

// readings returns the names that a paste may consist of: the text may be a single name with spaces, a name a line, or quoted words.
func (n *Names) readings(text string) (readings [][]string) {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	words, ok := n.words(text)
	if !ok {
		words = nil
	}
	for _, names := range [][]string{lines, words} {
		if len(names) == 0 || len(names) > maxNames {
			continue
		}
		if paths, ok := n.paths(names); ok {
			readings = append(readings, paths)
		}
	}
	return readings
}

// paths returns the paths that names mean, and false if one of them cannot be a path.
func (n *Names) paths(names []string) ([]string, bool) {
	paths := make([]string, len(names))
	for i, name := range names {
		path, ok := n.path(strings.TrimSpace(name))
		if !ok {
			return nil, false
		}
		paths[i] = path
	}
	return paths, true
}

// path returns the path that a name means. It returns false for a name that terminals do not send for files.
func (n *Names) path(name string) (string, bool) {
	if rest, ok := strings.CutPrefix(name, "file://"); ok {
		return n.pathOfURL(rest)
	}
	separators := "/"
	if n.GOOS == "windows" {
		separators = `/\`
	}
	switch {
	case strings.Trim(name, "./~"+separators) == "": // more likely text
		return "", false
	case strings.HasPrefix(name, "~/") || n.GOOS == "windows" && strings.HasPrefix(name, `~\`):
		if n.Home == "" {
			return "", false
		}
		return filepath.Join(n.Home, name[2:]), true
	case n.GOOS == "windows":
		return name, strings.HasPrefix(name, `\\`) || name[0] == '.' || hasDrive(name)
	}
	return name, name[0] == '/' || name[0] == '.'
}

// hasDrive reports whether a name begins with a drive and a separator.
func hasDrive(name string) bool {
	return len(name) > 3 && name[1] == ':' && strings.IndexByte(`/\`, name[2]) >= 0 && (name[0]|0x20 >= 'a' && name[0]|0x20 <= 'z')
}

// pathOfURL returns the path in a file URL without its scheme.
func (n *Names) pathOfURL(rest string) (string, bool) {
	host, path, ok := strings.Cut(rest, "/")
	path, err := url.PathUnescape(path)
	if !ok || err != nil || host != "" && host != "localhost" || path == "" || strings.ContainsRune(path, 0) {
		return "", false
	}
	if n.GOOS == "windows" && hasDrive(path) {
		return filepath.FromSlash(path), true
	}
	return "/" + path, true
}

// firstExisting returns the first reading whose files all exist, nil if there is none.
func (n *Names) firstExisting(readings [][]string) []string {
	for _, paths := range readings {
		isMissing := func(path string) bool {
			if !filepath.IsAbs(path) {
				path = filepath.Join(n.Dir, path)
			}
			return !n.Exists(path)
		}
		if !slices.ContainsFunc(paths, isMissing) {
			return paths
		}
	}
	return nil
}

// mentions returns the text that mentions paths.
func (n *Names) mentions(paths []string) (string, bool) {
	var b strings.Builder
	for _, path := range paths {
		text, ok := n.Mention(path)
		if !ok {
			return "", false
		}
		b.WriteString(text + " ")
	}
	return b.String(), len(paths) > 0
}
