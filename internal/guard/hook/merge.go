package hook

import (
	"maps"
	"slices"
	"strings"
)

// merge returns the output of several hooks of one firing, in their order; nil if there is none.
// It applies to a single output, too.
func merge(e Event, outputs []Output) Output {
	outputs = slices.DeleteFunc(slices.Clone(outputs), func(o Output) bool { return o == nil })
	if len(outputs) == 0 {
		return nil
	}
	switch e {
	case BeforeTool, AfterTool, BeforeAgent, AfterAgent, SessionStart:
		return mergeDecisions(outputs)
	case BeforeModel, AfterModel:
		return mergeModel(outputs)
	case BeforeToolSelection:
		return mergeSelections(outputs)
	}
	merged := Output{}
	for _, o := range outputs { // later fields replace earlier ones
		maps.Copy(merged, o)
	}
	return merged
}

// mergeDecisions blocks or stops if any output does, and joins the texts.
func mergeDecisions(outputs []Output) Output {
	merged, specific := Output{}, Output{}
	stops, asks, decision := false, false, ""
	var stopReasons, reasons, messages, contexts []string
	suppress := false
	for _, o := range outputs {
		if o.isStopping() {
			stops = true
			stopReasons = append(stopReasons, o.text("stopReason"))
		}
		if o.isBlocking() {
			decision = o.text("decision")
		}
		asks = asks || o.text("decision") == "ask"
		suppress = suppress || o.is("suppressOutput", "true")
		reasons = append(reasons, o.text("reason"))
		messages = append(messages, o.text("systemMessage"))
		s := o.specific()
		contexts = append(contexts, s.text("additionalContext"))
		isClear := specific.is("clearContext", "true") || s.is("clearContext", "true")
		maps.Copy(specific, s)
		if isClear {
			specific.set("clearContext", true)
		}
	}
	switch {
	case decision != "":
	case asks:
		decision = "ask"
	case !stops:
		decision = "allow"
	}
	merged.set("continue", !stops)
	merged.set("suppressOutput", suppress)
	merged.setText("decision", decision)
	merged.setText("stopReason", joinLines(stopReasons...))
	merged.setText("reason", joinLines(reasons...))
	merged.setText("systemMessage", joinLines(messages...))
	delete(specific, "additionalContext")
	specific.setText("additionalContext", joinLines(contexts...))
	if len(specific) > 0 {
		merged.set("hookSpecificOutput", specific)
	}
	return merged
}

// mergeModel lets later fields replace earlier ones, also inside hookSpecificOutput and the request in it. A
// block or stop stays, whatever later hooks print.
func mergeModel(outputs []Output) Output {
	merged, specific, request := Output{}, Output{}, Output{}
	for _, o := range outputs {
		maps.Copy(merged, o)
		maps.Copy(specific, o.specific())
		maps.Copy(request, o.specific().object("llm_request"))
	}
	if len(request) > 0 {
		specific.set("llm_request", request)
	}
	if len(specific) > 0 {
		merged.set("hookSpecificOutput", specific)
	}
	keep := func(is func(Output) bool, keys ...string) {
		for _, o := range outputs {
			if !is(o) {
				continue
			}
			for _, key := range keys {
				delete(merged, key)
				if raw, ok := o[key]; ok {
					merged[key] = raw
				}
			}
		}
	}
	keep(Output.isBlocking, "decision", "reason", "stopReason")
	keep(Output.isStopping, "continue", "stopReason", "reason")
	return merged
}

// mergeSelections joins the tools that outputs allow. "NONE" wins, then "ANY".
func mergeSelections(outputs []Output) Output {
	mode, names := "AUTO", map[string]bool{}
	for _, o := range outputs {
		c := o.specific().object("toolConfig")
		switch m := strings.ToUpper(c.text("mode")); {
		case m == "NONE" || mode == "NONE":
			mode = "NONE"
		case m == "ANY":
			mode = "ANY"
		}
		for _, name := range c.texts("allowedFunctionNames") {
			names[name] = true
		}
	}
	allowed := slices.Sorted(maps.Keys(names))
	if mode == "NONE" || allowed == nil {
		allowed = []string{}
	}
	merged, specific := Output{}, Output{}
	specific.set("toolConfig", map[string]any{"mode": mode, "allowedFunctionNames": allowed})
	merged.set("hookSpecificOutput", specific)
	return merged
}

// chain returns the input of the next hook after one that succeeded with this output. Only inputs
// change: the effect of the firing is that of the merged outputs.
func chain(e Event, input, output Output) Output {
	s := output.specific()
	next := maps.Clone(input)
	switch e {
	case BeforeAgent:
		if more := s.text("additionalContext"); more != "" {
			next.set("prompt", input.text("prompt")+"\n\n"+more)
		}
	case BeforeModel:
		next.overlay("llm_request", s.object("llm_request"))
	case BeforeTool:
		next.overlay("tool_input", s.object("tool_input"))
	}
	return next
}

// overlay replaces members of a member that is an object.
func (o Output) overlay(key string, members Output) {
	if members == nil {
		return
	}
	all := o.object(key)
	if all == nil {
		all = Output{}
	}
	maps.Copy(all, members)
	o.set(key, all)
}
