package hook

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// Hooks of Antigravity CLI get their input, and give their answers, in its form. It is stricter than the others: an answer
// to PreToolUse without a decision denies, and so do a failure and a timeout.

// antigravityTimeout is the time limit of a hook of Antigravity CLI without one of its own.
const antigravityTimeout = 30 * time.Second

// antigravityEvents are Antigravity CLI's names of events. Those of tools have matchers.
var antigravityEvents = []struct {
	name  string
	event Event
}{
	{"PreToolUse", BeforeTool},
	{"PostToolUse", AfterTool},
	{"PreInvocation", BeforeModel},
	{"PostInvocation", AfterModel},
	{"Stop", AfterAgent},
	{"SessionStart", SessionStart},
}

// antigravityName returns the name that Antigravity CLI has for an event, "" if it has none.
func antigravityName(e Event) string {
	for _, a := range antigravityEvents {
		if a.event == e {
			return a.name
		}
	}
	return ""
}

// antigravityEvent returns Pollux's event for one of Antigravity CLI's, which writes them in any case; "" if there is none.
func antigravityEvent(name string) Event {
	for _, a := range antigravityEvents {
		if strings.EqualFold(a.name, name) {
			return a.event
		}
	}
	return ""
}

// antigravityTools are the tools that both have.
var antigravityTools = foreignTools{
	{name: "run_command", own: "run_shell_command", args: []rename{{"command", "CommandLine"}, {"dir_path", "Cwd"}}, paths: []string{"Cwd"}},
	{name: "write_to_file", own: "write_file", args: []rename{{"file_path", "TargetFile"}, {"content", "CodeContent"}}, paths: []string{"TargetFile"}},
	{
		name: "replace_file_content", own: "replace", paths: []string{"TargetFile"},
		args: []rename{{"file_path", "TargetFile"}, {"old_string", "TargetContent"}, {"new_string", "ReplacementContent"}, {"allow_multiple", "AllowMultiple"}},
	},
	{
		name: "multi_replace_file_content", own: "replace", paths: []string{"TargetFile"},
		args: []rename{{"file_path", "TargetFile"}, {"old_string", "TargetContent"}, {"new_string", "ReplacementContent"}, {"allow_multiple", "AllowMultiple"}},
	},
	{name: "view_file", own: "read_file", args: []rename{{"file_path", "AbsolutePath"}}, paths: []string{"AbsolutePath"}},
	{name: "list_dir", own: "list_directory", args: []rename{{"dir_path", "DirectoryPath"}}, paths: []string{"DirectoryPath"}},
	{name: "find_by_name", own: "glob"},
	{name: "grep_search", own: "grep_search"},
	{name: "read_url_content", own: "web_fetch"},
	{name: "search_web", own: "google_web_search"},
	{name: "invoke_subagent", own: "invoke_agent"},
	{name: "ask_question", own: "ask_user"},
}

// otherAntigravityTools are tools of Antigravity CLI that Pollux does not have.
var otherAntigravityTools = []string{"manage_task", "schedule", "generate_image", "define_subagent", "browser"}

// AntigravityTool returns the name of Pollux's tool for one of Antigravity CLI's, "" if there is none.
func AntigravityTool(name string) string {
	if t := antigravityTools.find(name, ""); t != nil {
		return t.own
	}
	return ""
}

// antigravityTool returns Antigravity CLI's tool with a name that it has for the target, nil for one that has the same arguments here.
func (at target) antigravityTool(name string) *foreignTool {
	if at.server != "" {
		return nil
	}
	return antigravityTools.find(name, at.tool)
}

// antigravitySelects is [Set.selects] for a hook of Antigravity CLI. Its matchers are regular expressions for names of tools;
// one may also have Pollux's names.
func (s *Set) antigravitySelects(h *Hook, at target) (name string, ok bool) {
	if at.tool == "" {
		return "", true
	}
	names := []string{at.tool}
	if at.server == "" {
		names = antigravityTools.namesOf(at.tool)
	}
	for _, name := range names {
		if selectsAll(h.Matcher) || s.finds(h.Matcher, name) {
			return name, true
		}
	}
	return names[0], s.finds(h.Matcher, at.tool)
}

// antigravityInput returns the input of an event in the form of Antigravity CLI, which has no name of the event.
func (s *Set) antigravityInput(p planned, in Output) Output {
	request := in.object("llm_request")
	out := Output{"conversationId": in["session_id"], "transcriptPath": in["transcript_path"]}
	out.set("workspacePaths", []string{s.o.Dir})
	out.set("artifactDirectoryPath", s.o.PlansDir())
	out.set("modelName", request.text("model"))
	n := s.runsOf(p.Hook)
	switch p.Event {
	case BeforeTool, AfterTool:
		args := in.object("tool_input")
		if t := p.at.antigravityTool(p.name); t != nil {
			args = t.theirArgs(args, s.o.Dir)
		}
		out.set("toolCall", map[string]any{"name": p.name, "args": args})
		out.set("stepIdx", n)
		if p.Event == AfterTool {
			out.set("error", in.object("tool_response").object("error").text("message"))
		}
	case BeforeModel, AfterModel:
		var messages []json.RawMessage
		_ = json.Unmarshal(request["messages"], &messages) // none if it is another value
		out.set("invocationNum", n)
		out.set("initialNumSteps", len(messages))
	case AfterAgent:
		out.set("executionNum", n)
		out.set("terminationReason", "model_stop")
		out.set("error", "")
		out.set("fullyIdle", true)
	}
	return out
}

