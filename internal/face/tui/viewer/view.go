package viewer

import (
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/face/tui/viewer/rows"
)

// shownRow is a row on the screen.
type shownRow struct {
	place
	rows.Row
}

// margin is the width of the marks before the rows, if there is room for them.
const margin = 2

// View returns the screen: the rows of the conversation, and a line with the place, the search and the keys. It has exactly
// height lines.
func (v *Viewer) View(width, height int, t theme.Theme) pane.View {
	width, height = max(width, 1), max(height, 1)
	look := v.sheet.look
	const least = 16
	gutter := 0
	if width >= least {
		gutter = margin
	}
	look.Width, look.Theme, look.DiffLayout = width-gutter, t, v.layout.On(width)
	v.resize(look)
	v.show(max(height-1, 1))
	lines := make([]styled.Line, 0, height)
	marked := v.target()
	matches := highlighter{Viewer: v}
	for _, r := range v.shown {
		line := matches.line(r)
		if gutter > 0 {
			line = append(mark(marked.has(r), t), line...)
		}
		lines = append(lines, line)
	}
	if v.sheet.isEmpty() {
		lines = append(lines, styled.Of("The conversation is empty.", t.Secondary()).Cut(width))
	}
	for len(lines) < v.height {
		lines = append(lines, nil)
	}
	view := pane.View{Lines: lines}
	if height > 1 {
		v.addStatus(&view, width, t)
	}
	return view
}

// show lays out so many rows of the conversation.
func (v *Viewer) show(height int) {
	if height > 0 {
		v.height = height
	}
	v.settle()
	v.shown = v.shown[:0]
	if v.sheet.isEmpty() {
		return
	}
	p, ok := v.top, true
	for ; ok && len(v.shown) < v.height; p, ok = v.sheet.next(p) {
		v.shown = append(v.shown, shownRow{p, v.sheet.row(p)})
	}
}

// mark returns the margin of a row.
func mark(isMarked bool, t theme.Theme) styled.Line {
	if !isMarked {
		return styled.Plain("  ")
	}
	return styled.Line{{Text: "▌", Style: t.Active()}, {Text: " "}}
}

// highlighter adds the matches of the search to rows, from top to bottom.
type highlighter struct {
	*Viewer
	piece pieceKey
	found []match // in the piece, if isSet
	isSet bool
}

// line returns a row with its matches.
func (h *highlighter) line(r shownRow) styled.Line {
	s := h.search
	if s == nil {
		return r.Line
	}
	if piece := (pieceKey{r.item, r.piece}); !h.isSet || piece != h.piece {
		h.piece, h.isSet = piece, true
		h.found = s.finder.query.find(h.sheet.rows(r.item, r.piece))
	}
	line := r.Line
	for n, m := range h.found {
		isCurrent := s.hasCurrent && s.current == matchPlace{r.item, r.piece, n}
		for _, part := range m {
			if part.row == r.row {
				line = reversed(line, part.from, part.to, isCurrent)
			}
		}
	}
	return line
}

// reversed returns a line with some bytes of its text in reverse, and underlined if they are current.
func reversed(l styled.Line, from, to int, isCurrent bool) (out styled.Line) {
	at := 0
	for _, s := range l {
		start, end := min(max(from-at, 0), len(s.Text)), min(max(to-at, 0), len(s.Text))
		at += len(s.Text)
		for _, part := range []struct {
			text    string
			isMatch bool
		}{{s.Text[:start], false}, {s.Text[start:end], true}, {s.Text[end:], false}} {
			if part.text == "" {
				continue
			}
			one := s
			one.Text = part.text
			if part.isMatch {
				one.Style.Attrs ^= styled.Reverse
				if isCurrent {
					one.Style.Attrs |= styled.Bold
					one.Style.Underline = underlined
				}
			}
			out = append(out, one)
		}
	}
	return out
}
