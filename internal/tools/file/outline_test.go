package file

import (
	"encoding/json"
	"fmt"
	"iter"
	"strings"
	"testing"

	"pollux/internal/outline"
	"pollux/llm"
	"pollux/tool"
)

// goFile returns a file of n functions of 10 lines each; function i begins at line 10*i+1.
func goFile(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "func f%d() {\n%s}\n", i, strings.Repeat("\tcall()\n", 8))
	}
	return b.String()
}

// readIn returns the text of a call's result with this room.
func readIn(t *testing.T, to tool.Tool, room int, a args) string {
	t.Helper()
	r := build(t, to, a).Run(t.Context(), tool.Host{Room: room})
	if r.Error != nil {
		t.Fatal(r.Error)
	}
	return llm.PartsText(r.Content)
}

// TestOutline checks calls that ask for an outline.
func TestOutline(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		"a.go": goFile(3), "big.go": goFile(2000), "none.go": "", "a.txt": "func f() {\n", "a.png": "\x00", "a b.go": "func f() {}\n",
		"gbk.py": "# \xc4\xe3\xba\xc3\xd6\xd0\xb9\xfa\xc8\xcb\xc3\xf1\ndef f(): # \xc4\xe3\xba\xc3\n",
	})
	to := NewReadFile(w, nil)
	const how = "; read a part with start_line and end_line:\n"
	for _, tt := range []struct {
		args args
		want string
	}{
		{args{"file_path": "a.go"}, "Outline of a.go (30 lines, 234 bytes)" + how + "1: func f0()\n11: func f1()\n21: func f2()"},
		{args{"file_path": "a.go", "start_line": 2}, "Outline of lines 2-30 of a.go (30 lines, 234 bytes)" + how + "11: func f1()\n21: func f2()"},
		{args{"file_path": "a.go", "start_line": 11, "end_line": 20}, "Outline of lines 11-20 of a.go (30 lines, 234 bytes)" + how + "11: func f1()"},
		{args{"file_path": "a.go", "end_line": 90}, "Outline of lines 1-30 of a.go (30 lines, 234 bytes)" + how + "1: func f0()\n11: func f1()\n21: func f2()"},
		{args{"file_path": "a%20b.go"}, "\"a%20b.go\" was taken for a b.go.\nOutline of a b.go (1 line, 12 bytes)" + how + "1: func f()"},
		{args{"file_path": "gbk.py"}, "Encoding: GB18030.\nOutline of gbk.py (2 lines, 31 bytes)" + how + "2: def f(): # 你好"},
		{args{"file_path": "none.go"}, "No outline of none.go (0 lines, 0 bytes): no declarations found. Read it with start_line and end_line, or search it with grep_search."},
		{args{"file_path": "a.txt"}, "No outline of a.txt (1 line, 11 bytes): no declarations found. Read it with start_line and end_line, or search it with grep_search."},
	} {
		tt.args["outline"] = true
		if got := readIn(t, to, 0, tt.args); got != tt.want {
			t.Errorf("%v:\n%s\nwant\n%s", tt.args, got, tt.want)
		}
	}
	wantError(t, run(t, to, args{"file_path": "a.go", "outline": true, "start_line": 31}), tool.ErrInvalidParams, "start_line 31 is past the end")
	if r := run(t, to, args{"file_path": "a.png", "outline": true}); len(r.Content) != 1 || r.Content[0].InlineData == nil {
		t.Errorf("an image: %+v", r)
	}
	r := run(t, to, args{"file_path": "a.go", "outline": true})
	if r.Display != tool.TextDisplay("Outline of a.go: 3 declarations") || r.Summary != "outline of 30 lines" {
		t.Errorf("display = %q, summary = %q", r.Display, r.Summary)
	}
	if got := readIn(t, to, 0, args{"file_path": "a.go", "outline": false}); got != goFile(3) {
		t.Errorf("without an outline: %q", got)
	}
	for room, most := range map[int]int{0: maxOutline, 500: 500} {
		next, calls := 1, 0
		for ; next > 0; calls++ {
			got := readIn(t, to, room, args{"file_path": "big.go", "outline": true, "start_line": next})
			if n := tokensOf(got); n > most+headerTokens || !strings.Contains(got, fmt.Sprintf("\n%d: func f%d()\n", next, next/10)) {
				t.Fatalf("room %d: %d tokens from line %d: %.300s", room, n, next, got)
			}
			next = 0
			if at := strings.Index(got, "More declarations from line "); at >= 0 {
				_, _ = fmt.Sscanf(got[at:], "More declarations from line %d on", &next)
			} else if !strings.HasSuffix(got, "\n19991: func f1999()") {
				t.Errorf("room %d: it ends with %q", room, got[len(got)-100:])
			}
		}
		if calls < 2 {
			t.Errorf("room %d: %d calls", room, calls)
		}
	}
}

