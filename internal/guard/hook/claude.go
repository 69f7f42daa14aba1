package hook

import (
	"cmp"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// Hooks of Claude Code get their input, and give their answers, in its form, so that a script runs here unchanged:
// a guard that tests for the tool "Bash" finds it, and its denial denies.

// PluginRoot is the variable with the directory of the plugin that a hook of Claude Code belongs to.
const PluginRoot = "CLAUDE_PLUGIN_ROOT"

// claudeEvents are Claude Code's names of events. The first name of an event is the usual one.
var claudeEvents = []struct {
	name  string
	event Event
}{
	{"PreToolUse", BeforeTool},
	{"PostToolUse", AfterTool},
	{postFailure, AfterTool},
	{"UserPromptSubmit", BeforeAgent},
	{"Stop", AfterAgent},
	{"PreCompact", PreCompress},
	{"SessionStart", SessionStart},
	{"SessionEnd", SessionEnd},
	{"Notification", Notification},
}

// postFailure is the event of a tool call that failed. PostToolUse is only about those that did not.
const postFailure = "PostToolUseFailure"

// claudeEvent returns Pollux's event for one of Claude Code's, "" if there is none.
func claudeEvent(name string) Event {
	for _, e := range claudeEvents {
		if e.name == name {
			return e.event
		}
	}
	return ""
}

// claudeName returns the name that Claude Code has for the event of a hook, "" if it has none.
func claudeName(h *Hook) string {
	for _, e := range claudeEvents {
		if e.event == h.Event && (h.As == "" || h.As == e.name) {
			return e.name
		}
	}
	return ""
}

// isClaudeOnly reports whether an event is one of Claude Code's and not of Gemini CLI's.
func isClaudeOnly(name string) bool {
	return !slices.Contains(Events(), Event(name)) && (claudeEvent(name) != "" || slices.Contains(otherClaudeEvents, name))
}

// otherClaudeEvents are events of Claude Code for which Pollux has none.
var otherClaudeEvents = []string{
	"SubagentStart", "SubagentStop", "SubAgentStop", "PermissionRequest", "PermissionDenied", "PostToolBatch", "PostCompact", "UserPromptExpansion",
	"Setup", "StopFailure", "Elicitation", "ElicitationResult", "ConfigChange", "WorktreeCreate", "WorktreeRemove", "InstructionsLoaded",
	"CwdChanged", "FileChanged", "DirectoryAdded", "TeammateIdle", "TaskCreated", "TaskCompleted", "PreModelSwitch", "PostModelSwitch",
	"MessageDisplay",
}

// claudeSelects is [Set.selects] for a hook of Claude Code.
func (s *Set) claudeSelects(h *Hook, at target) (name string, ok bool) {
	switch {
	case h.Event == AfterTool && (h.As == postFailure) != at.hasFailed:
		return "", false
	case at.tool == "" && at.trigger == "":
		return "", true
	case at.tool == "":
		return "", s.selectsAny(h.Matcher, []string{claudeTrigger(h.Event, at.trigger)})
	}
	name, ok = s.selectsTool(h.Matcher, at)
	return name, ok && s.meets(h, at, name)
}

// claudeTrigger returns Claude Code's name for the source or reason of an event.
func claudeTrigger(e Event, trigger string) string {
	if e == SessionEnd && trigger == string(ExitReason) {
		return "prompt_input_exit"
	}
	return trigger
}

// selectsTool reports whether a matcher of Claude Code selects a tool, and by which of its names. A matcher that
// names no tool of Claude Code may have Pollux's own name.
func (s *Set) selectsTool(matcher string, at target) (name string, ok bool) {
	names := at.namesFor(Claude)
	if name, ok = s.selectsName(matcher, names); ok {
		return name, true
	}
	isExact := slices.Contains(exactNames(matcher), at.tool)
	if isExact || exactNames(matcher) == nil && !s.selectsAny(matcher, claudeTools.names()) {
		return names[0], s.selectsAny(matcher, []string{at.tool})
	}
	return "", false
}

func (s *Set) selectsAny(matcher string, names []string) bool {
	_, ok := s.selectsName(matcher, names)
	return ok
}

// selectsName returns the first of the names that a matcher of Claude Code selects. A matcher of nothing but
// names is a list of them, any other one a regular expression.
func (s *Set) selectsName(matcher string, names []string) (name string, ok bool) {
	if selectsAll(matcher) {
		return names[0], true
	}
	exact := exactNames(matcher)
	for _, name := range names {
		switch {
		case exact == nil && s.finds(matcher, name):
			return name, true
		case slices.ContainsFunc(exact, func(word string) bool { return word == name || isServerOf(word, name) }):
			return name, true
		}
	}
	return "", false
}

// isServerOf reports whether word is the beginning of a tool's name that names its MCP server.
func isServerOf(word, name string) bool {
	return strings.HasPrefix(word, "mcp__") && strings.HasPrefix(name, strings.TrimSuffix(word, "__")+"__")
}

// plainMatcher matches the matchers that are lists of names.
var plainMatcher = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\w |,]+$`) })

// exactNames returns the names in a matcher that is a list of names, nil for any other one.
func exactNames(matcher string) []string {
	if !plainMatcher().MatchString(matcher) {
		return nil
	}
	return strings.FieldsFunc(matcher, func(r rune) bool { return r == '|' || r == ',' || r == ' ' })
}

// claudeMode returns Claude Code's name of an approval mode.
func claudeMode(mode string) string {
	switch mode {
	case "":
		return "default"
	case "auto_edit", "autoEdit", "sandboxed":
		return "acceptEdits"
	case "yolo":
		return "bypassPermissions"
	}
	return mode
}

// claudeInputs returns the input of an event in the form of Claude Code. A call that Claude Code would make as
// several ones has several inputs.
func (s *Set) claudeInputs(h *Hook, at target, name string, in Output) []Output {
	out := Output{}
	for _, key := range []string{"session_id", "transcript_path", "cwd"} {
		out[key] = in[key]
	}
	mode := ""
	if s.o.Mode != nil {
		mode = s.o.Mode()
	}
	if h.Dialect == Qwen {
		out.set("permission_mode", qwenMode(mode))
		out["timestamp"] = in["timestamp"]
	} else {
		out.set("permission_mode", claudeMode(mode))
	}
	out.set("hook_event_name", claudeName(h))
	switch h.Event {
	case SessionStart:
		out["source"] = in["source"]
	case SessionEnd:
		out.set("reason", claudeTrigger(SessionEnd, in.text("reason")))
	case PreCompress:
		out["trigger"] = in["trigger"]
		out.set("custom_instructions", "")
	case BeforeAgent:
		out["prompt"] = in["prompt"]
	case AfterAgent:
		out["stop_hook_active"], out["last_assistant_message"] = in["stop_hook_active"], in["prompt_response"]
	case Notification:
		out["message"] = in["message"]
		out.set("title", "Permission needed")
		out.set("notification_type", "permission_prompt")
	case BeforeTool, AfterTool:
		out.set("tool_name", name)
		out.set("tool_use_id", at.id)
		if h.Event == AfterTool {
			out["tool_response"] = in["tool_response"]
			if h.Dialect == Claude {
				out.set("tool_response", claudeResponse(name, in.object("tool_input"), in.object("tool_response")))
			}
			out.setText("error", in.object("tool_response").object("error").text("message"))
			if changed, ok := in["changed"]; ok { // which Claude Code does not have
				out["changed"] = changed
			}
		}
		var list []Output
		for _, args := range at.argsFor(h.Dialect, name, in.object("tool_input"), s.o.Dir) {
			one := maps.Clone(out)
			one.set("tool_input", args)
			list = append(list, one)
		}
		return list
	}
	return []Output{out}
}

// readClaude returns the answer of a program in Pollux's own form.
func readClaude(h *Hook, name string, a answer) (Output, Reading) {
	stdout, stderr := trim(a.stdout), trim(a.stderr)
	o, isJSON := parseJSON(stdout)
	r := restrictionOf([]byte(stdout))
	switch {
	case !isJSON:
		r = restrictionIn(a.stdout).or(restrictionIn(a.stderr))
	case r.decision == "" && o.text("decision") == "" && o.specific().text("permissionDecision") == "":
		r = restrictionIn(a.stderr)
	}
	switch {
	case a.code == 2:
		r = restriction{"deny", cmp.Or(stderr, r.reason, o.anyReason(), stdout, "Hook exited with code 2")}
	case h.Event == BeforeTool && (a.code == 126 || a.code == 127) && r.decision == "": // bash cannot run it
		r = restriction{"deny", cmp.Or(stderr, "The hook could not be run.")}
	}
	switch {
	case isJSON && o != nil:
		return claudeOutput(h, name, o, r), ReadClaude
	case r.decision != "":
		return claudeOutput(h, name, Output{}, r), ReadClaude
	case h.Dialect == Qwen && stdout+stderr != "": // it shows texts
		o := Output{}
		o.set("systemMessage", cmp.Or(stdout, stderr))
		return o, ReadClaude
	case a.code == 0 && stdout != "" && (h.Event == BeforeAgent || h.Event == SessionStart):
		return contextOutput(stdout), ReadClaude
	case stdout+stderr == "":
		return nil, ReadNothing
	}
	return Output{}, ReadClaude
}

func contextOutput(text string) Output {
	o := Output{}
	o.set("hookSpecificOutput", map[string]string{"additionalContext": text})
	return o
}

// claudeOutput returns an answer in Pollux's form. r is the restriction that it sets.
func claudeOutput(h *Hook, name string, o Output, r restriction) Output {
	out, from, specific := Output{}, o.specific(), Output{}
	for _, key := range []string{"continue", "stopReason", "suppressOutput", "systemMessage"} {
		if raw, ok := o[key]; ok {
			out[key] = raw
		}
	}
	context := from.text("additionalContext")
	switch {
	case r.decision == "deny" && h.Event == AfterTool: // the model gets the result, and the reason
		context = joinLines(context, cmp.Or(r.reason, "A hook objects to this."))
	case r.decision == "deny" && !h.Event.isBlockable():
		out.set("systemMessage", cmp.Or(out.text("systemMessage"), r.reason))
	case r.decision != "":
		out.set("decision", r.decision)
		out.setText("reason", r.reason)
		if r.decision == "ask" && out.text("systemMessage") == "" {
			out.set("systemMessage", r.reason)
		}
	}
	specific.setText("additionalContext", context)
	if h.Event == BeforeTool {
		for _, key := range []string{"updatedInput", "tool_input"} {
			if from.has(key) {
				specific["tool_input"] = from[key]
				if args := from.object(key); args != nil {
					specific.set("tool_input", h.Dialect.ownArgs(name, args))
				}
				break
			}
		}
	}
	if len(specific) > 0 {
		out.set("hookSpecificOutput", specific)
	}
	return out
}
