package pane

import (
	"cmp"
	"strings"

	"pollux/internal/face/tui/choice"
	"pollux/internal/face/tui/inline"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

const (
	marker = 2 // columns before the label of a row
	gap    = 2 // columns between a label and its detail
)

// arrange makes the list of the found rows for a width: one line for each row, with the details below each other if there
// is room for them.
func (p *Picker) arrange(width int) {
	room := max(width-marker, 1)
	labels, details := 0, 0
	for _, r := range p.rows {
		labels = max(labels, terminal.Width(r.Label))
		details = max(details, terminal.Width(cmp.Or(r.WhyNot, r.Detail)))
	}
	if labels+gap+details > room && details > 0 {
		details = min(details, room*4/9)
		labels = min(labels, max(room-gap-details, 1))
	}
	items := make([]choice.Item, len(p.found))
	for i, row := range p.found {
		r := p.rows[row]
		if cmp.Or(r.WhyNot, r.Detail) == "" {
			items[i].Label = cut(r.Label, room)
			continue
		}
		label := cut(r.Label, labels)
		left := room - gap - labels
		if left > 0 {
			label += strings.Repeat(" ", labels-terminal.Width(label))
		}
		items[i] = choice.Item{Label: label, Detail: cut(r.Detail, left), WhyNot: cut(r.WhyNot, left)}
		if r.WhyNot != "" {
			items[i].WhyNot = cmp.Or(items[i].WhyNot, " ")
		}
	}
	p.list, p.width = choice.New(items), width
	p.list.HasNumbers = false
}

// cut returns at most width columns of a text. A longer text ends in "…".
func cut(text string, width int) string {
	if width < 1 {
		return ""
	}
	return styled.Plain(text).Cut(width).String()
}

// View returns the picker in width columns and at most height rows. The lines of foot are below it; those that are too many
// are left out, from the first one.
func (p *Picker) View(width, height int, foot []styled.Line, t theme.Theme) View {
	var v View
	if height < 1 || width < 1 {
		return v
	}
	if p.width != width {
		selected := p.Selected()
		p.arrange(width)
		p.Select(selected)
	}
	if height > 3 && p.Title != "" {
		v.Lines = append(v.Lines, styled.Of(styled.Text(p.Title), t.Accent()).Cut(width))
	}
	if height > 1 || p.Field != nil {
		line, column := p.input(width, t)
		v.Cursor, v.HasCursor = inline.Position{Row: len(v.Lines), Column: column}, true
		v.Lines = append(v.Lines, line)
	}
	rest := height - len(v.Lines)
	foot = foot[max(0, len(foot)-max(0, (rest+1)/2)):]
	if rest < 2 {
		foot = nil
	}
	const airy = 12 // rows of a view that has an empty one before its foot
	if height >= airy && len(foot) > 0 {
		foot = append([]styled.Line{nil}, foot...)
	}
	v.Lines = append(v.Lines, p.body(width, rest-len(foot), t)...)
	for _, l := range foot {
		v.Lines = append(v.Lines, l.Cut(width))
	}
	return v
}

// input returns the line with the search, or with the field in its place, and the column of the cursor in it.
func (p *Picker) input(width int, t theme.Theme) (styled.Line, int) {
	f, prompt := &p.search, "> "
	if p.Field != nil {
		f, prompt = p.Field, p.FieldLabel+"> "
	}
	if n := terminal.Width(prompt); n > width/2 {
		prompt = "> "
	}
	indent := terminal.Width(prompt)
	if width < 2*indent {
		prompt, indent = "", 0
	}
	lines, cursor, _ := f.Lines(width-indent, 1, t)
	line := styled.Line{{Text: prompt, Style: t.Accent()}}
	if len(lines) > 0 {
		line = append(line, lines[0]...)
	}
	return line.Cut(width), max(0, min(cursor.Column+indent, width-1))
}

// body returns the list, and the area about the selected row below it.
func (p *Picker) body(width, height int, t theme.Theme) []styled.Line {
	if height < 1 {
		return nil
	}
	if len(p.found) == 0 {
		text := cmp.Or(p.Nothing, "No matches.")
		lines := styled.Of(styled.Text(text), t.Secondary()).Wrap(width, nil)
		return lines[:min(len(lines), height)]
	}
	about := p.about(width, max(height/2, height-len(p.found))-1, t)
	if len(about) == 0 {
		return p.list.Lines(width, height, t)
	}
	lines := p.list.Lines(width, height-len(about)-1, t)
	return append(append(lines, nil), about...)
}

// about returns the lines about the selected row.
func (p *Picker) about(width, height int, t theme.Theme) []styled.Line {
	if p.About == nil || height < 1 {
		return nil
	}
	lines := p.About(p.Selected(), width, height, t)
	lines = lines[:min(len(lines), height)]
	for i := range lines {
		lines[i] = lines[i].Cut(width)
	}
	return lines
}

// Hint is the key of a command with its effect.
type Hint struct {
	Command keys.Command
	Effect  string
}

// Hints returns the last line of a pane: the keys of commands. Commands without a key are left out.
func Hints(width int, t theme.Theme, b *keys.Bindings, hints ...Hint) styled.Line {
	var texts []string
	for _, h := range hints {
		if key := b.Hint(h.Command); key != "" {
			texts = append(texts, key+" "+h.Effect)
		}
	}
	return styled.Of(strings.Join(texts, " · "), t.Secondary()).Cut(max(width, 0))
}
