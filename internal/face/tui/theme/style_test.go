package theme

import (
	"slices"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"

	"pollux/internal/face/tui/highlight"
	"pollux/internal/face/tui/styled"
)

// TestPlainStyles checks that a theme without colors has none, and that states still differ.
func TestPlainStyles(t *testing.T) {
	t.Parallel()
	for _, th := range []Theme{NoColor(), {}, NoColor().On(hex("000"))} {
		styles := map[string]styled.Style{
			"text": th.Text(), "secondary": th.Secondary(), "link": th.Link(), "accent": th.Accent(), "error": th.Error(),
			"warning": th.Warning(), "selected": th.Selected(),
		}
		for a, x := range styles {
			for b, y := range styles {
				if a != b && x.Equal(&y) {
					t.Errorf("%s looks like %s", a, b)
				}
			}
		}
		for name, s := range map[string]styled.Style{
			"success": th.Success(), "active": th.Active(), "focus": th.Focus(), "added": th.DiffAdded(),
			"removed": th.DiffRemoved(), "border": th.Border(), "comment": th.Comment(), "dark": th.Dark(),
		} {
			styles[name] = s
			if s.IsZero() {
				t.Errorf("%s looks like text", name)
			}
		}
		if x, y := th.DiffAdded(), th.DiffRemoved(); x.Equal(&y) {
			t.Error("added lines look like removed ones")
		}
		for k := range codeKinds {
			styles["code"+string("0123456789"[k])] = th.Code(k)
		}
		for name, s := range map[string]styled.Style{"response": th.Response(), "symbol": th.Symbol(), "input": th.Input(), "message": th.Message()} {
			styles[name] = s
		}
		for name, s := range styles {
			if s.Fg != nil || s.Bg != nil || s.UnderlineColor != nil {
				t.Errorf("%s has a color: %+v", name, s)
			}
		}
		if keyword, comment, text := th.Code(highlight.Keyword), th.Code(highlight.Comment), th.Code(highlight.String); keyword.Equal(&comment) || !text.IsZero() {
			t.Error(keyword, comment, text)
		}
	}
	if s := NoColor().Link(); s.Underline != uv.UnderlineSingle {
		t.Error(s)
	}
}

func TestStyles(t *testing.T) {
	t.Parallel()
	th := builtin("Default")
	for _, tt := range []struct {
		name  string
		style styled.Style
		want  string // foreground and background
	}{
		{"text", th.Text(), "ffffff -"},
		{"response", Theme{Kind: Dark, Colors: Colors{Response: hex("123")}}.Response(), "112233 -"},
		{"secondary", th.Secondary(), "afafaf -"},
		{"accent", th.Accent(), "d7afff -"},
		{"link", th.Link(), "87afff -"},
		{"comment", th.Comment(), "afafaf -"},
		{"symbol", th.Symbol(), "87d7d7 -"},
		{"active", th.Active(), "87afff -"},
		{"dark", th.Dark(), "878787 -"},
		{"focus", th.Focus(), "d7ffd7 -"},
		{"border", th.Border(), "878787 -"},
		{"error", th.Error(), "ff87af -"},
		{"success", th.Success(), "d7ffd7 -"},
		{"warning", th.Warning(), "ffffaf -"},
		{"selected", th.Selected(), "d7ffd7 005f00"},
		{"input", th.Input(), "ffffff 5f5f5f"},
		{"message", builtin(DefaultLight).Message(), "000000 fafafa"},
		{"added", th.DiffAdded(), "ffffff 005f00"},
		{"removed", th.DiffRemoved(), "ffffff 5f0000"},
	} {
		if got := digits(tt.style.Fg, tt.style.Bg); got != tt.want || tt.style.Attrs != 0 || tt.style.Underline != 0 {
			t.Errorf("%s: %s, %+v; want %s", tt.name, got, tt.style, tt.want)
		}
	}
}

func TestOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ theme, background, want string }{ // background, message, input, selection, border, dark
		{"Default", "000000", "000000 1c1c1c 2a2a2a 2b332b 464646 464646"},
		{"Default", "101820", "101820 293037 363c42 384645 505459 505459"},
		{"Default", "ffffff", "000000 - - - 878787 878787"},
		{"Default", "", "000000 5f5f5f 5f5f5f 005f00 878787 878787"},
		{"Default Light", "ffffff", "ffffff e5e5e5 d9d9d9 ccdfcc bfbfbf bfbfbf"},
		{"Default Light", "000000", "ffffff - - - 5f5f5f 5f5f5f"},
		{"Holiday", "000000", "000000 222722 343b33 0a3233 566254 566254"},
	} {
		before := builtin(tt.theme)
		c := before.On(hex(tt.background)).Colors
		got := digits(c.Background, c.Message, c.Input, c.Selection, c.Border, c.Dark)
		if got != tt.want {
			t.Errorf("%s on %q: %s, want %s", tt.theme, tt.background, got, tt.want)
		}
		if describe(before) != describe(builtin(tt.theme)) {
			t.Errorf("%s: On changed its receiver", tt.theme)
		}
	}
	if got := NoColor().On(hex("000")); got.Colors.Background != nil || got.Colors.Input != nil {
		t.Errorf("%+v", got)
	}
	if kinds := []string{Plain.String(), Dark.String(), Light.String()}; !slices.Equal(kinds, []string{"plain", "dark", "light"}) {
		t.Error(kinds)
	}
}

func BenchmarkStyles(b *testing.B) {
	th := builtin(DefaultDark)
	b.ReportAllocs()
	for b.Loop() {
		if s := th.Secondary(); s.Fg == nil || th.Code(highlight.String).Fg == nil {
			b.Fatal(s)
		}
	}
}

func BenchmarkChoose(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if t, _ := Choose(Request{Background: hex("000")}); t.Name != DefaultDark {
			b.Fatal(t.Name)
		}
	}
}
