package texttool

import "strings"

// textWriter collects visible text. It removes white space around calls that were cut
// out.
type textWriter struct {
	isExact    bool // all white space is written at once
	out        strings.Builder
	blanks     string // white space at the end of the text, not yet written
	overflowed bool   // there was too much white space to hold back
	shown      bool   // some text was written
	cut        bool   // a call was cut out after the last text
	gap        string // replaces a call without white space around it
}

const (
	whiteSpace = " \t\r\n"
	maxBlanks  = 1 << 10
)

// addFast is equivalent to add and take, and faster for most text.
func (w *textWriter) addFast(s string) string {
	if w.isExact {
		return s
	}
	if w.blanks == "" && s != "" && s == strings.TrimRight(s, whiteSpace) {
		w.shown, w.overflowed = true, false
		return s
	}
	w.add(s)
	return w.take()
}

// add writes s, except for white space at its end.
func (w *textWriter) add(s string) {
	if w.isExact {
		w.out.WriteString(s)
		return
	}
	if w.cut {
		if s = strings.TrimLeft(s, whiteSpace); s == "" {
			return
		}
		switch {
		case !w.shown:
			w.blanks = ""
		case w.blanks == "" && w.gap != "":
			w.blanks = w.gap
		case w.blanks == "":
			w.blanks = "\n"
		}
		w.cut, w.gap = false, ""
	}
	body := strings.TrimRight(s, whiteSpace)
	if body != "" {
		w.out.WriteString(w.blanks)
		w.out.WriteString(body)
		w.blanks, w.overflowed, w.shown = "", false, true
	}
	s = s[len(body):]
	if w.overflowed = w.overflowed || len(w.blanks)+len(s) > maxBlanks; !w.overflowed {
		w.blanks += s
		return
	}
	w.out.WriteString(w.blanks)
	w.out.WriteString(s)
	w.blanks = ""
}

// end writes the white space at the end.
func (w *textWriter) end() {
	w.out.WriteString(w.blanks)
	w.blanks = ""
}

// take returns the text written since the last call.
func (w *textWriter) take() string {
	s := w.out.String()
	w.out.Reset()
	return s
}
