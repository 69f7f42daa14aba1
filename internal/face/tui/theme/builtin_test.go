package theme

import (
	"image/color"
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/highlight"

	"github.com/charmbracelet/x/ansi"
)

var names = []string{
	"ANSI", "Atom One", "Ayu", "Default", "Dracula", "GitHub", "GitHub Dark Colorblind", "Holiday", "Shades Of Purple",
	"Solarized Dark", "Tokyo Night",
	"ANSI Light", "Ayu Light", "Default Light", "GitHub Light", "GitHub Light Colorblind", "Google Code", "Solarized Light",
	"Xcode",
}

const darkNames = 11

func TestNames(t *testing.T) {
	t.Parallel()
	got := Names(Theme{Name: "zed", Kind: Light}, Theme{Name: "Alpha", Kind: Dark}, Theme{Name: "alpha"}, Theme{Name: "Ayu"}, Theme{Name: "zed"})
	var list []string
	for i, n := range got {
		list = append(list, n.Name)
		if i >= len(names) {
			continue
		}
		want := Dark
		if i >= darkNames {
			want = Light
		}
		if built, ok := Lookup(n.Name); n.Kind != want || n.IsCustom || !ok || built.Kind != want || built.Name != n.Name {
			t.Errorf("%+v, %v %v", n, built.Kind, ok)
		}
	}
	if want := append(slices.Clone(names), "Alpha", "alpha", "zed"); !slices.Equal(list, want) {
		t.Errorf("got  %q\nwant %q", list, want)
	}
	if last := got[len(got)-1]; !last.IsCustom || last.Kind != Light {
		t.Errorf("%+v", last)
	}
	for _, name := range []string{PlainName, "", "default", "ANSI "} {
		if built, ok := Lookup(name); ok {
			t.Errorf("%q is %q", name, built.Name)
		}
	}
}

func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		kind       Kind
		background string
		want       bool
	}{
		{Dark, "", true},
		{Light, "", true},
		{Dark, "000", true},
		{Light, "000", false},
		{Dark, "fff", false},
		{Light, "fff", true},
		{Plain, "fff", true},
		{Plain, "000", true},
	} {
		if got := (Name{Kind: tt.kind}).Matches(hex(tt.background)); got != tt.want {
			t.Errorf("%v on %q: %v", tt.kind, tt.background, got)
		}
	}
}

// hex returns the color of a test, nil for "".
func hex(s string) color.Color {
	c, _ := ParseColor(s)
	return c
}

// TestTables checks that each field of the tables is a color, and that none is missing.
func TestTables(t *testing.T) {
	t.Parallel()
	for _, r := range append(darkRows(), lightRows()...) {
		for _, tt := range []struct {
			list   string
			counts []int
		}{
			{r.base, []int{4}},
			{r.accents, []int{7}},
			{r.diff, []int{2}},
			{r.gradient, []int{2, 3}},
			{r.code, []int{int(codeKinds) - 1}},
			{r.edge, []int{0, 1}},
			{r.focus, []int{0, 1}},
			{r.boxes, []int{0, 3}},
			{r.symbol, []int{0, 1}},
			{r.accent, []int{0, 1}},
		} {
			fields := strings.Fields(tt.list)
			if !slices.Contains(tt.counts, len(fields)) {
				t.Errorf("%s: %q has %d fields", r.name, tt.list, len(fields))
			}
			for _, f := range fields {
				_, isLetter := new(palette).named(f)
				if _, ok := ParseColor(f); !ok && f != "-" && !(isLetter && tt.list == r.code) {
					t.Errorf("%s: %q is not a color", r.name, f)
				}
			}
		}
	}
}

