// Package patch writes changes of files as a patch in the format of git.
//
// A patch for people has no binary contents, but all modes, and directories. An exact one has all contents, and of the rest as much as
// git keeps, so that git apply makes the same changes to the same files elsewhere. Changes that git cannot have in a
// patch, or that are too large for one, are in neither: a line that begins with "#" names each with the reason, and git
// apply ignores that line.
package patch

import (
	"bytes"
	"cmp"
	"crypto/sha1"
	"crypto/sha256"
	"fmt"
	"hash"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/undo/content"
	"pollux/internal/undo/merge"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// Change is a path with its versions before and after.
type Change struct {
	Path          string // absolute
	Before, After Version
	// Note is a remark about the change, "" for none.
	Note string
}

// Version is a version in an operation of the log.
type Version struct {
	store.Version
	Place content.Place // of the content
	Text  *string       // the content if it has no place, else nil
}

// Options say how a patch is written.
type Options struct {
	// Name returns the name of a path in the patch; false leaves the path out.
	Name func(path string) (string, bool)
	// IsExact makes a patch that git apply takes.
	IsExact bool
	// IsText reports whether a text can be written as it is. Others are written as binary files are. Nil is for all.
	IsText func(text string) bool
	// IsSHA256 names contents by SHA-256, as the repository does to which the patch will be applied.
	IsSHA256 bool
}

// The largest contents, in bytes, that a patch for people and an exact one have. An exact one becomes not much larger than maxPatch.
const (
	maxShown = 1 << 20
	maxExact = 32 << 20
	maxPatch = 256 << 20
)

// Write writes the patch of changes, which have different paths, in their order. The files in git's own directories are
// left out.
func Write(w io.Writer, changes []Change, o Options) (*Summary, error) {
	p := &writer{Options: o, Summary: &Summary{}}
	for _, c := range changes {
		p.change(c)
		if p.err == nil {
			n, err := p.buffer.WriteTo(w)
			p.written, p.err = p.written+n, err
		}
		if p.err != nil {
			return p.Summary, p.err
		}
	}
	return p.Summary, nil
}

type writer struct {
	Options
	*Summary
	buffer  bytes.Buffer // of one change
	written int64
	err     error
}

// change writes one path.
func (p *writer) change(c Change) {
	if IsGit(c.Path) || p.modeOf(c.Before) == "" && p.modeOf(c.After) == "" {
		return
	}
	name, ok := p.Name(c.Path)
	if !ok {
		p.Outside++
		return
	}
	name = filepath.ToSlash(name)
	if hasSameContent(c.Before, c.After) {
		p.mode(name, c)
		return
	}
	if c.Note != "" {
		p.note(name, c.Note)
	}
	before, after := p.load(c.Before), p.load(c.After)
	switch {
	case before.problem != "":
		p.leaveOut(name, before.problem)
	case after.problem != "":
		p.leaveOut(name, after.problem)
	case p.IsExact && p.written > maxPatch:
		p.leaveOut(name, "the patch is larger than "+megabytes(maxPatch))
	case before.mode == after.mode && before.data == after.data:
		p.mode(name, c)
	case before.mode != "" && after.mode != "" && before.mode[:2] != after.mode[:2]: // a file for a link, or the reverse
		n := len(p.Files)
		p.file(name, before, body{})
		p.file(name, body{}, after)
		p.Files = append(p.Files[:n], merged(p.Files[n:]))
	default:
		p.file(name, before, after)
	}
}

// IsGit reports whether a path is that of a git repository, or in one.
func IsGit(path string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(path), "/"), func(name string) bool { return strings.EqualFold(name, ".git") })
}

// hasSameContent reports whether two versions are of a file that no one has written into in between.
func hasSameContent(a, b Version) bool {
	return a.State.Kind == state.Regular && b.State.Kind == state.Regular && a.State.Size == b.State.Size && a.State.Modified == b.State.Modified &&
		a.State.Inode == b.State.Inode && a.State.Inode != 0
}

// mode writes the modes of a path whose content is the same.
func (p *writer) mode(name string, c Change) {
	before, after := p.modeOf(c.Before), p.modeOf(c.After)
	if before != after {
		p.header(name)
		fmt.Fprintf(&p.buffer, "old mode %s\nnew mode %s\n", before, after)
		p.add(File{Name: name, Kind: Changed}, after)
		return
	}
	if x, y := c.Before.State, c.After.State; x.Kind == state.Regular && x.Mode != y.Mode {
		p.note(name, fmt.Sprintf("its mode was %04o and is %04o, which git does not keep", x.Mode, y.Mode))
	}
}

