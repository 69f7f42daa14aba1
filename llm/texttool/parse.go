package texttool

import (
	"slices"
	"strings"

	"pollux/llm"
	"pollux/llm/fence"
	"pollux/llm/laxjson"
)

// parser removes calls from an answer while it streams. Calls and visible text do not
// depend on the boundaries of chunks. It takes linear time and holds back at most
// maxHeld bytes.
type parser struct {
	tools toolSet
	// isNative means that the model gets its tools from its server, so that calls in
	// the text are exceptions: only calls of declared tools at the end of the answer
	// count, and one that cannot be parsed is text.
	isNative bool

	given   *given // nil: nothing is a quotation
	calls   []llm.FunctionCall
	waits   []wait       // of calls: those that wait are text if other text follows
	problem string       // why an intended call is invalid
	form    string       // in which it should be written again, "" for that of the instruction
	broken  laxjson.Text // the last string in an object that cannot be parsed, for its problem
	isRead  bool         // the problem is one of the last of calls
	isCut   bool         // the problem is that the answer was cut off

	mode     mode
	hasBegun bool    // the answer has words
	held     []byte  // text that may be part of a call
	open     opening // of the call in held
	object   laxjson.Reader
	markup   markup
	wide     wideReader
	list     listReader
	lists    int      // texts that began like a list of calls
	code     int      // up to where held was searched for the end of the code
	codeEnds int      // closing fences that did not end the code
	isAtEnd  bool     // nothing has followed the last call, an object without missing brackets
	closers  []string // ends of the fences and elements around the last call, innermost last
	pending  []byte   // everything from the first call that waits on
	thought  string   // the tag that ends the thought
	tail     []byte   // of the visible text
	place    fence.Tracker
	show     textWriter
}

// mode is the state of a parser.
type mode int

const (
	inText           mode = iota
	inCall                // in text that may be a call
	afterCall             // closing fences and extra brackets belong to the call
	afterBrokenCall       // after a call that cannot be parsed: hold back everything
	inThought             // in <think>: nothing is a call
	inInventedResult      // the model writes the result of its own call: ignore the rest
)

// maxHeld is the maximum size of a call in bytes. A longer one is text.
const maxHeld = 1 << 20

func newParser(tools toolSet, isNative bool) *parser {
	return &parser{tools: tools, isNative: isNative, show: textWriter{isExact: isNative}}
}

// nextAttempt returns the parser of the next attempt, whose text follows the text of
// this one.
func (p *parser) nextAttempt() *parser {
	return &parser{tools: p.tools, given: p.given, show: textWriter{shown: p.show.shown, cut: true, gap: "\n\n"}}
}

// isDone reports whether the rest of the answer is ignored.
func (p *parser) isDone() bool { return p.mode == inInventedResult }

// add parses s and returns the text that is certainly not part of a call.
func (p *parser) add(s string) string {
	if p.mode == inText && p.hasBegun && len(p.held) == 0 && !strings.ContainsAny(s, openers) && !p.show.cut { // nearly all chunks
		p.note(s)
		return p.show.addFast(s)
	}
	p.parse(s)
	return p.show.take()
}

func (p *parser) parse(s string) {
	for s != "" {
		switch p.mode {
		case inText:
			s = p.scanText(p.withHeld(s))
		case inCall:
			s = p.scanCall(s)
		case afterCall:
			s = p.scanAfterCall(p.withHeld(s))
		case afterBrokenCall:
			n := min(len(s), maxHeld+1-len(p.held))
			p.held, s = append(p.held, s[:n]...), s[n:]
			if len(p.held) > maxHeld {
				p.problem = ""
				p.release()
			}
		case inThought:
			s = p.scanThought(p.withHeld(s))
		case inInventedResult:
			s = ""
		}
	}
}

// end parses the end of the answer and returns the remaining text. cut means that the
// answer is incomplete.
func (p *parser) end(cut bool) string {
	for p.mode == inCall && !p.endCall(cut) {
		// Text that was held back for a call may begin another one.
	}
	if p.problem != "" && p.broken.Start > 0 {
		p.problem = p.textProblem(p.broken)
	}
	if (p.mode == inText || p.mode == afterCall || p.mode == inThought) && len(p.held) > 0 && !p.endsFence(string(p.held)+"\n") {
		p.release()
	}
	if len(p.pending) > 0 && (p.mode == inText || cut && slices.Contains(p.waits, untilEnd)) {
		isText := p.isRead && p.waits[len(p.waits)-1] != forNothing
		p.dropCalls()
		if isText { // the call that has the problem
			p.problem, p.isRead = "", false
			p.release()
		}
	}
	if len(p.calls) == 0 && p.problem == "" {
		p.show.end()
	}
	return p.show.take()
}

