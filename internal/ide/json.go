package ide

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"pollux/tool"
)

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
