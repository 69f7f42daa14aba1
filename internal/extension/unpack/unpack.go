// Package unpack puts the files of an extension that strangers wrote into a directory: from an
// archive or from another directory.
//
// Nothing can leave the directory, and its size is bounded: names with "..", absolute names, links
// that lead out, devices, archives that grow without end and names that differ only in case are
// errors. An error names the first such entry on one line; the caller then removes the directory.
package unpack

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pollux/internal/durable"
)

// Limits bound the unpacked files.
type Limits struct {
	Bytes int64 // of all files
	Files int   // files, links and directories
}

// Usual are the limits for an extension.
var Usual = Limits{Bytes: 1 << 30, Files: 50_000}

// maxName is the largest length of a name in bytes.
const maxName = 1024

// gitDir is the directory of git. It is left out: programs that run git in the extension would
// follow its configuration.
const gitDir = ".git"

// Dir copies the files of the directory src to dst, an empty directory. Links that stay in src
// remain links. Directories of git are left out.
func Dir(ctx context.Context, src, dst string, l Limits) error {
	w, err := newWriter(ctx, dst, l)
	if err != nil {
		return err
	}
	defer w.root.Close()
	from, err := os.OpenRoot(src)
	if err != nil {
		return err
	}
	defer from.Close()
	err = fs.WalkDir(from.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		e := entry{name: name, mode: info.Mode(), size: info.Size()}
		switch {
		case d.Name() == gitDir && d.IsDir():
			return fs.SkipDir
		case e.mode.Type() == fs.ModeSymlink:
			if e.target, err = from.Readlink(name); err != nil {
				return err
			}
		case e.mode.IsRegular():
			f, err := from.Open(name)
			if err != nil {
				return err
			}
			defer f.Close()
			e.content = f
		}
		return w.add(&e)
	})
	if err != nil {
		return err
	}
	return w.checkLinks()
}

// Check applies the rules of [Dir] to a directory that git has written. It does not look into the
// directory of git itself.
func Check(ctx context.Context, dir string, l Limits) error {
	w, err := newWriter(ctx, dir, l)
	if err != nil {
		return err
	}
	defer w.root.Close()
	err = fs.WalkDir(w.root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name == gitDir {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Type() == fs.ModeSymlink {
			w.links = append(w.links, name)
		}
		clean, err := cleanName(name)
		if err == nil {
			err = w.claim(clean)
		}
		if err != nil {
			return err
		}
		return w.admit(&entry{name: name, mode: info.Mode(), size: info.Size()})
	})
	if err != nil {
		return err
	}
	return w.checkLinks()
}

// entry is a file, link or directory to write.
type entry struct {
	name    string // with slashes
	mode    fs.FileMode
	size    int64  // of a file, as announced
	target  string // of a link
	content io.Reader
}

// writer writes entries below a directory.
type writer struct {
	ctx    context.Context
	root   *os.Root
	limits Limits
	bytes  int64 // that may still be written
	files  int   // entries that may still be written

	names map[string]string // the spelling of each path, by its lower case form
	links []string
}

func newWriter(ctx context.Context, dir string, l Limits) (*writer, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	return &writer{ctx: ctx, root: root, limits: l, bytes: l.Bytes, files: l.Files, names: map[string]string{}}, nil
}

// admit checks the kind of an entry, and counts it.
func (w *writer) admit(e *entry) error {
	if err := context.Cause(w.ctx); err != nil {
		return err
	}
	switch e.mode.Type() {
	case 0, fs.ModeDir, fs.ModeSymlink:
	default:
		return fmt.Errorf("%s is not a file, directory or link", quote(e.name))
	}
	if w.files--; w.files < 0 {
		return fmt.Errorf("it has more than %d files", w.limits.Files)
	}
	if e.mode.IsRegular() {
		if w.bytes -= e.size; e.size < 0 || w.bytes < 0 {
			return w.tooLarge()
		}
	}
	return nil
}

func (w *writer) tooLarge() error {
	return fmt.Errorf("its files are larger than %s together", size(w.limits.Bytes))
}

func size(n int64) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// add writes an entry.
func (w *writer) add(e *entry) error {
	name, err := cleanName(e.name)
	if err != nil {
		return err
	}
	e.name = name
	if err := w.admit(e); err != nil || name == "." || isGit(name) {
		return err
	}
	if err := w.claim(name); err != nil {
		return err
	}
	if e.mode.IsDir() {
		return w.explain(e, w.root.MkdirAll(filepath.FromSlash(name), 0o755))
	}
	if err := w.root.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755); err != nil {
		return w.explain(e, err)
	}
	if e.mode.Type() == fs.ModeSymlink {
		w.links = append(w.links, name)
		return w.explain(e, w.root.Symlink(filepath.FromSlash(e.target), filepath.FromSlash(name)))
	}
	return w.explain(e, w.write(e))
}

