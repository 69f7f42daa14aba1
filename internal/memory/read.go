package memory

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"pollux/internal/durable"
	"pollux/internal/workspace"
)

// content is what was read of a file.
type content struct {
	text string
	info fs.FileInfo
	cut  bool
}

// Why a file is not used.
var (
	errElsewhere = errors.New("it leads to what is no memory file of the project")
	errBinary    = errors.New("it is not text")
)

// read reads a memory file. A link may lead anywhere in the root; out of it the
// user's own may, and others only to what is called like a memory file: a
// repository must not get at a key by calling a link to it GEMINI.md.
func (l *loaded) read(c candidate) (content, error) {
	got, err := readFile(l.rooted(c.root), c.path)
	var outside workspace.Refusal
	if !errors.As(err, &outside) {
		return got, err
	}
	real, err := filepath.EvalSymlinks(c.path)
	if err != nil {
		return content{}, err
	}
	if !c.own && !slices.Contains(l.Names, filepath.Base(real)) {
		return content{}, errElsewhere
	}
	return readFile(l.rooted(filepath.Dir(real)), real)
}

// readFile reads a file below a root: up to its bound, and as text.
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

// readUpTo reads a file; one byte more than the bound says that it is larger.
func readUpTo(f io.Reader, bound int64) ([]byte, error) {
	return io.ReadAll(io.LimitReader(f, bound+1))
}

// decode makes text of bytes: UTF-8, or UTF-16 that says so, as some editors
// and shells write it. Ends of lines are newlines.
func decode(data []byte) (string, error) {
	switch {
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")):
		data = fromUTF16(data)
	default:
		data = bytes.TrimPrefix(data, []byte("\ufeff"))
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return "", errBinary
	}
	return strings.ReplaceAll(strings.ToValidUTF8(string(data), "\ufffd"), "\r\n", "\n"), nil
}

// fromUTF16 decodes text that begins with a byte order mark.
func fromUTF16(data []byte) []byte {
	low, high := 0, 1
	if data[0] == 0xfe {
		low, high = 1, 0
	}
	var units []uint16
	for i := 2; i+1 < len(data); i += 2 {
		units = append(units, uint16(data[i+low])|uint16(data[i+high])<<8)
	}
	return []byte(string(utf16.Decode(units)))
}

// cutText returns the beginning of a text, in whole lines if there are any, and
// a note that it is no more.
func cutText(text string, size int) string {
	const note = "\n<!-- Cut here: the file is too large -->"
	size = max(0, min(size, len(text)))
	for size > 0 && size < len(text) && !utf8.RuneStart(text[size]) {
		size--
	}
	text = strings.TrimRight(text[:size], "\ufffd") // what a cut leaves of a character
	if end := strings.LastIndexByte(text, '\n'); end > 0 {
		text = text[:end]
	}
	return text + note
}

// rooted returns the way to the files below a directory and to no others.
func (l *loaded) rooted(dir string) *workspace.Workspace {
	root, ok := l.roots[dir]
	if !ok {
		root, _ = workspace.New(workspace.Options{Root: dir}) // a directory that is gone fails when it is used
		if l.roots == nil {
			l.roots = map[string]*workspace.Workspace{}
		}
		l.roots[dir] = root
	}
	return root
}

// importRoot returns the directory that the imports of a file must be in: the
// topmost of the project that its directory belongs to.
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

// skipped tells that a file is not used. Nobody needs to know of one that has
// just gone, may not be read or is a directory.
func (l *loaded) skipped(path string, err error) {
	for _, usual := range []error{fs.ErrNotExist, fs.ErrPermission, syscall.EISDIR, syscall.ENOTDIR} {
		if errors.Is(err, usual) {
			l.Log.Debug("memory file skipped", "path", path, "error", err)
			return
		}
	}
	l.Warn(fmt.Sprintf("Warning: The memory file %s is not used: %s.", printable(path), why(err)))
}

// why says what is wrong with a file in a few words.
func why(err error) string {
	var refused workspace.Refusal
	if errors.As(err, &refused) {
		return "it is where no tool may look"
	}
	return durable.Cause(err).Error()
}

// printable keeps a path on its line.
func printable(path string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return '\ufffd'
		}
		return r
	}, path)
}
