package gemini

import (
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
