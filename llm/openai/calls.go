package openai

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"slices"
	"unicode/utf8"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/laxjson"
)

// calls assembles tool calls from their pieces. Servers number the calls or
// not, repeat or omit indexes, ids and names, and interleave the pieces.
type calls struct {
	all  []*partialCall
	size int // bytes of all arguments
}

// partialCall is a tool call whose pieces are still arriving.
type partialCall struct {
	index  int // -1 if the service sent none
	id     string
	itemID string // of the Responses protocol
	name   string
	args   []byte
	end    endScanner

	lastPiece  int  // where the last piece of args begins
	isRepeated bool // each piece so far begins with the one before
}

// callDelta is a piece of a tool call.
type callDelta struct {
	index      int // -1 if the service sent none
	id         string
	itemID     string
	name       string
	args       []byte
	isComplete bool // args is the complete object, not a piece of its text
}

func (c *calls) add(d callDelta) {
	if d.id == "" && d.name == "" && len(d.args) == 0 {
		return
	}
	p := c.findCall(d)
	if p == nil {
		if len(c.all) >= maxCalls {
			return
		}
		p = &partialCall{index: d.index}
		c.all = append(c.all, p)
	}
	p.id, p.itemID = cmp.Or(p.id, d.id), cmp.Or(p.itemID, d.itemID)
	if d.name != "" && d.name != p.name && len(p.args) == 0 && len(p.name) < 4*maxName {
		p.name += d.name
	}
	if d.isComplete {
		p.args, p.end, p.lastPiece = p.args[:0], endScanner{}, 0
	}
	c.size += len(d.args)
	p.addPiece(d.args)
}

func (p *partialCall) addPiece(piece []byte) {
	if len(piece) == 0 {
		return
	}
	p.isRepeated = p.isRepeated && bytes.HasPrefix(piece, p.args[p.lastPiece:]) || len(p.args) == 0
	p.lastPiece = len(p.args)
	p.args = append(p.args, piece...)
	p.end.add(piece)
}

// written returns the text of the arguments. Some servers repeat in each piece all that they have sent before: the last piece
// is then the text, unless the pieces together are JSON.
func (p *partialCall) written() (args []byte, end endScanner) {
	if args = bytes.TrimSpace(p.args); !p.isRepeated || p.lastPiece == 0 || json.Valid(args) {
		return args, p.end
	}
	args = bytes.TrimSpace(p.args[p.lastPiece:])
	end.add(args)
	return args, end
}

// maxCalls is the limit on tool calls in one response.
const maxCalls = 1000

// findCall returns the call that d continues, or nil if d begins a new one.
func (c *calls) findCall(d callDelta) *partialCall {
	n := len(c.all)
	if d.index < 0 {
		for i := n - 1; d.id != "" && i >= 0; i-- {
			if p := c.all[i]; p.id == d.id {
				return p.ifContinuedBy(d)
			}
		}
		if d.id != "" && d.name != "" || n == 0 {
			return nil
		}
		for i := n - 1; i >= 0; i-- {
			if p := c.all[i]; !p.end.isComplete() {
				return p.ifContinuedBy(d)
			}
		}
		if d.name == "" && d.id == "" {
			return c.all[n-1] // text after the end of the last call
		}
		return nil
	}
	for i := n - 1; i >= 0; i-- { // the newest call with this index
		if p := c.all[i]; p.index == d.index {
			return p.ifContinuedBy(d)
		}
	}
	return nil
}

// ifContinuedBy returns p if d continues it, or nil if d begins another call.
func (p *partialCall) ifContinuedBy(d callDelta) *partialCall {
	if p.isRepeated && len(d.args) > len(p.args)-p.lastPiece && p.lastPiece > 0 && bytes.HasPrefix(d.args, p.args[p.lastPiece:]) && !json.Valid(p.args[p.lastPiece:]) {
		return p
	}
	otherID := d.id != "" && p.id != "" && d.id != p.id
	switch {
	case otherID && (p.end.isComplete() || len(p.args) == 0 && d.name != "" && p.name != ""),
		p.end.isComplete() && d.name != "",
		d.isComplete && len(p.args) > 0:
		return nil
	}
	return p
}

// hasUnbegun reports whether no arguments of a call have arrived. If the stream
// marks no end, more may have been about to come.
func (c *calls) hasUnbegun() bool {
	return slices.ContainsFunc(c.all, func(p *partialCall) bool { return len(p.args) == 0 })
}

