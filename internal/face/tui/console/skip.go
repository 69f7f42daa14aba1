package console

import (
	"bytes"
	"slices"
)

// skip returns output that leads to the same screen of so many rows, without most of the lines that it scrolls out of it:
// the emulator takes 20 µs for each. Output that moves the cursor stays as it is.
func skip(p []byte, rows int) []byte {
	start := bytes.IndexByte(p, '\n') + 1 // the first line may continue a sequence
	end := len(p)
	for range rows + 2 {
		if end = bytes.LastIndexByte(p[:end], '\n'); end < start {
			return p
		}
	}
	colors, ok := sequences(p[start : end+1])
	if _, staysInLines := sequences(p[end+1:]); !ok || !staysInLines {
		return p
	}
	return slices.Concat(p[:start], colors, p[end+1:])
}

// sequences returns the sequences in a text that set colors and attributes, false if there are others.
func sequences(p []byte) (colors []byte, ok bool) {
	for i := 0; i < len(p); i++ {
		switch b := p[i]; {
		case b >= ' ', b == '\n', b == '\r', b == '\t':
		case b != 0x1b || i+1 == len(p) || p[i+1] != '[':
			return nil, false
		default:
			n := 2
			for i+n < len(p) && (p[i+n] >= '0' && p[i+n] <= ';') {
				n++
			}
			if i+n == len(p) || p[i+n] != 'm' {
				return nil, false
			}
			colors = append(colors, p[i:i+n+1]...)
			i += n
		}
	}
	return colors, true
}
