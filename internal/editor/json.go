package editor

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxSelection is how much of the selected text is told, in characters
	// (UTF-16 units).
	maxSelection = 16_384
	truncated    = "... [TRUNCATED]"
)

// place is the file that the user is in.
type place struct {
	Path      string  `json:"path"`
	Cursor    *Cursor `json:"cursor,omitempty"`
	Selection string  `json:"selectedText,omitempty"`
}

// whole tells everything.
func (v *view) whole() string {
	var all struct {
		Active *place   `json:"activeFile,omitempty"`
		Others []string `json:"otherOpenFiles,omitempty"`
	}
	for _, f := range v.files {
		if f.Active {
			all.Active = &place{f.Path, f.Cursor, f.Selection}
		} else {
			all.Others = append(all.Others, f.Path)
		}
	}
	if all.Active == nil && all.Others == nil {
		return ""
	}
	return block("What the user has open in the editor, as JSON. This is background, not a request.", all)
}

// changes has a key for each kind of change that there is.
type changes struct {
	Opened    []string      `json:"filesOpened,omitempty"`
	Closed    []string      `json:"filesClosed,omitempty"`
	Active    any           `json:"activeFileChanged,omitempty"` // *place or *left
	Cursor    *cursorMoved  `json:"cursorMoved,omitempty"`
	Selection *selectedText `json:"selectionChanged,omitempty"`
}

type (
	left struct {
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

// since tells what is not as it was before.
func (v *view) since(before *view) string {
	var c changes
	for _, f := range v.files {
		if _, known := before.told[f.Path]; !known {
			c.Opened = append(c.Opened, f.Path)
		}
	}
	for path := range before.told {
		if _, open := v.open[path]; !open {
			c.Closed = append(c.Closed, path)
		}
	}
	slices.Sort(c.Closed)
	c.move(before.active(), v.active())
	if c.Opened == nil && c.Closed == nil && c.Active == nil && c.Cursor == nil && c.Selection == nil {
		return ""
	}
	return block("What has changed in the user's editor, as JSON. This is background, not a request.", map[string]changes{"changes": c})
}

// move says where the user has gone, from one active file to another or within
// one; either may be nil.
func (c *changes) move(from, to *File) {
	switch {
	case to == nil && from == nil:
	case to == nil:
		c.Active = &left{Previous: from.Path}
	case from == nil || from.Path != to.Path:
		c.Active = &place{to.Path, to.Cursor, to.Selection}
	default:
		if to.Cursor != nil && (from.Cursor == nil || *from.Cursor != *to.Cursor) {
			c.Cursor = &cursorMoved{to.Path, to.Cursor}
		}
		if from.Selection != to.Selection {
			c.Selection = &selectedText{to.Path, to.Selection}
		}
	}
}

// block writes data under a sentence that introduces it.
func block(intro string, data any) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false) // selected code should read as code
	if err := enc.Encode(data); err != nil {
		return "" // structs of strings and numbers: they can be encoded
	}
	return intro + "\n```json\n" + harmless(b.String()) + "```"
}

// harmless escapes in JSON what could end the block for a lenient reader, or
// change how the text around it is shown. All of it can only stand in strings.
func harmless(text string) string {
	text = strings.ReplaceAll(text, "```", `\u0060\u0060\u0060`)
	if !strings.ContainsFunc(text, draws) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if draws(r) {
			fmt.Fprintf(&b, `\u%04x`, r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// draws reports whether r does something other than stand there. (What is
// below a space the encoder has escaped.)
func draws(r rune) bool {
	return r >= 0x7f && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
}

// cut shortens selected text to what is told of it.
func cut(text string) string {
	if len(text) <= maxSelection {
		return text
	}
	units := 0
	for i, r := range text {
		if units++; r > 0xffff {
			units++
		}
		if units > maxSelection {
			return strings.Clone(text[:i]) + truncated // the rest may be long
		}
	}
	return text
}
