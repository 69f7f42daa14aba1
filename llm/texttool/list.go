package texttool

import (
	"strings"

	"pollux/llm/laxjson"
)

// The tokens of Llama 4 around a list of calls.
const (
	pythonStart = "<|python_start|>"
	pythonEnd   = "<|python_end|>"
)

// matchList matches the beginning of a list of calls in Python, as Llama 4 writes them:
//
//	[read_file(file_path="a.go", limit=5), glob(pattern="*")]
//
// Text may begin in the same way, so that the first call has to be one of a declared tool.
func (p *parser) matchList(s string) (opening, verdict) {
	o := opening{at: 1, form: listForm}
	if p.lists == maxLists {
		return o, no
	}
	i, v := matchPrefix(s, []string{pythonStart})
	if v == maybe {
		return o, v
	}
	if n, v := matchSpace(s[i:]); v != yes {
		return o, v
	} else if i += n; s[i] != '[' {
		return o, no
	}
	n, v := matchSpace(s[i+1:])
	if v != yes {
		return o, v
	}
	name := s[i+1+n:]
	size := strings.IndexFunc(name, func(r rune) bool { return r > '~' || !isNameByte(byte(r)) })
	if size < 0 {
		for tool := range p.tools {
			if strings.HasPrefix(tool, name) {
				return o, maybe
			}
		}
		return o, no
	}
	if name[size] != '(' || !p.tools.has(name[:size]) {
		return o, no
	}
	o.at = i
	return o, yes
}

// maxLists is the maximum number of texts that begin like a list of calls, and are none. Each is read again.
const maxLists = 16

// scanList reads the list in held up to its end. If it is none of calls with literal arguments, it is text.
func (p *parser) scanList(isWhole bool) (rest string) {
	status := p.list.read(p.held[p.open.at:])
	if status == laxjson.More && !isWhole {
		return ""
	}
	n := p.open.at + p.list.at
	if status == laxjson.Done {
		if calls, ok := readList(string(p.held[p.open.at:n]), p.tools); ok {
			rest, p.held = string(p.held[n:]), p.held[:n]
			p.accept(calls, false)
			return rest
		}
	}
	p.lists++
	n = p.open.at + 1 // the rest may hold other calls
	rest, p.held = string(p.held[n:]), p.held[:n]
	p.release()
	return rest
}

// readList returns the calls of declared tools in a list in Python. It returns false if the list holds anything else.
func readList(code string, tools toolSet) ([]writtenCall, bool) {
	p := python{rest: code, tools: tools}
	var calls []writtenCall
	for p.take("["); ; {
		before := strings.TrimLeft(p.rest, whiteSpace)
		call, ok := p.call()
		if !ok || !tools.has(call.Name) {
			return nil, false
		}
		calls = append(calls, writtenCall{call, before[:len(before)-len(p.rest)]})
		switch isEnd := p.take("]"); {
		case isEnd:
			return calls, p.rest == ""
		case !p.take(","):
			return nil, false
		}
	}
}

// listReader finds the end of a list in Python.
type listReader struct {
	at    int // bytes that were read
	depth int // of brackets
	quote string
}

// read reads s, which begins with all that earlier calls got, from where they have ended.
func (l *listReader) read(s []byte) laxjson.Status {
	for l.at < len(s) {
		c := s[l.at]
		switch {
		case l.quote != "" && c == '\\':
			if l.at+1 == len(s) {
				return laxjson.More
			}
			l.at++
		case l.quote != "" && c == l.quote[0]:
			if n := len(l.quote); n > 1 {
				if l.at+n > len(s) && strings.HasPrefix(l.quote, string(s[l.at:])) {
					return laxjson.More
				}
				if !strings.HasPrefix(string(s[l.at:min(len(s), l.at+n)]), l.quote) {
					break
				}
				l.at += n - 1
			}
			l.quote = ""
		case l.quote != "":
			if c == '\n' && len(l.quote) == 1 {
				return laxjson.Broken
			}
		case c == '"' || c == '\'':
			n := countRun(string(s[l.at:min(len(s), l.at+3)]), c)
			switch {
			case l.at+n == len(s) && n < 3:
				return laxjson.More
			case n == 2: // an empty string
				l.at++
			default:
				l.quote = string(s[l.at : l.at+n])
				l.at += n - 1
			}
		case strings.IndexByte("[({", c) >= 0:
			l.depth++
		case strings.IndexByte("])}", c) >= 0:
			if l.depth--; l.depth == 0 {
				l.at++
				return laxjson.Done
			}
		}
		l.at++
	}
	return laxjson.More
}
