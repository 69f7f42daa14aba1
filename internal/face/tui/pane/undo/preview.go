package undo

import (
	"strings"

	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/pane"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/manage/undo"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// preview is the effect of an undo, in clean texts.
type preview struct {
	problem      string // the error if there is no effect
	summary      string
	files        []string // a diffstat
	stays        []string
	notes        []string
	patch        []string
	canOverwrite bool
	keepsAll     bool // nothing would change
}

func newPreview(v *undo.Preview, err error) *preview {
	if err != nil {
		return &preview{problem: styled.Text(wording.Sentence(err))}
	}
	made := &preview{summary: styled.Text(v.Summary), canOverwrite: v.CanOverwrite, keepsAll: v.Paths == 0, files: diffstat(v.Files)}
	for _, text := range v.Stays {
		made.stays = append(made.stays, styled.Text(text))
	}
	for _, text := range v.Notes {
		made.notes = append(made.notes, styled.Text(text))
	}
	for line := range strings.Lines(v.Patch) {
		made.patch = append(made.patch, styled.Text(strings.TrimSuffix(line, "\n")))
	}
	return made
}

// diffstat aligns the columns of rows.
func diffstat(rows [][]string) (lines []string) {
	names, numbers := 0, 0
	for _, r := range rows {
		names, numbers = max(names, terminal.Width(styled.Text(r[0]))), max(numbers, len(r[1]))
	}
	const most = 40 // columns of a name, behind which the numbers are aligned
	for _, r := range rows {
		name := styled.Text(r[0])
		name += strings.Repeat(" ", max(0, min(names, most)-terminal.Width(name)))
		lines = append(lines, name+"  "+strings.Repeat(" ", numbers-len(r[1]))+r[1]+" "+r[2])
	}
	return lines
}

// about describes the effect of an undo of a change.
func (p *Pane) about(row, width, height int, t theme.Theme) (lines []styled.Line) {
	if row < 0 || row >= len(p.changes) || p.changes[row].IsUndone {
		return nil
	}
	v := p.previews[p.changes[row].Number]
	if v == nil {
		return []styled.Line{styled.Of("Looking at the files...", t.Secondary())}
	}
	lines = v.lines(width, height, t)
	if len(lines) > height {
		lines = append(lines[:max(height-1, 0)], styled.Of("...", t.Secondary()))
	}
	return lines
}

// lines returns the effect, the most important part first, in not many more than height lines.
func (v *preview) lines(width, height int, t theme.Theme) (lines []styled.Line) {
	add := func(text string, style styled.Style) {
		if len(lines) <= height {
			lines = append(lines, styled.Of(text, style).Wrap(max(width, 1), styled.Plain("  "))...)
		}
	}
	if v.problem != "" {
		add(v.problem, t.Error())
		return lines
	}
	if v.summary != "" {
		add("Takes back: "+v.summary, t.Text())
	}
	for _, text := range v.stays {
		add("Stays: "+text, t.Warning())
	}
	for _, text := range v.notes {
		add(text, t.Secondary())
	}
	for _, text := range v.files {
		if len(lines) <= height {
			lines = append(lines, styled.Of(text, t.Secondary()).Cut(width))
		}
	}
	return lines
}

// opensDiff opens the diff of the selected change if the key says so: the one that moves the cursor to the right, while there
// is no search in which it moves.
func (p *Pane) opensDiff(k keys.Key, b *keys.Bindings) bool {
	if _, ok := b.Match(k.Chord, keys.CursorRight); !ok || p.shows != nil || p.asks != nil || p.picker.Search() != "" || p.picker.Selected() < 0 {
		return false
	}
	_, v := p.selected()
	if v == nil || len(v.patch) == 0 {
		return false
	}
	p.shows = &diff{}
	return true
}

// diff shows the diff of a change.
type diff struct {
	pane.Pager
	width int // that the lines are made for
	theme string
}

// pressDiff takes a key while the diff is shown.
func (p *Pane) pressDiff(k keys.Key, b *keys.Bindings) pane.Outcome {
	if p.shows.Handle(k, b) {
		return pane.Changed{}
	}
	switch command, _ := b.Match(k.Chord, keys.BasicCancel, keys.CursorLeft, keys.BasicConfirm); command {
	case keys.BasicCancel, keys.CursorLeft:
		p.shows = nil
		return pane.Changed{}
	case keys.BasicConfirm:
		p.shows = nil
		return p.choose()
	}
	return pane.Ignored{}
}

// diffLines returns the screen with the diff.
func (p *Pane) diffLines(width, height int, t theme.Theme) []styled.Line {
	c, v := p.selected()
	if d := p.shows; d.Lines == nil || d.width != width || d.theme != t.Name {
		d.Lines, d.width, d.theme = v.diffLines(width, t), width, t.Name
	}
	hints := pane.Hints(width, t, p.o.Bindings, pane.Hint{Command: keys.BasicConfirm, Effect: "undo"}, pane.Hint{Command: keys.BasicCancel, Effect: "back"})
	if scroll := pane.ScrollHint(p.o.Bindings); scroll != "" {
		hints = append(hints, styled.Of(" · "+scroll, t.Secondary())...)
	}
	return pane.Frame(width, height, t, "What "+c.Name()+" has changed", hints, p.shows.View)
}

func (v *preview) diffLines(width int, t theme.Theme) (lines []styled.Line) {
	for _, text := range v.patch {
		lines = append(lines, styled.Of(text, patchStyle(text, t)).Cut(width))
	}
	for _, text := range v.notes {
		lines = append(lines, styled.Of(text, t.Secondary()).Wrap(width, nil)...)
	}
	return lines
}

// patchStyle returns the style of a line of a unified diff.
func patchStyle(line string, t theme.Theme) styled.Style {
	switch {
	case strings.HasPrefix(line, "diff "), strings.HasPrefix(line, "+++ "), strings.HasPrefix(line, "--- "):
		bold := t.Text()
		bold.Attrs |= styled.Bold
		return bold
	case strings.HasPrefix(line, "@@"):
		return t.Accent()
	case strings.HasPrefix(line, "+"):
		return t.Success()
	case strings.HasPrefix(line, "-"):
		return t.Error()
	case strings.HasPrefix(line, " "):
		return t.Text()
	}
	return t.Secondary()
}
