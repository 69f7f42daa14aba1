package memory

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"unicode/utf8"

	"pollux/internal/charset"
	"pollux/internal/durable"
	"pollux/internal/workspace"
)

// content is the content of a file.
type content struct {
	text string
	info fs.FileInfo
	cut  bool
}

// Reasons for not using a file.
var (
	errElsewhere = errors.New("it links to a file that is not a context file of the project")
	errBinary    = errors.New("it is not a text file")
)

// read reads a memory file. A link may point to any file in the root. Links out of the root
// are allowed for the user's own files, and otherwise only to files with the name of a memory
// file: a repository must not read a key through a link called GEMINI.md. A file that only has
// the path of another one is read like a link: git writes such files where it cannot make links.
func (l *loaded) read(c candidate) (content, error) {
	got, err := readFile(l.rooted(c.root), c.path)
	var outside workspace.Refusal
	if !errors.As(err, &outside) {
		if target := linkText(got.text); err == nil && target != "" {
			if there, err := readFile(l.rooted(c.root), filepath.Join(filepath.Dir(c.path), target)); err == nil {
				return there, nil
			}
		}
		return got, err
	}
	real, err := filepath.EvalSymlinks(c.path)
	if err != nil {
		return content{}, err
	}
	if !c.own && !l.Names.mayLink(filepath.Base(real)) {
		return content{}, errElsewhere
	}
	return readFile(l.rooted(filepath.Dir(real)), real)
}

// linkText returns the path that is the whole text of a file, "" if the text is something else.
func linkText(text string) string {
	target := filepath.FromSlash(strings.TrimSpace(text))
	if len(target) > 255 || strings.ContainsAny(target, "\n@*`#<>") || filepath.IsAbs(target) || extension(filepath.ToSlash(target)) == "" {
		return ""
	}
	return target
}

// readFile reads a text file below a root, up to the maximum size.
func readFile(root *workspace.Workspace, path string) (content, error) {
	f, err := root.Disk().Open(path)
	if err != nil {
		return content{}, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return content{}, err
	}
	data, err := readUpTo(f, maxFile)
	if err != nil {
		return content{}, fmt.Errorf("read %s: %w", path, err)
	}
	text, err := decode(data)
	if err != nil {
		return content{}, err
	}
	c := content{text: text, info: info, cut: len(data) > maxFile}
	if c.cut || len(text) > maxFile {
		c.text, c.cut = cutText(text, maxFile), true
	}
	return c, nil
}

// readUpTo reads up to bound+1 bytes: more than bound bytes mean that the file is larger.
func readUpTo(f io.Reader, bound int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(f, bound+1))
}

// decode converts a file to text. Line ends become newlines.
func decode(data []byte) (string, error) {
	enc := charset.Detect(data)
	text := enc.Decode(data)
	if !enc.IsUTF8() {
		text = strings.TrimSuffix(text, "\ufffd") // half a character where a large file was cut off
	}
	if strings.IndexByte(text, 0) >= 0 {
		return "", errBinary
	}
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\ufffd"), "\r\n", "\n"), nil
}

// cutText returns the beginning of a text, cut at a line end if possible, with a note that it
// was cut.
func cutText(text string, size int) string {
	const note = "\n<!-- Cut here: the file is too large -->"
	return trimToLine(text[:max(0, min(size, len(text)))]) + note
}

// trimToLine removes the last line from a text that was cut there, or the rest of a cut character if
// there is only one line.
func trimToLine(text string) string {
	for range utf8.UTFMax - 1 {
		if r, n := utf8.DecodeLastRuneInString(text); r != utf8.RuneError || n != 1 {
			break
		}
		text = text[:len(text)-1]
	}
	text = strings.TrimRight(text, "\ufffd")
	if end := strings.LastIndexByte(text, '\n'); end > 0 {
		text = text[:end]
	}
	return text
}

// rooted returns a workspace that contains only the files below a directory.
func (l *loaded) rooted(dir string) *workspace.Workspace {
	root, ok := l.roots[dir]
	if !ok {
		root, _ = workspace.New(workspace.Options{Root: dir}) // a missing directory fails when it is used
		if l.roots == nil {
			l.roots = map[string]*workspace.Workspace{}
		}
		l.roots[dir] = root
	}
	return root
}

// importRoot returns the directory that the imports of a file must be in: the top directory of
// its project.
func (l *loaded) importRoot(c candidate) string {
	if c.tier == Extension {
		return c.root
	}
	dir := filepath.Dir(c.path)
	home := c.home
	if home == "" {
		home = dir
	}
	if top, ok := l.marked(dir, home); ok {
		return top
	}
	return c.root
}

// skipped reports that a file is not used. Missing or unreadable files and directories are
// only logged.
func (l *loaded) skipped(path string, err error) {
	for _, usual := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.EISDIR, syscall.ENOTDIR} {
		if errors.Is(err, usual) {
			l.Log.Debug("context file skipped", "path", path, "error", err)
			return
		}
	}
	l.Warn(fmt.Sprintf("Warning: Ignoring the context file %s: %s.", workspace.PrintableName(path), why(err)))
}

// why returns a short description of an error about a file.
func why(err error) string {
	var refused workspace.Refusal
	if errors.As(err, &refused) {
		return "tools cannot access it"
	}
	return durable.Cause(err).Error()
}
