package secret

import (
	"bytes"
	"strings"
	"testing"
)

func TestLines(t *testing.T) {
	t.Parallel()
	l := Lines{Mask: NewEraser([]string{"hunter22"})}
	var got []string
	for _, line := range strings.Split("a hunter22\nx -----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nMIIabc\n-----END RSA PRIVATE KEY----- hunter22 b\nc\n-----BEGIN PRIVATE KEY-----\nMII\nthis is no key hunter22\nd", "\n") {
		got = append(got, l.Text(line))
	}
	const want = "a [REDACTED]|x [REDACTED]|[REDACTED]|[REDACTED]|[REDACTED] [REDACTED] b|c|[REDACTED]|[REDACTED]|this is no key [REDACTED]|d"
	if strings.Join(got, "|") != want {
		t.Errorf("%q, want %s", got, want)
	}
}

// A secret is found wherever the pieces of a text end.
func FuzzWriter(f *testing.F) {
	f.Add("a hunter22 b\nhunter22", uint8(3))
	f.Add("x\n-----BEGIN PRIVATE KEY-----\nMIIabc\n-----END PRIVATE KEY-----\ny", uint8(7))
	f.Fuzz(func(t *testing.T, text string, size uint8) {
		mask := NewEraser([]string{"hunter22"})
		write := func(size int) string {
			var out bytes.Buffer
			w := NewWriter(&out, mask)
			for rest := []byte(text); len(rest) > 0; rest = rest[min(size, len(rest)):] {
				if _, err := w.Write(rest[:min(size, len(rest))]); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		whole, pieces := write(len(text)+1), write(int(size)+1)
		if whole != pieces || strings.Contains(pieces, "hunter22") {
			t.Errorf("%q becomes %q, and %q in pieces of %d", text, whole, pieces, size+1)
		}
	})
}
