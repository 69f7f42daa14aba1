// Package report describes an operation of the undo log: for programs and faces, which files have changed and by how many
// lines, and for models a short text, with the differences if these are small.
package report

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/undo/content"
	"pollux/internal/undo/merge"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/tool"
)

// Limits of the contents that are read to count the lines of an operation: bytes of a version, bytes of all, and files.
const (
	maxFile  = 1 << 20
	maxBytes = 4 << 20
	maxFiles = 200
)

// Reporter describes operations.
type Reporter struct {
	Store *store.Store
	// Root is the directory of the workspace, absolute and without links.
	Root string
	// IsHidden reports whether models may not see the content of a file. Mask replaces the secrets in a text.
	IsHidden func(path string) bool
	Mask     func(text string) string
	// TakenBack reports whether the change of a file was taken back since; nil for none.
	TakenBack func(path string) bool
}

// Changes returns the changes of an operation, nil if no file has another content or other attributes than before it.
func (r *Reporter) Changes(o *store.Operation) *tool.Changes {
	c, _ := r.describe(o, true)
	return c
}

// Edit returns the changes of an operation by an edit, which has counted the lines. It reads nothing.
func (r *Reporter) Edit(o *store.Operation, lines tool.LineChange) *tool.Changes {
	c, entries := r.describe(o, false)
	if c == nil {
		return nil
	}
	c.Added, c.Removed, c.Uncounted = lines.Added, lines.Removed, 0
	if len(entries) == 1 {
		c.Files[0].Added, c.Files[0].Removed = lines.Added, lines.Removed
	}
	return c
}

// ForModel returns [Reporter.Changes] with the text for the model. With mayDiff, it has the differences if they are short. There is no text about a
// command that has changed only the repository, as one of git does, unless another ran at the same time.
func (r *Reporter) ForModel(o *store.Operation, mayDiff bool) *tool.Changes {
	c, entries := r.describe(o, true)
	if c == nil {
		return nil
	}
	isPlain := c.Repository == tool.FileChanged && len(c.Beside) == 0
	if len(entries) > 0 || c.Repository != "" && !isPlain {
		c.Report = r.text(c, entries, mayDiff)
	}
	return c
}

// entry is a file that has changed, or a directory without others that have.
type entry struct {
	step        *revert.Step
	name        string // see [tool.FileChange]
	change      tool.Change
	isTakenBack bool
	isCounted   bool // its lines
	added       int
	removed     int
}

// describe returns the changes of an operation, and those that remain.
func (r *Reporter) describe(o *store.Operation, mayRead bool) (*tool.Changes, []entry) {
	c := &tool.Changes{Operation: o.Number, Beside: o.Beside}
	var repository repository
	steps := revert.Show(r.Store, []*store.Operation{o}).Steps
	entries := make([]entry, 0, len(steps))
	for i := range steps {
		s := &steps[i]
		isTakenBack := r.TakenBack != nil && r.TakenBack(s.Path)
		if !repository.note(s, isTakenBack) {
			entries = append(entries, entry{step: s, name: r.name(s.Path), change: changeOf(s), isTakenBack: isTakenBack})
		}
	}
	c.Repository = repository.change()
	entries = withoutParents(count(entries, mayRead))
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		if e.isTakenBack {
			c.TakenBack++
		}
		return e.isTakenBack
	})
	for i := range entries {
		add(c, &entries[i])
	}
	c.Files = named(entries)
	if c.Total() == 0 && c.TakenBack == 0 && c.Repository == "" {
		return nil, nil
	}
	return c, entries
}

// add counts an entry.
func add(c *tool.Changes, e *entry) {
	switch e.change {
	case tool.FileCreated:
		c.Created++
	case tool.FileDeleted:
		c.Deleted++
	default:
		c.Changed++
	}
	if !e.isCounted {
		c.Uncounted++
	}
	if e.step.To.IsLost() {
		c.Lost++
	}
	c.Added += e.added
	c.Removed += e.removed
}

func changeOf(s *revert.Step) tool.Change {
	switch {
	case s.To.State.Kind == state.Absent:
		return tool.FileCreated
	case s.From.State.Kind == state.Absent:
		return tool.FileDeleted
	}
	return tool.FileChanged
}

