package openai

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"

	"pollux/llm"
	"pollux/llm/laxjson"
)

// calls assembles tool calls from their pieces (spec/agent.md §4). Servers
// number them, repeat or leave out numbers, ids and names, and mix the pieces.
type calls struct {
	all  []*partialCall
	size int // of all arguments
}

// partialCall is a call while it comes in.
type partialCall struct {
	index int // -1 without one
	id    string
	name  string
	args  []byte
	scan  scanner
}

// delta is a piece of a call.
type delta struct {
	index int // -1 without one
	id    string
	name  string
	args  []byte
	whole bool // args is the whole object, not a piece of its text
}

func (c *calls) add(d delta) {
	if d.id == "" && d.name == "" && len(d.args) == 0 {
		return
	}
	p := c.find(d)
	if p == nil {
		if len(c.all) >= maxCalls {
			return
		}
		p = &partialCall{index: d.index}
		c.all = append(c.all, p)
	}
	if p.id == "" {
		p.id = d.id
	}
	if d.name != "" && d.name != p.name && len(p.args) == 0 && len(p.name) < 4*maxName {
		p.name += d.name
	}
	if d.whole {
		p.args, p.scan = p.args[:0], scanner{}
	}
	c.size += len(d.args)
	p.args = append(p.args, d.args...)
	p.scan.add(d.args)
}

// maxCalls bounds the calls of one answer.
const maxCalls = 1000

// find returns the call that a piece belongs to, nil for a new one.
func (c *calls) find(d delta) *partialCall {
	n := len(c.all)
	if d.index < 0 {
		for i := n - 1; d.id != "" && i >= 0; i-- {
			if p := c.all[i]; p.id == d.id {
				return p.unlessNew(d)
			}
		}
		if d.id != "" && d.name != "" || n == 0 {
			return nil
		}
		for i := n - 1; i >= 0; i-- {
			if p := c.all[i]; !p.scan.complete() {
				return p.unlessNew(d)
			}
		}
		if d.name == "" && d.id == "" {
			return c.all[n-1] // what is behind the end of the last one
		}
		return nil
	}
	for i := n - 1; i >= 0; i-- { // the newest that has this number
		if p := c.all[i]; p.index == d.index {
			return p.unlessNew(d)
		}
	}
	return nil
}

// unlessNew returns p unless d begins another call.
func (p *partialCall) unlessNew(d delta) *partialCall {
	otherID := d.id != "" && p.id != "" && d.id != p.id
	switch {
	case otherID && (p.scan.complete() || len(p.args) == 0 && d.name != "" && p.name != ""),
		p.scan.complete() && d.name != "" && len(d.args) > 0,
		d.whole && len(p.args) > 0:
		return nil
	}
	return p
}

// finish returns the calls as parts, and whether all of them are whole. Of an
// answer that broke off in a call none is to be run but those before it.
func (c *calls) finish(names map[string]string) (parts []llm.Part, whole bool) {
	whole = true
	ids := map[string]bool{}
	for _, p := range c.all {
		args, ok := p.arguments()
		if !ok {
			whole = false
			continue
		}
		name := p.name
		if own, ok := names[name]; ok {
			name = own
		}
		if p.id == "" || ids[p.id] {
			p.id = newID()
		}
		ids[p.id] = true
		parts = append(parts, llm.Part{FunctionCall: &llm.FunctionCall{ID: p.id, Name: name, Args: args}})
	}
	return parts, whole
}

// arguments returns the arguments of a call, and false where they broke off.
// Those that nothing can be made of are returned as a string: as that is no
// object, the tool is not run and the model is told why.
func (p *partialCall) arguments() (json.RawMessage, bool) {
	args := bytes.TrimSpace(p.args)
	switch {
	case len(args) == 0, string(args) == "null":
		return json.RawMessage(`{}`), true
	case json.Valid(args):
		if args[0] == '"' { // the text of the arguments in a string once more
			var inner string
			if json.Unmarshal(args, &inner) == nil {
				if t := bytes.TrimSpace([]byte(inner)); len(t) == 0 {
					return json.RawMessage(`{}`), true
				} else if t[0] == '{' && json.Valid(t) {
					return t, true
				}
			}
		}
		return validUTF8(args), true
	case !p.scan.complete() && args[0] == '{':
		return nil, false
	}
	if mended, ok := laxjson.Object(string(args)); ok {
		return mended, true
	}
	return llm.AppendString(nil, string(args)), true
}

func validUTF8(raw []byte) json.RawMessage { return bytes.ToValidUTF8(raw, []byte("\ufffd")) }

func validText(raw []byte) bool { return utf8.Valid(raw) && json.Valid(raw) }

// scanner finds out where a JSON object that comes in pieces ends.
type scanner struct {
	depth    int
	begun    bool
	inString bool
	escaped  bool
}

func (s *scanner) add(data []byte) {
	for _, c := range data {
		switch {
		case s.escaped:
			s.escaped = false
		case s.inString && c == '\\':
			s.escaped = true
		case c == '"':
			s.inString = !s.inString
			s.begun = true
		case s.inString:
		case c == '{' || c == '[':
			s.depth++
			s.begun = true
		case c == '}' || c == ']':
			s.depth--
		}
	}
}

// complete reports whether the object has ended.
func (s *scanner) complete() bool { return s.begun && s.depth <= 0 && !s.inString }
