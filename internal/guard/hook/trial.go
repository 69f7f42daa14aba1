package hook

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"

	"pollux/tool"
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
	at := s.sampleTarget(&h)
	in := s.input(h.Event, s.sample(&h, at))
	p := planned{Hook: &h, at: at}
	switch h.Dialect {
	case Antigravity:
		p.name, _ = s.antigravitySelects(&h, p.at)
		p.in = in
		in = s.antigravityInput(p, in)
	case Claude, Qwen:
		p.name, _ = s.selects(&h, p.at)
		if h.Event == BeforeTool || h.Event == AfterTool {
			p.name = cmp.Or(p.name, p.at.namesFor(h.Dialect)[0])
		}
		in = s.claudeInputs(&h, p.at, p.name, in)[0]
	}
	maps.Copy(in, changes)
	input := encodeInput(in)
	r := s.run(ctx, p, input)
	return Trial{Result: r, Input: input, Effects: effects(h.Event, r)}
}

// sample returns the members of an input for a hook that other events do not have. at is the sample's target.
func (s *Set) sample(h *Hook, at target) map[string]any {
	request := json.RawMessage(`{"model":"gemini-2.5-pro","messages":[{"role":"user","content":"This is a test."}],"config":{"temperature":1,"topP":0.95,"topK":64}}`)
	switch h.Event {
	case SessionStart:
		return map[string]any{"source": at.trigger}
	case SessionEnd:
		return map[string]any{"reason": at.trigger}
	case PreCompress:
		return map[string]any{"trigger": at.trigger}
	case BeforeAgent:
		return map[string]any{"prompt": "This is a test."}
	case AfterAgent:
		return map[string]any{"prompt": "This is a test.", "prompt_response": "Understood.", "stop_hook_active": false}
	case BeforeModel, BeforeToolSelection:
		return map[string]any{"llm_request": request}
	case AfterModel:
		return map[string]any{"llm_request": request, "llm_response": &llmResponse{Text: new("Understood."), Candidates: []llmCandidate{{
			Content: llmContent{Role: "model", Parts: []string{"Understood."}}, FinishReason: "STOP",
		}}}}
	case Notification:
		return map[string]any{
			"notification_type": "ToolPermission", "message": "Tool Confirm Shell Command requires execution",
			"details": map[string]any{"type": "exec", "title": "Confirm Shell Command", "command": "echo test", "rootCommand": "echo"},
		}
	}
	members := map[string]any{"tool_name": at.tool, "tool_input": at.args}
	switch {
	case h.Event == AfterTool && at.hasFailed:
		members["tool_response"] = toolResponse{Content: "test", Display: "test", Error: &toolError{Message: "test", Type: tool.ErrExecutionFailed}}
	case h.Event == AfterTool:
		members["tool_response"] = toolResponse{Content: "test", Display: "test"}
	}
	return members
}

// sampleTarget returns what a hook would be run for: the first of the targets that its event can have and that it
// selects. If it selects none, it is the most usual one.
func (s *Set) sampleTarget(h *Hook) target {
	var targets []target
	for _, trigger := range triggers(h.Event) {
		targets = append(targets, target{trigger: trigger, id: "test"})
	}
	if h.Event == BeforeTool || h.Event == AfterTool {
		at := func(name string) target { return target{tool: name, id: "test", args: sampleArgs(name, s.o.Dir)} }
		first := toolOf(h.Matcher)
		if t := antigravityTools.find(first, ""); h.Dialect == Antigravity && t != nil {
			first = t.own
		}
		if h.Dialect == Qwen {
			first = cmp.Or(QwenTool(first), first)
		}
		first = cmp.Or(ClaudeTool(first), first)
		if slices.Contains(sampleTools, first) {
			targets = append(targets, at(first))
		}
		if remote, ok := remoteOf(h.Matcher); ok {
			targets = append(targets, remote)
		}
		for _, name := range append(slices.Clone(sampleTools), first) {
			targets = append(targets, at(name))
		}
	}
	for _, at := range targets {
		at.hasFailed = h.As == postFailure
		if _, ok := s.selects(h, at); ok {
			return at
		}
	}
	if len(targets) == 0 {
		return target{id: "test"}
	}
	at := targets[0]
	at.hasFailed = h.As == postFailure
	return at
}

// triggers returns the sources, reasons or triggers that an event can have, the most usual one first.
func triggers(e Event) []string {
	switch e {
	case SessionStart:
		return []string{string(StartupSource), string(ResumeSource), string(ClearSource)}
	case SessionEnd:
		return []string{string(ExitReason), string(ClearReason), string(OtherReason)}
	case PreCompress:
		return []string{"auto", "manual"}
	}
	return nil
}

// remoteOf returns a tool of the MCP server that a matcher names, in Pollux's form or in that of Claude Code.
func remoteOf(matcher string) (at target, ok bool) {
	found := regexp.MustCompile(`mcp_(_?)([A-Za-z0-9-]+)(?:__?([A-Za-z0-9_-]*))?`).FindStringSubmatch(matcher)
	if found == nil {
		return target{}, false
	}
	remote := cmp.Or(strings.Trim(found[3], "_"), "tool")
	return target{tool: "mcp_" + found[2] + "_" + remote, server: found[2], remote: remote, id: "test", args: json.RawMessage(`{}`)}, true
}

// sampleTools are the tools that have sample arguments.
var sampleTools = []string{
	"run_shell_command", "write_file", "replace", "read_file", "grep_search", "glob", "list_directory", "web_fetch", "google_web_search", "write_todos", "invoke_agent",
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
	case "grep_search", "glob":
		return json.RawMessage(`{"pattern":"test"}`)
	case "list_directory":
		return encode(map[string]string{"dir_path": dir})
	case "web_fetch":
		return json.RawMessage(`{"prompt":"Summarize https://example.com"}`)
	case "google_web_search":
		return json.RawMessage(`{"query":"test"}`)
	case "write_todos":
		return json.RawMessage(`{"todos":[{"description":"Test","status":"pending"}]}`)
	case "invoke_agent":
		return json.RawMessage(`{"agent_name":"codebase_investigator","prompt":"This is a test."}`)
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
