package texttool

import (
	"strings"

	"pollux/llm"
	"pollux/llm/laxjson"
)

// parser takes calls out of an answer while it arrives. However the answer is
// cut into chunks, calls and visible text are the same. Time is linear in the
// answer; what is held is bounded by maxHeld.
type parser struct {
	tools map[string]bool

	calls []llm.FunctionCall
	wrong string // why what was meant as a call is none

	mode   mode
	held   []byte  // not yet known to be text or part of a call
	open   opening // of the object in held
	object laxjson.Reader
	depth  int    // of it, where it is no JSON
	fence  string // what closes the fence that a call stood in, "" if closed
	show   shower
}

type mode int

const (
	inText   mode = iota
	inObject      // of what may be a call
	behind        // a call: closing fences and brackets that are too many belong to it
	lost          // behind a call that cannot be read: there is no telling what is what
	invented      // the model has gone on to write the results itself
)

// maxHeld bounds a call. A longer one, or one without end, is text.
const maxHeld = 1 << 20

func newParser(tools map[string]bool) *parser { return &parser{tools: tools} }

// next returns the parser of the next answer, whose text is shown behind this one's.
func (p *parser) next() *parser {
	return &parser{tools: p.tools, show: shower{shown: p.show.shown, cut: true, gap: "\n\n"}}
}

// over reports whether the rest of the answer does not matter.
func (p *parser) over() bool { return p.mode == invented }

// add returns the text that is certain to be text.
func (p *parser) add(s string) string {
	if p.mode == inText && len(p.held) == 0 && !strings.ContainsAny(s, openers) && !p.show.cut { // nearly always
		return p.show.one(s)
	}
	for s != "" {
		switch p.mode {
		case inText:
			s = p.text(p.withHeld(s))
		case inObject:
			s = p.inObject(s)
		case behind:
			s = p.behind(p.withHeld(s))
		case lost:
			n := min(len(s), maxHeld+1-len(p.held))
			p.held, s = append(p.held, s[:n]...), s[n:]
			if len(p.held) > maxHeld {
				p.wrong = ""
				p.release()
			}
		case invented:
			s = ""
		}
	}
	return p.show.take()
}

// end returns what is left of the text. Cut says that the answer is not all
// that the model had to say.
func (p *parser) end(cut bool) string {
	switch p.mode {
	case inText, behind:
		if !p.closes(string(p.held) + "\n") {
			p.release()
		}
	case inObject:
		if missing, ok := p.object.Close(); ok && !cut {
			p.judge(missing)
		} else if cut {
			p.broken("it was cut off at the limit of an answer's length; say less in one call")
		} else {
			p.broken("it has no end")
		}
	}
	if len(p.calls) == 0 && p.wrong == "" {
		p.show.end()
	}
	return p.show.take()
}

// giveUp returns the text of a call that cannot be read.
func (p *parser) giveUp() string {
	p.wrong = ""
	p.release()
	if len(p.calls) == 0 {
		p.show.end()
	}
	return p.show.take()
}

func (p *parser) withHeld(s string) string {
	if len(p.held) > 0 {
		s = string(p.held) + s
		p.held = p.held[:0]
	}
	return s
}

// release shows what is held as text.
func (p *parser) release() {
	p.show.add(string(p.held))
	p.held, p.mode = nil, inText
}

