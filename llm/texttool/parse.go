package texttool

import (
	"bytes"
	"fmt"
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

	calls   []llm.FunctionCall
	problem string       // why an intended call is invalid
	form    string       // in which it should be written again, "" for that of the instruction
	broken  laxjson.Text // the last string in an object that cannot be parsed, for its problem
	isRead  bool         // the problem is one of the last of calls
	isCut   bool         // the problem is that the answer was cut off

	mode     mode
	held     []byte  // text that may be part of a call
	open     opening // of the call in held
	object   laxjson.Reader
	markup   markup
	code     int      // up to where held was searched for the end of the code
	codeEnds int      // closing fences that did not end the code
	depth    int      // nesting depth of the object if it is not JSON
	isAtEnd  bool     // nothing has followed the last call, an object without missing brackets
	closers  []string // ends of the fences and elements around the last call, innermost last
	pending  []byte   // of a native answer: everything from the first call on
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
	inInventedResult      // the model writes the result of its own call: ignore the rest
)

// maxCodeEnds is the maximum number of closing fences in strings of the code of a call.
const maxCodeEnds = 16

// maxHeld is the maximum size of a call in bytes. A longer one is text.
const maxHeld = 1 << 20

func newParser(tools toolSet, isNative bool) *parser {
	return &parser{tools: tools, isNative: isNative, show: textWriter{isExact: isNative}}
}

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
		p.place.Add(s)
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
	if (p.mode == inText || p.mode == afterCall) && len(p.held) > 0 && !p.endsFence(string(p.held)+"\n") {
		p.release()
	}
	if p.isNative && (cut || p.mode == inText) {
		p.dropCalls()
	}
	if len(p.calls) == 0 && p.problem == "" {
		p.show.end()
	}
	return p.show.take()
}

// endCall ends a call at the end of the answer. It returns false if more calls may begin
// in what remains.
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

// text outputs s.
func (p *parser) text(s string) {
	if s == "" {
		return
	}
	if strings.TrimLeft(s, whiteSpace) != "" {
		p.dropCalls()
	}
	if len(p.pending) > 0 {
		p.pending = append(p.pending, s...)
		return
	}
	p.place.Add(s)
	p.show.add(s)
}

// dropCalls outputs the calls of a native answer as text, because they do not end it.
func (p *parser) dropCalls() {
	if len(p.pending) == 0 {
		return
	}
	s := string(p.pending)
	p.pending, p.calls, p.closers = nil, nil, nil
	p.place.Add(s)
	p.show.add(s)
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
		n := strings.IndexAny(s[i:], openers)
		if n < 0 {
			p.text(s)
			return ""
		}
		p.text(s[:i+n])
		s, i = s[i+n:], 0
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
			p.open, p.object, p.markup, p.depth, p.code, p.codeEnds, p.mode = o, laxjson.Reader{}, markup{tags: o.tags, closer: o.end}, 0, o.at, 0, inCall
			return s[o.at:]
		default:
			i = o.at
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
	at := place{isLineStart: p.place.IsLineStart(), inSpan: p.place.InSpan()}
	size := 1
	if s[0] == '`' || s[0] == '~' {
		size = countRun(s, s[0])
	}
	skip := opening{at: size}
	if p.isNative && (!at.isLineStart || p.place.InFence()) {
		return skip, no
	}
	if p.place.InFence() {
		isRun := (s[0] == '`' || s[0] == '~') && at.isLineStart
		switch {
		case isRun && size == len(s) && size <= maxFence:
			return skip, maybe
		case isRun && size >= 3:
			// The line may close the fence, or open another one.
			n, v := matchInfo(s[size:])
			switch {
			case v != yes:
				return skip, v
			case p.place.Closes(s[0], size, s[size:size+n]) && s[size+n-1] == '\n', !isDataFence(s[size : size+n]):
				return skip, no
			}
		case !isDataFence(p.place.Info()):
			return skip, no
		}
	}
	o, v := matchOpening(s, at)
	if p.isNative && (o.inSpan || o.form == otherForm || o.fence != "" && !o.isData) {
		return skip, no
	}
	return o, v
}

