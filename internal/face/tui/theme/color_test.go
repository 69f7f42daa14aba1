package theme

import (
	"image/color"
	"math"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

func TestParseColor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ in, want string }{
		{"#abc", "aabbcc"},
		{"abc", "aabbcc"},
		{"#A1b2C3", "a1b2c3"},
		{"A1b2C3", "a1b2c3"},
		{" #000 ", "000000"},
		{"red", "ansi1"},
		{"Black", "ansi0"},
		{"white", "ansi7"},
		{"GRAY", "ansi8"},
		{"grey", "ansi8"},
		{"blackbright", "ansi8"},
		{"redbright", "ansi9"},
		{"whiteBright", "ansif"},
		{"bluebright", "ansic"},
		{"green", "ansi2"},
		{"yellow", "ansi3"},
		{"blue", "ansi4"},
		{"magenta", "ansi5"},
		{"cyan", "ansi6"},
		{"cyanbright", "ansie"},
		{"aliceblue", "f0f8ff"},
		{"RebeccaPurple", "663399"},
		{"yellowgreen", "9acd32"},
		{"darkkhaki", "bdb76b"},
		{"lightgoldenrodyellow", "fafad2"},
		{"tan", "d2b48c"},
		{"orange", "ffa500"},
		{"purple", "800080"},
		{"", "no"},
		{"#", "no"},
		{"#ab", "no"},
		{"#abcd", "no"},
		{"#abcde", "no"},
		{"#abcdefa", "no"},
		{"#ggg", "no"},
		{"#red", "no"},
		{"##abc", "no"},
		{"+ab", "no"},
		{"a_b", "no"},
		{"0x1", "no"},
		{"graybright", "no"},
		{"bright", "no"},
		{"orangebright", "no"},
		{"blurple", "no"},
		{"blue ", "ansi4"},
		{"light blue", "no"},
		{"aliceblue #f0f8ff antiquewhite", "no"},
		{"#f0f8ff antiquewhite", "no"},
		{strings.Repeat(" ", 100) + "red", "no"},
		{strings.Repeat("a", 1000), "no"},
		{"\x1b[31m", "no"},
	} {
		c, ok := ParseColor(tt.in)
		got := "no"
		if ok {
			got = digits(c)
		}
		if got != tt.want || !ok && c != nil {
			t.Errorf("%q: %s (%v), want %s", tt.in, got, c, tt.want)
		}
	}
}

// TestCSS checks the table of CSS names.
func TestCSS(t *testing.T) {
	t.Parallel()
	fields := strings.Fields(cssColors)
	if len(fields) != 2*(148-10) {
		t.Fatal(len(fields))
	}
	for i := 0; i < len(fields); i += 2 {
		if i > 0 && fields[i] <= fields[i-2] {
			t.Errorf("%s is not after %s", fields[i], fields[i-2])
		}
		if c, ok := ParseColor(fields[i]); !ok || "#"+digits(c) != fields[i+1] {
			t.Errorf("%s: %v %v", fields[i], c, ok)
		}
	}
}

func TestLuminance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		color string
		want  float64
		kind  Kind
	}{
		{"000", 0, Dark},
		{"fff", 255, Light},
		{"f00", 54.213, Dark},
		{"0f0", 182.376, Light},
		{"00f", 18.411, Dark},
		{"808080", 55.044, Dark},
		{"bbb", 126.8, Dark},
		{"bcbcbc", 128.236, Light},
		{"", 0, Plain},
		{"0a0a0a", 0.774, Dark},
		{"202020", 3.685, Dark},
	} {
		c := hex(tt.color)
		if got := Luminance(c); math.Abs(got-tt.want) > 0.1 || KindOf(c) != tt.kind {
			t.Errorf("%q: %.3f %v, want %.3f", tt.color, got, KindOf(c), tt.want)
		}
	}
	if mix(nil, color.White, 0.5) != nil || mix(color.White, nil, 0.5) != nil {
		t.Error("a mixture with nil is not nil")
	}
	if got := digits(mix(ansi.Black, ansi.BrightBlack, 0.25)); got != "202020" {
		t.Error(got)
	}
}

func FuzzParseColor(f *testing.F) {
	for _, s := range []string{"#abc", "abcdef", "red", "bluebright", "tan", "aliceblue #f0f8ff antiquewhite", " ", "K"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		c, ok := ParseColor(s)
		if ok != (c != nil) {
			t.Fatalf("%q: %v %v", s, c, ok)
		}
		if rgba, isRGB := c.(color.RGBA); isRGB {
			if again, ok := ParseColor("#" + digits(rgba)); !ok || again != c {
				t.Fatalf("%q: %v, then %v", s, c, again)
			}
		}
		if Luminance(c) < 0 || Luminance(c) > 255.001 {
			t.Fatal(Luminance(c))
		}
	})
}