// text shows s up to what may open a call, and returns what is behind that.
func (p *parser) text(s string) (rest string) {
	for i := 0; ; {
		n := strings.IndexAny(s[i:], openers)
		if n < 0 {
			p.show.add(s)
			return ""
		}
		i += n
		if p.fence != "" {
			switch size, verdict := closing(s[i:], p.fence); verdict {
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
		o, verdict := match(s[i:], p.fence != "")
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

// inObject reads s up to the end of the object, and returns what is behind.
func (p *parser) inObject(s string) (rest string) {
	if p.open.prose {
		return p.inProse(s)
	}
	n, status := p.object.Add(s[:min(len(s), maxHeld+1-len(p.held))])
	p.held = append(p.held, s[:n]...)
	rest = s[n:]
	switch {
	case len(p.held) > maxHeld:
		p.release()
	case status == laxjson.Done:
		p.judge(0)
	case status == laxjson.Broken:
		if missing, ok := p.object.Close(); ok {
			p.judge(missing)
		} else {
			p.broken("it is no JSON behind " + excerpt(p.held))
		}
	}
	return rest
}

// inProse reads s up to the bracket that ends what is no JSON in any case.
func (p *parser) inProse(s string) (rest string) {
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
		p.broken("it has the quotes or the colons of prose, not those of JSON")
	}
	return s[n:]
}

// judge says what the object in held is.
func (p *parser) judge(missing int) {
	calls, wrong := read(p.object.JSON(), p.tools, p.open.wrapped, missing)
	switch {
	case wrong != "":
		p.wrong, p.mode = wrong, lost
	case len(calls) == 0:
		p.release()
	default:
		p.calls = append(p.calls, calls...)
		p.held, p.mode, p.show.cut = nil, behind, true
		if p.open.closer != "" {
			p.fence = p.open.closer
		}
	}
}

// broken takes an object that cannot be read.
func (p *parser) broken(why string) {
	if meant(string(p.held), p.open, p.tools) {
		p.wrong, p.mode = why, lost
		return
	}
	p.release()
}

// behind drops what belongs to a call, and returns the rest.
func (p *parser) behind(s string) (rest string) {
	for {
		s = strings.TrimLeft(s, " \t\r\n}],;")
		if s == "" {
			return ""
		}
		if p.fence != "" {
			switch size, verdict := closing(s, p.fence); verdict {
			case maybe:
				p.held = append(p.held, s...)
				return ""
			case yes:
				p.fence, s = "", s[size:]
				continue
			}
		}
		switch invents(s, p.tools) {
		case yes:
			p.mode = invented
			return ""
		case maybe:
			p.held = append(p.held, s...)
			return ""
		}
		p.mode = inText
		return s
	}
}

// closes reports whether s is the end of a fence.
func (p *parser) closes(s string) bool {
	if p.fence == "" {
		return false
	}
	_, verdict := closing(s, p.fence)
	return verdict == yes
}

// excerpt returns the end of what could be read.
func excerpt(held []byte) string {
	held = held[max(0, len(held)-60):]
	return strings.ToValidUTF8(strings.Join(strings.Fields(string(held)), " "), "")
}

// shower shows text, but for white space around what was cut out of it.
type shower struct {
	out    strings.Builder
	blanks string // at the end of the text so far, not yet shown
	flood  bool   // more of them than are worth holding
	shown  bool   // some text has been
	cut    bool   // since then something was cut out
	gap    string // stands for what was cut out where no blanks do
}

const (
	blank     = " \t\r\n"
	maxBlanks = 1 << 10
)

// one is add and take for text that needs no thought.
func (w *shower) one(s string) string {
	if w.blanks == "" && s != "" && s == strings.TrimRight(s, blank) {
		w.shown, w.flood = true, false
		return s
	}
	w.add(s)
	return w.take()
}

func (w *shower) add(s string) {
	if w.cut {
		if s = strings.TrimLeft(s, blank); s == "" {
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
	body := strings.TrimRight(s, blank)
	if body != "" {
		w.out.WriteString(w.blanks)
		w.out.WriteString(body)
		w.blanks, w.flood, w.shown = "", false, true
	}
	s = s[len(body):]
	if w.flood = w.flood || len(w.blanks)+len(s) > maxBlanks; !w.flood {
		w.blanks += s
		return
	}
	w.out.WriteString(w.blanks)
	w.out.WriteString(s)
	w.blanks = ""
}

// end shows the blanks at the end.
func (w *shower) end() {
	w.out.WriteString(w.blanks)
	w.blanks = ""
}

func (w *shower) take() string {
	s := w.out.String()
	w.out.Reset()
	return s
}