// endCall ends a call at the end of the answer. It returns false if more calls may begin
// in the rest.
func (p *parser) endCall(cut bool) bool {
	switch {
	case cut:
		p.isCut = true
		p.reject("it was cut off at the limit of an answer's length; say less in one call")
	case p.open.form == jsonForm:
		missing, ok := p.object.Close()
		if ok && p.acceptObject(missing) {
			break
		}
		if text := p.object.LastText(); text.End == 0 {
			p.broken = text
		}
		p.reject(noEnd)
	default:
		p.parse(p.scanBody(true))
	}
	return p.mode != inCall
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

func (p *parser) text(s string) {
	if s == "" {
		return
	}
	if strings.TrimLeft(s, whiteSpace) != "" {
		p.hasBegun = true
		p.dropCalls()
	}
	if len(p.pending) > 0 {
		p.pending = append(p.pending, s...)
		return
	}
	p.output(s)
}

// output writes text that is visible.
func (p *parser) output(s string) {
	p.note(s)
	p.show.add(s)
}

// dropCalls outputs the calls that wait as text, because other text follows.
func (p *parser) dropCalls() {
	if len(p.pending) == 0 {
		return
	}
	s := string(p.pending)
	p.pending, p.closers = nil, nil
	left := 0
	for i, c := range p.calls {
		if p.waits[i] == forNothing {
			p.calls[left], left = c, left+1
		}
	}
	p.calls, p.waits = p.calls[:left], p.waits[:left]
	p.output(s)
}

// endFence ends the waiting of calls in a fence that holds nothing else.
func (p *parser) endFence() {
	if len(p.pending) == 0 || slices.Contains(p.waits, untilEnd) {
		return
	}
	p.pending, p.show.cut = nil, true
	clear(p.waits)
}

// release outputs the held text.
func (p *parser) release() {
	held := string(p.held)
	p.held, p.mode = nil, inText
	p.text(held)
}

// scanText outputs s up to the possible start of a call, and returns the rest.
func (p *parser) scanText(s string) (rest string) {
	for i := 0; ; {
		n := p.nextOpening(s[i:])
		if n < 0 {
			p.text(s)
			return ""
		}
		p.text(s[:i+n])
		s, i = s[i+n:], 0
		if skip, v := p.matchThought(s); v == maybe {
			p.held = append(p.held, s...)
			return ""
		} else if v == yes {
			p.text(s[:skip])
			return s[skip:]
		}
		if p.mode == inThought {
			return s
		}
		size, closing := p.matchClosers(s)
		stray := p.matchStray(s)
		o, opens := opening{at: 1}, no
		if closing == no && stray == no {
			o, opens = p.match(s)
		}
		switch {
		case closing == maybe, stray == maybe, opens == maybe:
			p.held = append(p.held, s...)
			return ""
		case closing == yes:
			s = s[size:]
		case stray == yes:
			p.held = append(p.held, s...)
			p.isRead = true
			p.problem, p.mode = "a value has "+closingParameter+" in it, and may have ended there too early; write that call as JSON", afterBrokenCall
			return ""
		case opens == yes:
			p.held = append(p.held, s[:o.at]...)
			p.open, p.object, p.markup, p.wide, p.code, p.codeEnds, p.mode = o, laxjson.Reader{}, markup{tags: o.tags, closer: o.end}, wideReader{}, o.at, 0, inCall
			p.list, p.hasBegun = listReader{}, true
			return s[o.at:]
		default:
			i, p.hasBegun = o.at, true
		}
	}
}

// matchStray matches a parameter's closing tag in the text behind a call that was written as
// elements: a value of that call may have ended too early.
func (p *parser) matchStray(s string) verdict {
	if p.isNative || !slices.ContainsFunc(p.calls, func(c llm.FunctionCall) bool { return c.ID == rawMark }) {
		return no
	}
	_, v := matchPrefix(s, []string{closingParameter})
	return v
}

// match matches the start of a call at the start of s, which begins with one of openers.
func (p *parser) match(s string) (opening, verdict) {
	at := place{isLineStart: p.place.IsLineStart(), isLineHead: p.place.IsLineHead()}
	size := 1
	if s[0] == '`' || s[0] == '~' {
		size = countRun(s, s[0])
	}
	skip := opening{at: size}
	if p.isQuoting(s[0]) {
		return skip, no
	}
	if p.isNative && !at.isLineStart {
		if _, v := matchPrefix(s, sections[:]); v != yes {
			return skip, v
		}
	}
	o, v := matchOpening(s, at)
	if s[0] == toFunctions[0] || s[0] == functools[0] {
		o, v = matchFirst(s)
	} else if v == no && at.isLineStart {
		if list, isList := p.matchList(s); isList != no {
			return list, isList
		}
	}
	if p.isNative && (o.form == otherForm || o.fence != "" && !o.isData) {
		return skip, no
	}
	return o, v
}
