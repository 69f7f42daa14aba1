package tool_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

// TestWhole checks which text a result has before it was shortened.
func TestWhole(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	long := file("long", "中文"+strings.Repeat("x", 2000)+"文中")
	for name, c := range map[string]struct {
		r    *tool.Result
		want string // "" for none
	}{
		"whole":       {tool.Text("all"), "all"},
		"in a file":   {&tool.Result{Content: []llm.Part{llm.Text("a ... c")}, OutputFile: file("short", "a b c")}, "a b c"},
		"a long file": {&tool.Result{Content: []llm.Part{llm.Text("a ... c")}, OutputFile: long}, "中\n\n... [1,992 bytes omitted; all of it is in " + long + "] ...\n\nxxxxxxxxxx文中"},
		"a cut file":  {&tool.Result{Content: []llm.Part{llm.Text("a ... c")}, OutputFile: long, IsOutputCut: true}, "中\n\n... [1,992 bytes omitted; its beginning and its end are in " + long + "] ...\n\nxxxxxxxxxx文中"},
		"no file":     {&tool.Result{Content: []llm.Part{llm.Text("a ... c")}, OutputFile: filepath.Join(dir, "none")}, ""},
		"directory":   {&tool.Result{Content: []llm.Part{llm.Text("a ... c")}, OutputFile: dir}, ""},
		"failed":      {tool.Fail(tool.ErrUnknown, "no"), ""},
		"two parts":   {&tool.Result{Content: []llm.Part{llm.Text("a"), llm.Text("b")}}, ""},
		"nothing":     {&tool.Result{}, ""},
	} {
		if got, ok := c.r.Whole(20); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
	r := &tool.Result{Content: []llm.Part{llm.Text("<a>x</a>")}, Frame: tool.Frame{Before: "<a>", After: "</a>"}}
	if got := r.Frame.Output("<a>long</a>"); got != "long" {
		t.Errorf("the output is %q", got)
	}
	if got := r.WithOutput("short").Content[0].Text; got != "<a>short</a>" || r.Content[0].Text != "<a>x</a>" {
		t.Errorf("%q, %q", got, r.Content[0].Text)
	}
}

// TestShortenLines checks that the first and the last lines of a text stay, also of one that was shortened before.
func TestShortenLines(t *testing.T) {
	t.Parallel()
	lines := func(first, last int) string {
		var b strings.Builder
		for i := first; i <= last; i++ {
			fmt.Fprintln(&b, i)
		}
		return b.String()
	}
	const notice = "Output too large. Showing first 2 and last 8 lines. For full output see: F\n"
	kept := 0
	keep := func() string { kept++; return tool.WhereWhole("F") }
	characters := "Output too large. Showing first 400 and last 1,600 characters. For full output see: F\n"
	for name, c := range map[string]struct {
		text, want string
		most, kept int
	}{
		"no limit":            {lines(1, 100), lines(1, 100), 0, 0},
		"few":                 {lines(1, 10), lines(1, 10), 10, 0},
		"few, no end":         {"a\nb", "a\nb", 2, 0},
		"empty":               {"", "", 1, 0},
		"many":                {lines(1, 100), notice + "1\n2\n\n... [CONTENT TRUNCATED] ...\n\n" + lines(93, 100), 10, 1},
		"many, no end":        {strings.TrimSuffix(lines(1, 100), "\n"), notice + "1\n2\n\n... [CONTENT TRUNCATED] ...\n\n" + strings.TrimSuffix(lines(93, 100), "\n"), 10, 1},
		"one":                 {lines(1, 3), "Output too large. Showing first 0 and last 1 lines. For full output see: F\n\n\n... [CONTENT TRUNCATED] ...\n\n3\n", 1, 1},
		"characters and many": {characters + lines(1, 50) + "5\n\n... [7,000 characters omitted] ...\n\n" + lines(200, 300), notice + "1\n2\n\n... [CONTENT TRUNCATED] ...\n\n" + lines(293, 300), 10, 0},
		"characters and few":  {characters + "1\n\n... [7,000 characters omitted] ...\n\n2", characters + "1\n\n... [7,000 characters omitted] ...\n\n2", 5, 0},
		"twice":               {notice + lines(1, 100), notice + "1\n2\n\n... [CONTENT TRUNCATED] ...\n\n" + lines(93, 100), 10, 0},
	} {
		kept = 0
		if got := tool.ShortenLines(c.text, c.most, keep); got != c.want || kept != c.kept {
			t.Errorf("%s: kept %d times, %q", name, kept, got)
		}
	}
	// Shorten knows its notice.
	short := tool.Shorten(notice+strings.Repeat("x", 10_000), 100, func() string { t.Error("it is kept twice"); return "" })
	if !strings.HasPrefix(short, "Output too large. Showing first 20 and last 80 characters. For full output see: F\n") {
		t.Errorf("%.200q", short)
	}
}
