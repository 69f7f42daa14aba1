// Package diff shows the change of a file as lines of the screen: the changed lines with those around them, numbered, with
// the changed words of a line emphasized. A new file is shown as its text.
package diff

import (
	"strconv"
	"strings"

	uv "github.com/charmbracelet/ultraviolet"

	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Styles are the styles of a change.
type Styles struct {
	Added, Removed         styled.Style                      // of changed lines
	AddedWord, RemovedWord styled.Style                      // of changed words in them
	Number                 styled.Style                      // of line numbers and signs
	Gap                    styled.Style                      // of the rule between hunks
	Code                   func(highlight.Kind) styled.Style // of text; its background is not used
}

// StylesOf returns the styles of a theme.
func StylesOf(t theme.Theme) Styles {
	word := styled.Style{Attrs: styled.Bold, Underline: uv.UnderlineSingle}
	return Styles{
		Added: t.DiffAdded(), Removed: t.DiffRemoved(), AddedWord: word, RemovedWord: word, Number: t.Secondary(), Gap: t.Border(), Code: t.Code,
	}
}

// Change is a change to show.
type Change struct {
	tool.DiffDisplay
	// IsRejected is set for a change that is not made. Its text has no colors.
	IsRejected bool
}

// Unified returns the change in one column, a line of the screen for each line of text, however long it is. A line that is
// too wide can be wrapped behind [Change.Gutter] columns.
func (c Change) Unified(s Styles) []styled.Line { return newPainter(c, s).unified() }

func (p *painter) unified() (lines []styled.Line) {
	for i, h := range p.hunks {
		if i > 0 {
			lines = append(lines, p.gap(h, p.hunks[i-1])...)
		}
		partners := h.pairs()
		for j, l := range h.lines {
			var partner *line
			if partners[j] >= 0 {
				partner = &h.lines[partners[j]]
			}
			lines = append(lines, append(p.gutter(l.kind, l.number()), p.text(l, partner)...))
		}
	}
	if len(lines) == 0 {
		lines = []styled.Line{styled.Of("No changes detected.", p.styles.Number)}
	}
	return lines
}

// Gutter returns the width of the numbers and signs before the text of each line.
func (c Change) Gutter() int { return newPainter(c, Styles{}).gutterWidth() }

func (c Change) isNew() bool { return c.Before == nil && c.After != "" }

// Head returns the path and the numbers of added and removed lines: "path +3 -1".
func (c Change) Head(path string, s Styles) styled.Line {
	plus, minus := c.counts()
	return styled.Line{
		{Text: styled.Text(path) + " "},
		{Text: "+" + strconv.Itoa(plus), Style: s.Added},
		{Text: " "},
		{Text: "-" + strconv.Itoa(minus), Style: s.Removed},
	}
}

// counts returns the numbers of added and removed lines.
func (c Change) counts() (plus, minus int) {
	for _, h := range c.hunks() {
		for _, l := range h.lines {
			switch {
			case l.kind == added, c.isNew():
				plus++
			case l.kind == removed:
				minus++
			}
		}
	}
	return plus, minus
}

// hunks returns the parts of the change that are shown: the whole text of a new file.
func (c Change) hunks() []hunk {
	if !c.isNew() {
		return parse(c.Diff)
	}
	var h hunk
	for text := range strings.Lines(c.After) {
		h.lines = append(h.lines, line{kind: kept, new: len(h.lines) + 1, text: strings.TrimRight(text, "\r\n")})
	}
	return []hunk{h}
}

// gap is the rule between two hunks: a double one if more than five lines lie between them.
func (p *painter) gap(h, before hunk) []styled.Line {
	if len(h.lines) == 0 || len(before.lines) == 0 {
		return nil
	}
	rule := "─"
	if h.first()-before.last() > 6 {
		rule = "═"
	}
	return []styled.Line{styled.Of(strings.Repeat(rule, p.gutterWidth()+10), p.styles.Gap)}
}

// first returns the number of the first line of a hunk in the old version, or the new one if the old one lacks it.
func (h hunk) first() int { return max(h.lines[0].old, h.lines[0].new) }

func (h hunk) last() int {
	l := h.lines[len(h.lines)-1]
	return max(l.old, l.new)
}

// safe returns a line of a file as the screen can show it.
func safe(text string) string {
	if len(text) > maxLine {
		text = text[:maxLine-terminal.PartialRune([]byte(text[:maxLine]))] + "…"
	}
	return styled.Text(text)
}

// maxLine is the number of bytes of a line that are shown.
const maxLine = 16 << 10
