package console

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// BenchmarkFlood measures the emulator with the output of yes.
func BenchmarkFlood(b *testing.B) {
	s, text := newScreen(New(), "yes", New().size), bytes.Repeat([]byte("y\r\n"), 1365)
	defer s.Close()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = s.Write(text)
	}
}

// BenchmarkMoves measures output that moves the cursor, which is not skipped: a line with a progress bar, a full-screen program
// that draws all of its rows, and the echo of keys.
func BenchmarkMoves(b *testing.B) {
	var full, echo bytes.Buffer
	for y := range 24 {
		fmt.Fprintf(&full, "\x1b[%d;1H\x1b[3%dm%-40s\x1b[m%s\x1b[K", y+1, y%8, "name of a thing", strings.Repeat("x", 30))
	}
	for range 200 {
		echo.WriteString("a\x1b[K\b\x1b[C")
	}
	for name, text := range map[string]string{
		"lines":  strings.Repeat("  Compiling a package of the program v1.0.0\x1b[K\r\n", 90),
		"screen": full.String(),
		"echo":   echo.String(),
	} {
		b.Run(name, func(b *testing.B) {
			s := newScreen(New(), "make", New().size)
			defer s.Close()
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				_, _ = s.Write([]byte(text))
			}
		})
	}
}
