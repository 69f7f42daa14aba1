package scriptmodel

import (
	"regexp"
	"slices"
	"strings"
)

// conversation checks what the shape of a request does not say: who speaks in
// which order, and that each call has its result.
func conversation(a *asked, contents []any, counting bool) *refusal {
	if len(contents) == 0 {
		return invalid("* GenerateContentRequest.contents: contents is not specified")
	}
	for i, c := range contents {
		if f := parts(c.(map[string]any), i); f != nil {
			return f
		}
	}
	if f := declarations(a.tools); f != nil || counting {
		return f
	}
	if a.messages[0].model {
		return invalid("Please ensure that the conversation begins with a user turn.")
	}
	if a.newest().model {
		return invalid("Please ensure that single turn requests have a user role or the role is not specified, and that multiturn requests end with a user role.")
	}
	for i := range a.messages {
		m := &a.messages[i]
		if i > 0 && m.model == a.messages[i-1].model {
			return invalid("Please ensure that multiturn requests alternate between user and model: contents[%d] and contents[%d] have the same role.", i-1, i)
		}
		var calls []call
		if i > 0 {
			calls = a.messages[i-1].calls
		}
		if f := answered(calls, m.results, i); f != nil {
			return f
		}
	}
	return signatures(a)
}

// parts checks the parts of one message.
func parts(content map[string]any, i int) *refusal {
	role, _ := content["role"].(string)
	if role != "user" && role != "model" {
		return invalid("Please use a valid role: user, model. (contents[%d] has %q)", i, role)
	}
	all := list(content["parts"])
	if len(all) == 0 {
		return invalid("* GenerateContentRequest.contents[%d].parts: contents.parts must not be empty.", i)
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
			return invalid("* GenerateContentRequest.contents[%d].parts[%d].data: required oneof field 'data' must have one initialized field", i, j)
		case payloads > 1:
			return invalid("Invalid value at 'contents[%d].parts[%d]' (oneof), oneof field 'data' is already set.", i, j)
		case p["text"] == "" && !signed:
			return invalid("contents[%d].parts[%d].text: an empty text part says nothing.", i, j)
		case p["thought"] == true:
			return invalid("contents[%d].parts[%d].thought: thoughts are not sent back.", i, j)
		case role == "user" && p["functionCall"] != nil, role == "model" && p["functionResponse"] != nil:
			return invalid("Please ensure that function calls are the model's and function responses the user's: contents[%d].parts[%d].", i, j)
		}
	}
	return nil
}

func declarations(names []string) *refusal {
	valid := regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.:-]{0,63}$`)
	for i, name := range names {
		if !valid.MatchString(name) {
			return invalid("* GenerateContentRequest.tools[0].function_declarations[%d].name: Invalid function name %q.", i, name)
		}
		if slices.Contains(names[:i], name) {
			return invalid("Duplicate function declaration found: %s", name)
		}
	}
	return nil
}

// answered checks that the message at i answers the calls of the one before.
func answered(calls []call, results []result, i int) *refusal {
	switch {
	case len(results) > 0 && len(calls) == 0:
		return invalid("Please ensure that function response turn comes immediately after a function call turn. (contents[%d])", i)
	case len(results) != len(calls):
		return invalid("Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn. (contents[%d]: %d calls, %d responses)", i, len(calls), len(results))
	}
	calls, results = topicsFirst(calls, results)
	for j, c := range calls {
		r := results[j]
		switch {
		case r.id != c.id || r.name != c.name:
			return invalid("Please ensure that function responses match the function calls: contents[%d] answers %s %q where %s %q was called.", i, r.name, r.id, c.name, c.id)
		case c.id != "" && strings.HasPrefix(c.id, c.name+"__"):
			return invalid("contents[%d]: the id %s is not one that a model gave.", i, c.id)
		}
	}
	return nil
}

// topicsFirst puts the calls of update_topic and their results first on both
// sides: they run before the others, wherever the model wrote them. All other
// results stand in the order of the calls.
func topicsFirst(calls []call, results []result) ([]call, []result) {
	rank := func(name string) int {
		if name == "update_topic" {
			return 0
		}
		return 1
	}
	calls, results = slices.Clone(calls), slices.Clone(results)
	slices.SortStableFunc(calls, func(a, b call) int { return rank(a.name) - rank(b.name) })
	slices.SortStableFunc(results, func(a, b result) int { return rank(a.name) - rank(b.name) })
	return calls, results
}

// signatures checks for newer models that each step of the turn in progress
// has the signature of its first call.
func signatures(a *asked) *refusal {
	if !strings.HasPrefix(a.model, "gemini-3") {
		return nil
	}
	start := 0
	for i, m := range a.messages {
		if !m.model && len(m.results) == 0 {
			start = i
		}
	}
	for i, m := range a.messages[start:] {
		if len(m.calls) > 0 && m.calls[0].signature == "" {
			return invalid("Function call is missing a thought_signature in functionCall parts. (contents[%d], function call %s)", start+i, m.calls[0].name)
		}
	}
	return nil
}