// TestBuiltin compares colors by meaning with those of Gemini CLI 0.61.
func TestBuiltin(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"Default", "ffffff afafaf 87afff d7afff ffffff; 000000 5f5f5f 5f5f5f 005f00 005f00 5f0000; 878787; afafaf 87d7d7 87afff 878787 d7ffd7; ff87af d7ffd7 ffffaf"},
		{"Default Light", "000000 5f5f5f 005faf 5f00ff 000000; ffffff fafafa e4e4e4 d7ffd7 d7ffd7 ffd7d7; 5f5f5f; 5f5f5f 005f87 005faf 5f5f5f 005f00; af0000 005f00 875f00"},
		{"ANSI", "ffffff afafaf 87afff d7afff ffffff; 000000 5f5f5f 5f5f5f 005f00 005f00 5f0000; 878787; afafaf afafaf 87afff 878787 d7ffd7; ff87af d7ffd7 ffffaf"},
		{"ANSI Light", "000000 5f5f5f 005faf 5f00ff 000000; ffffff fafafa e4e4e4 d7ffd7 d7ffd7 ffd7d7; 5f5f5f; 008700 5f5f5f 005faf 5f5f5f 005f00; af0000 005f00 875f00"},
		{"Ayu", "aeaca6 3d4149 39bae6 d2a6ff aeaca6; 0b0e14 171a21 171a21 2b371f 293022 3d1215; 24282f; 3d4149 95e6cb 39bae6 24282f aad94c; f26d78 aad94c ffb454"},
		{"Holiday", "f0f8ff d7f5d3 3cb371 ff9999 f0f8ff; 00210e 34543d 34543d 0a4c3e 2e8b57 cd5c5c; 768876; d7f5d3 33f9ff 3cb371 768876 33f9ff; ff6347 3cb371 ffee8c"},
		{"Solarized Dark", "839496 586e75 268bd2 268bd2 839496; 002b36 073642 073642 1b412b 00382f 3d0115; 073642; 586e75 93a1a1 268bd2 073642 859900; dc322f 859900 d0b000"},
		{"Solarized Light", "657b83 93a1a1 268bd2 268bd2 657b83; fdf6e3 eee8d5 eee8d5 e5e3b6 d7f2d7 f2d7d7; eee8d5; 93a1a1 586e75 268bd2 eee8d5 859900; dc322f 859900 d0b000"},
		{"Xcode", "444444 c0c0c0 1c00cf aa0d91 444444; ffffff f0f0f0 f0f0f0 d2ccf5 c6ead8 fedede; e0e0e0; c0c0c0 3f6e74 1c00cf e0e0e0 1c00cf; c41a16 007400 836c28"},
	} {
		if got := describe(builtin(tt.name)); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// describe lists the colors of a theme by meaning.
func describe(t Theme) string {
	c := t.Colors
	var groups []string
	for _, list := range [][]color.Color{
		{c.Primary, c.Secondary, c.Link, c.Accent, c.Response},
		{c.Background, c.Message, c.Input, c.Selection, c.DiffAdded, c.DiffRemoved},
		{c.Border},
		{c.Comment, c.Symbol, c.Active, c.Dark, c.Focus},
		{c.Error, c.Success, c.Warning},
	} {
		groups = append(groups, digits(list...))
	}
	return strings.Join(groups, "; ")
}

// digits returns colors in hexadecimal digits, nil as "-", colors of the terminal by their numbers.
func digits(list ...color.Color) string {
	var words []string
	for _, c := range list {
		switch c := c.(type) {
		case nil:
			words = append(words, "-")
		case ansi.BasicColor:
			words = append(words, "ansi"+string("0123456789abcdef"[c]))
		default:
			const figures = "0123456789abcdef"
			r, g, b, _ := c.RGBA()
			var word []byte
			for _, v := range []uint32{r >> 8, g >> 8, b >> 8} {
				word = append(word, figures[v>>4], figures[v&15])
			}
			words = append(words, string(word))
		}
	}
	return strings.Join(words, " ")
}

func TestCodeColors(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, want string }{
		{"Default", "ffffff 87afff ffffaf d7ffd7 afafaf 87d7d7 ffffff d7afff ffffff afafaf"},
		{"Default Light", "000000 005faf af0000 000000 008700 af0000 af0000 000000 000000 005f87"},
		{"Tokyo Night", "c0caf5 bb9af7 9ece6a ff9e64 565f89 2ac3de 7aa2f7 c0caf5 89ddff 7dcfff"},
		{"ANSI", "- ansi4 ansi3 ansi2 ansi2 ansi6 - ansi5 - ansi8"},
		{"ANSI Light", "- ansi4 ansi1 ansi2 ansi8 ansi6 - - - ansi8"},
		{"Holiday", "f0f8ff 3cb371 ffee8c 3cb371 8fbc8f 33f9ff f0f8ff ff9999 f0f8ff d7f5d3"},
	} {
		var list []color.Color
		for k := range codeKinds {
			s := builtin(tt.name).Code(k)
			if list = append(list, s.Fg); s.Bg != nil || s.Attrs != 0 {
				t.Errorf("%s: %d: %+v", tt.name, k, s)
			}
		}
		if got := digits(list...); got != tt.want {
			t.Errorf("%s:\ngot  %s\nwant %s", tt.name, got, tt.want)
		}
	}
	for _, k := range []highlight.Kind{codeKinds, 255} {
		if got := digits(builtin("Ayu").Code(k).Fg); got != "aeaca6" {
			t.Errorf("kind %d: %s", k, got)
		}
	}
}

// TestContrast checks that texts of the default themes are readable, also on the boxes of their backgrounds.
func TestContrast(t *testing.T) {
	t.Parallel()
	contrast := func(a, b color.Color) float64 {
		x, y := Luminance(a)/255+0.05, Luminance(b)/255+0.05
		return max(x, y) / min(x, y)
	}
	for name, background := range map[string]string{DefaultDark: "000000", DefaultLight: "ffffff"} {
		th := builtin(name)
		for _, on := range []Theme{th, th.On(hex(background))} {
			c := on.Colors
			texts := map[string]color.Color{
				"primary": c.Primary, "secondary": c.Secondary, "link": c.Link, "accent": c.Accent, "response": c.Response,
				"error": c.Error, "warning": c.Warning, "success": c.Success, "comment": c.Comment, "symbol": c.Symbol,
				"active": c.Active, "focus": c.Focus,
			}
			for k := range codeKinds {
				texts["code "+string("0123456789"[k])] = on.Code(k).Fg
			}
			for what, text := range texts {
				if r := contrast(text, hex(background)); r < 4.5 {
					t.Errorf("%s: %s has a contrast of %.2f", name, what, r)
				}
			}
			for _, box := range []color.Color{c.Message, c.Input, c.DiffAdded, c.DiffRemoved} {
				if r := contrast(c.Primary, box); r < 4.5 {
					t.Errorf("%s: text on %s has a contrast of %.2f", name, digits(box), r)
				}
			}
			if r := contrast(c.Focus, c.Selection); r < 4.5 {
				t.Errorf("%s: the selected row has a contrast of %.2f", name, r)
			}
		}
	}
}