// scanCall reads s up to the end of the call, and returns the rest.
func (p *parser) scanCall(s string) (rest string) {
	switch {
	case p.open.hasProseMarks:
		return p.scanProse(s)
	case p.open.form != jsonForm:
		n := min(len(s), maxHeld+1-len(p.held))
		p.held = append(p.held, s[:n]...)
		return p.scanBody(false) + s[n:]
	}
	n, status := p.object.Add(s[:min(len(s), maxHeld+1-len(p.held))])
	p.held = append(p.held, s[:n]...)
	rest = s[n:]
	switch {
	case len(p.held) > maxHeld:
		p.release()
	case status == laxjson.Done:
		p.acceptObject(0)
		p.isAtEnd = p.mode == afterCall
	case status == laxjson.Broken:
		missing, ok := p.object.Close()
		if ok && !p.endsInText(rest[0]) && p.acceptObject(missing) {
			return rest
		}
		p.broken = p.object.LastText()
		p.reject("it is no JSON behind " + excerpt(p.held))
	}
	return rest
}

// scanBody reads the body in held if it is not JSON. It returns what follows the call.
func (p *parser) scanBody(isWhole bool) (rest string) {
	if len(p.held) > maxHeld {
		p.release()
		return ""
	}
	switch p.open.form {
	case pythonForm:
		return p.scanCode(isWhole)
	case otherForm:
		return p.scanOther(isWhole)
	}
	n, status := p.markup.read(p.held[p.open.at:], isWhole)
	switch status {
	case laxjson.Done:
		n += p.open.at
		rest, p.held = string(p.held[n:]), p.held[:n]
		if p.open.inSpan && !p.tools.has(p.open.tool) {
			p.release()
			return rest
		}
		p.accept([]llm.FunctionCall{p.markup.call(p.open.tool, p.tools)})
	case laxjson.Broken:
		if !isWhole { // what was not read may hold other calls
			n := p.open.at + p.markup.at
			rest, p.held = string(p.held[n:]), p.held[:n]
		}
		p.form = rawForm(p.open.tool, "", p.tools)
		p.reject("its parameters do not have the form <parameter=NAME>VALUE</parameter>, or one has no end")
	}
	return rest
}

// maxOther is the maximum size of an element with a call in no known form, in bytes.
const maxOther = 4 << 10

// scanOther reads the element in held, whose body is no call in a known form, up to its
// end. Without an end, or if it names no tool, it is text.
func (p *parser) scanOther(isWhole bool) (rest string) {
	n := bytes.Index(p.held[p.open.at:min(len(p.held), p.open.at+maxOther)], []byte(p.open.end))
	switch {
	case n >= 0:
		n += p.open.at + len(p.open.end)
		rest, p.held = string(p.held[n:]), p.held[:n]
		p.reject("it is neither a JSON object nor elements")
	case isWhole || len(p.held) >= p.open.at+maxOther:
		rest, p.held = string(p.held[p.open.at:]), p.held[:p.open.at]
		p.release()
	}
	return rest
}

// scanCode reads the code in held up to a closing fence behind which the code is
// complete.
func (p *parser) scanCode(isWhole bool) (rest string) {
	for p.code < len(p.held) {
		n := bytes.IndexByte(p.held[p.code:], p.open.fence[0])
		if n < 0 {
			p.code = len(p.held)
			break
		}
		p.code += n
		run := string(p.held[p.code:min(len(p.held), p.code+maxFence+1)])
		size := countRun(run, p.open.fence[0])
		switch {
		case size == len(run) && size <= maxFence && !isWhole:
			return ""
		case size < len(p.open.fence):
			p.code += size
			continue
		}
		if calls, ok := readPython(string(p.held[p.open.at:p.code]), p.tools); ok {
			rest, p.held = string(p.held[p.code:]), p.held[:p.code]
			p.accept(calls)
			return rest
		}
		p.code += size
		if p.codeEnds++; p.codeEnds == maxCodeEnds {
			rest, p.held = string(p.held[p.code:]), p.held[:p.code]
			p.reject(noLiterals)
			return rest
		}
	}
	if !isWhole {
		return ""
	}
	if calls, ok := readPython(string(p.held[p.open.at:]), p.tools); ok {
		p.accept(calls)
	} else {
		p.reject(noLiterals)
	}
	return ""
}

const noLiterals = "it is no call with literal arguments"

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
		p.reject("it has the quotes or the colons of prose, not those of JSON")
	}
	return s[n:]
}

