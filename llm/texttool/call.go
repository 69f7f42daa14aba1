package texttool

import (
	"encoding/json"
	"fmt"

	"pollux/llm"
	"pollux/llm/laxjson"
)

// read returns the calls that a value is. Without calls it says what is wrong
// with them, or nothing: then the value is no call at all.
//
// Wrapped values stood in a fence; of the value, as many closing brackets were
// missing as are given.
func read(data []byte, tools map[string]bool, wrapped bool, missing int) (calls []llm.FunctionCall, wrong string) {
	r := reader{tools: tools, wrapped: wrapped}
	if data[0] == '[' {
		r.outer = 1
		for _, v := range list(data) {
			r.value(v)
		}
	} else {
		r.value(data)
	}
	switch {
	case r.known == 0:
		return nil, ""
	case r.wrong != "":
		return nil, r.wrong
	case missing > r.depth || missing > 0 && !r.args:
		return nil, "it has no end"
	}
	return r.calls, ""
}

type reader struct {
	tools   map[string]bool
	wrapped bool

	calls []llm.FunctionCall
	wrong string
	known int  // declared tools that are named
	outer int  // brackets around a value
	depth int  // and around the arguments of the last call
	args  bool // the last call has arguments
}

// value reads an object that may be a call, or hold some (spec/agent.md §6).
func (r *reader) value(data []byte) {
	var o struct {
		ToolCall  json.RawMessage `json:"tool_call"`
		ToolCalls json.RawMessage `json:"tool_calls"`
		Function  json.RawMessage `json:"function_call"`
		Tool      json.RawMessage `json:"tool"`
		Name      json.RawMessage `json:"name"`
	}
	if json.Unmarshal(data, &o) != nil {
		return
	}
	switch {
	case o.ToolCall != nil:
		r.items(o.ToolCall)
	case o.ToolCalls != nil:
		r.items(o.ToolCalls)
	case o.Function != nil && r.wrapped:
		r.items(o.Function)
	case o.Tool != nil && o.Tool[0] == '{':
		r.items(o.Tool)
	case o.Tool != nil:
		r.item(data, r.outer+1, named)
	case o.Name != nil && r.wrapped:
		r.item(data, r.outer+1, bare)
	}
}

// items reads one call or a list.
func (r *reader) items(data []byte) {
	if data[0] != '[' {
		r.item(data, r.outer+2, keyed)
		return
	}
	for _, v := range list(data) {
		r.item(v, r.outer+3, keyed)
	}
}

// form is what says that an object is a call.
type form int

const (
	keyed form = iota // the key it stands under
	named             // its key "tool"
	bare              // its key "name", and then only if it has arguments
)

// item reads a call.
func (r *reader) item(data []byte, depth int, f form) {
	var o struct {
		Name, Tool                         any
		Function                           json.RawMessage
		Arguments, Args, Parameters, Input json.RawMessage
	}
	if json.Unmarshal(data, &o) != nil {
		if mentions(string(data), r.tools) {
			r.known++
			r.wrong = `the value of "tool_call" is no object`
		}
		return
	}
	var inner struct {
		Name                  string
		Arguments, Parameters json.RawMessage
	}
	name, ok := o.Name.(string)
	if !ok {
		name, ok = o.Tool.(string)
	}
	if !ok && json.Unmarshal(o.Function, &name) != nil && json.Unmarshal(o.Function, &inner) == nil {
		name, o.Arguments, o.Parameters = inner.Name, inner.Arguments, inner.Parameters
		depth++
	}
	var args json.RawMessage
	for _, v := range []json.RawMessage{o.Arguments, o.Args, o.Parameters, o.Input} {
		if args == nil {
			args = v
		}
	}
	if f == bare && args == nil {
		return
	}
	if !r.tools[name] {
		switch {
		case name != "":
			r.wrong = fmt.Sprintf("there is no tool named %.100q", name)
		case f == keyed && mentions(string(data), r.tools):
			r.known++
			r.wrong = `it has no "name"`
		}
		return
	}
	r.known++
	r.depth, r.args = depth, args != nil
	object, ok := arguments(args)
	if !ok {
		r.wrong = `"arguments" is no object`
		return
	}
	r.calls = append(r.calls, llm.FunctionCall{Name: name, Args: object})
}

// arguments returns the object that args is, or that the string holds which args is.
func arguments(args json.RawMessage) (json.RawMessage, bool) {
	var s string
	switch {
	case args == nil || string(args) == "null":
		return json.RawMessage("{}"), true
	case args[0] == '{':
		return args, true
	case json.Unmarshal(args, &s) != nil:
		return nil, false
	case s == "":
		return json.RawMessage("{}"), true
	}
	object, ok := laxjson.Object(s)
	return object, ok
}

func list(data []byte) []json.RawMessage {
	var values []json.RawMessage
	_ = json.Unmarshal(data, &values) // the JSON is ours
	return values
}
