package gallery

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/internal/terminal"
)

// themes are those of the golden screens.
func themes(t testing.TB) []theme.Theme {
	t.Helper()
	list := []theme.Theme{theme.NoColor()}
	for _, name := range []string{theme.DefaultDark, theme.DefaultLight} {
		th, ok := theme.Lookup(name)
		if !ok {
			t.Fatal("there is no theme ", name)
		}
		list = append(list, th)
	}
	return list
}

// TestScreens compares each scene with its golden file, which has for each width the text, and then for each theme the
// styles: "80 columns, Default: a bold #ffffff" describes the style a, and the lines below it, one for each line of the text,
// have the number of columns and the style of each span: "2.10a" is a plain span of 2 columns and one of 10 in style a.
// Themes that differ only in their colors share these lines.
func TestScreens(t *testing.T) {
	t.Parallel()
	total := 0
	for _, s := range Scenes() {
		got := goldenOf(t, s)
		total += len(got)
		golden.Check(t, s.Name+".txt", got)
	}
	if total > 600<<10 {
		t.Errorf("the golden files have %d bytes", total)
	}
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) != len(Scenes()) {
		t.Errorf("there are %d files for %d scenes: %v", len(files), len(Scenes()), err)
	}
}

// goldenOf returns the content of a golden file.
func goldenOf(t *testing.T, s Scene) string {
	t.Helper()
	var b strings.Builder
	for _, width := range []int{40, 80, 160} {
		text, runs := "", ""
		for i, th := range themes(t) {
			lines := s.Lines(width, th)
			if textOf(lines) != text || i == 0 {
				text = textOf(lines)
				fmt.Fprintf(&b, "%s== %d columns\n%s", runs, width, text)
				runs = ""
			}
			legend, next := stylesOf(lines)
			if next != runs {
				b.WriteString(runs)
			}
			fmt.Fprintf(&b, "== %d columns, %s:%s\n", width, th.Name, legend)
			runs = next
		}
		b.WriteString(runs)
	}
	return b.String()
}

func textOf(lines []styled.Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// stylesOf returns the names of the styles of lines in the order in which they occur, and a line with the spans of each.
func stylesOf(lines []styled.Line) (legend, runs string) {
	var known []string
	var b strings.Builder
	for _, l := range lines {
		last, n := "", 0
		flush := func() {
			if n > 0 {
				fmt.Fprintf(&b, "%d%s", n, last)
			}
			n = 0
		}
		for _, span := range l {
			letter := "."
			if name := styleName(span); name != "" {
				i := slices.Index(known, name)
				if i < 0 {
					i, known = len(known), append(known, name)
				}
				letter = string(rune('a' + i))
			}
			if letter != last {
				flush()
			}
			last, n = letter, n+terminal.Width(span.Text)
		}
		flush()
		b.WriteString("\n")
	}
	for i, name := range known {
		legend += fmt.Sprintf(" %c %s;", 'a'+i, name)
	}
	return strings.TrimSuffix(legend, ";"), b.String()
}

// styleName returns the name of the style of a span, "" for plain text.
func styleName(s styled.Span) string {
	var words []string
	for _, a := range []struct {
		attribute uint8
		name      string
	}{{styled.Bold, "bold"}, {styled.Faint, "faint"}, {styled.Italic, "italic"}, {styled.Reverse, "reverse"}, {styled.Strikethrough, "struck"}} {
		if s.Style.Attrs&a.attribute != 0 {
			words = append(words, a.name)
		}
	}
	if s.Style.Underline != uv.UnderlineNone {
		words = append(words, "underlined")
	}
	if s.Style.Fg != nil {
		r, g, b, _ := s.Style.Fg.RGBA()
		words = append(words, fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8))
	}
	if s.Style.Bg != nil {
		r, g, b, _ := s.Style.Bg.RGBA()
		words = append(words, fmt.Sprintf("on #%02x%02x%02x", r>>8, g>>8, b>>8))
	}
	if s.Link != "" {
		words = append(words, "link")
	}
	return strings.Join(words, " ")
}
