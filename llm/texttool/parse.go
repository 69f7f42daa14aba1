package texttool

import (
	"strings"

	"pollux/llm"
	"pollux/llm/laxjson"
)

// parser removes calls from an answer while it streams. Calls and visible text do not
// depend on the boundaries of chunks. It takes linear time and holds back at most
// maxHeld bytes.
type parser struct {
	tools map[string]bool

	calls   []llm.FunctionCall
	problem string // why an intended call is invalid

	mode   mode
	held   []byte  // text that may be part of a call
	open   opening // of the object in held
	object laxjson.Reader
	depth  int    // nesting depth of the object if it is not JSON
	fence  string // end of the open fence around a call, "" if there is none
	show   textWriter
}

// mode is the state of a parser.
type mode int

const (
	inText           mode = iota
	inObject              // in an object that may be a call
	afterCall             // closing fences and extra brackets belong to the call
	afterBrokenCall       // after a call that cannot be parsed: hold back everything
	inInventedResult      // the model writes the result of its own call: ignore the rest
)

// maxHeld is the maximum size of a call in bytes. A longer one is text.
const maxHeld = 1 << 20

func newParser(tools map[string]bool) *parser { return &parser{tools: tools} }

// nextAttempt returns the parser of the next attempt, whose text follows the text of
// this one.
func (p *parser) nextAttempt() *parser {
	return &parser{tools: p.tools, show: textWriter{shown: p.show.shown, cut: true, gap: "\n\n"}}
}

// isDone reports whether the rest of the answer is ignored.
func (p *parser) isDone() bool { return p.mode == inInventedResult }

// add parses s and returns the text that is certainly not part of a call.
func (p *parser) add(s string) string {
	if p.mode == inText && len(p.held) == 0 && !strings.ContainsAny(s, openers) && !p.show.cut { // nearly all chunks
		return p.show.addFast(s)
	}
	for s != "" {
		switch p.mode {
		case inText:
			s = p.scanText(p.withHeld(s))
		case inObject:
			s = p.scanObject(s)
		case afterCall:
			s = p.scanAfterCall(p.withHeld(s))
		case afterBrokenCall:
			n := min(len(s), maxHeld+1-len(p.held))
			p.held, s = append(p.held, s[:n]...), s[n:]
			if len(p.held) > maxHeld {
				p.problem = ""
				p.release()
			}
		case inInventedResult:
			s = ""
		}
	}
	return p.show.take()
}

// end parses the end of the answer and returns the remaining text. cut means that the
// answer is incomplete.
func (p *parser) end(cut bool) string {
	switch p.mode {
	case inText, afterCall:
		if !p.endsFence(string(p.held) + "\n") {
			p.release()
		}
	case inObject:
		if missing, ok := p.object.Close(); ok && !cut {
			p.acceptObject(missing)
		} else if cut {
			p.rejectObject("it was cut off at the limit of an answer's length; say less in one call")
		} else {
			p.rejectObject("it has no end")
		}
	}
	if len(p.calls) == 0 && p.problem == "" {
		p.show.end()
	}
	return p.show.take()
}

// giveUp returns an invalid call as text.
func (p *parser) giveUp() string {
	p.problem = ""
	p.release()
	if len(p.calls) == 0 {
		p.show.end()
	}
	return p.show.take()
}

// withHeld returns s after the held text, which it clears.
func (p *parser) withHeld(s string) string {
	if len(p.held) > 0 {
		s = string(p.held) + s
		p.held = p.held[:0]
	}
	return s
}

// release outputs the held text.
func (p *parser) release() {
	p.show.add(string(p.held))
	p.held, p.mode = nil, inText
}

// scanText outputs s up to the possible start of a call, and returns the rest.
func (p *parser) scanText(s string) (rest string) {
	for i := 0; ; {
		n := strings.IndexAny(s[i:], openers)
		if n < 0 {
			p.show.add(s)
			return ""
		}
		i += n
		if p.fence != "" {
			switch size, verdict := matchClosing(s[i:], p.fence); verdict {
			case maybe:
				p.show.add(s[:i])
				p.held = append(p.held, s[i:]...)
				return ""
			case yes:
				p.show.add(s[:i])
				p.fence, s, i = "", s[i+size:], 0
				continue
			}
		}
		o, verdict := matchOpening(s[i:], p.fence != "")
		switch verdict {
		case no:
			i += o.at
		case maybe:
			p.show.add(s[:i])
			p.held = append(p.held, s[i:]...)
			return ""
		case yes:
			p.show.add(s[:i])
			p.held = append(p.held, s[i:i+o.at]...)
			p.open, p.object, p.depth, p.mode = o, laxjson.Reader{}, 0, inObject
			return s[i+o.at:]
		}
	}
}

