package buffer

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"pollux/internal/terminal"
)

// FuzzInsert checks that any bytes become clean text, and that a buffer of it works.
func FuzzInsert(f *testing.F) {
	for _, seed := range []string{"a\r\nb", "\x1b[31mx", "\xff\xfe", "\x1b]0;t\a", "👨\u200d", "a\u2028b\v\f", "\xc2", "🇩🇪🇫", "\u0600[", "@\\"} {
		f.Add([]byte(seed), uint8(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, at uint8) {
		b := filled("one 🇩|🇪\u0301\ntwo")
		b.Insert(string(data))
		checkClean(t, b)
		b.MoveTo(int(at))
		b.Paste(string(data))
		checkClean(t, b)
		b.Expand()
		checkClean(t, b)
		b.Tokens()
		v := b.Rows(int(at%40)+1, b.Len()+2)
		var joined strings.Builder
		for i, r := range v.Rows {
			if i > 0 && r.Start > v.Rows[i-1].End {
				joined.WriteByte('\n')
			}
			joined.WriteString(r.Text)
		}
		if joined.String() != b.Shown() {
			t.Fatalf("rows join to %q, not %q", joined.String(), b.Shown())
		}
		b.DeleteWordLeft()
		b.WordLeft()
		b.WordRight()
		for b.Undo() {
			checkClean(t, b)
		}
		if b.Len() != 0 {
			t.Fatalf("%q is left", b.Shown())
		}
	})
}

func checkClean(t *testing.T, b *Buffer) {
	t.Helper()
	s := b.Shown()
	if !utf8.ValidString(s) || terminal.Clean(s) != s || strings.ContainsAny(s, "\r\v\f\x1b\u0085\u2028\u2029") {
		t.Fatalf("%q is not clean", s)
	}
	if b.floor(b.cursor) != b.cursor {
		t.Fatalf("cursor %d within a cluster of %q", b.cursor, s)
	}
}

// FuzzOperations runs operations that the fuzzer chooses.
func FuzzOperations(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		m := newMachine(t)
		for range rapid.IntRange(1, 25).Draw(t, "steps") {
			m.run(t, append(m.edits(t), m.moves(t)...))
		}
		m.check(t)
	}))
}
