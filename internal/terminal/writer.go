package terminal

import (
	"io"
	"regexp"
	"strings"
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
	line  *statusLine // of the terminal

	mu   sync.Mutex
	held []byte // the beginning of a character whose end was not written yet
}

// NewWriter returns a writer of text, from which invisible characters are removed as by [Text].
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, clean: Text, line: &statusLine{}} }

// NewNoteWriter returns a writer of notes of Pollux, which shows invisible characters as [Visible] does.
func NewNoteWriter(w io.Writer) *Writer { return &Writer{w: w, clean: Visible, line: &statusLine{}} }

// Through returns a writer like this one, for the same terminal. It writes to what wrap returns for the stream, which
// must only observe.
func (w *Writer) Through(wrap func(stream io.Writer) io.Writer) *Writer {
	return &Writer{w: wrap(w.w), clean: w.clean, line: w.line}
}

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

// Unsanitized returns a writer that changes nothing.
func (w *Writer) Unsanitized() io.Writer { return writerFunc(w.writeOut) }

func (w *Writer) writeOut(p []byte) (int, error) {
	return w.line.replace(func() (int, error) { return w.w.Write(p) })
}

func (w *Writer) write(p []byte, clean func([]byte) []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := p
	if len(w.held) > 0 {
		text = append(w.held, p...)
		w.held = nil
	}
	if n := PartialRune(text); n > 0 {
		text, w.held = text[:len(text)-n], append([]byte(nil), text[len(text)-n:]...)
	}
	if _, err := w.writeOut(clean(text)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// PartialRune returns the length of the incomplete character at the end of text, 0 if there is none.
func PartialRune(text []byte) int {
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

// The styles of text, as parameters of the escape sequence SGR.
const (
	Bold   = "1"
	Dim    = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
	Gray   = "90"
)

// Style returns text in a style, for [Writer.Styled].
func Style(style, text string) string {
	if style == "" || text == "" {
		return text
	}
	return "\x1b[" + style + "m" + text + "\x1b[0m"
}

var styleSequences = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile("\x1b\\[(?:" + strings.Join([]string{"0", Bold, Dim, Red, Green, Yellow, Cyan, Gray}, "|") + ")m")
})

// cleanStyled cleans the text between the escape sequences of [Style].
func cleanStyled(text string, clean func(string) string) string {
	var out strings.Builder
	for {
		at := styleSequences().FindStringIndex(text)
		if at == nil {
			out.WriteString(clean(text))
			return out.String()
		}
		out.WriteString(clean(text[:at[0]]))
		out.WriteString(text[at[0]:at[1]])
		text = text[at[1]:]
	}
}
