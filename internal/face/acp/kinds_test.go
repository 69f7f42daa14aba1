package acp

import (
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"pollux/internal/face/acp/schema"
	"pollux/internal/face/kit"
	"pollux/tool"
)

// TestDisplays checks that each kind of result shows something, a list of tasks excepted, which is a plan.
func TestDisplays(t *testing.T) {
	t.Parallel()
	c := &chat{place: place{dir: "/link", real: "/real"}}
	before := "a\n"
	for _, d := range []tool.Display{
		tool.TextDisplay("x"), tool.TerminalDisplay("x"), &tool.DiffDisplay{FilePath: "/real/a", Before: &before, After: "b\n"},
		&tool.ListDisplay{Summary: "x"}, &tool.MatchDisplay{Summary: "x"}, &tool.AgentDisplay{Result: "x"}, &tool.ProgressDisplay{Done: 1},
	} {
		if content, _ := c.display(d, 0, true); len(content) == 0 {
			t.Errorf("%T shows nothing", d)
		}
	}
	for _, d := range tool.Displays() {
		c.display(d, 0, true) // of nothing
	}
	if path := c.place.shown("/real/a"); path != "/link/a" || c.place.shown("/realm") != "/realm" || c.place.shown("/real") != "/link" {
		t.Errorf("the path is %s", path)
	}
}

// TestDiffs checks the change of a new file, of a big one, and of one in a record.
func TestDiffs(t *testing.T) {
	t.Parallel()
	c := &chat{}
	before, big := "a\nb\n", strings.Repeat("x\n", maxFile)
	show := func(d tool.DiffDisplay) (diff schema.Diff, text string) {
		got := c.diff(&d)[0]
		if got.Diff != nil {
			return *got.Diff, ""
		}
		return schema.Diff{}, got.Content.Text
	}
	if d, _ := show(tool.DiffDisplay{FilePath: "/n", After: "new\n"}); d.OldText != nil || d.NewText != "new\n" || d.Meta["kind"] != "add" {
		t.Errorf("%+v", d)
	}
	if _, text := show(tool.DiffDisplay{FilePath: "/n", Before: &before, After: big, Diff: "@@ -1 +1 @@\n-a\n"}); !strings.Contains(text, "too big") || !strings.Contains(text, "-a") || len(text) > kit.MaxText {
		t.Errorf("%.200s", text)
	}
	if d, _ := show(tool.DiffDisplay{FilePath: "/n", Diff: "--- n\n+++ n\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n"}); d.OldText == nil || *d.OldText != before || d.NewText != "a\nc\n" {
		t.Errorf("%+v", d)
	}
	if d, _ := show(tool.DiffDisplay{FilePath: "/n", Diff: "@@ -0,0 +1 @@\n+new\n"}); d.OldText != nil || d.NewText != "new\n" {
		t.Errorf("%+v", d)
	}
}

// TestFenced checks that a text with a fence gets a longer one.
func TestFenced(t *testing.T) {
	t.Parallel()
	if got := fenced("a\n```\nb"); got != "````\na\n```\nb\n````" {
		t.Error(got)
	}
}

// TestLinks checks which addresses name a file, and which lines of it.
func TestLinks(t *testing.T) {
	t.Parallel()
	for uri, want := range map[string]fileLink{
		"file:///a/b.go":                  {"/a/b.go", 0, 0},
		"file:///a/b%20c.go#L10:20":       {"/a/b c.go", 10, 20},
		"file:///a#L7":                    {"/a", 7, 7},
		"file:///a#L3-L9":                 {"/a", 3, 9},
		"file:///a#L9:3":                  {"/a", 0, 0},
		"file:///a?symbol=Run":            {"/a", 0, 0},
		"file://localhost/a":              {"/a", 0, 0},
		"file://elsewhere/a":              {},
		"https://example.com/a":           {},
		"zed:///agent/x":                  {},
		"file:///a%22b":                   {},
		"a/b.go":                          {},
		"":                                {},
		"%":                               {},
		"file:///a#L99999999999999999999": {"/a", 0, 0},
	} {
		got := fileLink{}
		if link := parseLink(uri); link != nil {
			got = *link
		}
		if got != want {
			t.Errorf("%s: %+v, want %+v", uri, got, want)
		}
	}
}

// TestStuckClient checks that the server ends with its input, also if the client does not read the answers.
func TestStuckClient(t *testing.T) {
	t.Parallel()
	stuck, out := io.Pipe()
	defer stuck.Close()
	in := strings.NewReader(`{"id":1,"method":"initialize","params":{"protocolVersion":1}}` + "\n")
	if err := Serve(context.Background(), Options{In: in, Out: out, Log: io.Discard, grace: time.Millisecond}); err != nil {
		t.Error(err)
	}
}
