package workspace

import (
	"cmp"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf8"
)

// maxPath and maxName limit the paths that are checked, in bytes.
const (
	maxPath = 4096
	maxName = 255
)

// maxLinks is the maximum number of symbolic links in a path, as in Linux.
const maxLinks = 40

// Resolve returns the absolute path, without links, of a path that a model wrote. It corrects
// common mistakes of models: NUL bytes, the @ of a prompt, percent-encoding, file:// URLs,
// backslashes in the path of a file that exists, and names that only look like those on the disk, see [Workspace.Spelled]. "~/" is the home directory, unless the root has a file of
// this name; "~name/" is a name like any other. If the path does not exist, Resolve follows links as far as it exists. The result may be
// inaccessible: see [Workspace.CheckRead] and [Workspace.CheckWrite].
func (w *Workspace) Resolve(path string) string {
	abs, _ := w.ResolveAs(path)
	return abs
}

// ResolveAs is like [Workspace.Resolve]. reading is the path that the given one was taken for, relative to the root if it is
// below it; "" if it was taken as it is.
func (w *Workspace) ResolveAs(path string) (abs, reading string) {
	given := path
	path = strings.ReplaceAll(path, "\x00", "")
	if u, ok := fileURL(path); ok {
		path = u
	} else if !w.exists(path) {
		path = w.corrected(path)
		if rest, ok := strings.CutPrefix(filepath.ToSlash(path), "~/"); ok && w.home != "" && !w.exists("~") {
			path = filepath.Join(w.home, rest)
		}
	}
	abs = RealPath(w.abs(path))
	if path != given && abs != RealPath(w.abs(given)) {
		reading = w.Display(abs)
	}
	return abs, reading
}

// corrected returns a path that does not exist without common mistakes.
func (w *Workspace) corrected(path string) string {
	path = w.stripAt(path)
	if slashed := strings.ReplaceAll(path, `\`, "/"); slashed != path && w.exists(slashed) {
		path = slashed
	}
	if strings.Contains(path, "%") && !w.exists(path) {
		if p, err := url.PathUnescape(path); err == nil && utf8.ValidString(p) {
			path = strings.ReplaceAll(p, "\x00", "")
		}
	}
	if abs := w.abs(path); !w.exists(path) {
		if spelled := w.Spelled(abs); spelled != abs {
			path = spelled
		}
	}
	return path
}

// stripAt removes the @ before a path in a prompt, unless it belongs to the path.
func (w *Workspace) stripAt(path string) string {
	rest, ok := strings.CutPrefix(path, "@")
	if !ok {
		return path
	}
	if strings.HasPrefix(rest, "/") {
		return strings.TrimLeft(rest, "/")
	}
	first, _, _ := strings.Cut(path, "/")
	if w.exists(first) {
		return path
	}
	return rest
}

func (w *Workspace) exists(path string) bool {
	if path == "" || len(path) > maxPath {
		return false
	}
	_, err := w.lstatPath(w.abs(path))
	return err == nil
}

func (w *Workspace) abs(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(w.Root(), path)
}

func fileURL(s string) (path string, ok bool) {
	if !strings.HasPrefix(s, "file://") {
		return "", false
	}
	u, err := url.Parse(s)
	if err != nil || (u.Host != "" && u.Host != "localhost") || u.Path == "" {
		return "", false
	}
	path = strings.ReplaceAll(u.Path, "\x00", "")
	if runtime.GOOS == "windows" {
		path = strings.TrimPrefix(path, "/")
	}
	return filepath.FromSlash(path), true
}

// EscapeGlob returns a glob with slashes that matches only path.
func EscapeGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`, "]", `\]`, "{", `\{`, "}", `\}`, "(", `\(`).Replace(filepath.ToSlash(path))
}

// SplitGlob returns the path of the directory above the first wildcard of an absolute glob with slashes, and the rest of the glob.
func SplitGlob(glob string) (dir, rest string) {
	slash, path := 0, []byte{}
	for i := 0; i < len(glob) && !strings.ContainsRune("*?[{", rune(glob[i])); i++ {
		if glob[i] == '\\' && i+1 < len(glob) {
			i++
		} else if glob[i] == '/' {
			slash, dir = i, string(path)
		}
		path = append(path, glob[i])
	}
	return filepath.FromSlash(cmp.Or(dir, "/")), glob[slash+1:]
}

// CutDir returns the rest of an absolute glob with slashes below a directory, whose path in it is literal or escaped. It returns
// false if the glob does not begin with the path.
func CutDir(glob, dir string) (rest string, ok bool) {
	for _, dir := range [...]string{filepath.ToSlash(dir), EscapeGlob(dir)} {
		if rest, ok := strings.CutPrefix(glob, strings.TrimSuffix(dir, "/")+"/"); ok {
			return rest, true
		}
	}
	return glob, false
}

// RealPath follows the links of a clean absolute path. From the first name that does not exist
// the rest is unchanged; unlike filepath.EvalSymlinks it therefore follows a link with a
// missing target, which a write would create. A path that is too long, or whose links form a
// cycle, is returned unchanged: it cannot be opened.
func RealPath(path string) string {
	if len(path) > maxPath || path == filepath.Clean(path) && isStraight(path) {
		return path
	}
	sep := string(filepath.Separator)
	volume := filepath.VolumeName(path)
	root := volume + sep
	done, todo := root, strings.Split(path[len(volume):], sep)
	for links := 0; len(todo) > 0; {
		name := todo[0]
		todo = todo[1:]
		switch name {
		case "", ".":
			continue
		case "..":
			done = filepath.Dir(done)
			continue
		}
		next := filepath.Join(done, name)
		target, err := os.Readlink(next)
		if err != nil { // not a link, or missing
			done = next
			continue
		}
		if links++; links > maxLinks || len(target) > maxPath {
			return path
		}
		if filepath.IsAbs(target) {
			target = target[len(filepath.VolumeName(target)):]
			done = root
		}
		todo = append(strings.Split(filepath.FromSlash(target), sep), todo...)
	}
	return done
}
