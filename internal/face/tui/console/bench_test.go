package console

import (
	"bytes"
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
