package workspace

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
)

const (
	// treeRead is the maximum number of entries of one folder that are read. A folder with
	// more is storage, and not worth showing.
	treeRead = 10_000
	// cut marks omitted entries.
	cut = "..."
)

// Tree returns the folders of the workspace as a tree in text form: each name on a line,
// indented by its depth. For each workspace directory it adds entries breadth first, up to
// items, so that a small project is complete and a large one shows its top. It reads no more
// folders than it shows.
func (w *Workspace) Tree(items int) string {
	return w.TreeOf(items, w.all()...)
}

// TreeOf is like [Workspace.Tree] for the given directories of the workspace.
func (w *Workspace) TreeOf(items int, dirs ...string) string {
	trees := make([]string, len(dirs))
	for i, dir := range dirs {
		trees[i] = w.tree(dir, items, w.defaultFilter)
	}
	return strings.Join(trees, "\n")
}

// FullTree is like [Workspace.TreeOf] for a directory whose ignored files are shown, too. The directory may
// be outside of the workspace; its path must not contain links.
func (w *Workspace) FullTree(items int, dir string) string { return w.tree(dir, items, Filter{}) }

// folder is a folder of the tree.
type folder struct {
	name        string
	path        string
	above       *dirRules // the rules of its parent folder, until it is read
	rules       *dirRules
	files       []string
	folders     []*folder
	moreFiles   bool
	moreFolders bool
	closed      bool // not entered
}

func (w *Workspace) tree(dir string, items int, filter Filter) string {
	root := &folder{path: dir, rules: w.rulesFor(dir, filter)}
	room, partial := items, false
	for queue := []*folder{root}; len(queue) > 0; queue = queue[1:] {
		f := queue[0]
		if room <= 0 {
			f.closed = true
		} else if err := w.fill(f, &room); err != nil {
			if f == root {
				return fmt.Sprintf("Error: Could not read directory %q. Check that it exists and that you have permission to read it.", dir)
			}
			f.closed = true
		}
		for _, sub := range f.folders {
			if !sub.closed {
				queue = append(queue, sub)
			} else {
				partial = true
			}
		}
		partial = partial || f.closed || f.moreFiles || f.moreFolders
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Showing up to %d items (files + folders).", items)
	if partial {
		fmt.Fprintf(&b, " Where %s stands there is more: it was ignored, or is beyond the limit of %d items.", cut, items)
	}
	fmt.Fprintf(&b, "\n\n%s", withSlash(PrintableName(dir)))
	root.draw(&b, "\n  ")
	return b.String()
}

// fill reads a folder: its files first, then its folders, as long as there is room.
func (w *Workspace) fill(f *folder, room *int) error {
	files, folders, more, err := readTreeDir(f.path)
	if err != nil {
		return err
	}
	if f.rules == nil {
		f.rules = w.rules.enter(f.above, f.name, false)
	}
	f.moreFiles = more
	for _, name := range files {
		if f.rules.hides(joinPath(f.path, name), name, false) {
			continue
		}
		if *room <= 0 {
			f.moreFiles = true
			break
		}
		f.files = append(f.files, name)
		*room--
	}
	for _, name := range folders {
		if *room <= 0 {
			f.moreFolders = true
			break
		}
		path := joinPath(f.path, name)
		sub := &folder{name: name, path: path, closed: true}
		switch name {
		case "node_modules", ".git", "dist", "__pycache__":
		default:
			if !f.rules.hides(path, name, true) {
				sub.closed = false
				sub.above = f.rules
			}
		}
		f.folders = append(f.folders, sub)
		*room--
	}
	return nil
}

// readTreeDir returns the sorted names of the files and folders in a directory. more reports
// whether some were not read.
func readTreeDir(dir string) (files, folders []string, more bool, err error) {
	d, err := openDir(dir)
	if err != nil {
		return nil, nil, false, err
	}
	defer d.Close()
	entries, err := d.ReadDir(treeRead)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, false, err
	}
	if len(entries) == treeRead {
		next, _ := d.ReadDir(1)
		more = len(next) > 0
	}
	for _, e := range entries {
		switch e.Type() {
		case 0:
			files = append(files, e.Name())
		case fs.ModeDir:
			folders = append(folders, e.Name())
		}
	}
	slices.SortFunc(files, CompareNames)
	slices.SortFunc(folders, CompareNames)
	return files, folders, more, nil
}

// draw writes the content of f. indent begins with a newline.
func (f *folder) draw(b *strings.Builder, indent string) {
	for _, name := range f.files {
		b.WriteString(indent + PrintableName(name))
	}
	if f.moreFiles {
		b.WriteString(indent + cut)
	}
	for _, sub := range f.folders {
		b.WriteString(indent + PrintableName(sub.name) + string(filepath.Separator))
		if sub.closed {
			b.WriteString(cut)
		}
		sub.draw(b, indent+"  ")
	}
	if f.moreFolders {
		b.WriteString(indent + cut)
	}
}

// PrintableName replaces control characters and line ends in a file's name with U+FFFD, so that the
// name cannot end its line or look like another line.
func PrintableName(name string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return '\ufffd'
		}
		return r
	}, name)
}
