package console

import (
	"slices"
	"strings"

	"pollux/internal/face/tui/styled"
)

// Limits of the output that is kept of commands that have ended.
const (
	keptRows    = 30 // the last ones of a command
	maxFinished = 8  // commands
)

// finished is the end of the output of a command that has ended.
type finished struct {
	pid  int
	rows []styled.Line
}

// keep keeps the last rows of a command whose screen closes, if they have colors. The caller holds c.mu.
func (c *Console) keep(f finished) {
	if !slices.ContainsFunc(f.rows, isStyled) {
		return
	}
	if c.finished = append(c.finished, f); len(c.finished) > maxFinished {
		c.finished = slices.Delete(c.finished, 0, 1)
	}
}

func isStyled(l styled.Line) bool {
	return slices.ContainsFunc(l, func(s styled.Span) bool { return !s.Style.IsZero() })
}

// Color gives the last lines of the plain output of a command that has ended the colors that they had on its screen. Lines that
// are not found there stay plain. It can be called once for a process.
func (c *Console) Color(pid int, texts []string) (lines []styled.Line) {
	for _, text := range texts {
		lines = append(lines, styled.Plain(styled.Text(text)))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	i := slices.IndexFunc(c.finished, func(f finished) bool { return f.pid == pid })
	if i < 0 {
		return lines
	}
	rows := c.finished[i].rows
	c.finished = slices.Delete(c.finished, i, i+1)
	for n := len(lines) - 1; n >= 0 && len(rows) > 0; n-- {
		text := lines[n].String()
		if from, to := find(rows, text); to > 0 {
			lines[n] = paint(text, slices.Concat(rows[from:to]...))
			rows = rows[:from]
		}
	}
	if c.hidesColors {
		for _, l := range lines {
			for i := range l {
				l[i].Style = styled.Style{Attrs: l[i].Style.Attrs}
			}
		}
	}
	return lines
}

// find returns the last rows that make up a line of output together, 0 for none. A program that moves the cursor leaves other
// blanks on the screen than in its plain output: they do not count.
func find(rows []styled.Line, text string) (from, to int) {
	text = squeeze(text)
	for to = len(rows); to > 0 && text != ""; to-- {
		rest := text
		for from = to; from > 0; {
			from--
			row := squeeze(rows[from].String())
			before, isEnd := strings.CutSuffix(rest, row)
			if !isEnd || row == "" {
				break
			}
			if rest = before; rest == "" {
				return from, to
			}
		}
	}
	return 0, 0
}

func squeeze(text string) string { return strings.ReplaceAll(text, " ", "") }

// paint returns a text in the styles of a row that differs from it in blanks only.
func paint(text string, row styled.Line) (line styled.Line) {
	add := func(b byte, s styled.Style) {
		if n := len(line); n > 0 && line[n-1].Style.Equal(&s) {
			line[n-1].Text += string([]byte{b})
			return
		}
		line = append(line, styled.Span{Text: string([]byte{b}), Style: s})
	}
	at := 0 // in the first span of row
	next := func() (b byte, s styled.Style, ok bool) {
		for len(row) > 0 && at == len(row[0].Text) {
			row, at = row[1:], 0
		}
		if len(row) == 0 {
			return 0, s, false
		}
		return row[0].Text[at], row[0].Style, true
	}
	for i := range len(text) {
		b, style, ok := next()
		for text[i] != ' ' && ok && b == ' ' {
			at++
			b, style, ok = next()
		}
		if ok && b == text[i] {
			at++
		} else {
			style = styled.Style{}
		}
		add(text[i], style)
	}
	return line
}
