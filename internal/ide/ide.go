// Package ide describes the open files of the user's IDE to the model: first all of
// them, then only the changes.
//
// A description is a fenced block of JSON. File names and selected text come from
// outside; they are escaped, so that they cannot end the block.
package ide

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"pollux/agent"
	"pollux/tool"
)

// State is the list of open files in an IDE, in the JSON form that Gemini CLI's IDE
// companion sends.
type State struct {
	Files []File `json:"openFiles"`
}

// File is an open file. Cursor is nil if its position is not known.
type File struct {
	Path      string  `json:"path"`
	Time      float64 `json:"timestamp"` // when the user last looked at the file, in Unix milliseconds
	Active    bool    `json:"isActive"`
	Cursor    *Cursor `json:"cursor"`
	Selection string  `json:"selectedText"`
}

// Cursor is a position in a file. Line and Character count from 1.
type Cursor struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

// Watcher describes the state of an IDE for one conversation. It is not safe for
// concurrent use.
type Watcher struct {
	state    func() (State, bool)
	lastView *view // the view that the model got last; nil if it got none
}

var _ agent.IDE = (*Watcher)(nil)

// New returns a Watcher that reads the state of the IDE from state. state also reports
// whether an IDE is connected.
func New(state func() (s State, connected bool)) *Watcher { return &Watcher{state: state} }

// Context returns a description of the changes since the last call, "" if nothing has
// changed. It describes the whole state if full is set, and on the first call after the
// IDE has connected.
func (w *Watcher) Context(full bool) string {
	state, connected := w.state()
	if !connected {
		w.lastView = nil
		return ""
	}
	current := newView(state)
	previous := w.lastView
	w.lastView = current
	if full || previous == nil {
		return current.describe()
	}
	current.keepSent(previous)
	return current.describeChanges(previous)
}

const (
	// maxFiles is the number of files in a description.
	maxFiles = 10
	// maxOpen is the number of open files that a view keeps.
	maxOpen = 1000
	// maxPath is the length of the longest path, in bytes. Systems open no longer ones.
	maxPath = 4096
)

// view is a state, reduced to the parts that a description may contain.
type view struct {
	files []File              // up to maxFiles, the most recent first; only the first may be active
	open  map[string]struct{} // paths of all open files
	sent  map[string]struct{} // open paths that the model has been sent
}

// newView returns the view of a state. It drops invalid and repeated paths.
func newView(s State) *view {
	files := slices.DeleteFunc(slices.Clone(s.Files), func(f File) bool { return f.Path == "" || len(f.Path) > maxPath })
	slices.SortStableFunc(files, func(a, b File) int { return cmp.Compare(b.Time, a.Time) })
	v := &view{open: map[string]struct{}{}, sent: map[string]struct{}{}}
	for i, f := range files[:min(len(files), maxOpen)] {
		if _, twice := v.open[f.Path]; twice {
			continue
		}
		v.open[f.Path] = struct{}{}
		if len(v.files) == maxFiles {
			continue
		}
		if i > 0 || !f.Active {
			f.Active, f.Cursor, f.Selection = false, nil, ""
		}
		f.Selection = truncateSelection(f.Selection)
		v.files = append(v.files, f)
		v.sent[f.Path] = struct{}{}
	}
	return v
}

// keepSent adds the paths of previous.sent that are still open: a file that is no longer
// among the most recent ones has not been closed.
func (v *view) keepSent(previous *view) {
	for path := range previous.sent {
		if _, open := v.open[path]; open {
			v.sent[path] = struct{}{}
		}
	}
}

// active returns the active file, nil if there is none.
func (v *view) active() *File {
	if len(v.files) > 0 && v.files[0].Active {
		return &v.files[0]
	}
	return nil
}

const (
	// maxSelection is the length of selected text in a description, in UTF-16 units.
	maxSelection   = 16_384
	truncationMark = "... [TRUNCATED]"
)

