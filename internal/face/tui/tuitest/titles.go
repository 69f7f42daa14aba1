package tuitest

import "bytes"

// titles takes titles of windows out of a stream of output: the emulator ends them within some characters of UTF-8.
type titles struct {
	rest []byte // the beginning of a title, or of its introducer
	last string // the newest title
}

var introducer = []byte("\x1b]0;")

// cut returns the output without titles.
func (t *titles) cut(b []byte) (out []byte) {
	b = append(t.rest, b...)
	t.rest = nil
	for {
		i := bytes.IndexByte(b, introducer[0])
		if i < 0 {
			return append(out, b...)
		}
		out, b = append(out, b[:i]...), b[i:]
		switch {
		case bytes.HasPrefix(b, introducer):
			end := bytes.IndexByte(b, 7)
			if end < 0 {
				t.rest = bytes.Clone(b)
				return out
			}
			t.last, b = string(b[len(introducer):end]), b[end+1:]
		case bytes.HasPrefix(introducer, b):
			t.rest = bytes.Clone(b)
			return out
		default:
			out, b = append(out, b[0]), b[1:]
		}
	}
}