// acceptObject handles a complete object in held, of which so many closing brackets were
// missing. It returns false and does nothing if too many were.
func (p *parser) acceptObject(missing int) bool {
	calls, problem := readCalls(p.object.JSON(), p.tools, p.open, missing)
	mixed := p.object.MixedText()
	hasMixed := func(c llm.FunctionCall) bool {
		return mixed.Start > 0 && slices.Contains(memberNames(c.Args), mixed.Name)
	}
	switch {
	case problem == noEnd:
		return false
	case p.isNative && (problem != "" || slices.ContainsFunc(calls, hasMixed)) || problem == "" && len(calls) == 0:
		p.release()
	case problem != "":
		p.problem, p.mode = problem, afterBrokenCall
	case slices.ContainsFunc(calls, hasMixed):
		p.form = rawForm(calls[0].Name, mixed.Name, p.tools)
		p.problem = fmt.Sprintf(`the value of %.100q has line breaks as they are and also \n, which may be a line break or two characters`, mixed.Name)
		p.mode = afterBrokenCall
	default:
		p.accept(calls)
	}
	return true
}

// accept adds the calls in held.
func (p *parser) accept(calls []llm.FunctionCall) {
	if p.isNative {
		known := func(c llm.FunctionCall) bool { return p.tools.has(c.Name) }
		if slices.ContainsFunc(calls, func(c llm.FunctionCall) bool { return !known(c) }) || len(p.pending)+len(p.held) > maxHeld {
			p.release()
			return
		}
		p.pending = append(p.pending, p.held...)
	} else {
		p.show.cut = true
	}
	p.calls = append(p.calls, calls...)
	p.held, p.mode = nil, afterCall
	p.closers = append(p.closers, p.open.closers...)
	if len(p.closers) > maxClosers {
		p.closers = p.closers[len(p.closers)-maxClosers:]
	}
}

// maxClosers is the maximum number of ends of fences and elements that are expected.
const maxClosers = 8

// reject handles a call that cannot be parsed.
func (p *parser) reject(why string) {
	if !p.isNative && isIntendedCall(string(p.held), p.open, p.tools) {
		p.problem, p.mode = why, afterBrokenCall
		return
	}
	p.form, p.broken = "", laxjson.Text{}
	p.release()
}

// scanAfterCall drops the end of a call, and returns the rest of s.
func (p *parser) scanAfterCall(s string) (rest string) {
	drop := func(n int) {
		if p.isNative {
			p.pending = append(p.pending, s[:n]...)
		}
		s = s[n:]
	}
	if text := p.object.LastText(); p.isAtEnd && s[0] == '"' && text.End > 0 && !p.isNative {
		p.isRead = true
		p.form = rawForm(p.calls[len(p.calls)-1].Name, text.Name, p.tools)
		p.problem = fmt.Sprintf("the value of %.100q ends at a quote behind which the call ends, but another quote follows; a quote in a value is written \\\"", text.Name)
		p.mode = afterBrokenCall
		return s
	}
	p.isAtEnd = false
	for {
		extra := " \t\r\n}],;"
		if p.isNative {
			extra = " \t\r\n],;"
		}
		drop(len(s) - len(strings.TrimLeft(s, extra)))
		if s == "" {
			return ""
		}
		size, verdict := p.matchClosers(s)
		if verdict == no {
			size, verdict = matchEnd(s)
		}
		switch verdict {
		case maybe:
			p.held = append(p.held, s...)
			return ""
		case yes:
			drop(size)
			continue
		}
		switch matchInventedResult(s, p.isTool) {
		case yes:
			p.mode = inInventedResult
			return ""
		case maybe:
			p.held = append(p.held, s...)
			return ""
		}
		p.mode, p.place = inText, fence.Tracker{}
		return s
	}
}

// isTool reports whether a tool is declared or was called.
func (p *parser) isTool(name string) bool {
	return p.tools.has(name) || slices.ContainsFunc(p.calls, func(c llm.FunctionCall) bool { return c.Name == name })
}

// matchClosers matches the end of a fence or element around the last call, and forgets
// it and those within it. s begins with any text.
func (p *parser) matchClosers(s string) (int, verdict) {
	found := no
	for i := len(p.closers) - 1; i >= 0; i-- {
		switch size, v := matchClosing(s, p.closers[i]); v {
		case yes:
			p.closers = p.closers[:i]
			return size, yes
		case maybe:
			found = maybe
		}
	}
	return 0, found
}

// endsFence reports whether s is the end of a fence or element around the last call.
func (p *parser) endsFence(s string) bool {
	_, v := p.matchClosers(s)
	return v == yes
}
