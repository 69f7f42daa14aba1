package terminal

import (
	"io"
	"sync"
	"unicode/utf8"
)

// Writer is an output stream that a terminal may show. Whatever is written to it loses the characters
// that a terminal would act on, and the invisible ones that no text needs: text of others cannot move the
// cursor, hide or turn text. It is safe for concurrent use.
//
// JSON is written with [Writer.JSON], which changes no value. Only the few packages that a test in
// internal/arch lists may use [Writer.Styled] and [Writer.Unsanitized].
type Writer struct {
	w     io.Writer
	clean func(string) string

	mu   sync.Mutex
	held []byte // the beginning of a character whose end was not written yet
}

// NewWriter returns a writer of text, from which invisible characters are removed as by [Text].
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, clean: Text} }

// NewNoteWriter returns a writer of notes of Pollux, in which invisible characters are shown as escape
// sequences, as by [Visible].
func NewNoteWriter(w io.Writer) *Writer { return &Writer{w: w, clean: Visible} }

// Write implements [io.Writer]. A control sequence must not be split between two calls: its second half
// would be shown as text.
func (w *Writer) Write(p []byte) (int, error) {
	return w.write(p, func(p []byte) []byte {
		if isPrintable(p) {
			return p
		}
		return []byte(w.clean(string(p)))
	})
}

// JSON returns a writer of JSON text, in which the characters that a terminal would act on or not show are
// replaced by their escape sequences.
func (w *Writer) JSON() io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		return w.write(p, func(p []byte) []byte { return AppendJSON(nil, p) })
	})
}

// Styled returns a writer that keeps the escape sequences of [Style].
func (w *Writer) Styled() io.Writer {
	return writerFunc(func(p []byte) (int, error) {
		return w.write(p, func(p []byte) []byte { return []byte(cleanStyled(string(p), w.clean)) })
	})
}

// Unsanitized returns the stream itself, which shows whatever is written to it.
func (w *Writer) Unsanitized() io.Writer { return w.w }

func (w *Writer) write(p []byte, clean func([]byte) []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := p
	if len(w.held) > 0 {
		text = append(w.held, p...)
		w.held = nil
	}
	if n := partialRune(text); n > 0 {
		text, w.held = text[:len(text)-n], append([]byte(nil), text[len(text)-n:]...)
	}
	if _, err := w.w.Write(clean(text)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// partialRune returns the length of the incomplete character at the end of text.
func partialRune(text []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(text); n++ {
		if last := text[len(text)-n:]; utf8.RuneStart(last[0]) {
			if utf8.FullRune(last) {
				return 0
			}
			return n
		}
	}
	return 0
}

// isPrintable reports whether text is ASCII without control characters except tabs and line feeds.
func isPrintable(text []byte) bool {
	for _, c := range text {
		if c < ' ' && c != '\n' && c != '\t' || c >= 0x7F {
			return false
		}
	}
	return true
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }
