package themes

import (
	"fmt"

	"pollux/internal/face/tui/diff"
	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

// sampleCode is the code of the preview.
const sampleCode = `// Greet returns a greeting.
func Greet(name string) string {
    if name == "" {
        return "Hello!"
    }
    return fmt.Sprintf("Hello, %s!", name[:20])
}`

// sampleBefore and sampleAfter are the text of the changed file of the preview, and sampleDiff is the change.
const (
	sampleBefore = "fmt.Println(\"Hello, \" + name)\n"
	sampleAfter  = "fmt.Printf(\"Hello, %s\\n\", name)\n"
	sampleDiff   = "@@ -1 +1 @@\n-" + sampleBefore + "+" + sampleAfter
)

// about returns the preview: code, and below it a change. If there is not enough room for all of it, code is left out.
func (p *Pane) about(_, width, height int, _ theme.Theme) []styled.Line {
	t := p.Preview()
	var lines []styled.Line
	if p.missing != "" {
		lines = styled.Of(p.missing, t.Warning()).Wrap(width, nil)
	}
	lines = append(lines, p.note(width, t)...)
	change := change(t)
	room := height - len(lines) - len(change)
	code := code(t)
	if room > len(code) {
		code = append(code, nil)
	}
	lines = append(lines, code[:max(0, min(len(code), room))]...)
	return append(lines, change...)
}

// note returns a warning about the selected theme, or explains why another one is shown; nil if there is nothing to say.
func (p *Pane) note(width int, t theme.Theme) []styled.Line {
	isDefault := p.of == theme.DefaultDark || p.of == theme.DefaultLight
	switch {
	case len(p.warnings) > 0:
		return styled.Of(styled.Text(p.warnings[0]), t.Warning()).Wrap(width, nil)
	case t.Name != p.of && isDefault:
		text := fmt.Sprintf("On this terminal it is %s: ui.autoThemeSwitching is on.", t.Name)
		return styled.Of(text, t.Secondary()).Wrap(width, nil)
	}
	return nil
}

// code returns the highlighted code.
func code(t theme.Theme) []styled.Line {
	var lines []styled.Line
	for i, tokens := range highlight.Lines("go", sampleCode) {
		line := styled.Line{{Text: fmt.Sprintf("%d  ", i+1), Style: t.Secondary()}}
		for _, token := range tokens {
			line = append(line, styled.Span{Text: token.Text, Style: t.Code(token.Kind)})
		}
		lines = append(lines, line)
	}
	return lines
}

// change returns the lines of the change.
func change(t theme.Theme) []styled.Line {
	before := sampleBefore
	d := tool.DiffDisplay{FileName: "hello.go", Diff: sampleDiff, Before: &before, After: sampleAfter}
	return diff.Change{DiffDisplay: d}.Unified(diff.StylesOf(t))
}
