// Package paths lists the files that a path can go on with, as shells complete them: the entries of one directory.
package paths

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"pollux/internal/face/tui/completion"
	"pollux/internal/face/tui/completion/fuzzy"
	"pollux/internal/workspace"
)

// Limits of a list: the entries of a directory that are read, and the ones that are listed.
const (
	maxRead   = 100_000
	maxListed = 200
)

// Lister lists files. It is safe for concurrent use.
type Lister struct {
	dir, home string
	detached  *completion.Detached
}

// New returns a lister for paths that are relative to a directory. A path that begins with "~/" is relative to home,
// unless home is "".
func New(dir, home string) *Lister {
	return &Lister{dir: dir, home: home, detached: completion.NewDetached(4)}
}

// Entry is a file that a path can go on with.
type Entry struct {
	Text  string // the directory as typed, and the name; ends in a slash for a directory
	Name  string // the name alone, with the slash
	IsDir bool
}

// List returns the entries of a directory that begin with the end of a path, in the order of their names; case does not
// matter. Hidden files are listed if the name begins with a period, and names that cannot be typed never.
func (l *Lister) List(ctx context.Context, typed string) (list []Entry) {
	base := typed[strings.LastIndexByte(typed, '/')+1:]
	dir := typed[:len(typed)-len(base)]
	at := filepath.FromSlash(dir)
	if rest, ok := strings.CutPrefix(dir, "~/"); ok && l.home != "" {
		at = filepath.Join(l.home, filepath.FromSlash(rest))
	} else if !filepath.IsAbs(at) {
		at = filepath.Join(l.dir, at)
	}
	result := make(chan []Entry, 1)
	l.detached.Run(ctx, func() { result <- read(ctx, at, dir, base) })
	select {
	case list = <-result:
	default:
	}
	return list
}

// read returns the entries of the directory at that begin with base.
func read(ctx context.Context, at, dir, base string) []Entry {
	if info, err := os.Stat(at); err != nil || !info.IsDir() { // to open a FIFO waits
		return nil
	}
	f, err := os.Open(at)
	if err != nil {
		return nil
	}
	defer f.Close()
	top := fuzzy.Top[os.DirEntry]{Limit: maxListed, Compare: func(a, b os.DirEntry) int { return workspace.CompareNames(a.Name(), b.Name()) }}
	const batch = 512
	for n := 0; n < maxRead && ctx.Err() == nil; n += batch {
		entries, err := f.ReadDir(batch)
		for _, e := range entries {
			if hasPrefix(e.Name(), base) && (base != "" || e.Name()[0] != '.') && IsTypable(e.Name()) {
				top.Add(e)
			}
		}
		if err == io.EOF || len(entries) == 0 {
			break
		}
	}
	list := make([]Entry, 0, len(top.Items))
	for _, e := range top.Items {
		entry := Entry{Text: dir + e.Name(), Name: e.Name(), IsDir: isDir(at, e)}
		if entry.IsDir {
			entry.Text, entry.Name = entry.Text+"/", entry.Name+"/"
		}
		list = append(list, entry)
	}
	return list
}

// isDir reports whether an entry of a directory is a directory, or a link to one.
func isDir(dir string, e os.DirEntry) bool {
	if e.Type()&os.ModeSymlink == 0 {
		return e.IsDir()
	}
	info, err := os.Stat(filepath.Join(dir, e.Name()))
	return err == nil && info.IsDir()
}

// hasPrefix reports whether a name begins with a prefix in any case.
func hasPrefix(name, prefix string) bool {
	return len(name) >= len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
}

// IsTypable reports whether a name can be a part of a text in the composer, which has neither control characters nor
// invalid UTF-8.
func IsTypable(name string) bool {
	isASCII := true
	for i := range len(name) {
		if name[i] < ' ' || name[i] == 0x7f {
			return false
		}
		isASCII = isASCII && name[i] < utf8.RuneSelf
	}
	return isASCII || utf8.ValidString(name) && strings.IndexFunc(name, isBreak) < 0
}

func isBreak(r rune) bool { return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' }
