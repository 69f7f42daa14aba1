package memory

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/workspace"
)

// Limits of imports.
const (
	maxDepth   = 5    // nesting depth in a tree
	maxImports = 1000 // in one memory file, including nested ones
)

// resolve sets the text of a memory file: its content with all imports.
func (l *loaded) resolve(f *File, got content, c candidate) {
	f.Text = got.text
	if len(imports(got.text)) == 0 {
		return
	}
	im := l.importer(f, got, c)
	if l.Flat {
		f.Text = im.flat(c.path, got)
	} else {
		f.Text = im.tree(got.text, filepath.Dir(c.path), []fs.FileInfo{got.info})
	}
	im.report()
}

// importer returns the importer for a file.
func (l *loaded) importer(f *File, got content, c candidate) *importer {
	return &importer{loaded: l, file: f, root: l.rooted(l.importRoot(c)), room: l.room - len(got.text)}
}

// importer resolves the imports of one memory file.
type importer struct {
	*loaded
	file *File
	root *workspace.Workspace

	room   int // bytes that imports may still add
	tried  int
	failed []string // the first failed imports, with reasons
	lost   int      // number of failed imports
}

// tree returns a text with imports replaced by the imported texts. chain are the files that
// are being imported.
func (im *importer) tree(text, dir string, chain []fs.FileInfo) string {
	if len(chain) > maxDepth {
		return text
	}
	var b strings.Builder
	done := 0
	for _, s := range imports(text) {
		b.WriteString(text[done:s.start])
		b.WriteString(im.inPlace(text[s.start+1:s.end], dir, chain))
		done = s.end
	}
	b.WriteString(text[done:])
	return b.String()
}

func (im *importer) inPlace(path, dir string, chain []fs.FileInfo) string {
	got, err := im.open(path, dir)
	switch {
	case err != nil && isName(path) && errors.Is(err, fs.ErrNotExist):
		return "@" + path // "@scope/package"
	case err != nil:
		im.fail(path, err)
		return fmt.Sprintf("<!-- Import failed: %s - %s -->", path, why(err))
	}
	path, after := got.path, path[len(got.path):]
	if slices.ContainsFunc(chain, func(other fs.FileInfo) bool { return os.SameFile(other, got.info) }) || im.hasFile(got.info) {
		return fmt.Sprintf("<!-- File already processed: %s -->", path) + after
	}
	im.took(got)
	text := im.tree(got.text, filepath.Dir(got.abs), append(slices.Clip(chain), got.info))
	return fmt.Sprintf("<!-- Imported from: %s -->\n%s\n<!-- End of import from: %[1]s -->", path, text) + after
}

// isName reports whether a path may be the name of a package or a group of users instead.
func isName(path string) bool { return path[0] != '.' && path[0] != '/' && extension(path) == "" }

// flat returns the text of a file followed by those of all imported files, each once.
func (im *importer) flat(path string, got content) string {
	var parts []string
	var seen []fs.FileInfo
	var visit func(path string, got content)
	visit = func(path string, got content) {
		seen = append(seen, got.info)
		parts = append(parts, fmt.Sprintf("--- File: %s ---\n%s\n--- End of File: %[1]s ---", workspace.PrintableName(path), strings.TrimSpace(got.text)))
		for _, s := range slices.Backward(imports(got.text)) {
			next, err := im.open(got.text[s.start+1:s.end], filepath.Dir(path))
			if err != nil || slices.ContainsFunc(seen, func(other fs.FileInfo) bool { return os.SameFile(other, next.info) }) || im.hasFile(next.info) {
				continue
			}
			im.took(next)
			visit(next.abs, next.content)
		}
	}
	visit(path, got)
	return strings.Join(parts, "\n\n")
}

// Reasons for failed imports.
var (
	errTraversal = errors.New("Path traversal attempt") //lint:ignore ST1005 the text is a contract
	errRoom      = errors.New("too many imports")
)

// imported is a file that an import refers to.
type imported struct {
	content
	path string // as written in the import
	abs  string
}

// open reads the file that an import refers to. If it does not exist, open tries the name
// without trailing punctuation.
func (im *importer) open(path, dir string) (imported, error) {
	got, err := im.openExactly(path, dir)
	if short := withoutPunctuation(path); errors.Is(err, fs.ErrNotExist) && short != path {
		if got, err := im.openExactly(short, dir); err == nil {
			return got, nil
		}
	}
	return got, err
}

// openExactly reads a file. It must be in the root after links are followed.
func (im *importer) openExactly(path, dir string) (imported, error) {
	for _, scheme := range []string{"file:", "http://", "https://"} {
		if strings.HasPrefix(strings.ToLower(path), scheme) {
			return imported{}, errTraversal
		}
	}
	if im.tried++; im.tried > maxImports || im.room <= 0 {
		return imported{}, errRoom
	}
	abs := filepath.FromSlash(path)
	if !filepath.IsAbs(abs) {
		abs = filepath.Join(dir, abs)
	}
	abs = filepath.Clean(abs)
	if !im.root.Contains(abs) {
		return imported{}, errTraversal
	}
	got, err := readFile(im.root, abs)
	return imported{got, path, abs}, err
}

func (im *importer) took(got imported) {
	const frame = 100 // approximate length of the begin and end markers
	im.room -= len(got.text) + frame
	if !slices.Contains(im.file.Imports, got.abs) {
		im.file.Imports = append(im.file.Imports, got.abs)
		im.noteImport(got)
	}
	im.file.Cut = im.file.Cut || got.cut
}

func (im *importer) fail(path string, err error) {
	const shown = 3
	im.Log.Error("memory import failed", "file", im.file.Path, "import", path, "error", err)
	if im.lost++; im.lost <= shown {
		im.failed = append(im.failed, fmt.Sprintf("@%s (%s)", workspace.PrintableName(path), why(err)))
	}
}

func (im *importer) report() {
	if im.lost == 0 {
		return
	}
	text := strings.Join(im.failed, ", ")
	if more := im.lost - len(im.failed); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	im.Warn(fmt.Sprintf("Warning: Failed imports in %s: %s.", workspace.PrintableName(im.file.Path), text))
}