// write writes a file of the announced size.
func (w *writer) write(e *entry) (err error) {
	perm := fs.FileMode(0o644)
	if e.mode&0o111 != 0 {
		perm = 0o755
	}
	f, err := w.root.OpenFile(filepath.FromSlash(e.name), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	n, err := io.Copy(f, io.LimitReader(contextReader{w.ctx, e.content}, e.size+w.bytes+1))
	if w.bytes += e.size - n; err == nil && w.bytes < 0 {
		return w.tooLarge()
	}
	return err
}

// explain returns an error with the name of the entry.
func (w *writer) explain(e *entry, err error) error {
	switch {
	case err == nil:
		return nil
	case w.ctx.Err() != nil:
		return context.Cause(w.ctx)
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("%s is in it twice", quote(e.name))
	case isEscape(err):
		return fmt.Errorf("%s leads out of its directory", quote(e.name))
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		return fmt.Errorf("cannot write %s: %w", quote(e.name), durable.Cause(err))
	}
	return err
}

// isEscape reports whether an [os.Root] refused a path outside of it.
func isEscape(err error) bool { return strings.Contains(err.Error(), "path escapes from parent") }

// claim notes the spelling of a path and of the directories above it. On systems that do not
// distinguish case, one of two spellings would replace the other.
func (w *writer) claim(name string) error {
	for at := name; at != "."; at = path.Dir(at) {
		key := strings.ToLower(at)
		spelling, ok := w.names[key]
		switch {
		case ok && spelling == at:
			return nil
		case ok:
			return fmt.Errorf("the names %s and %s differ only in case", quote(spelling), quote(at))
		case len(w.names) > w.limits.Files:
			return fmt.Errorf("it has more than %d files", w.limits.Files)
		}
		w.names[key] = at
	}
	return nil
}

// checkLinks returns an error for a link that leads out of the directory.
func (w *writer) checkLinks() error {
	for _, name := range w.links {
		target, err := w.root.Readlink(filepath.FromSlash(name))
		if err != nil {
			return err
		}
		_, err = w.root.Stat(filepath.FromSlash(name))
		outside := err != nil && isEscape(err) || !filepath.IsLocal(path.Join(path.Dir(name), filepath.ToSlash(target)))
		if outside || filepath.IsAbs(target) {
			return fmt.Errorf("the link %s leads out of its directory, to %s", quote(name), quote(target))
		}
	}
	return nil
}

// cleanName returns the name of an entry without superfluous parts: "." for the directory itself.
func cleanName(name string) (string, error) {
	bad := func(r rune) bool { return unicode.IsControl(r) || r == '\\' || unicode.Is(unicode.Cf, r) }
	switch {
	case len(name) > maxName:
		return "", fmt.Errorf("the name %s is longer than %d bytes", quote(name), maxName)
	case name == "" || !utf8.ValidString(name) || strings.ContainsFunc(name, bad):
		return "", fmt.Errorf("the name %s is not allowed", quote(name))
	case path.IsAbs(name) || len(name) > 1 && name[1] == ':':
		return "", fmt.Errorf("the name %s is absolute", quote(name))
	case slices.Contains(strings.Split(name, "/"), ".."):
		return "", fmt.Errorf("the name %s leads out of its directory", quote(name))
	}
	if name = path.Clean(name); !filepath.IsLocal(filepath.FromSlash(name)) {
		return "", fmt.Errorf("the name %s is not allowed", quote(name))
	}
	return name, nil
}

// isGit reports whether a name is in a directory of git.
func isGit(name string) bool {
	parts := strings.Split(name, "/")
	return slices.ContainsFunc(parts, func(part string) bool { return strings.EqualFold(part, gitDir) })
}

// quote returns a name for an error message, on one line.
func quote(name string) string {
	if len(name) > 80 {
		name = name[:80] + "..."
	}
	return fmt.Sprintf("%q", name)
}

// contextReader is a reader that fails when a context ends.
type contextReader struct {
	ctx context.Context
	io.Reader
}

func (r contextReader) Read(p []byte) (int, error) {
	if err := context.Cause(r.ctx); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
