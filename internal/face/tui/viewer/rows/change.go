package rows

import (
	"strings"

	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/styled"
	"pollux/tool"
)

// maxChange is the number of bytes of a change from which on it is shown as plain text.
const maxChange = 64 << 10

// changePiece is some hunks of a change of a file.
type changePiece struct{ change diff.Change }

// diffSource returns the pieces of a change of a file: groups of hunks.
func diffSource(d *tool.DiffDisplay, isRejected bool) source {
	if d.Before == nil && d.After != "" {
		if len(d.After) > maxChange {
			return texts(d.After, output)
		}
		return one(&changePiece{diff.Change{DiffDisplay: *d, IsRejected: isRejected}})
	}
	var sources []source
	rest := d.Diff
	for {
		n := hunksLength(rest)
		part := rest[:n]
		if len(part) > maxChange {
			sources = append(sources, texts(part, output))
		} else {
			cut := *d
			cut.Diff, cut.After = part, ""
			sources = append(sources, one(&changePiece{diff.Change{DiffDisplay: cut, IsRejected: isRejected}}))
		}
		if rest = rest[n:]; rest == "" {
			return chain(sources...)
		}
	}
}

// hunksLength returns the length of the first hunks of a unified difference, about as much as a piece may have.
func hunksLength(text string) int {
	if len(text) <= usualPiece {
		return len(text)
	}
	if n := strings.Index(text[usualPiece:], "\n@@ "); n >= 0 {
		return usualPiece + n + 1
	}
	return len(text)
}

func (p *changePiece) size() int {
	if p.change.Diff == "" {
		return len(p.change.After)
	}
	return len(p.change.Diff)
}

func (p *changePiece) rows(l *Look) (rows []Row) {
	indent := styled.Plain(strings.Repeat(" ", p.change.Gutter()))
	for _, line := range p.change.Lines(diff.StylesOf(l.Theme), l.DiffLayout, l.Width) {
		rows = append(rows, l.fit(line, indent)...)
	}
	return rows
}
