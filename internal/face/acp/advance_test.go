package acp

import (
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pollux/internal/face/kit"
)

// screen returns the text that a terminal shows for data.
func screen(data string) string {
	lines, column := []string{""}, 0
	for _, r := range strings.ReplaceAll(data, "\r\n", "\n") {
		last := &lines[len(lines)-1]
		switch r {
		case '\n':
			*last = strings.TrimRight(*last, " ")
			lines, column = append(lines, ""), 0
		case '\r':
			column = 0
		default:
			row := []rune(*last)
			if column < len(row) {
				row[column] = r
			} else {
				row = append(row, r)
			}
			*last, column = string(row), column+1
		}
	}
	return strings.TrimRight(strings.Join(lines, "\n"), " ")
}

// TestAdvance shows texts one after the other in a window.
func TestAdvance(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxRewrite+1)
	flood := strings.Repeat("line\n", kit.MaxText)
	var numbers strings.Builder
	for i := range 10_000 {
		numbers.WriteString(strconv.Itoa(i) + "\n")
	}
	tail := func(n int) string { return numbers.String()[numbers.Len()-n:] }
	for name, tt := range map[string]struct {
		texts []string
		want  string // "" is the last text
	}{
		"grows":                     {texts: []string{"a\n", "a\nb", "a\nbc\n"}},
		"stays":                     {texts: []string{"a\n", "a\n"}},
		"a line that is replaced":   {texts: []string{"a\n10%", "a\n20%", "a\n100%\nb"}},
		"a long line":               {texts: []string{"a\n" + long, "a\ny"}, want: "a\n" + long + "\ny"},
		"without blanks at its end": {texts: []string{"\n\na\n\n", "a"}, want: "\n\na\n\n"},
		"with the end":              {texts: []string{"a\n", "a\nexit 3"}},
		"begins later":              {texts: []string{strings.TrimSuffix(tail(9000), tail(3000)), tail(8000)}, want: tail(9000)},
		"another text":              {texts: []string{"a\n", "b\n"}, want: "a\n\nb\n"},
		"blanks first":              {texts: []string{" \n", "a\n"}, want: "\na\n"},
	} {
		w := &window{}
		data := ""
		for _, text := range tt.texts {
			data += w.advance(text)
		}
		if tt.want == "" {
			tt.want = tt.texts[len(tt.texts)-1]
		}
		if got := screen(data); got != tt.want {
			t.Errorf("%s: %.200q, want %.200q", name, got, tt.want)
		}
	}
	w := &window{}
	if data := w.advance(flood); len(data) > 2*kit.MaxText || !strings.HasPrefix(data, "[") {
		t.Errorf("%d bytes: %.50q", len(data), data)
	}
}

// FuzzAdvance checks that no texts make a window show too much, or lack the end of the last one.
func FuzzAdvance(f *testing.F) {
	f.Add("a\nb", "a\nc")
	f.Add("a\n", "b\na\nc")
	f.Add("\n", "a")
	f.Fuzz(func(t *testing.T, before, text string) {
		if strings.ContainsAny(before+text, " \r\t") || !utf8.ValidString(before) || !utf8.ValidString(text) || strings.Contains(before+text, "\x1b") {
			t.Skip("windows get clean text")
		}
		w := &window{}
		first, more := w.advance(before), w.advance(text)
		if len(more) > 2*kit.MaxText+100 {
			t.Fatalf("%d bytes", len(more))
		}
		last := strings.TrimSpace(text[strings.LastIndexByte(strings.TrimSpace(text), '\n')+1:])
		if !strings.Contains(screen(first+more), strings.TrimSpace(last)) {
			t.Errorf("%q, then %q, is %q", before, text, first+more)
		}
	})
}
