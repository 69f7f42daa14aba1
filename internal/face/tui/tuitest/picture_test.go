package tuitest

import (
	"encoding/xml"
	"image/color"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// pictureOf returns the picture of a terminal that gets this output.
func pictureOf(t *testing.T, width, height int, output string) Picture {
	t.Helper()
	e := NewEmulator(width, height)
	e.SetDefaultForegroundColor(color.RGBA{0xee, 0xee, 0xee, 0xff})
	e.SetDefaultBackgroundColor(color.RGBA{0x11, 0x11, 0x11, 0xff})
	if _, err := e.Write([]byte(output)); err != nil {
		t.Fatal(err)
	}
	return e.Picture()
}

func TestPicture(t *testing.T) {
	t.Parallel()
	p := pictureOf(t, 10, 3, "one\r\ntwo\r\n潮 x\r\n\r\nfive\r\n\r\n")
	if want := []string{"one", "two", "潮 x", "", "five"}; !slices.Equal(p.Text(), want) {
		t.Errorf("%q", p.Text())
	}
	for _, row := range p.Rows {
		n := 0
		for _, c := range row {
			n += c.Width
		}
		if n != 10 {
			t.Errorf("a row has %d columns", n)
		}
	}
	if p.Width != 10 || len(p.Rows[2]) != 9 {
		t.Errorf("%d columns, %d cells", p.Width, len(p.Rows[2]))
	}
	if got := pictureOf(t, 4, 3, "a\r\n\x1b[41m  \x1b[m\r\n").Text(); len(got) != 2 {
		t.Errorf("a row with a background is missing: %q", got)
	}
}

func TestFrom(t *testing.T) {
	t.Parallel()
	p := pictureOf(t, 10, 9, "> a\r\nb\r\n> a\r\nc > a\r\n")
	for text, want := range map[string]int{"> a": 2, "c": 1, "x": 4, "": 1} {
		if got := p.From(text); len(got.Rows) != want {
			t.Errorf("%q: %q", text, got.Text())
		}
	}
}

func TestMask(t *testing.T) {
	t.Parallel()
	p := pictureOf(t, 20, 9, "潮 (12s) (3s)\r\n⠙ busy\r\n")
	got := p.Mask(regexp.MustCompile(`\(\d+s\)`), "(6s)").Mask(regexp.MustCompile("^[⠙⠹] "), "⠹ ").Mask(regexp.MustCompile("busy"), "longer")
	if want := []string{"潮 (6s)  (6s)", "⠹ long"}; !slices.Equal(got.Text(), want) {
		t.Errorf("%q, not %q", got.Text(), want)
	}
	if want := []string{"潮 (12s) (3s)", "⠙ busy"}; !slices.Equal(p.Text(), want) {
		t.Errorf("the picture is changed: %q", p.Text())
	}
}

// TestSVG compares the elements for rows with all that a row can have.
func TestSVG(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]string{
		"":      "",
		"a":     `<text y="58"><tspan x="14">a</tspan></text>`,
		"a b<":  `<text y="58"><tspan x="14" textLength="33.6" lengthAdjust="spacingAndGlyphs">a b&lt;</tspan></text>`,
		"\r\na": `<text y="77"><tspan x="14">a</tspan></text>`,
		"  a":   `<text y="58"><tspan x="30.8">a</tspan></text>`,
		"潮x": `<text y="58"><tspan x="14" textLength="16.8" lengthAdjust="spacingAndGlyphs">潮</tspan>` +
			`<tspan x="30.8">x</tspan></text>`,
		"───": `<text y="58"><tspan x="14" textLength="25.2" lengthAdjust="spacingAndGlyphs">───</tspan></text>`,
		"✓✓x": `<text y="58"><tspan x="14" textLength="16.8" lengthAdjust="spacingAndGlyphs">✓✓</tspan><tspan x="30.8">x</tspan></text>`,
		"❯":   `<text y="58"><tspan x="14" textLength="8.4" lengthAdjust="spacingAndGlyphs">❯</tspan></text>`,
		"\x1b[1;38;2;255;0;0ma\x1b[m": ".s0{fill:#ff0000;font-weight:bold}\n" +
			`<text y="58"><tspan x="14" class="s0">a</tspan></text>`,
		"\x1b[3ma\x1b[m\x1b[2mb\x1b[m\x1b[3mc\x1b[m": ".s0{font-style:italic}\n.s1{opacity:.6}\n" +
			`<text y="58"><tspan x="14" class="s0">a</tspan><tspan x="22.4" class="s1">b</tspan><tspan x="30.8" class="s0">c</tspan></text>`,
		"\x1b[4;9m a\x1b[m": ".s0{text-decoration:underline line-through}\n" +
			`<text y="58"><tspan x="14" class="s0" textLength="16.8" lengthAdjust="spacingAndGlyphs"> a</tspan></text>`,
		"\x1b[48;2;0;0;255m a \x1b[m": `<rect x="14" y="44" width="25.2" height="19" fill="#0000ff"/>` + "\n" +
			`<text y="58"><tspan x="22.4">a</tspan></text>`,
		"\x1b[7ma\x1b[m": ".s0{fill:#111111}\n" + `<rect x="14" y="44" width="8.4" height="19" fill="#eeeeee"/>` + "\n" +
			`<text y="58"><tspan x="14" class="s0">a</tspan></text>`,
		"\x1b[38;2;238;238;238ma\x1b[m": `<text y="58"><tspan x="14">a</tspan></text>`,
	} {
		got := string(pictureOf(t, 20, 4, output).SVG("A <title>"))
		rules, rest, _ := strings.Cut(got, "</style>\n")
		_, rules, _ = strings.Cut(rules, "fill:#eeeeee}\n")
		_, body, _ := strings.Cut(rest, "A &lt;title&gt;</text>\n")
		if body = rules + strings.TrimSuffix(strings.TrimSuffix(body, "</svg>\n"), "\n"); body != want {
			t.Errorf("%q:\n%s\nwant\n%s", output, body, want)
		}
		if d := xml.NewDecoder(strings.NewReader(got)); !isWellFormed(d) {
			t.Errorf("%q is not well-formed:\n%s", output, got)
		}
	}
}

func isWellFormed(d *xml.Decoder) bool {
	for {
		if _, err := d.Token(); err != nil {
			return err == io.EOF
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	got := string(pictureOf(t, 80, 24, "a\r\nb").SVG("x"))
	for _, want := range []string{`viewBox="0 0 700 96" width="700" height="96"`, "<title>x</title>", `width="699" height="95" rx="9" fill="#111111"`, `<text x="350" y="21" text-anchor="middle" opacity=".6">x</text>`} {
		if !strings.Contains(got, want) {
			t.Errorf("%s is missing:\n%s", want, got)
		}
	}
}