// parts returns the calls as parts, and whether all of them are complete. A call inside
// which the response broke off cannot run.
func (c *calls) parts(names map[string]string) (parts []llm.Part, isWhole bool) {
	isWhole = true
	ids := map[string]bool{}
	all := c.unique()
	for i := range all {
		p, args := all[i].partialCall, all[i].args
		name := httpwire.CalledName(p.name)
		if toolName, ok := names[name]; ok {
			name = toolName
		}
		if p.id == "" || ids[p.id] {
			p.id = newCallID()
		}
		ids[p.id] = true
		if args == nil {
			isWhole = false
			written, _ := p.written()
			parts = append(parts, llm.Part{FunctionCall: llm.CutCall(p.id, name, string(written))})
			continue
		}
		parts = append(parts, llm.Part{FunctionCall: &llm.FunctionCall{ID: p.id, Name: name, Args: args}})
	}
	return parts, isWhole
}

// readCall is a call with its arguments, nil if they are cut off.
type readCall struct {
	*partialCall
	args json.RawMessage
}

// unique returns the calls without repetitions: some services send a call once more when it is complete, or send it with empty
// arguments before the real ones.
func (c *calls) unique() []readCall {
	var all []readCall
next:
	for _, p := range c.all {
		args, ok := p.arguments()
		if !ok {
			args = nil
		}
		for i := range all {
			if p.mayRepeat(all[i].partialCall) {
				switch {
				case isEmptyObject(all[i].args):
					all[i].args = args
					if args == nil {
						all[i].partialCall = p
					}
					continue next
				case ok && (isEmptyObject(args) || isSameJSON(args, all[i].args)):
					continue next
				}
			}
		}
		all = append(all, readCall{p, args})
	}
	return all
}

// mayRepeat reports whether p has the name and the id of an earlier call, or its number in place of an id.
func (p *partialCall) mayRepeat(earlier *partialCall) bool {
	if p.name != earlier.name {
		return false
	}
	if p.id == "" || earlier.id == "" {
		return p.index >= 0 && p.index == earlier.index
	}
	return p.id == earlier.id
}

func isEmptyObject(args []byte) bool { return isSameJSON(args, []byte(`{}`)) }

func isSameJSON(a, b []byte) bool {
	if bytes.Equal(a, b) {
		return true
	}
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// onlyObject returns the object in args, a series of JSON values, if all others are empty or equal to it.
func onlyObject(args []byte) (json.RawMessage, bool) {
	only := json.RawMessage(nil)
	for d := json.NewDecoder(bytes.NewReader(args)); ; {
		var value json.RawMessage
		switch err := d.Decode(&value); {
		case err == io.EOF:
			return only, only != nil
		case err != nil || value[0] != '{':
			return nil, false
		case only == nil || isEmptyObject(only):
			only = value
		case !isEmptyObject(value) && !isSameJSON(value, only):
			return nil, false
		}
	}
}

// arguments returns the arguments of the call, and false if they are cut off.
// Arguments that are not JSON and cannot be repaired are returned as a JSON
// string: the tool then rejects them and the model gets the error.
func (p *partialCall) arguments() (json.RawMessage, bool) {
	args, end := p.written()
	switch {
	case len(args) == 0, string(args) == "null":
		return json.RawMessage(`{}`), true
	case json.Valid(args):
		if args[0] == '"' { // JSON text encoded as a string once more
			var inner string
			if json.Unmarshal(args, &inner) == nil {
				if t := bytes.TrimSpace([]byte(inner)); len(t) == 0 {
					return json.RawMessage(`{}`), true
				} else if t[0] == '{' && json.Valid(t) {
					return t, true
				}
			}
		}
		return toValidUTF8(args), true
	case !end.isComplete() && args[0] == '{':
		return nil, false
	}
	if object, ok := onlyObject(args); ok {
		return toValidUTF8(object), true
	}
	if fixed, ok := laxjson.ParseObject(string(args)); ok {
		return fixed, true
	}
	return llm.AppendString(nil, string(args)), true
}

func toValidUTF8(raw []byte) json.RawMessage { return bytes.ToValidUTF8(raw, []byte("\ufffd")) }

func isValidJSONText(raw []byte) bool { return utf8.Valid(raw) && json.Valid(raw) }

// endScanner finds the end of a JSON object that arrives in pieces.
type endScanner struct {
	depth    int
	begun    bool
	inString bool
	escaped  bool
}

func (s *endScanner) add(data []byte) {
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

// isComplete reports whether the object has ended.
func (s *endScanner) isComplete() bool { return s.begun && s.depth <= 0 && !s.inString }
