package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// Trial is the result of running one hook outside of a session.
type Trial struct {
	*Result
	Input json.RawMessage
	// Effects describe the effects of the output, in sentences without a period; one at least.
	Effects []string
}

// Try runs one hook with a sample of its event's input. Members of changes replace those of the
// sample.
func (s *Set) Try(ctx context.Context, h Hook, changes map[string]json.RawMessage) Trial {
	in, _ := parseJSON(string(encode(s.sample(&h))))
	p := planned{Hook: &h, at: target{tool: in.text("tool_name"), id: "test", args: in["tool_input"]}}
	if t, ok := translators[h.Dialect]; ok {
		p.name, _ = t.selects(s, &h, p.at)
		if h.Event == BeforeTool || h.Event == AfterTool {
			p.name = cmp.Or(p.name, p.at.claudeNames()[0])
		}
		in = t.inputs(s, &h, p.at, p.name, in)[0]
	}
	maps.Copy(in, changes)
	input := encodeInput(in)
	r := s.run(ctx, p, input)
	return Trial{Result: r, Input: input, Effects: effects(h.Event, r)}
}

// sample returns an input for a hook.
func (s *Set) sample(h *Hook) any {
	b := s.base(h.Event)
	request := json.RawMessage(`{"model":"gemini-2.5-pro","messages":[{"role":"user","content":"This is a test."}],"config":{"temperature":1,"topP":0.95,"topK":64}}`)
	switch h.Event {
	case SessionStart:
		return sourceInput{b, StartSource(trigger(h, string(StartupSource)))}
	case SessionEnd:
		return reasonInput{b, EndReason(trigger(h, string(ExitReason)))}
	case PreCompress:
		return triggerInput{b, trigger(h, "auto")}
	case BeforeAgent:
		return promptInput{b, "This is a test."}
	case AfterAgent:
		return responseInput{b, "This is a test.", "Understood.", false}
	case BeforeModel, BeforeToolSelection:
		return modelInput{base: b, Request: request}
	case AfterModel:
		return modelInput{base: b, Request: request, Response: &llmResponse{Text: new("Understood."), Candidates: []llmCandidate{{
			Content: llmContent{Role: "model", Parts: []string{"Understood."}}, FinishReason: "STOP",
		}}}}
	case Notification:
		return notificationInput{b, "ToolPermission", "Tool Confirm Shell Command requires execution", map[string]any{
			"type": "exec", "title": "Confirm Shell Command", "command": "echo test", "rootCommand": "echo",
		}}
	}
	in := toolInput{base: b, Tool: toolOf(h.Matcher)}
	if own := ClaudeTool(in.Tool); own != "" {
		in.Tool = own
	}
	in.Args = sampleArgs(in.Tool, s.o.Dir)
	if h.Event == AfterTool {
		in.Result = &toolResponse{Content: "test", Display: "test"}
	}
	return in
}

func trigger(h *Hook, standard string) string {
	if m := strings.TrimSpace(h.Matcher); m != "" && m != "*" {
		return h.Matcher
	}
	return standard
}

// toolOf returns a tool that a matcher selects, as far as that is easy to see.
func toolOf(matcher string) string {
	const standard = "run_shell_command"
	first, _, _ := strings.Cut(strings.Trim(matcher, "^$() "), "|")
	first = strings.TrimRight(strings.TrimSuffix(first, ".*"), "$)")
	if first == "" || !regexp.MustCompile(`^\w+$`).MatchString(first) {
		return standard
	}
	return first
}

func sampleArgs(name, dir string) json.RawMessage {
	switch name {
	case "run_shell_command":
		return json.RawMessage(`{"command":"echo test","description":"Print a word"}`)
	case "write_file":
		return encode(map[string]string{"file_path": dir + "/test.txt", "content": "test\n"})
	case "replace":
		return encode(map[string]string{"file_path": dir + "/test.txt", "old_string": "a", "new_string": "b", "instruction": "Replace a letter"})
	case "read_file":
		return encode(map[string]string{"file_path": dir + "/test.txt"})
	}
	return json.RawMessage(`{}`)
}

// effects describes the effects that the output of a hook would have.
func effects(e Event, r *Result) []string {
	o := firing{Output: merge(e, []Output{r.Output}), refusal: r.Refusal}
	list := slices.Clone(r.Notes)
	if o.Output == nil && o.refusal == "" {
		return append(list, "has no effect")
	}
	s := o.specific()
	v := o.verdict()
	add := func(is bool, text string) {
		if is {
			list = append(list, text)
		}
	}
	add(v.Stop && e.isBlockable(), "stops the run: "+v.Reason)
	add(v.Block && o.refusal == "" && e.isBlockable(), "blocks: "+v.Reason)
	if o.refusal != "" {
		return append(list, "cannot be applied, and blocks: "+o.refusal)
	}
	switch e {
	case SessionStart, BeforeAgent, BeforeTool, AfterTool:
		add(s.text("additionalContext") != "", "adds for the model: "+s.text("additionalContext"))
	}
	switch e {
	case BeforeTool:
		add(o.text("decision") == "ask", "requires the user's approval")
		add(s.object("tool_input") != nil, "replaces the arguments of the call")
	case AfterTool:
		add(s.object("tailToolCallRequest").text("name") != "", "continues with a call of "+s.object("tailToolCallRequest").text("name"))
	case AfterAgent:
		add((v.Stop || v.Block) && s.is("clearContext", "true"), "clears the conversation")
	case BeforeModel:
		add(s.object("llm_request") != nil, "changes the request")
		add(v.Block && decodeResponse(s.object("llm_response"), nil) != nil, "answers in place of the model")
	case AfterModel:
		add(!v.Stop && decodeResponse(s.object("llm_response"), nil) != nil, "replaces this part of the response")
	case BeforeToolSelection:
		c := s.object("toolConfig")
		add(true, "sets the tools: mode "+c.text("mode")+", names "+string(c["allowedFunctionNames"]))
	}
	add(o.text("systemMessage") != "" && !o.is("suppressOutput", "true"), "shows: "+o.text("systemMessage"))
	if len(list) == 0 {
		list = []string{"lets the session continue"}
	}
	return list
}
