package acceptance

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/tui/tuitest"
)

// images has the pictures of the documentation.
const images = "../docs/images"

// TestImages checks that each picture is well-formed, small, and needs nothing but itself, and that the README shows some.
func TestImages(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob(filepath.Join(images, "*.svg"))
	if err != nil || len(files) < 4 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := checkSVG(data); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	readme := pages(t)["../README.md"]
	shown := regexp.MustCompile(`docs/images/[\w.-]+`).FindAllString(readme, -1)
	for _, file := range shown {
		if _, err := os.Stat(filepath.Join("..", strings.TrimRight(file, "."))); err != nil {
			t.Errorf("README.md: %v", err)
		}
	}
	if len(shown) < 2 {
		t.Errorf("README.md shows %q", shown)
	}
}

// checkSVG returns an error if a picture is not well-formed, large, or refers to anything else.
func checkSVG(data []byte) error {
	if len(data) > 60<<10 {
		return errors.New("it is larger than 60 KB")
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	for n := 0; ; n++ {
		token, err := d.Token()
		if err == io.EOF && n > 0 {
			return nil
		} else if err != nil {
			return err
		}
		e, isElement := token.(xml.StartElement)
		if !isElement {
			continue
		}
		if !slices.Contains([]string{"svg", "title", "style", "rect", "circle", "text", "tspan"}, e.Name.Local) {
			return errors.New("it has an element " + e.Name.Local)
		}
		for _, a := range e.Attr {
			if a.Name.Local != "xmlns" && (a.Name.Local == "href" || strings.HasPrefix(a.Name.Local, "on") || strings.Contains(a.Value, "url(")) {
				return errors.New("it has an attribute " + a.Name.Local)
			}
		}
	}
}

func TestCheckSVG(t *testing.T) {
	t.Parallel()
	const begin = `<svg xmlns="http://www.w3.org/2000/svg">`
	for data, isValid := range map[string]bool{
		begin + `<text x="1">a</text></svg>`: true, begin + "<text></svg>": false, begin: false, "": false,
		begin + `<script/></svg>`: false, begin + `<image href="https://a.example/b.png"/></svg>`: false, begin + `<rect onclick="x"/></svg>`: false,
		begin + `<rect fill="url(https://a.example)"/></svg>`: false, begin + strings.Repeat(" ", 60<<10) + "</svg>": false,
	} {
		if err := checkSVG([]byte(data)); (err == nil) != isValid {
			t.Errorf("%.80s: %v", data, err)
		}
	}
}

// TestDemoCast checks that the recording can be played, and takes about a minute.
func TestDemoCast(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(images, "demo.cast"))
	if err != nil {
		t.Fatal(err)
	}
	marks, duration, err := tuitest.Replay(data)
	if err != nil || len(marks) != 5 || duration < 40*time.Second || duration > 80*time.Second || len(data) > 200_000 {
		t.Errorf("%d marks, %v, %d bytes, %v", len(marks), duration, len(data), err)
	}
	for _, private := range []string{"127.0.0.1", "/tmp/", os.TempDir() + string(filepath.Separator), "\\u001b[c"} {
		if strings.Contains(string(data), private) {
			t.Errorf("it has %q", private)
		}
	}
}
