package scriptmodel

import (
	"slices"
	"strings"
)

// geminiRules refuses what may not stand together in a request, or not with
// this model.
func geminiRules(a *asked) *refusal {
	config, _ := a.root["generationConfig"].(map[string]any)
	if f := geminiThinking(a.model, config); f != nil {
		return f
	}
	if f := geminiChoice(a); f != nil {
		return f
	}
	if len(list(config["stopSequences"])) > 5 {
		return invalid("* GenerateContentRequest.generation_config.stop_sequences: the number of stop sequences must be at most 5.")
	}
	if !olderGemini(a.model) {
		return nil
	}
	searches := slices.ContainsFunc(list(a.root["tools"]), func(t any) bool {
		set := t.(map[string]any)
		return set["googleSearch"] != nil || set["urlContext"] != nil || set["codeExecution"] != nil
	})
	switch {
	case len(a.tools) > 0 && searches:
		return invalid("Tool use with function calling is unsupported")
	case len(a.tools) > 0 && config["responseMimeType"] == "application/json":
		return invalid("Function calling with a response mime type: 'application/json' is unsupported")
	}
	for i, c := range list(a.root["contents"]) {
		for j, p := range list(c.(map[string]any)["parts"]) {
			r, _ := p.(map[string]any)["functionResponse"].(map[string]any)
			if len(list(r["parts"])) > 0 {
				return invalid("Multimodal function responses are not supported for this model. (contents[%d].parts[%d])", i, j)
			}
		}
	}
	return nil
}

// olderGemini reports whether a model is of a family before the third.
func olderGemini(model string) bool {
	return strings.HasPrefix(model, "gemini-1") || strings.HasPrefix(model, "gemini-2")
}

// geminiThinking checks how much a model is to think.
func geminiThinking(model string, config map[string]any) *refusal {
	thinking, ok := config["thinkingConfig"].(map[string]any)
	if !ok {
		return nil
	}
	budget, level := thinking["thinkingBudget"], thinking["thinkingLevel"]
	least, most := 0, 24576
	switch {
	case budget != nil && level != nil:
		return invalid("You can only set only one of thinking budget and thinking level.")
	case level != nil && olderGemini(model):
		return invalid("Thinking level is not supported for this model.")
	case olderGemini(model) && !strings.HasPrefix(model, "gemini-2.5"):
		return invalid("Unable to submit request because thinking is not supported by this model.")
	case strings.HasPrefix(model, "gemini-2.5-pro"):
		least, most = 128, 32768
	case strings.HasPrefix(model, "gemini-2.5-flash-lite"):
		least = 512
	case !strings.HasPrefix(model, "gemini-2.5"):
		return nil
	}
	switch n := whole(budget); {
	case budget == nil || n == -1:
	case n == 0 && least == 128:
		return invalid("Budget 0 is invalid. This model only works in thinking mode.")
	case n != 0 && (n < least || n > most):
		return invalid("The thinking budget %d is invalid. Please choose a value between %d and %d.", n, least, most)
	}
	return nil
}

// geminiChoice checks which functions a model may or must call.
func geminiChoice(a *asked) *refusal {
	config, _ := a.root["toolConfig"].(map[string]any)
	calling, _ := config["functionCallingConfig"].(map[string]any)
	mode, _ := calling["mode"].(string)
	for _, name := range list(calling["allowedFunctionNames"]) {
		switch {
		case mode != "ANY" && mode != "VALIDATED":
			return invalid("Function calling config: allowed_function_names should be set only when the mode is ANY or VALIDATED.")
		case !slices.Contains(a.tools, name.(string)):
			return invalid("Function calling config: allowed_function_names has %q, which is not among the function declarations.", name)
		}
	}
	if mode == "ANY" && len(a.tools) == 0 {
		return invalid("Function calling config is set without function_declarations.")
	}
	return nil
}