// TestOutlineBelow checks the outline below the beginning of a file that does not fit.
func TestOutlineBelow(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{
		"a.go": goFile(3), "2000.go": goFile(200), "2010.go": goFile(201), "big.go": goFile(600), "big.log": goFile(600),
		"head.go": goFile(1) + strings.Repeat("// text\n", 6000),
	})
	to := NewReadFile(w, nil)
	for _, tt := range []struct {
		name        string
		args        args
		room        int
		first, last int // line of the first declaration, 0 for no outline, and the last line above
	}{
		{"a small file", args{"file_path": "a.go"}, 0, 0, 0},
		{"a small file in much room", args{"file_path": "a.go"}, 10_000, 0, 0},
		{"all lines of a window", args{"file_path": "2000.go"}, 0, 0, 0},
		{"more lines", args{"file_path": "2010.go"}, 0, 2001, 2000},
		{"a large file", args{"file_path": "big.go"}, 0, 201, 200},
		{"little room", args{"file_path": "2000.go"}, 2000, -1, -1},
		{"almost no room", args{"file_path": "2000.go"}, 200, 0, 0},
		{"an unknown language", args{"file_path": "big.log"}, 0, 0, 0},
		{"nothing to list below", args{"file_path": "head.go"}, 0, 0, 0},
		{"a part", args{"file_path": "big.go", "start_line": 1}, 0, 0, 0},
		{"another part", args{"file_path": "big.go", "end_line": 5000}, 1000, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := readIn(t, to, tt.room, tt.args)
			head, below, has := strings.Cut(got, belowStart)
			if has != (tt.first != 0) || has != strings.Contains(head, " (outline below); read on with start_line: ") {
				t.Fatalf("outline = %t: %.300s", has, got)
			}
			if !has {
				return
			}
			var from, to, total, first, end, line int
			if n, err := fmt.Sscanf(head, "Lines %d-%d of %d", &from, &to, &total); n != 3 {
				t.Fatal(err)
			}
			if n, err := fmt.Sscanf(below, "%d-%d; read a part with start_line and end_line:\n%d: func", &first, &end, &line); n != 3 {
				t.Fatalf("%v: %.300s", err, below)
			}
			if first != to+1 || end != total || line != (to+9)/10*10+1 || tt.last >= 0 && to != tt.last || tt.first >= 0 && line != tt.first {
				t.Errorf("lines %d-%d, outline of %d-%d from %d", from, to, first, end, line)
			}
			if n := strings.Count(head, "\n"); n != to {
				t.Errorf("%d lines of text, want %d", n, to)
			}
			if n := tokensOf(below); tt.room > 0 && (tokensOf(got) > tt.room || n > tt.room/shareBelow+headerTokens) || n > maxBelow+headerTokens {
				t.Errorf("%d tokens in %d, %d for the outline", tokensOf(got), tt.room, n)
			}
		})
	}
}

// TestOutlineRepeated checks that an outline does not count as the text of its file, and that the
// text above an outline does.
func TestOutlineRepeated(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"big.go": goFile(600)})
	to := NewReadFile(w, nil)
	type result struct{ args, text string }
	whole := result{`{"file_path":"big.go"}`, readIn(t, to, 0, args{"file_path": "big.go"})}
	only := result{`{"file_path":"big.go","outline":true}`, readIn(t, to, 0, args{"file_path": "big.go", "outline": true})}
	host := tool.Host{Earlier: func() iter.Seq2[json.RawMessage, func() (string, bool)] {
		return func(yield func(json.RawMessage, func() (string, bool)) bool) {
			for _, r := range []result{only, whole} { // the latest first
				if !yield(json.RawMessage(r.args), func() (string, bool) { return r.text, true }) {
					return
				}
			}
		}
	}}
	r := build(t, to, args{"file_path": "big.go"}).Run(t.Context(), host)
	if got := llm.PartsText(r.Content); !strings.HasPrefix(got, unchangedStart+"lines 1-200 of 6000 of big.go") {
		t.Errorf("%.300s", got)
	}
}

// TestRender checks the parts of an outline that are left out.
func TestRender(t *testing.T) {
	t.Parallel()
	line := func(number, level int, text string) outline.Line {
		return outline.Line{Number: number, Level: level, Text: text}
	}
	list := []outline.Line{line(1, 0, "class A"), line(2, 1, "class B"), line(3, 2, "def c"), line(4, 2, "def d"), line(5, 1, "def e"), line(90, 0, "class F")}
	all := "1: class A\n2:   class B\n3:     def c\n4:     def d\n5:   def e\n90: class F"
	for _, tt := range []struct {
		tokens int
		want   string
	}{
		{1000, all},
		{tokensOf(all) + 3, "1: class A\n2:   class B\n5:   def e\n90: class F\nLeft out: 2 inner declarations in these."},
		{16, "1: class A\n90: class F\nLeft out: 4 inner declarations in these."},
		{6, "1: class A\nMore declarations from line 90 on: outline: true with start_line: 90 lists them."},
		{1, "1: class A\nMore declarations from line 90 on: outline: true with start_line: 90 lists them."},
	} {
		if got := render(list, tt.tokens); got != tt.want {
			t.Errorf("%d tokens: %s\nwant\n%s", tt.tokens, got, tt.want)
		}
	}
}
