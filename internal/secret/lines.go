package secret

import (
	"bytes"
	"io"
	"strings"
	"sync"
)

// Lines masks the lines of a text that arrives line by line: also a private key, which takes several.
type Lines struct {
	Mask  func(line string) string
	inKey int // lines of a private key before, 0 outside of one
}

// Text returns the next line without secrets.
func (l *Lines) Text(line string) string {
	const begin, end, longest = "-----BEGIN ", "-----END ", 1000
	if l.inKey > 0 {
		if _, rest, ok := strings.Cut(line, end); ok {
			l.inKey = 0
			_, rest, _ = strings.Cut(rest, "-----")
			return Redacted + l.Mask(rest)
		}
		if l.inKey++; l.inKey < longest && isOfKey(strings.TrimSpace(line)) {
			return Redacted
		}
		l.inKey = 0
	}
	if i := strings.LastIndex(line, begin); i >= 0 && strings.Contains(line[i:], "PRIVATE KEY") && !strings.Contains(line[i:], end) {
		l.inKey = 1
		return l.Mask(line[:i]) + Redacted
	}
	return l.Mask(line)
}

// isOfKey reports whether a line may be one of a private key: base64, or "Name: value".
func isOfKey(line string) bool {
	name, _, isHeader := strings.Cut(line, ": ")
	if !isHeader {
		name = strings.TrimRight(line, "=")
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return r >= 0x80 || !isBase64(byte(r)) && r != '-' })
}

// NewWriter returns a writer that passes on lines without secrets. To find a secret that arrives in pieces,
// it buffers an incomplete line, at most 64 KB of it.
func NewWriter(w io.Writer, mask func(string) string) *Writer {
	return &Writer{w: w, lines: Lines{Mask: mask}}
}

// Writer removes secrets from lines, see [NewWriter]. It may be used from several goroutines at
// once.
type Writer struct {
	mu    sync.Mutex
	w     io.Writer
	lines Lines
	begun []byte // an incomplete line
}

// maxBegun is the length at which an incomplete line is passed on, in bytes.
const maxBegun = 64 << 10

// Write implements [io.Writer].
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.begun = append(w.begun, b...)
	end := bytes.LastIndexByte(w.begun, '\n') + 1
	if len(w.begun)-end > maxBegun {
		end = len(w.begun)
	}
	return len(b), w.pass(end)
}

// Flush passes on an incomplete line.
func (w *Writer) Flush() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.pass(len(w.begun))
}

// pass passes on the first end bytes of the buffer.
func (w *Writer) pass(end int) error {
	if end == 0 {
		return nil
	}
	var out []byte
	for line := range bytes.Lines(w.begun[:end]) {
		text, isWhole := strings.CutSuffix(string(line), "\n")
		out = append(out, w.lines.Text(text)...)
		if isWhole {
			out = append(out, '\n')
		}
	}
	w.begun = append(w.begun[:0], w.begun[end:]...)
	_, err := w.w.Write(out)
	return err
}
