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
	"unicode/utf16"
	"unicode/utf8"

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
// file: a repository must not read a key through a link called GEMINI.md.
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

// decode converts a file to text. It accepts UTF-8, and UTF-16 with a byte order mark, which
// some editors and shells write. Line ends become newlines.
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

// cutText returns the beginning of a text, cut at a line end if possible, with a note that it
// was cut.
func cutText(text string, size int) string {
	const note = "\n<!-- Cut here: the file is too large -->"
	size = max(0, min(size, len(text)))
	for size > 0 && size < len(text) && !utf8.RuneStart(text[size]) {
		size--
	}
	text = strings.TrimRight(text[:size], "\ufffd") // remove the rest of a cut character
	if end := strings.LastIndexByte(text, '\n'); end > 0 {
		text = text[:end]
	}
	return text + note
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
