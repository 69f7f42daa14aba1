package texttool

import (
	"bytes"
	"fmt"
	"slices"

	"pollux/llm/laxjson"
)

// scanCall reads s up to the end of the call, and returns the rest.
func (p *parser) scanCall(s string) (rest string) {
	if p.open.form != jsonForm {
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

// scanBody reads the body in held if it is not JSON. It returns the text after the call.
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
	case wideForm:
		return p.scanWide(isWhole)
	case listForm:
		return p.scanList(isWhole)
	}
	n, status := p.markup.read(p.held[p.open.at:], isWhole)
	switch status {
	case laxjson.Done:
		n += p.open.at
		rest, p.held = string(p.held[n:]), p.held[:n]
		p.accept([]writtenCall{{call: p.markup.call(p.open.tool, p.tools)}}, p.open.tags == &parameterTags && p.open.end == functionEnd)
	case laxjson.Broken:
		if !isWhole { // the rest may hold other calls
			n := p.open.at + p.markup.at
			rest, p.held = string(p.held[n:]), p.held[:n]
		}
		p.form = rawForm(p.open.tool, "", string(p.held), p.tools)
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
			p.accept(calls, false)
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
		p.accept(calls, false)
	} else {
		p.reject(noLiterals)
	}
	return ""
}

// maxCodeEnds is the maximum number of closing fences in strings of the code of a call.
const maxCodeEnds = 16

const noLiterals = "it is no call with literal arguments"

// acceptObject handles a complete object in held, of which so many closing brackets were
// missing. It returns false and does nothing if too many were.
func (p *parser) acceptObject(missing int) bool {
	calls, isTaught, problem := readCalls(p.object.JSON(), p.tools, p.open, missing)
	mixed := p.object.MixedText()
	hasMixed := func(c writtenCall) bool {
		return mixed.Start > 0 && slices.Contains(memberNames(c.call.Args), mixed.Name)
	}
	switch {
	case problem == noEnd:
		return false
	case p.isNative && (problem != "" || slices.ContainsFunc(calls, hasMixed)) || problem == "" && len(calls) == 0:
		p.release()
	case problem != "" && p.isQuoted(p.body()), problem == "" && p.areQuoted(calls):
		p.release()
	case problem != "":
		p.problem, p.mode = problem, afterBrokenCall
	case slices.ContainsFunc(calls, hasMixed):
		p.form = rawForm(calls[0].call.Name, mixed.Name, string(calls[0].call.Args), p.tools)
		p.problem = fmt.Sprintf(`the value of %.100q has line breaks as they are and also \n, which may be a line break or two characters`, mixed.Name)
		p.mode = afterBrokenCall
	default:
		p.accept(calls, isTaught)
	}
	return true
}

// accept adds the calls in held, unless they are a quotation. isTaught means that they have a form
// of the instruction: these count anywhere, others only at the end of the answer.
func (p *parser) accept(calls []writtenCall, isTaught bool) {
	if p.areQuoted(calls) {
		p.release()
		return
	}
	isAllowed := func(c writtenCall) bool { return !p.isNative || p.tools.has(c.call.Name) }
	p.closers = append(p.closers, p.open.closers...)
	if len(p.closers) > maxClosers {
		p.closers = p.closers[len(p.closers)-maxClosers:]
	}
	waits := untilEnd
	switch {
	case p.isNative || !isTaught:
	case slices.ContainsFunc(p.closers, isFence):
		waits = untilFence
	case len(p.pending) == 0:
		waits = forNothing
	}
	if waits != forNothing {
		if slices.ContainsFunc(calls, func(c writtenCall) bool { return !isAllowed(c) }) || len(p.pending)+len(p.held) > maxHeld {
			p.closers = nil
			p.release()
			return
		}
		p.pending = append(p.pending, p.held...)
	} else {
		p.show.cut = true
	}
	for _, c := range calls {
		p.calls, p.waits = append(p.calls, c.call), append(p.waits, waits)
	}
	p.held, p.mode = nil, afterCall
}

// maxClosers is the maximum number of ends of fences and elements that are expected.
const maxClosers = 8

// reject handles a call that cannot be parsed.
func (p *parser) reject(why string) {
	if !p.isNative && isIntendedCall(string(p.held), p.open, p.tools) && !p.isQuotedStart(p.body()) {
		p.problem, p.mode = why, afterBrokenCall
		return
	}
	p.form, p.broken = "", laxjson.Text{}
	p.release()
}
