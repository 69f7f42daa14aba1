package file

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/tool"
)

func tokensOf(text string) int { return llm.EstimateTokens([]llm.Part{{Text: text}}) }

// A window that is too long ends at a line, and the note names it.
func TestFit(t *testing.T) {
	t.Parallel()
	text := strings.TrimSuffix(lines(1, 1000), "\n")
	for _, tt := range []struct {
		text   string
		tokens int
		last   int // 0: not checked
	}{
		{text, 0, 1000},
		{text, -1, 1000},
		{text, 1_000_000, 1000},
		{text, 500, 0},
		{text, 20, 0},
		{strings.Repeat("x", 40_000), 100, 1},
		{strings.Repeat("漢", 4_000), 100, 1},
		{"short\n" + strings.Repeat("y", 40_000), 100, 1},
		{"", 1, 1},
	} {
		w := window{text: tt.text, first: 11, last: 10 + max(1, strings.Count(tt.text, "\n")+1), total: 5000}
		before := w
		changed := w.fit(tt.tokens)
		if changed != (w.text != tt.text) || !changed && w != before {
			t.Errorf("%d: changed = %t", tt.tokens, changed)
		}
		if tt.tokens > 0 && tokensOf(w.text) > tt.tokens+len(cutMark) {
			t.Errorf("%d tokens, want %d", tokensOf(w.text), tt.tokens)
		}
		if tt.last > 0 && w.last != 10+tt.last {
			t.Errorf("%.20q: last = %d, want %d", tt.text, w.last, 10+tt.last)
		}
		if !w.shortened && !strings.HasPrefix(tt.text, w.text) || w.shortened && !strings.HasSuffix(w.text, cutMark) {
			t.Errorf("text = %.100q", w.text)
		}
		if n := strings.Count(w.text, "\n") + 1; w.last-w.first+1 != n {
			t.Errorf("lines %d-%d are %d", w.first, w.last, n)
		}
	}
}

// The model can read a large file to its end by the line that each result names.
func TestReadFileInRoom(t *testing.T) {
	t.Parallel()
	text := lines(1, 3000)
	w := newWorkspace(t, map[string]string{"big.txt": text})
	var read strings.Builder
	calls := 0
	for next := 1; next > 0; calls++ {
		r := build(t, NewReadFile(w, nil), args{"file_path": "big.txt", "start_line": next}).Run(context.Background(), tool.Host{Room: 700})
		got := llm.PartsText(r.Content)
		if tokensOf(got) > 800 {
			t.Fatalf("%d tokens", tokensOf(got))
		}
		var first, last, total int
		status, body, _ := strings.Cut(got, "\n")
		if n, _ := fmt.Sscanf(status, "Lines %d-%d of %d", &first, &last, &total); n != 3 || first != next {
			t.Fatalf("%.300s", got)
		}
		read.WriteString(body)
		if next = last + 1; last == total {
			break
		}
		read.WriteByte('\n')
	}
	if read.String() != text || calls < 5 {
		t.Errorf("%d calls read %d of %d bytes", calls, read.Len(), len(text))
	}
}

// Files that are collected share the room, the longest are cut.
func TestCollectInRoom(t *testing.T) {
	t.Parallel()
	w := newWorkspace(t, map[string]string{"a.txt": lines(1, 1500), "b.txt": "bee\n", "c.txt": lines(1, 1900)})
	for _, room := range []int{0, 1000, 100_000} {
		got, err := Collect(t.Context(), w, Selection{Include: []string{"*.txt"}, Filter: w.DefaultFilter(), Room: room})
		if err != nil || len(got.Files) != 3 {
			t.Fatal(got, err)
		}
		total := 0
		for _, f := range got.Files {
			total += tokensOf(f.Text)
		}
		isCut := room == 1000
		if isCut && (total < 900 || total > 1100) {
			t.Errorf("room %d: %d tokens", room, total)
		}
		for i, f := range got.Files {
			if want := isCut && i != 1; want != (f.Cut != "") || want != strings.Contains(f.Text, "This is not all of the file") {
				t.Errorf("room %d: %s: %q", room, f.Path, f.Cut)
			}
			var first, last, lines int
			if n, _ := fmt.Sscanf(f.Cut, "lines %d-%d of %d", &first, &last, &lines); isCut && i == 2 && (n != 3 || first != 1 || lines != 1900 || !strings.HasSuffix(f.Text, fmt.Sprintf("line %d", last))) {
				t.Errorf("%q: %.100q", f.Cut, f.Text[len(f.Text)-40:])
			}
		}
		if got.Files[1].Text != "bee\n" {
			t.Errorf("b.txt: %q", got.Files[1].Text)
		}
	}
}
