package texttool

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/go-faster/jx"

	"pollux/llm"
	"pollux/llm/laxjson"
)

// readCalls returns the calls in a JSON value behind an opening. If the value is meant
// as a call but invalid, it returns the problem. If the value is not a call, it returns
// neither. missing is the number of closing brackets that the text lacked. isTaught means that all
// calls have the form of the instruction.
func readCalls(data []byte, tools toolSet, o opening, missing int) (calls []writtenCall, isTaught bool, problem string) {
	r := callReader{tools: tools, opening: o}
	switch {
	case o.tool != "":
		r.hasArgs = true
		if r.isCallable(o.tool) {
			r.named++
			r.calls = append(r.calls, writtenCall{call: llm.FunctionCall{Name: o.tool, Args: data}})
		}
	case data[0] == '[':
		r.outer = 1
		for _, v := range elementsOf(data) {
			r.readValue(v)
		}
	default:
		r.readValue(data)
	}
	switch {
	case r.named == 0:
		return nil, false, ""
	case r.problem != "":
		return nil, false, r.problem
	case missing > r.depth || missing > 0 && !r.hasArgs:
		return nil, false, noEnd
	}
	return r.calls, r.taught == len(r.calls), ""
}

// noEnd is the problem of a call whose arguments lack closing brackets.
const noEnd = "it has no end"

// callReader finds calls in JSON values.
type callReader struct {
	opening
	tools toolSet

	calls   []writtenCall
	taught  int // number of calls in the form of the instruction
	problem string
	named   int  // number of names of tools
	outer   int  // number of brackets around the value
	depth   int  // number of brackets around the arguments of the last call
	hasArgs bool // the last call has arguments
}

// readValue reads an object that may be a call or contain calls.
func (r *callReader) readValue(data []byte) {
	var o struct {
		ToolCall     json.RawMessage `json:"tool_call"`
		ToolCalls    json.RawMessage `json:"tool_calls"`
		FunctionCall json.RawMessage `json:"function_call"`
		Function     json.RawMessage `json:"function"`
		Type         json.RawMessage `json:"type"`
		Tool         json.RawMessage `json:"tool"`
		Name         json.RawMessage `json:"name"`
	}
	if json.Unmarshal(data, &o) != nil {
		return
	}
	switch {
	case o.ToolCall != nil:
		before := len(r.calls)
		r.readItems(o.ToolCall)
		r.taught += len(r.calls) - before
	case o.ToolCalls != nil:
		r.readItems(o.ToolCalls)
	case o.FunctionCall != nil && r.isLoose:
		r.readItems(o.FunctionCall)
	case o.Function != nil && o.Function[0] == '{' && string(o.Type) == `"function"`:
		r.readItem(data, r.outer+1, keyed)
	case o.Tool != nil && o.Tool[0] == '{':
		r.readItems(o.Tool)
	case o.Tool != nil:
		r.readItem(data, r.outer+1, named)
	case o.Name != nil && r.isTrained:
		r.readItem(data, r.outer+1, keyed)
	case o.Name != nil && r.isLoose:
		r.readItem(data, r.outer+1, bare)
	}
}

func (r *callReader) readItems(data []byte) {
	if data[0] != '[' {
		r.readItem(data, r.outer+2, keyed)
		return
	}
	for _, v := range elementsOf(data) {
		r.readItem(v, r.outer+3, keyed)
	}
}

// callForm is the evidence that an object is a call.
type callForm int

const (
	keyed callForm = iota // the key it stands under, or the element: any name is that of a tool
	named                 // its key "tool"
	bare                  // its key "name", and then only if it has arguments
)

// isCallable reports whether a call by this name is one of a tool: a declared one, or any
// name where the form of the call leaves no doubt.
func (r *callReader) isCallable(name string) bool {
	return r.tools.has(name) || isName(name)
}

func (r *callReader) readItem(data []byte, depth int, f callForm) {
	var o struct {
		Name, Tool                         any
		Function                           json.RawMessage
		Arguments, Args, Parameters, Input json.RawMessage
	}
	if json.Unmarshal(data, &o) != nil {
		if mentionsTool(string(data), r.tools) {
			r.named++
			r.problem = `the value of "tool_call" is no object`
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
	switch {
	case f == bare && args == nil:
		return
	case f == keyed && r.isCallable(name), r.tools.has(name):
	case f != keyed:
		if name != "" {
			r.problem = fmt.Sprintf("there is no tool named %.100q", name)
		}
		return
	default:
		r.problem = `it has no "name"`
		if name != "" {
			r.problem = fmt.Sprintf("%.100q is not the name of a tool", name)
		}
		if mentionsTool(string(data), r.tools) || name != "" {
			r.named++
		}
		return
	}
	r.named++
	r.depth, r.hasArgs = depth, args != nil
	object, ok := objectOf(args)
	if !ok {
		r.problem = `"arguments" is no object`
		return
	}
	r.calls = append(r.calls, writtenCall{call: llm.FunctionCall{Name: name, Args: object}, text: string(data)})
}

// objectOf returns the arguments of a call as an object. They may be an object, a
// string that contains one, or missing.
func objectOf(args json.RawMessage) (json.RawMessage, bool) {
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
	object, ok := laxjson.ParseObject(s)
	return object, ok
}

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// membersOf returns the members of a JSON object in their order, or an error if object is
// not one.
func membersOf(object json.RawMessage) ([]member, error) {
	var members []member
	err := jx.DecodeBytes(object).Obj(func(d *jx.Decoder, name string) error {
		value, err := d.Raw()
		members = append(members, member{name, slices.Clone(json.RawMessage(value))})
		return err
	})
	return members, err
}

// memberNames returns the names of the members of a JSON object, in their order.
func memberNames(object json.RawMessage) []string {
	var names []string
	members, _ := membersOf(object) // an invalid object has none
	for _, m := range members {
		names = append(names, m.name)
	}
	return names
}

func elementsOf(data []byte) []json.RawMessage {
	var values []json.RawMessage
	_ = json.Unmarshal(data, &values) // valid JSON from laxjson
	return values
}
