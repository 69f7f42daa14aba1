package transcript

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/face/kit"
	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/styled"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Limits of the lines of a call that are shown.
const (
	maxOutput = 15 // the last lines of an output
	maxDiff   = 50 // the first lines of a change

	maxKept = 32 << 10 // bytes of a changed file that are kept to highlight the change again in another width
)

// margin stands before lines of output.
const margin = "  "

// outputLines returns the last lines of the output of a process, of which omitted lines before the text are missing. pid is 0
// if there was none.
func (t *Transcript) outputLines(pid int, text string, omitted int) []styled.Line {
	texts, hidden := kit.LastLines(text, maxOutput)
	if len(texts) == 0 {
		return nil
	}
	lines := t.hiddenLines("first", hidden+omitted)
	if pid == 0 || t.Options.Color == nil {
		return append(lines, marginLines(texts, styled.Style{})...)
	}
	for _, l := range t.Options.Color(pid, texts) {
		lines = append(lines, trimRight(slices.Concat(styled.Plain(margin), l)))
	}
	return lines
}

// marginLines returns lines of output, which the terminal wraps.
func marginLines(texts []string, style styled.Style) (lines []styled.Line) {
	for _, text := range texts {
		lines = append(lines, trimRight(styled.Line{{Text: margin}, {Text: styled.Text(text), Style: style}}))
	}
	return lines
}

// remarkLines returns a text of Pollux about a call, wrapped at words behind a margin.
func (t *Transcript) remarkLines(text string) []styled.Line {
	return t.fit(func(t *Transcript) []styled.Line { return t.noteLines(margin, t.Look.Theme.Secondary(), text) })
}

// hiddenLines returns a line about so many lines that are not shown, which are the first or the last ones; nil for none.
func (t *Transcript) hiddenLines(which string, hidden int) []styled.Line {
	if hidden <= 0 {
		return nil
	}
	return t.fit(func(t *Transcript) []styled.Line { return []styled.Line{t.hiddenLine(which, hidden)} })
}

// hiddenLine returns a line about hidden lines for the width of the terminal.
func (t *Transcript) hiddenLine(which string, hidden int) styled.Line {
	key := cmp.Or(t.Options.ShowKey, "Ctrl+O")
	text := fmt.Sprintf("... %s %d lines hidden (%s to show) ...", which, hidden, key)
	if terminal.Width(margin+text) > t.width() {
		text = fmt.Sprintf("... %d hidden (%s) ...", hidden, key)
	}
	return styled.Line{{Text: margin}, {Text: text, Style: t.Look.Theme.Secondary()}}.Cut(t.width())
}

// savedLines returns a line about the file with a whole output, nil for none. The terminal wraps it, so that the path
// can be copied.
func (t *Transcript) savedLines(file string) []styled.Line {
	if file == "" {
		return nil
	}
	return marginLines([]string{"Output too long and was saved to: " + terminal.Line(file)}, t.Look.Theme.Secondary())
}

// diffLines returns the first lines of a change.
func (t *Transcript) diffLines(d *tool.DiffDisplay) []styled.Line {
	cut := *d
	hidden := 0
	if d.Before == nil && d.After != "" {
		cut.After, hidden = cutText(d.After, maxDiff)
	} else {
		cut.Diff, hidden = cutDiff(d.Diff, maxDiff)
	}
	change := diff.Change{DiffDisplay: cut}
	lines := t.changeLines(change)
	if len(d.After)+len(text(d.Before)) > maxKept {
		change.Before, change.After = nil, ""
	}
	if isNew := d.Before == nil && d.After != ""; !isNew && t.Options.DiffLayout != diff.One {
		lines = t.refit(lines, func(t *Transcript) []styled.Line { return t.changeLines(change) })
	}
	return append(lines, t.hiddenLines("last", hidden)...)
}

// changeLines returns the lines of a change for the width of the terminal.
func (t *Transcript) changeLines(c diff.Change) (lines []styled.Line) {
	for _, l := range c.Lines(diff.StylesOf(t.Look.Theme), t.Options.DiffLayout, t.width()) {
		lines = append(lines, trimRight(l))
	}
	return lines
}

// text returns the text that p points to, "" for none.
func text(p *string) string {
	if p == nil {
		return ""
	}
	return *p
}

// cutText returns the first lines of a text, and the number of the others.
func cutText(text string, most int) (first string, hidden int) {
	at := 0
	for range most {
		n := strings.IndexByte(text[at:], '\n')
		if n < 0 {
			return text, 0
		}
		at += n + 1
	}
	rest := text[at:]
	hidden = strings.Count(rest, "\n")
	if rest != "" && !strings.HasSuffix(rest, "\n") {
		hidden++
	}
	return text[:at], hidden
}

// cutDiff returns the beginning of a unified difference with its first changed or kept lines, and the number of the
// others.
func cutDiff(diff string, most int) (first string, hidden int) {
	shown, at, end, isBody := 0, 0, 0, false
	for line := range strings.Lines(diff) {
		at += len(line)
		switch {
		case strings.HasPrefix(line, "@@"):
			isBody = true
			continue
		case !isBody, strings.HasPrefix(line, `\`):
			continue
		}
		if shown == most {
			hidden++
			continue
		}
		shown, end = shown+1, at
	}
	if hidden == 0 {
		return diff, 0
	}
	return diff[:end], hidden
}
