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
	// folderRead is the maximum number of entries of one folder that are read. A folder with
	// more is storage, and not worth showing.
	folderRead = 10_000
	// treeRead is the maximum number of entries that are read below the first folder of a tree.
	treeRead = 4_000
	// leastShown is the number of entries that there must be room for in each folder of a level, or the level is
	// left out: its folders are not even read.
	leastShown = 2
	// cut marks omitted entries.
	cut = "..."
)

// Tree returns the folders of the workspace as a tree in text form: each name on a line,
// indented by its depth. For each workspace directory it adds up to items entries, so that a small
// project is complete. Of a large one it shows something of every part: no folder, and no level of
// folders, uses up the room of the others. It reads no more folders than it shows.
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

// tree is a tree that grows.
type tree struct {
	w    *Workspace
	room int // entries that may still be shown
	left int // entries that may still be read
}

// folder is a folder of a tree.
type folder struct {
	name    string
	path    string
	above   *dirRules // the rules of its parent folder, until it is read
	rules   *dirRules
	isRead  bool
	isShut  bool     // not to be entered
	hasMore bool     // not everything in it was read
	files   []string // names of all its files
	shown   int      // files that the tree shows
	subs    []string // names of all its folders
	folders []*folder
}

func (w *Workspace) tree(dir string, items int, filter Filter) string {
	t := &tree{w: w, room: items, left: folderRead}
	root := &folder{path: dir, rules: w.rulesFor(dir, filter)}
	t.read(root)
	t.left = treeRead
	if root.isShut {
		return fmt.Sprintf("Error: Could not read directory %q. Check that it exists and that you have permission to read it.", dir)
	}
	t.grow(root)
	var b strings.Builder
	fmt.Fprintf(&b, "Showing up to %d items (files + folders).", items)
	if root.isPartial() {
		fmt.Fprintf(&b, " Where %s stands there is more: it was ignored, or is beyond the limit of %d items.", cut, items)
	}
	fmt.Fprintf(&b, "\n\n%s", withSlash(PrintableName(dir)))
	root.draw(&b, "\n  ")
	return b.String()
}

// grow shows entries until there is no room, or nothing left to list. Each level of folders gets half of the
// room that those above it have left, and again half of the rest in the end.
func (t *tree) grow(root *folder) {
	for before := t.room + 1; t.room > 0 && t.room < before; {
		before = t.room
		for level := []*folder{root}; len(level) > 0 && t.hasRoom(level); {
			t.show(level)
			var below []*folder
			for _, f := range level {
				below = append(below, f.folders...)
			}
			level = below
		}
	}
}

// hasRoom reports whether more of the folders of a level can be shown.
func (t *tree) hasRoom(level []*folder) bool {
	return t.room >= leastShown*len(level) || len(level) == 1 && t.room > 0
}

// show shows more of the folders of a level, of each as much as of the others.
func (t *tree) show(level []*folder) {
	room := t.room
	hidden := make([]int, len(level))
	for i, f := range level {
		t.read(f)
		hidden[i] = len(f.files) - f.shown + len(f.subs) - len(f.folders)
		if len(f.subs) > 0 { // there are levels below
			room = (t.room + 1) / 2
		}
	}
	for i, n := range share(room, hidden) {
		f := level[i]
		parts := share(n, []int{len(f.files) - f.shown, len(f.subs) - len(f.folders)})
		f.shown += parts[0]
		for range parts[1] {
			f.folders = append(f.folders, f.sub(f.subs[len(f.folders)]))
		}
		t.room -= n
	}
}

// share distributes n among claims: all get the same, as far as they claim it.
func share(n int, claims []int) []int {
	given := make([]int, len(claims))
	for before := n + 1; n > 0 && n < before; {
		before = n
		for i := range claims {
			if n > 0 && given[i] < claims[i] {
				given[i]++
				n--
			}
		}
	}
	return given
}

// read reads the names in a folder, once.
func (t *tree) read(f *folder) {
	if f.isRead || f.isShut {
		return
	}
	most := min(folderRead, t.left)
	files, folders, more, err := t.w.readTreeDir(f.path, most)
	if err != nil || most == 0 {
		f.isShut = true
		return
	}
	if f.rules == nil {
		f.rules = t.w.rules.enter(f.above, f.name, false)
	}
	t.left -= len(files) + len(folders)
	f.isRead, f.hasMore, f.subs = true, more, slices.DeleteFunc(folders, isUndo)
	f.files = slices.DeleteFunc(files, func(name string) bool { return f.rules.hides(joinPath(f.path, name), name, false) })
}

// sub returns a folder in f that the tree begins to show.
func (f *folder) sub(name string) *folder {
	sub := &folder{name: name, path: joinPath(f.path, name), above: f.rules}
	switch name {
	case "node_modules", ".git", "dist", "__pycache__":
		sub.isShut = true
	default:
		sub.isShut = f.rules.hides(sub.path, name, true)
	}
	return sub
}

// isPartial reports whether the tree does not show everything below f.
func (f *folder) isPartial() bool {
	return !f.isRead || f.hasMore || f.shown < len(f.files) || len(f.folders) < len(f.subs) || slices.ContainsFunc(f.folders, (*folder).isPartial)
}

// readTreeDir returns the sorted names of the files and folders in a directory, of most entries. more
// reports whether some were not read.
func (w *Workspace) readTreeDir(dir string, most int) (files, folders []string, more bool, err error) {
	d, err := w.openBelow(dir)
	if err != nil {
		return nil, nil, false, err
	}
	defer d.Close()
	entries, err := d.ReadDir(most)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, false, err
	}
	if len(entries) == most {
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
	for _, name := range f.files[:f.shown] {
		b.WriteString(indent + PrintableName(name))
	}
	if f.hasMore || f.shown < len(f.files) {
		b.WriteString(indent + cut)
	}
	for _, sub := range f.folders {
		b.WriteString(indent + PrintableName(sub.name) + string(filepath.Separator))
		if !sub.isRead {
			b.WriteString(cut)
		}
		sub.draw(b, indent+"  ")
	}
	if len(f.folders) < len(f.subs) {
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
