package shell

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func TestLineEditor(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", maxLine)
	for in, want := range map[string]string{
		"":                             "",
		"a\nb":                         "a\nb",
		"a\r\nb\r\n":                   "a\nb\n",
		"a\r\r\nb":                     "a\nb",
		" 10%\r 20%\r100%\ndone\n":     "100%\ndone\n",
		"100%\r":                       "100%",
		"loading\r       \rdone\n":     "done\n",
		"loading\r\n\rnext":            "loading\nnext",
		"|\b/\b-\bok":                  "ok",
		"_\bN_\bA日\b":                  "NA",
		"\b\ba":                        "a",
		"a\rb\b\bc":                    "c",
		"bell\a nul\x00 del\x7f \x1f!": "bell nul del !",
		"tab\tand\fform feed\v":        "tab\tand\fform feed",
		long + "y\rz\n":                long + "yz\n",
	} {
		for size := range 4 { // 0: in one piece
			var e lineEditor
			got, rest := "", in
			for rest != "" {
				n := len(rest)
				if size > 0 && len(in) < 1000 {
					n = min(size, n)
				}
				got += string(e.edit([]byte(rest[:n])))
				rest = rest[n:]
			}
			if got += string(e.finish()); got != want {
				t.Errorf("%.40q in pieces of %d: got %.40q, want %.40q", in, size, got, want)
			}
		}
	}
}

// TestFrames checks that of lines that are written again after a move of the cursor the last state stays.
func TestFrames(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"no move":                 {"a\nb\nc", "a\nb\nc"},
		"all lines again":         {"x\na 1\nb 1\n\x1b[2Aa 2\x1b[K\nb 2\x1b[K\n", "x\na 2\nb 2\n"},
		"one line, and back":      {"a 1\nb 1\n\x1b[2A\x1b[2K\ra 2\x1b[2Bdone\n", "a 2\nb 1\ndone\n"},
		"docker pull":             {"a: Wait\nb: Wait\n\x1b[1A\x1b[2K\rb: Done\r\x1b[1B\x1b[2A\x1b[2K\ra: Done\r\x1b[2BStatus\n", "a: Done\nb: Done\nStatus\n"},
		"more lines":              {"a 1\n\x1b[1Aa 2\nb 2\n\x1b[2Aa 3\nb 3\nc 3\n", "a 3\nb 3\nc 3\n"},
		"fewer lines":             {"a 1\nb 1\nc 1\n\x1b[3A\x1b[Ja 2\n", "a 2\n"},
		"fewer, then more output": {"a 1\nb 1\n\x1b[2A\x1b[Jdone\nnext\n", "done\nnext\n"},
		"a partial last line":     {"a 1\nb 1\x1b[1A\ra 2\nb 2", "a 2\nb 2"},
		"above the first line":    {"a\n\x1b[9Ab\n", "b\n"},
		"below the last line":     {"a\x1b[9Bb\n", "ab\n"},
		"back without a change":   {"a\nb\n\x1b[2A\x1b[2Bc\n", "a\nb\nc\n"},
		"end in the frame":        {"a\nb\nc\n\x1b[2A", "a\nb\nc\n"},
		"end in the frame, text":  {"a\nb\nc\x1b[1AB", "a\nB\nc"},
		"previous line":           {"a 1\n\x1b[1Fa 2\n", "a 2\n"},
	} {
		for size := range 4 { // 0: in one piece
			var c cleaner
			e := lineEditor{hold: maxFrame}
			got, rest := "", tt.in
			for rest != "" {
				n := len(rest)
				if size > 0 {
					n = min(size, n)
				}
				got += string(e.edit(c.clean([]byte(rest[:n]))))
				rest = rest[n:]
			}
			if got += string(e.finish()); got != tt.want {
				t.Errorf("%s in pieces of %d: got %q, want %q", name, size, got, tt.want)
			}
		}
	}
}

// TestHold checks that lines come out in order and once, and that the number of those held back is limited.
func TestHold(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 7))
	for range 2000 {
		e := lineEditor{hold: rnd.IntN(4)}
		var in, got []byte
		for range rnd.IntN(12) {
			p := make([]byte, rnd.IntN(9))
			for i := range p {
				p[i] = "ab\n\n"[rnd.IntN(4)]
			}
			in = append(in, p...)
			got = append(got, e.edit(p)...)
			if n := bytes.Count(e.held, []byte("\n")); n != e.count || n > e.hold {
				t.Fatalf("%q: holds %q, %d", in, e.held, e.count)
			}
		}
		if got = append(got, e.finish()...); !bytes.Equal(got, in) {
			t.Fatalf("%q becomes %q", in, got)
		}
	}
	e := lineEditor{hold: maxFrame}
	for range 20 {
		e.edit(append(bytes.Repeat([]byte("x"), maxLine-1), '\n'))
	}
	if len(e.held) > maxHeld {
		t.Errorf("holds %d bytes", len(e.held))
	}
}

// FuzzFrames checks that no input makes the editor fail, or hold more than its limit.
func FuzzFrames(f *testing.F) {
	f.Add("a\nb\n\x1b[2Ac\n\x1b[Bd\x1b[K\x1b[J", 3)
	f.Fuzz(func(t *testing.T, in string, n int) {
		n = max(1, n%64)
		var c cleaner
		e := lineEditor{hold: maxFrame}
		for rest := in; rest != ""; {
			k := min(n, len(rest))
			e.edit(c.clean([]byte(rest[:k])))
			rest = rest[k:]
			if e.count != bytes.Count(e.held, []byte("\n")) || len(e.below) > maxFrame {
				t.Fatalf("%q: %d lines in %q, %d below", in, e.count, e.held, len(e.below))
			}
		}
		e.finish()
	})
}

// TestIsPlain compares the look at words of eight bytes with one at each byte.
func TestIsPlain(t *testing.T) {
	t.Parallel()
	rnd := rand.New(rand.NewPCG(1, 6))
	for i := range 100_000 {
		size := 100
		if i%100 == 0 {
			size = 9000 // sums overflow unless they are taken in parts
		}
		letters := []string{"ab \n\t~\xe6\x97\x80", "a"}[i/100%2]
		p := make([]byte, rnd.IntN(size))
		for i := range p {
			p[i] = letters[rnd.IntN(len(letters))]
		}
		if len(p) > 0 && rnd.IntN(2) == 0 {
			p[rnd.IntN(len(p))] = byte(rnd.IntN(256))
		}
		want := !slices.ContainsFunc(p, func(b byte) bool { return b < ' ' && b != '\t' && b != '\f' && b != '\n' || b == 0x7F })
		if got := isPlain(p); got != want {
			t.Fatalf("%q: %v", p, got)
		}
	}
}