const directoryMode = "040000"

// modeOf returns the mode of a version as git writes it, "" for none. Git has no directories, and knows only whether a
// file can be executed.
func (p *writer) modeOf(v Version) string {
	switch {
	case v.State.Kind == state.Absent, v.State.Kind == state.Directory && p.IsExact:
		return ""
	case v.State.Kind == state.Directory:
		return directoryMode
	case v.State.Kind == state.Link:
		return "120000"
	case !p.IsExact:
		return fmt.Sprintf("100%03o", v.State.Mode&0o777)
	case v.State.Mode&0o100 != 0:
		return "100755"
	}
	return "100644"
}

// add adds a file to the summary. Directories do not count.
func (p *writer) add(f File, mode string) {
	if mode != directoryMode {
		p.Files = append(p.Files, f)
	}
}

// leaveOut writes why a path is not in the patch.
func (p *writer) leaveOut(name, why string) {
	p.LeftOut++
	p.note(name, why+", so the patch does not have it")
}

func (p *writer) note(name, text string) {
	fmt.Fprintf(&p.buffer, "# %s: %s\n", quote("", name), strings.Join(strings.Fields(text), " "))
}

func (p *writer) header(name string) {
	fmt.Fprintf(&p.buffer, "diff --git %s %s\n", quote("a/", name), quote("b/", name))
}

// file writes a file, which has two versions that differ, or one.
func (p *writer) file(name string, before, after body) {
	f := File{Name: name, Kind: Changed}
	from, to := quote("a/", name), quote("b/", name)
	p.header(name)
	unchanged := ""
	switch {
	case before.mode == "":
		f.Kind, from = Created, devNull
		fmt.Fprintf(&p.buffer, "new file mode %s\n", after.mode)
	case after.mode == "":
		f.Kind, to = Deleted, devNull
		fmt.Fprintf(&p.buffer, "deleted file mode %s\n", before.mode)
	case before.mode != after.mode:
		fmt.Fprintf(&p.buffer, "old mode %s\nnew mode %s\n", before.mode, after.mode)
	default:
		unchanged = " " + after.mode
	}
	x, y := before.data, after.data
	if !p.IsExact {
		if texts, _, isText := merge.Decode(x, y); isText {
			x, y = texts[0], texts[1]
		}
	}
	isBinary := !p.isText(x) || !p.isText(y)
	if p.IsExact && (before.data != after.data || f.Kind != Changed) {
		fmt.Fprintf(&p.buffer, "index %s..%s%s\n", p.id(before), p.id(after), unchanged)
	}
	switch {
	case before.data == after.data:
	case x == y:
		p.note(name, "its encoding has changed, and its text has not")
	case isBinary && p.IsExact:
		f.IsBinary = true
		writeBinary(&p.buffer, before.data, after.data)
	case isBinary:
		f.IsBinary = true
		fmt.Fprintf(&p.buffer, "Binary files %s and %s differ\n", from, to)
	default:
		fmt.Fprintf(&p.buffer, "--- %s\n+++ %s\n", ended(from), ended(to))
		f.Added, f.Removed = writeHunks(&p.buffer, x, y)
	}
	p.add(f, cmp.Or(after.mode, before.mode))
}

// devNull stands for a file that is not there.
const devNull = "/dev/null"

// isText reports whether a content can be shown line by line.
func (p *writer) isText(data string) bool {
	return strings.IndexByte(data, 0) < 0 && (p.IsText == nil || p.IsText(data))
}

// id returns the name that git has for a content, zeros for none.
func (p *writer) id(b body) string {
	h := newHash(p.IsSHA256)
	if b.mode == "" {
		return strings.Repeat("0", 2*h.Size())
	}
	fmt.Fprintf(h, "blob %d\x00%s", len(b.data), b.data)
	return fmt.Sprintf("%x", h.Sum(nil))
}

func newHash(isSHA256 bool) hash.Hash {
	if isSHA256 {
		return sha256.New()
	}
	return sha1.New()
}

// megabytes writes a limit, which is a number of them.
func megabytes(n int64) string { return strconv.FormatInt(n>>20, 10) + " MB" }
