package console

import (
	"bytes"
	"slices"
	"strings"
)

// skip returns output that leads to the same screen of so many rows, without most of the lines that it scrolls out of it:
// the emulator takes 20 µs for each. Output that moves the cursor to other lines stays as it is.
func skip(p []byte, rows int) []byte {
	start := bytes.Index(p, lineEnd) + len(lineEnd) // the first line may continue a sequence
	end := len(p)
	for range rows + 2 {
		if end = bytes.LastIndex(p[:end], lineEnd); end < start {
			return p
		}
	}
	end += len(lineEnd)
	kept, ok := sequences(p[start:end])
	if _, staysInLines := sequences(p[end:]); !ok || !staysInLines {
		return p
	}
	return slices.Concat(p[:start], kept, p[end:])
}

// lineEnd ends a line, so that the next one begins in the first column.
var lineEnd = []byte("\r\n")

// inLine are the ends of sequences that move the cursor within its line, or change this line.
const inLine = "KCDGPX@`"

// sequences returns the sequences in a text that have an effect on other lines: those that set colors and attributes, and those
// that show and hide the cursor. It returns false if there are others.
func sequences(p []byte) (kept []byte, ok bool) {
	for i := 0; i < len(p); i++ {
		switch b := p[i]; {
		case b >= ' ', b == '\n', b == '\r', b == '\t', b == '\b':
		case b != 0x1b || i+1 == len(p) || p[i+1] != '[':
			return nil, false
		default:
			n := 2
			for i+n < len(p) && (p[i+n] >= '0' && p[i+n] <= '?') {
				n++
			}
			if i+n == len(p) {
				return nil, false
			}
			sequence := p[i : i+n+1]
			switch parameters, final := string(sequence[2:n]), sequence[n]; {
			case final == 'm' && !strings.ContainsAny(parameters, "<=>?"),
				(final == 'h' || final == 'l') && parameters == "?25":
				kept = append(kept, sequence...)
			case strings.IndexByte(inLine, final) < 0 || strings.ContainsAny(parameters, "<=>?"):
				return nil, false
			}
			i += n
		}
	}
	return kept, true
}
