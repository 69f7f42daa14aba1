package broker

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// FuzzSwap compares streams in pieces of all sizes with the text as a whole.
func FuzzSwap(f *testing.F) {
	f.Add("a secret, secsecret, sec", "secret", "placeholder", 1)
	f.Add("aaaaab", "aab", "", 2)
	f.Add("", "x", "y", 3)
	f.Fuzz(func(t *testing.T, text, from, to string, size int) {
		if from == "" {
			t.Skip()
		}
		var in io.Reader = strings.NewReader(text)
		switch size % 3 {
		case 0:
			in = iotest.OneByteReader(in)
		case 1:
			in = iotest.HalfReader(in)
		default:
			in = iotest.DataErrReader(in)
		}
		got, err := io.ReadAll(&swapper{from: in, swap: swap{from, to}})
		if want := strings.ReplaceAll(text, from, to); err != nil || string(got) != want {
			t.Errorf("%q with %q for %q is %q, want %q: %v", text, to, from, got, want, err)
		}
	})
}

func BenchmarkSwap(b *testing.B) {
	text := bytes.Repeat([]byte("a line of an answer, s3cre and so on\n"), 30_000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		_, _ = io.Copy(io.Discard, &swapper{from: bytes.NewReader(text), swap: swap{"s3cret-of-the-person", "placeholder"}})
	}
}
