package gemini

import (
	"regexp"
	"slices"
	"strings"

	"pollux/internal/scriptmodel/protocol"
)

// checkConversation checks the order of roles, and that each call has its result.
func checkConversation(a *protocol.Query, contents []any, counting bool) *protocol.Error {
	if len(contents) == 0 {
		return protocol.Invalid("* GenerateContentRequest.contents: contents is not specified")
	}
	for i, c := range contents {
		if f := checkParts(c.(map[string]any), i); f != nil {
			return f
		}
	}
	if f := checkNames(a.Tools); f != nil || counting {
		return f
	}
	if a.Messages[0].FromModel {
		return protocol.Invalid("Please ensure that the conversation begins with a user turn.")
	}
	if a.LastMessage().FromModel {
		return protocol.Invalid("Please ensure that single turn requests have a user role or the role is not specified, and that multiturn requests end with a user role.")
	}
	for i := range a.Messages {
		m := &a.Messages[i]
		if i > 0 && m.FromModel == a.Messages[i-1].FromModel {
			return protocol.Invalid("Please ensure that multiturn requests alternate between user and model: contents[%d] and contents[%d] have the same role.", i-1, i)
		}
		var calls []protocol.Call
		if i > 0 {
			calls = a.Messages[i-1].Calls
		}
		if f := checkResults(calls, m.Results, i); f != nil {
			return f
		}
	}
	return checkSignatures(a)
}

// checkParts checks the parts of one message.
func checkParts(content map[string]any, i int) *protocol.Error {
	role, _ := content["role"].(string)
	if role != "user" && role != "model" {
		return protocol.Invalid("Please use a valid role: user, model. (contents[%d] has %q)", i, role)
	}
	all := protocol.AsList(content["parts"])
	if len(all) == 0 {
		return protocol.Invalid("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.", i)
	}
	for j, v := range all {
		p := v.(map[string]any)
		payloads := 0
		for _, name := range []string{
			"text", "inlineData", "fileData", "functionCall", "functionResponse", "executableCode", "codeExecutionResult",
		} {
			if _, ok := p[name]; ok {
				payloads++
			}
		}
		_, signed := p["thoughtSignature"]
		switch {
		case payloads == 0:
			return protocol.Invalid("* GenerateContentRequest.contents[%d].parts[%d].data: required oneof field 'data' must have one initialized field", i, j)
		case payloads > 1:
			return protocol.Invalid("Invalid value at 'contents[%d].parts[%d]' (oneof), oneof field 'data' is already set.", i, j)
		case p["text"] == "" && !signed:
			return protocol.Invalid("contents[%d].parts[%d].text: an empty text part says nothing.", i, j)
		case p["thought"] == true:
			return protocol.Invalid("contents[%d].parts[%d].thought: thoughts are not sent back.", i, j)
		case role == "user" && p["functionCall"] != nil, role == "model" && p["functionResponse"] != nil:
			return protocol.Invalid("Please ensure that function calls are the model's and function responses the user's: contents[%d].parts[%d].", i, j)
		}
	}
	return nil
}

func checkNames(names []string) *protocol.Error {
	valid := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$`)
	for i, name := range names {
		if !valid.MatchString(name) {
			return protocol.Invalid("* GenerateContentRequest.tools[0].function_declarations[%d].name: Invalid function name %q.", i, name)
		}
		if slices.Contains(names[:i], name) {
			return protocol.Invalid("Duplicate function declaration found: %s", name)
		}
	}
	return nil
}

// checkResults checks that the message at index i has the results of the calls before it.
func checkResults(calls []protocol.Call, results []protocol.Result, i int) *protocol.Error {
	switch {
	case len(results) > 0 && len(calls) == 0:
		return protocol.Invalid("Please ensure that function response turn comes immediately after a function call turn. (contents[%d])", i)
	case len(results) != len(calls):
		return protocol.Invalid("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn. (contents[%d]: %d calls, %d responses)", i, len(calls), len(results))
	}
	calls, results = topicsFirst(calls, results)
	for j, c := range calls {
		r := results[j]
		switch {
		case r.ID != c.ID || r.Name != c.Name:
			return protocol.Invalid("Please ensure that function responses match the function calls: contents[%d] answers %s %q where %s %q was called.", i, r.Name, r.ID, c.Name, c.ID)
		case c.ID != "" && strings.HasPrefix(c.ID, c.Name+"__"):
			return protocol.Invalid("contents[%d]: the id %s is not one that a model gave.", i, c.ID)
		}
	}
	return nil
}

// topicsFirst moves the calls of update_topic, and their results, to the front, because they
// run before the other calls. All other results are in the order of the calls.
func topicsFirst(calls []protocol.Call, results []protocol.Result) ([]protocol.Call, []protocol.Result) {
	rank := func(name string) int {
		if name == "update_topic" {
			return 0
		}
		return 1
	}
	calls, results = slices.Clone(calls), slices.Clone(results)
	slices.SortStableFunc(calls, func(a, b protocol.Call) int { return rank(a.Name) - rank(b.Name) })
	slices.SortStableFunc(results, func(a, b protocol.Result) int { return rank(a.Name) - rank(b.Name) })
	return calls, results
}

// checkSignatures checks, for newer models, that the first call of each step of the current
// turn has its signature.
func checkSignatures(a *protocol.Query) *protocol.Error {
	if !strings.HasPrefix(a.Model, "gemini-3") {
		return nil
	}
	start := 0
	for i, m := range a.Messages {
		if !m.FromModel && len(m.Results) == 0 {
			start = i
		}
	}
	for i, m := range a.Messages[start:] {
		if len(m.Calls) > 0 && m.Calls[0].Signature == "" {
			return protocol.Invalid("Function call is missing a thought_signature in functionCall parts. (contents[%d], function call %s)", start+i, m.Calls[0].Name)
		}
	}
	return nil
}