// scanObject reads s up to the end of the object, and returns the rest.
func (p *parser) scanObject(s string) (rest string) {
	if p.open.hasProseMarks {
		return p.scanProse(s)
	}
	n, status := p.object.Add(s[:min(len(s), maxHeld+1-len(p.held))])
	p.held = append(p.held, s[:n]...)
	rest = s[n:]
	switch {
	case len(p.held) > maxHeld:
		p.release()
	case status == laxjson.Done:
		p.acceptObject(0)
	case status == laxjson.Broken:
		if missing, ok := p.object.Close(); ok {
			p.acceptObject(missing)
		} else {
			p.rejectObject("it is no JSON behind " + excerpt(p.held))
		}
	}
	return rest
}

// scanProse reads s up to the closing bracket of an object that cannot be JSON, and
// returns the rest.
func (p *parser) scanProse(s string) (rest string) {
	n := 0
	for n < len(s) && len(p.held)+n <= maxHeld && (n == 0 || p.depth > 0) {
		switch s[n] {
		case '{', '[':
			p.depth++
		case '}', ']':
			p.depth--
		}
		n++
	}
	p.held = append(p.held, s[:n]...)
	switch {
	case len(p.held) > maxHeld:
		p.release()
	case p.depth == 0:
		p.rejectObject("it has the quotes or the colons of prose, not those of JSON")
	}
	return s[n:]
}

// acceptObject handles a complete object in held.
func (p *parser) acceptObject(missing int) {
	calls, problem := readCalls(p.object.JSON(), p.tools, p.open.inFencedData, missing)
	switch {
	case problem != "":
		p.problem, p.mode = problem, afterBrokenCall
	case len(calls) == 0:
		p.release()
	default:
		p.calls = append(p.calls, calls...)
		p.held, p.mode, p.show.cut = nil, afterCall, true
		if p.open.closer != "" {
			p.fence = p.open.closer
		}
	}
}

// rejectObject handles an object that cannot be parsed.
func (p *parser) rejectObject(why string) {
	if isIntendedCall(string(p.held), p.open, p.tools) {
		p.problem, p.mode = why, afterBrokenCall
		return
	}
	p.release()
}

// scanAfterCall drops the end of a call, and returns the rest of s.
func (p *parser) scanAfterCall(s string) (rest string) {
	for {
		s = strings.TrimLeft(s, " \t\r\n}],;")
		if s == "" {
			return ""
		}
		if p.fence != "" {
			switch size, verdict := matchClosing(s, p.fence); verdict {
			case maybe:
				p.held = append(p.held, s...)
				return ""
			case yes:
				p.fence, s = "", s[size:]
				continue
			}
		}
		switch matchInventedResult(s, p.tools) {
		case yes:
			p.mode = inInventedResult
			return ""
		case maybe:
			p.held = append(p.held, s...)
			return ""
		}
		p.mode = inText
		return s
	}
}

// endsFence reports whether s is the end of the open fence.
func (p *parser) endsFence(s string) bool {
	if p.fence == "" {
		return false
	}
	_, verdict := matchClosing(s, p.fence)
	return verdict == yes
}

// excerpt returns the last part of the text before an error.
func excerpt(held []byte) string {
	held = held[max(0, len(held)-60):]
	return strings.ToValidUTF8(strings.Join(strings.Fields(string(held)), " "), "")
}

// textWriter collects visible text. It removes white space around calls that were cut
// out.
type textWriter struct {
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
	if w.blanks == "" && s != "" && s == strings.TrimRight(s, whiteSpace) {
		w.shown, w.overflowed = true, false
		return s
	}
	w.add(s)
	return w.take()
}

// add writes s, except for white space at its end.
func (w *textWriter) add(s string) {
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