// runsOf returns the number of runs of a hook before this one.
func (s *Set) runsOf(h *Hook) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = map[*Hook]int{}
	}
	s.runs[h]++
	return s.runs[h] - 1
}

// isEnd reports whether a part of a response, as hooks get it, is the last one. Antigravity CLI has an event for each response,
// and none for its parts.
func isEnd(in Output) bool {
	var candidates []Output
	_ = json.Unmarshal(in.object("llm_response")["candidates"], &candidates) // none if it is another value
	return slices.ContainsFunc(candidates, func(c Output) bool { return c.text("finishReason") != "" })
}

// readAntigravity returns the answer of a program in Pollux's own form. notes are clauses about parts without effect.
func readAntigravity(p planned, a answer) (out Output, reading Reading, notes []string) {
	stdout, stderr := trim(a.stdout), trim(a.stderr)
	o, isJSON := parseJSON(stdout)
	switch p.Event {
	case BeforeTool:
		out, notes = antigravityDecision(p, a, o, isJSON && o != nil)
	case AfterAgent:
		if o.text("decision") == "continue" {
			out = message("block", "reason", cmp.Or(o.text("reason"), "A hook wants you to go on."))
		}
	case BeforeModel, SessionStart:
		out, notes = injected(p, o)
	case AfterModel:
		switch o.text("terminationBehavior") {
		case "terminate":
			out = Output{}
			out.set("continue", false)
			out.set("stopReason", cmp.Or(o.text("reason"), "A hook has ended the run."))
		case "force_continue":
			notes = append(notes, "has the answer force_continue, which has no effect")
		}
		if len(o.objects("injectSteps")) > 0 {
			notes = append(notes, "adds steps after a response, which has no effect")
		}
	}
	if out == nil && stdout+stderr == "" {
		return nil, ReadNothing, notes
	}
	if out == nil {
		out = Output{}
	}
	return out, ReadAntigravity, notes
}

// antigravityDecision reads the answer to PreToolUse, of which o is the object.
func antigravityDecision(p planned, a answer, o Output, isObject bool) (out Output, notes []string) {
	deny := func(reason string) (Output, []string) { return message("deny", "reason", reason), nil }
	stdout, stderr := trim(a.stdout), trim(a.stderr)
	decision, reason := o.text("decision"), cmp.Or(o.text("reason"), o.anyReason())
	others := maps.Clone(o) // with the words of other agents for a denial
	delete(others, "decision")
	switch r := others.restriction(2); {
	case a.code != 0:
		return deny(cmp.Or(reason, stderr, "The hook has failed."))
	case stdout == "":
		return nil, nil
	case !isObject:
		return deny("The hook has not answered with an object.")
	case slices.Contains([]string{"ask", "force_ask", "deny_unless_prior_grant"}, decision) && r.decision != "deny":
		out = message("ask", "systemMessage", reason)
	case decision != "allow":
		return deny(cmp.Or(reason, "The hook has not allowed it."))
	case r.decision == "deny":
		return deny(cmp.Or(r.reason, "The hook has not allowed it."))
	default:
		out = Output{}
	}
	if o.has("permissionOverrides") {
		notes = append(notes, "has permissionOverrides, which have no effect")
	}
	if changes := o.object("overwrite"); len(changes) > 0 {
		if t := p.at.antigravityTool(p.name); t != nil {
			changes = t.ownArgs(changes)
		}
		args, _ := parseJSON(string(p.at.args))
		args = maps.Clone(args)
		if args == nil {
			args = Output{}
		}
		maps.Copy(args, changes)
		specific := Output{}
		specific.set("tool_input", args)
		out.set("hookSpecificOutput", specific)
	}
	return out, notes
}

// injected returns an output with the messages that an answer adds for the model.
func injected(p planned, o Output) (out Output, notes []string) {
	var texts []string
	for _, step := range o.objects("injectSteps") {
		text := cmp.Or(step.text("ephemeralMessage"), step.text("userMessage"))
		if text == "" {
			notes = append(notes, "adds steps that are no messages, which have no effect")
			continue
		}
		texts = append(texts, text)
	}
	if texts == nil {
		return nil, notes
	}
	specific := Output{}
	if p.Event == SessionStart {
		specific.set("additionalContext", strings.Join(texts, "\n"))
	} else {
		var messages []json.RawMessage
		_ = json.Unmarshal(p.in.object("llm_request")["messages"], &messages) // none if it is another value
		for _, text := range texts {
			messages = append(messages, encode(llmMessage{Role: "user", Content: text}))
		}
		specific.set("llm_request", map[string]any{"messages": messages})
	}
	out = Output{}
	out.set("hookSpecificOutput", specific)
	return out, notes
}