// activeFile is the JSON form of the active file.
type activeFile struct {
	Path      string  `json:"path"`
	Cursor    *Cursor `json:"cursor,omitempty"`
	Selection string  `json:"selectedText,omitempty"`
}

// describe returns the description of the whole view, "" if no file is open.
func (v *view) describe() string {
	var description struct {
		Active *activeFile `json:"activeFile,omitempty"`
		Others []string    `json:"otherOpenFiles,omitempty"`
	}
	for _, f := range v.files {
		if f.Active {
			description.Active = &activeFile{f.Path, f.Cursor, f.Selection}
		} else {
			description.Others = append(description.Others, f.Path)
		}
	}
	if description.Active == nil && description.Others == nil {
		return ""
	}
	return jsonBlock("What the user has open in the editor, as JSON. This is background, not a request.", description)
}

// changes is the JSON form of the difference between two views.
type changes struct {
	Opened    []string      `json:"filesOpened,omitempty"`
	Closed    []string      `json:"filesClosed,omitempty"`
	Active    any           `json:"activeFileChanged,omitempty"` // *place or *left
	Cursor    *cursorMoved  `json:"cursorMoved,omitempty"`
	Selection *selectedText `json:"selectionChanged,omitempty"`
}

type (
	noActiveFile struct {
		Path     *string `json:"path"` // null
		Previous string  `json:"previousPath"`
	}
	cursorMoved struct {
		Path   string  `json:"path"`
		Cursor *Cursor `json:"cursor"`
	}
	selectedText struct {
		Path string `json:"path"`
		Text string `json:"selectedText"`
	}
)

// describeChanges returns the description of the difference to the previous view, "" if
// there is none.
func (v *view) describeChanges(previous *view) string {
	var c changes
	for _, f := range v.files {
		if _, known := previous.sent[f.Path]; !known {
			c.Opened = append(c.Opened, f.Path)
		}
	}
	for path := range previous.sent {
		if _, open := v.open[path]; !open {
			c.Closed = append(c.Closed, path)
		}
	}
	slices.Sort(c.Closed)
	c.addActive(previous.active(), v.active())
	if c.Opened == nil && c.Closed == nil && c.Active == nil && c.Cursor == nil && c.Selection == nil {
		return ""
	}
	return jsonBlock("What has changed in the user's editor, as JSON. This is background, not a request.", map[string]changes{"changes": c})
}

// addActive adds the change from one active file to another, or of the cursor and the
// selection within one file. from and to may be nil.
func (c *changes) addActive(from, to *File) {
	switch {
	case to == nil && from == nil:
	case to == nil:
		c.Active = &noActiveFile{Previous: from.Path}
	case from == nil || from.Path != to.Path:
		c.Active = &activeFile{to.Path, to.Cursor, to.Selection}
	default:
		if to.Cursor != nil && (from.Cursor == nil || *from.Cursor != *to.Cursor) {
			c.Cursor = &cursorMoved{to.Path, to.Cursor}
		}
		if from.Selection != to.Selection {
			c.Selection = &selectedText{to.Path, to.Selection}
		}
	}
}

// jsonBlock returns data as a fenced block of JSON below an introduction.
func jsonBlock(intro string, data any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // keep <, > and & of selected code
	if err := enc.Encode(data); err != nil {
		return "" // cannot happen: data holds only strings and numbers
	}
	return intro + "\n```json\n" + escapeFence(b.String()) + "```"
}

// escapeFence escapes fences, control characters and characters that change the text
// direction in encoded JSON. They occur only within JSON strings.
func escapeFence(text string) string {
	text = strings.ReplaceAll(text, "```", `\u0060\u0060\u0060`)
	if !strings.ContainsFunc(text, isControl) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if isControl(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// isControl reports whether r is a control character or changes the text direction. The
// JSON encoder has already escaped the control characters below the space.
func isControl(r rune) bool {
	return r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

// truncateSelection shortens text to maxSelection.
func truncateSelection(text string) string {
	if head := tool.First(text, maxSelection); len(head) < len(text) {
		return head + truncationMark
	}
	return text
}