// name returns the name of a path, as [tool.FileChange] has it.
func (r *Reporter) name(path string) string {
	if rel, err := filepath.Rel(r.Root, path); err == nil && filepath.IsLocal(rel) {
		path = rel
	}
	return strings.ToValidUTF8(filepath.ToSlash(path), "\uFFFD")
}

// withoutParents returns the entries without the directories that were created or deleted together with a file in them, and
// marks the names of the others.
func withoutParents(entries []entry) []entry {
	parents := map[string]bool{}
	for i := range entries {
		if e := &entries[i]; !e.isDirectory() {
			for dir := filepath.Dir(e.step.Path); !parents[dir]; dir = filepath.Dir(dir) {
				parents[dir] = true
			}
		}
	}
	for _, e := range slices.Backward(entries) { // the deepest of the empty ones stay
		if e.isDirectory() && !parents[e.step.Path] {
			for dir := filepath.Dir(e.step.Path); !parents[dir]; dir = filepath.Dir(dir) {
				parents[dir] = true
			}
		}
	}
	entries = slices.DeleteFunc(entries, func(e entry) bool {
		return e.isDirectory() && e.change != tool.FileChanged && parents[e.step.Path]
	})
	for i := range entries {
		if entries[i].isDirectory() {
			entries[i].name += "/"
		}
	}
	return entries
}

// isDirectory reports whether the entry was, or is, a directory and nothing else.
func (e *entry) isDirectory() bool {
	isFile := func(s state.State) bool { return s.Kind != state.Directory && s.Kind != state.Absent }
	return !isFile(e.step.From.State) && !isFile(e.step.To.State)
}

// named returns the files to name: those nearest to the top, sorted by name.
func named(entries []entry) (list []tool.FileChange) {
	byDepth := make([]int, len(entries))
	for i := range byDepth {
		byDepth[i] = i
	}
	if len(entries) > tool.MaxChangedFiles {
		depth := func(i int) int { return strings.Count(strings.TrimSuffix(entries[i].name, "/"), "/") }
		slices.SortStableFunc(byDepth, func(i, j int) int { return depth(i) - depth(j) })
		byDepth = byDepth[:tool.MaxChangedFiles]
		slices.Sort(byDepth)
	}
	for _, i := range byDepth {
		e := &entries[i]
		list = append(list, tool.FileChange{Path: e.name, Change: e.change, Added: e.added, Removed: e.removed})
	}
	return list
}

// count counts the lines of the entries, and returns those that have changed. Where there are too many to read, those that
// exist before and after come first.
func count(entries []entry, mayRead bool) []entry {
	b := budget{isOff: !mayRead}
	isSame := make([]bool, len(entries))
	for _, isFirst := range []bool{true, false} {
		for i := range entries {
			if e := &entries[i]; (e.change == tool.FileChanged) == isFirst {
				isSame[i] = b.count(e)
			}
		}
	}
	kept := entries[:0]
	for i, e := range entries {
		if !isSame[i] {
			kept = append(kept, e)
		}
	}
	return kept
}

// budget is the number of files and bytes that may still be read.
type budget struct {
	isOff bool
	files int
	bytes int64
}

// count counts the lines of an entry, if it may still be read. isSame reports that nothing but its times has changed.
func (b *budget) count(e *entry) (isSame bool) {
	before, after := &e.step.To, &e.step.From
	isLike := before.State.HasAttributes(after.State)
	if isLike && before.State.Size == after.State.Size && before.Sum == after.Sum && before.Sum != (content.Sum{}) {
		return true
	}
	size := before.State.Size + after.State.Size
	if e.isCounted = e.isDirectory(); e.isCounted {
		return false
	}
	if b.isOff || b.files >= maxFiles || b.bytes+size > maxBytes {
		return false
	}
	b.files++
	b.bytes += size
	x, ok := before.Data(maxFile)
	y, also := after.Data(maxFile)
	if !ok || !also {
		return false
	}
	if bytes.Equal(x, y) {
		e.isCounted = true
		return isLike
	}
	texts := []string{string(x), string(y)}
	e.isCounted = !merge.IsWide(texts[0]) && !merge.IsWide(texts[1])
	if !e.isCounted {
		texts, _, e.isCounted = merge.Decode(texts...)
	}
	if e.isCounted {
		e.added, e.removed = countLines(texts[0], texts[1])
	}
	return false
}
