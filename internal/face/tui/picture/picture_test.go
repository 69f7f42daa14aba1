package picture

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/gif"
	"image/jpeg"
	"image/png"
	"slices"
	"strings"
	"testing"

	"pollux/internal/face/tui/styled"
)

// file returns an image of one color in PNG.
func file(t testing.TB, width, height int, c color.Color) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, width, height))
	for i := range width * height {
		m.Set(i%width, i/width, c)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

var red = color.NRGBA{R: 255, A: 255}

func TestFit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		screen        Screen
		width, height int
		want          area
	}{
		{"small", Screen{Kitty, 80, 24, 10, 20}, 15, 30, area{2, 2, 15, 30}},
		{"tall", Screen{Kitty, 80, 24, 10, 20}, 480, 960, area{12, 12, 120, 240}},
		{"wide", Screen{ITerm, 41, 24, 10, 20}, 800, 80, area{40, 2, 400, 40}},
		{"few rows", Screen{Kitty, 80, 8, 10, 20}, 160, 160, area{8, 4, 80, 80}},
		{"unknown cells", Screen{Kitty, 80, 24, 0, 0}, 15, 30, area{2, 2, 15, 30}},
		{"sixels of unknown cells", Screen{Sixel, 80, 24, 0, 0}, 15, 30, area{}},
		{"thin", Screen{Sixel, 80, 24, 10, 20}, 4096, 1, area{79, 1, 790, 1}},
		{"no images", Screen{None, 80, 24, 10, 20}, 15, 30, area{}},
		{"no room", Screen{Kitty, 1, 1, 10, 20}, 15, 30, area{}},
	} {
		if got := c.screen.fit(c.width, c.height); got != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
	}
}

func TestLines(t *testing.T) {
	t.Parallel()
	s := Screen{Kitty, 80, 24, 10, 20}
	var jpg, gifs bytes.Buffer
	m := image.NewPaletted(image.Rect(0, 0, 30, 30), color.Palette{red})
	if jpeg.Encode(&jpg, m, nil) != nil || gif.Encode(&gifs, m, nil) != nil {
		t.Fatal("cannot encode")
	}
	for _, c := range []struct {
		name string
		data []byte
		rows int
		text string
	}{
		{"png", file(t, 30, 30, red), 2, ""},
		{"jpg", jpg.Bytes(), 2, ""},
		{"gif", gifs.Bytes(), 2, ""},
		{"too many pixels", file(t, maxPixels+1, 1, red), 0, "[image x.png 4097x1]"},
		{"cut", file(t, 30, 30, red)[:50], 0, "[image x.png 30x30]"},
		{"no image", []byte("text"), 0, ""},
		{"nothing", nil, 0, ""},
		{"too large", make([]byte, MaxSize+1), 0, ""},
	} {
		lines, err := s.Lines("x.png", c.data, styled.Style{})
		if (err != nil) != (c.rows == 0 && c.text == "") {
			t.Errorf("%s: %v", c.name, err)
		}
		rows, text := 0, ""
		for _, l := range lines {
			text += l.String()
			if l[0].Object != nil {
				rows += l[0].Object.Rows
			}
		}
		if rows != c.rows || text != c.text {
			t.Errorf("%s: %d rows, %q", c.name, rows, text)
		}
	}
	s.Protocol = None
	if lines, err := s.Lines("x.png", file(t, 3, 4, red), styled.Style{}); err != nil || lines[0].String() != "[image x.png 3x4]" {
		t.Error(lines, err)
	}
}

// TestKitty joins the chunks again.
func TestKitty(t *testing.T) {
	t.Parallel()
	data := strings.Repeat("ab", 5000)
	got := kitty(data, area{columns: 3, rows: 2})
	joined := ""
	for i, chunk := range strings.SplitAfter(got, "\x1b\\") {
		if chunk == "" {
			continue
		}
		head, body, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(chunk, "\x1b_G"), "\x1b\\"), ";")
		if want := []string{"a=T,f=100,q=2,C=1,c=3,r=2,m=1", "m=1", "m=0"}[i]; head != want || len(body) > maxChunk {
			t.Errorf("%q, %d bytes", head, len(body))
		}
		joined += body
	}
	if joined != data {
		t.Error("the data differ")
	}
}

func TestITerm(t *testing.T) {
	t.Parallel()
	s := Screen{ITerm, 80, 24, 10, 20}
	lines, err := s.Lines("x", file(t, 15, 30, red), styled.Style{})
	if err != nil {
		t.Fatal(err)
	}
	head, data, _ := strings.Cut(strings.TrimSuffix(lines[0][0].Object.Control, "\a"), ":")
	decoded, err := base64.StdEncoding.DecodeString(data)
	if m, format, _ := image.DecodeConfig(bytes.NewReader(decoded)); err != nil || format != "png" || m.Width != 15 || m.Height != 30 {
		t.Error(format, m.Width, m.Height, err)
	}
	if !strings.HasPrefix(head, "\x1b]1337;File=inline=1;size=") || !strings.HasSuffix(head, ";width=2;height=2;preserveAspectRatio=1") {
		t.Errorf("%q", head)
	}
}

func TestSixels(t *testing.T) {
	t.Parallel()
	m := image.NewNRGBA(image.Rect(0, 0, 6, 8))
	for x := range 6 {
		for y := range 8 {
			m.Set(x, y, red)
		}
	}
	m.Set(0, 0, color.NRGBA{B: 255, A: 255})
	m.Set(5, 7, color.NRGBA{})
	const blueIndex, redIndex = "#5", "#180"
	want := "\x1bP0;1;0q\"1;1;6;8" + blueIndex + ";2;0;0;100" + blueIndex + "@!5?$" + redIndex + ";2;100;0;0" + redIndex + "}!5~-" + redIndex + "!5B@-\x1b\\"
	if got := sixels(m); got != want {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestMentioned(t *testing.T) {
	t.Parallel()
	for prompt, want := range map[string][]string{
		"See @a.png and @./b\\ c.JPG, not @x.go or me@x.png.": {"a.png", "./b c.JPG"},
		`@"d e.webp" @/f.gif @a.jpeg @a.jpeg`:                 {"d e.webp", "/f.gif", "a.jpeg"},
		"@1.png @2.png @3.png @4.png @5.png":                  {"1.png", "2.png", "3.png", "4.png"},
		"none":                                                nil,
	} {
		if got := Mentioned(prompt); !slices.Equal(got, want) {
			t.Errorf("%q: %q", prompt, got)
		}
	}
}

// FuzzLines checks that no file can write other sequences than those of its image, or take more rows.
func FuzzLines(f *testing.F) {
	f.Add([]byte("\x89PNG\r\n\x1a\n"), uint8(1))
	f.Add([]byte("GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"), uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, protocol uint8) {
		s := Screen{Protocol(protocol % 4), 80, 24, 10, 20}
		lines, err := s.Lines("x", data, styled.Style{})
		if err == nil && len(lines) != 1 || err == nil && lines[0][0].Object != nil && lines[0][0].Object.Rows > maxRows {
			t.Errorf("%v, %v", lines, err)
		}
	})
}
