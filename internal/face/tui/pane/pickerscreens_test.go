package pane

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/face/tui/field"
	"pollux/internal/face/tui/golden"
	"pollux/internal/face/tui/keys"
	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
)

// text returns a view as text, with the cursor.
func text(t *testing.T, v View, width, height int) string {
	t.Helper()
	var b strings.Builder
	if len(v.Lines) > height {
		t.Errorf("%d lines in %d", len(v.Lines), height)
	}
	for i, l := range v.Lines {
		if l.Width() > width {
			t.Errorf("%q is wider than %d", l, width)
		}
		line := strings.TrimRight(l.String(), " ")
		if v.HasCursor && i == v.Cursor.Row {
			line += fmt.Sprintf("   <- cursor at %d", v.Cursor.Column)
		}
		b.WriteString(line + "\n")
	}
	if v.HasCursor && (v.Cursor.Row >= len(v.Lines) || v.Cursor.Column >= width) {
		t.Errorf("the cursor is at %v", v.Cursor)
	}
	return b.String()
}

func about(p *Picker) func(row, width, height int, t theme.Theme) []styled.Line {
	return func(row, width, _ int, _ theme.Theme) []styled.Line {
		return []styled.Line{styled.Plain("About " + p.rows[row].Label), styled.Plain("second"), styled.Plain("third")}
	}
}

// TestScreens compares pickers with their golden screens.
func TestScreens(t *testing.T) {
	t.Parallel()
	b := keys.Default("linux")
	for _, width := range []int{40, 80, 160} {
		var all strings.Builder
		for _, c := range []struct {
			name, keys string
			height     int
			set        func(p *Picker)
		}{
			{"all", "", 24, nil},
			{"selected", "up", 24, nil},
			{"search", "a n", 24, nil},
			{"nothing", "x y", 24, nil},
			{"nothing, in its own words", "x y", 24, func(p *Picker) { p.Nothing = "There is no such fruit, and there never was one in all of this garden." }},
			{"low", "down", 10, nil},
			{"lower", "down", 6, nil},
			{"three", "down", 3, nil},
			{"two", "down", 2, nil},
			{"one", "down", 1, nil},
			{"without text about a row", "", 24, func(p *Picker) { p.About = nil }},
			{"field", "", 24, func(p *Picker) {
				p.Field, p.FieldLabel = &field.Field{}, "Color"
				p.Field.SetText("red", 3)
			}},
			{"field in one row", "", 1, func(p *Picker) { p.Field = &field.Field{Placeholder: "Value"} }},
			{"many", "pagedown", 12, func(p *Picker) {
				var rows []Row
				for i := range 50 {
					rows = append(rows, Row{Label: "row " + strconv.Itoa(i), Detail: strings.Repeat("x", i%5)})
				}
				p.SetRows(rows)
			}},
		} {
			p := NewPicker("Fruit", fruit())
			p.About = about(p)
			if c.set != nil {
				c.set(p)
			}
			press(p, strings.Fields(c.keys)...)
			foot := []styled.Line{styled.Plain("state"), Hints(width, theme.NoColor(), b, Hint{keys.BasicConfirm, "choose"}, Hint{keys.EditYank, "paste"}, Hint{keys.BasicCancel, "close"})}
			fmt.Fprintf(&all, "== %s\n%s", c.name, text(t, p.View(width, c.height, foot, theme.NoColor()), width, c.height))
		}
		golden.Check(t, "picker."+strconv.Itoa(width)+".txt", all.String())
	}
}

// TestFits checks that each size of the terminal has a view, whatever the rows, and that the selected row is in it.
func TestFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		texts := rapid.StringOfN(rapid.SampledFrom([]rune("ab -/漢é👍\x1b\n")), 0, 30, -1)
		rows := rapid.SliceOfN(rapid.Custom(func(r *rapid.T) Row {
			return Row{Label: "x" + texts.Draw(r, "label"), Detail: texts.Draw(r, "detail"), WhyNot: rapid.SampledFrom([]string{"", "", "no", "because it is\nso"}).Draw(r, "why")}
		}), 0, 20).Draw(r, "rows")
		p := NewPicker(texts.Draw(r, "title"), rows)
		if rapid.Bool().Draw(r, "has about") {
			p.About = about(p)
		}
		if rapid.Bool().Draw(r, "has field") {
			p.Field, p.FieldLabel = &field.Field{}, "label"
			p.Field.SetText(texts.Draw(r, "value"), 0)
		}
		for range rapid.IntRange(0, 12).Draw(r, "keys") {
			press(p, rapid.SampledFrom([]string{"up", "down", "a", "x", "pagedown", "home", "end", "backspace", "escape"}).Draw(r, "key"))
			width, height := rapid.IntRange(0, 60).Draw(r, "width"), rapid.IntRange(0, 14).Draw(r, "height")
			selected := p.Selected()
			v := p.View(width, height, []styled.Line{styled.Plain("state of things"), styled.Plain("hints of keys")}, theme.NoColor())
			text(t, v, width, height)
			if (len(v.Lines) == 0) != (width < 1 || height < 1) {
				r.Errorf("%d lines in %dx%d", len(v.Lines), width, height)
			}
			if p.Selected() != selected {
				r.Errorf("drawing selects %d, not %d", p.Selected(), selected)
			}
			isShown := slices.ContainsFunc(v.Lines, func(l styled.Line) bool { return strings.HasPrefix(l.String(), "❯") })
			if canSee := width > 1 && height > 2 && selected >= 0 && p.rows[selected].WhyNot == ""; canSee && !isShown {
				r.Errorf("the selected row %d is hidden in %dx%d", selected, width, height)
			}
		}
	})
}

// TestResize checks that a picker that was drawn in another width looks like a new one.
func TestResize(t *testing.T) {
	t.Parallel()
	p := NewPicker("Fruit", fruit())
	press(p, "up")
	for _, width := range []int{160, 40, 20, 80} {
		fresh := NewPicker("Fruit", fruit())
		press(fresh, "up")
		got, want := text(t, p.View(width, 24, nil, theme.NoColor()), width, 24), text(t, fresh.View(width, 24, nil, theme.NoColor()), width, 24)
		if got != want {
			t.Errorf("%s\nnot\n%s", got, want)
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	var rows []Row
	for i := range 500 {
		rows = append(rows, Row{Label: fmt.Sprintf("provider%d/model-%d.%d-flash", i%7, i, i%10), Detail: "1.05M, $1.25/$10"})
	}
	p, bindings := NewPicker("Models", rows), keys.Default("linux")
	for b.Loop() {
		p.Handle(keyOf("a"), bindings)
		p.View(80, 24, nil, theme.NoColor())
		p.Handle(keyOf("backspace"), bindings)
		p.View(80, 24, nil, theme.NoColor())
	}
}
