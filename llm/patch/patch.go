// Package patch parses patches in the format that GPT models write:
//
//	*** Begin Patch
//	*** Update File: main.go
//	*** Move to: cmd/main.go
//	@@ func main() {
//	 	x := 1
//	-	print(x)
//	+	fmt.Println(x)
//	*** Add File: go.mod
//	+module x
//	*** Delete File: old.go
//	*** End Patch
//
// It accepts what models make of that: text before and after the patch, a missing end, "\r\n" line
// ends, empty lines in place of lines with a single space, and empty lines between files.
package patch

import (
	"fmt"
	"slices"
	"strings"
)

// Action is the kind of a change to a file.
type Action int

// The actions.
const (
	Update Action = iota
	Add
	Delete
)

// File is the change to one file.
type File struct {
	Action Action
	Path   string
	// MoveTo is the new path of an updated file, "" if it stays.
	MoveTo string
	// Content is the text of an added file.
	Content string
	Hunks   []Hunk
}

// Hunk is a change at one place of a file: lines without their ends, with the lines around the
// change, and the lines in their place.
type Hunk struct {
	// Anchors are lines above the place, such as that of a function, in their order.
	Anchors  []string
	Old, New []string
}

const (
	begin    = "*** Begin Patch"
	end      = "*** End Patch"
	endFile  = "*** End of File"
	updateAt = "*** Update File: "
	addAt    = "*** Add File: "
	deleteAt = "*** Delete File: "
	moveTo   = "*** Move to: "
)

// Parse parses a patch. It must change at least one file, and each hunk must have a line that is in the file
// before. An error names the line of the patch: that of *** Begin Patch is 1.
func Parse(text string) ([]File, error) {
	p := &parser{}
	for i, line := range lines(text) {
		p.line = i + 1
		if strings.TrimSpace(line) == begin {
			continue
		}
		if strings.TrimSpace(line) == end {
			break
		}
		if err := p.add(line); err != nil {
			return nil, err
		}
	}
	if len(p.files) == 0 {
		return nil, fmt.Errorf("the patch names no file: a file begins with %q", updateAt+"PATH")
	}
	return p.files, p.checkLast()
}

// lines returns the lines from the beginning of the patch on, without the rest of a here-document
// or of a fence behind a patch without end.
func lines(text string) []string {
	all := strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")
	if i := slices.IndexFunc(all, func(line string) bool { return strings.TrimSpace(line) == begin }); i > 0 {
		all = all[i:]
	}
	for n := len(all); n > 0; n-- {
		switch strings.TrimSpace(all[n-1]) {
		case "EOF", "PATCH", "END", "```", "":
			if !strings.HasPrefix(all[n-1], " ") {
				all = all[:n-1]
				continue
			}
		}
		break
	}
	return all
}

// parser parses the lines of one patch.
type parser struct {
	files    []File
	line     int   // number of the current line
	begins   int   // line of the last file
	hunks    []int // lines of the hunks of the last file
	isInHunk bool  // a line of a change came since the last anchor
	blank    int   // empty lines that have come: they count if more lines of the hunk follow
}

// checkLast returns the error of the last file, which is complete.
func (p *parser) checkLast() error {
	if len(p.files) == 0 {
		return nil
	}
	f := &p.files[len(p.files)-1]
	if f.Action == Update && len(f.Hunks) == 0 && f.MoveTo == "" {
		return errorAt(p.begins, "the patch changes nothing in %s", f.Path)
	}
	for n := range f.Hunks {
		switch h := &f.Hunks[n]; {
		case len(h.Old)+len(h.New) == 0:
			return errorAt(p.hunks[n], "hunk %d of %s is empty", n+1, f.Path)
		case len(h.Old) == 0:
			return errorAt(p.hunks[n], "hunk %d of %s only adds lines: it needs a line of the file before or after them, beginning with a space", n+1, f.Path)
		}
	}
	return nil
}

func errorAt(line int, format string, args ...any) error {
	return fmt.Errorf("line %d of the patch: "+format, append([]any{line}, args...)...)
}

func (p *parser) add(line string) error {
	for prefix, action := range map[string]Action{updateAt: Update, addAt: Add, deleteAt: Delete} {
		if path, found := strings.CutPrefix(line, prefix); found {
			if err := p.checkLast(); err != nil {
				return err
			}
			if path = strings.TrimSpace(path); path == "" {
				return errorAt(p.line, "the path is missing")
			}
			p.files = append(p.files, File{Action: action, Path: path})
			p.begins, p.hunks, p.isInHunk, p.blank = p.line, nil, false, 0
			return nil
		}
	}
	if len(p.files) == 0 {
		if strings.TrimSpace(line) == "" {
			return nil
		}
		return errorAt(p.line, "%q stands before the first file", line)
	}
	f := &p.files[len(p.files)-1]
	switch {
	case line == "":
		p.blank++
		return nil
	case f.Action == Delete:
		return errorAt(p.line, "%s is deleted, so that it has no lines", f.Path)
	case f.Action == Add:
		text, found := strings.CutPrefix(line, "+")
		if !found {
			return errorAt(p.line, "a line of a new file begins with +")
		}
		f.Content += strings.Repeat("\n", p.blank) + text + "\n"
		p.blank = 0
		return nil
	}
	return p.update(f, line)
}

// update adds a line to an updated file.
func (p *parser) update(f *File, line string) error {
	if path, found := strings.CutPrefix(line, moveTo); found && len(f.Hunks) == 0 {
		f.MoveTo = strings.TrimSpace(path)
		return nil
	}
	if strings.TrimSpace(line) == endFile {
		p.isInHunk, p.blank = false, 0
		return nil
	}
	if anchor, found := strings.CutPrefix(line, "@@"); found {
		if p.isInHunk || len(f.Hunks) == 0 {
			p.addHunk(f)
		}
		p.isInHunk, p.blank = false, 0
		if anchor = strings.TrimPrefix(anchor, " "); strings.TrimSpace(anchor) != "" {
			h := &f.Hunks[len(f.Hunks)-1]
			h.Anchors = append(h.Anchors, anchor)
		}
		return nil
	}
	if !p.isInHunk && (len(f.Hunks) == 0 || len(f.Hunks[len(f.Hunks)-1].Old)+len(f.Hunks[len(f.Hunks)-1].New) > 0) {
		p.addHunk(f)
	}
	h := &f.Hunks[len(f.Hunks)-1]
	if p.isInHunk {
		for ; p.blank > 0; p.blank-- {
			h.Old, h.New = append(h.Old, ""), append(h.New, "")
		}
	}
	p.isInHunk, p.blank = true, 0
	switch sign, text := line[0], line[1:]; sign {
	case ' ':
		h.Old, h.New = append(h.Old, text), append(h.New, text)
	case '-':
		h.Old = append(h.Old, text)
	case '+':
		h.New = append(h.New, text)
	default:
		return errorAt(p.line, "%q begins with none of space, + and -", line)
	}
	return nil
}

func (p *parser) addHunk(f *File) {
	f.Hunks = append(f.Hunks, Hunk{})
	p.hunks = append(p.hunks, p.line)
}
