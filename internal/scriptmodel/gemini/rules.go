package gemini

import (
	"regexp"
	"slices"
	"strings"

	"pollux/internal/scriptmodel/protocol"
)

// checkRules refuses fields that may not be combined, or that the model does not support.
func checkRules(a *protocol.Query) *protocol.Error {
	config, _ := a.Body["generationConfig"].(map[string]any)
	if f := checkThinking(a.Model, config); f != nil {
		return f
	}
	if f := checkToolChoice(a); f != nil {
		return f
	}
	if len(protocol.AsList(config["stopSequences"])) > 5 {
		return protocol.Invalid("* GenerateContentRequest.generation_config.stop_sequences: the number of stop sequences must be at most 5.")
	}
	if !isOld(a.Model) {
		return nil
	}
	searches := slices.ContainsFunc(protocol.AsList(a.Body["tools"]), func(t any) bool {
		set := t.(map[string]any)
		return set["googleSearch"] != nil || set["urlContext"] != nil || set["codeExecution"] != nil
	})
	switch {
	case len(a.Tools) > 0 && searches:
		return protocol.Invalid("Tool use with function calling is unsupported")
	case len(a.Tools) > 0 && config["responseMimeType"] == "application/json":
		return protocol.Invalid("Function calling with a response mime type: 'application/json' is unsupported")
	}
	for i, c := range protocol.AsList(a.Body["contents"]) {
		for j, p := range protocol.AsList(c.(map[string]any)["parts"]) {
			r, _ := p.(map[string]any)["functionResponse"].(map[string]any)
			if len(protocol.AsList(r["parts"])) > 0 {
				return protocol.Invalid("Multimodal function responses are not supported for this model. (contents[%d].parts[%d])", i, j)
			}
		}
	}
	return nil
}

// isOld reports whether a model belongs to a family before Gemini 3.
func isOld(model string) bool {
	return strings.HasPrefix(model, "gemini-1") || strings.HasPrefix(model, "gemini-2")
}

// checkThinking checks the thinking level or budget.
func checkThinking(model string, config map[string]any) *protocol.Error {
	thinking, ok := config["thinkingConfig"].(map[string]any)
	if !ok {
		return nil
	}
	budget, level := thinking["thinkingBudget"], thinking["thinkingLevel"]
	least, most := 0, 24576
	switch {
	case budget != nil && level != nil:
		return protocol.Invalid("You can only set only one of thinking budget and thinking level.")
	case level != nil && isOld(model):
		return protocol.Invalid("Thinking level is not supported for this model.")
	case isOld(model) && !strings.HasPrefix(model, "gemini-2.5"):
		return protocol.Invalid("Unable to submit request because thinking is not supported by this model.")
	case strings.HasPrefix(model, "gemini-2.5-pro"):
		least, most = 128, 32768
	case strings.HasPrefix(model, "gemini-2.5-flash-lite"):
		least = 512
	case !strings.HasPrefix(model, "gemini-2.5"):
		return nil
	}
	switch n := protocol.AsInt(budget); {
	case budget == nil || n == -1:
	case n == 0 && least == 128:
		return protocol.Invalid("Budget 0 is invalid. This model only works in thinking mode.")
	case n != 0 && (n < least || n > most):
		return protocol.Invalid("The thinking budget %d is invalid. Please choose a value between %d and %d.", n, least, most)
	}
	return nil
}

// checkToolChoice checks which functions a model may or must call.
func checkToolChoice(a *protocol.Query) *protocol.Error {
	config, _ := a.Body["toolConfig"].(map[string]any)
	calling, _ := config["functionCallingConfig"].(map[string]any)
	mode, _ := calling["mode"].(string)
	for _, name := range protocol.AsList(calling["allowedFunctionNames"]) {
		switch {
		case mode != "ANY" && mode != "VALIDATED":
			return protocol.Invalid("Function calling config: allowed_function_names should be set only when the mode is ANY or VALIDATED.")
		case !slices.Contains(a.Tools, name.(string)):
			return protocol.Invalid("Function calling config: allowed_function_names has %q, which is not among the function declarations.", name)
		}
	}
	if mode == "ANY" && len(a.Tools) == 0 {
		return protocol.Invalid("Function calling config is set without function_declarations.")
	}
	return nil
}

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
	start := a.TurnStart()
	for i, m := range a.Messages[start:] {
		if len(m.Calls) > 0 && m.Calls[0].Signature == "" {
			return protocol.Invalid("Function call is missing a thought_signature in functionCall parts. (contents[%d], function call %s)", start+i, m.Calls[0].Name)
		}
	}
	return nil
}
