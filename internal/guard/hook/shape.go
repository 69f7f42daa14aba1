package hook

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/tool/spelling"
)

// An answer that cannot be applied must not pass silently: a hook that wanted to take a secret out of a request
// would let it through. The step that the hook wanted to change is refused, with the reason; parts of an answer
// that change nothing are named once.

// member describes a member of hookSpecificOutput.
type member struct {
	name string
	// problem returns why a value cannot be applied, as a clause, "" if it can.
	problem func(raw json.RawMessage) string
	// isChange reports whether the member replaces the subject of the event. others are its other usual names,
	// in lower case and without punctuation.
	isChange bool
	others   []string
}

// specifics are the members of hookSpecificOutput by event. Events without members are not in it.
var specifics = map[Event][]member{
	SessionStart: {{name: "additionalContext", problem: mustBeText}},
	BeforeAgent:  {{name: "additionalContext", problem: mustBeText}},
	AfterAgent:   {{name: "clearContext", problem: mustBeFlag}},
	BeforeTool: {
		{
			name: "tool_input", problem: mustBeObject, isChange: true,
			others: []string{"toolinput", "updatedinput", "updatedtoolinput", "modifiedinput", "modifiedtoolinput", "newinput", "toolargs", "args", "arguments"},
		},
		{name: "additionalContext", problem: mustBeText},
	},
	AfterTool: {
		{name: "additionalContext", problem: mustBeText},
		{name: "tailToolCallRequest", problem: mustBeCall},
	},
	BeforeModel: {
		{
			name: "llm_request", problem: mustBeRequest, isChange: true,
			others: []string{"llmrequest", "request", "modifiedrequest", "updatedrequest", "messages", "contents", "updatedmessages"},
		},
		{name: "llm_response", problem: mustBeResponse},
	},
	AfterModel: {{
		name: "llm_response", problem: mustBeResponse, isChange: true,
		others: []string{"llmresponse", "response", "modifiedresponse", "updatedresponse", "candidates"},
	}},
	BeforeToolSelection: {{
		name: "toolConfig", problem: mustBeToolConfig, isChange: true,
		others: []string{"toolconfig", "allowedfunctionnames", "allowedtools", "functioncallingconfig"},
	}},
}

// checkShape returns why an output cannot be applied, "" if it can, and sentences without a subject about parts
// of it that have no effect.
func checkShape(e Event, o Output, a answer) (refusal string, notes []string) {
	if o.isStopping() || o.isBlocking() && e.isBlockable() {
		return "", nil
	}
	changes := slices.IndexFunc(specifics[e], func(m member) bool { return m.isChange })
	note := func(format string, args ...any) { notes = append(notes, fmt.Sprintf(format, args...)) }
	if changes >= 0 && isBrokenJSON(a) {
		return "it printed JSON that is incomplete or invalid. Print one JSON object, and nothing else, to standard output", nil
	}
	if o == nil || o.isEcho() {
		return "", nil
	}
	specific := o.specific()
	if o.has("hookSpecificOutput") && specific == nil {
		if changes >= 0 {
			return "hookSpecificOutput is not an object", nil
		}
		note("has a hookSpecificOutput that is not an object. It has no effect.")
	}
	for _, m := range specifics[e] {
		if !specific.has(m.name) {
			continue
		}
		switch problem := m.problem(specific[m.name]); {
		case problem != "" && m.isChange:
			return m.name + " " + problem, nil
		case problem != "":
			note("has a %s that %s. It has no effect.", m.name, problem)
		case e == BeforeModel && m.name == "llm_response":
			note(`has an llm_response, which has no effect without "decision": "deny".`)
		}
	}
	if changes >= 0 {
		m := specifics[e][changes]
		for i, at := range []Output{specific, o} {
			for name := range at {
				if m.means(name) && (name != m.name || i == 1) {
					return fmt.Sprintf("it has %q where hookSpecificOutput.%s is expected", name, m.name), nil
				}
			}
		}
	}
	for name := range specific {
		if !slices.ContainsFunc(specifics[e], func(m member) bool { return m.name == name }) && !slices.Contains(harmlessMembers, foldMember(name)) {
			note("has a member %q in hookSpecificOutput, which has no effect at this event.", name)
		}
	}
	slices.Sort(notes)
	return "", notes[:min(len(notes), 3)]
}

// harmlessMembers are members that repeat others, or that are read as a denial.
var harmlessMembers = append([]string{
	"hookeventname", "permissiondecisionreason", "reason", "suppressoutput", "systemmessage",
}, append(decisionMembers, denyMembers...)...)

// means reports whether a name is that of the member, or one with which people mean it.
func (m member) means(name string) bool {
	return slices.Contains(m.others, foldMember(name)) || spelling.Distance(foldMember(name), foldMember(m.name)) <= 2
}

// has reports whether there is a member that is not null.
func (o Output) has(key string) bool {
	raw, ok := o[key]
	return ok && string(raw) != "null"
}

// isEcho reports whether a hook has printed its input.
func (o Output) isEcho() bool { return o["hook_event_name"] != nil && o["session_id"] != nil }

// isBrokenJSON reports whether a program's output begins as a JSON object but is not one.
func isBrokenJSON(a answer) bool {
	text := trim(a.stdout)
	rest, ok := strings.CutPrefix(text, "{")
	if !ok || !strings.HasPrefix(trim(rest), `"`) {
		return false
	}
	return a.isCut || !json.Valid([]byte(text))
}

func mustBeText(raw json.RawMessage) string { return mustBe(raw, '"', "is not a text") }

func mustBeObject(raw json.RawMessage) string { return mustBe(raw, '{', "is not an object") }

func mustBe(raw json.RawMessage, first byte, problem string) string {
	if len(raw) > 0 && raw[0] == first {
		return ""
	}
	return problem
}

func mustBeFlag(raw json.RawMessage) string {
	if text := string(raw); text == "true" || text == "false" {
		return ""
	}
	return "is not true or false"
}

func mustBeCall(raw json.RawMessage) string {
	var o Output
	if json.Unmarshal(raw, &o) != nil || o.text("name") == "" {
		return "is not an object with a name"
	}
	if o.has("args") && o.object("args") == nil {
		return "has args that are not an object"
	}
	return ""
}

func mustBeToolConfig(raw json.RawMessage) string {
	var o Output
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return "is not an object"
	}
	if o.has("mode") && !slices.Contains([]string{"AUTO", "ANY", "NONE"}, strings.ToUpper(o.text("mode"))) {
		return "has a mode other than AUTO, ANY and NONE"
	}
	var names []string
	if o.has("allowedFunctionNames") && json.Unmarshal(o["allowedFunctionNames"], &names) != nil {
		return "has allowedFunctionNames that are not a list of names"
	}
	return ""
}

// mustBeRequest checks an llm_request. A member that Pollux does not know is no problem beside messages.
func mustBeRequest(raw json.RawMessage) string {
	var o Output
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return "is not an object"
	}
	if o.has("model") && o.text("model") == "" {
		return "has a model that is not a name"
	}
	if o.has("messages") {
		if problem := mustBeMessages(o["messages"]); problem != "" {
			return problem
		}
	} else {
		for name := range o {
			if !slices.Contains([]string{"model", "messages", "config", "toolConfig"}, name) {
				return fmt.Sprintf("has %q, which Pollux does not know, and no messages", name)
			}
		}
	}
	if o.has("config") {
		members := o.object("config")
		if members == nil {
			return "has a config that is not an object"
		}
		for _, name := range []string{"temperature", "topP", "topK", "maxOutputTokens"} {
			if members.has(name) && members.number(name) == nil {
				return "has a config." + name + " that is not a number"
			}
		}
	}
	return ""
}

func mustBeMessages(raw json.RawMessage) string {
	var list []Output
	if json.Unmarshal(raw, &list) != nil {
		return "has messages that are not a list of objects"
	}
	for i, m := range list {
		switch {
		case mustBeText(m["content"]) != "":
			return fmt.Sprintf("has a messages[%d].content that is not a text", i)
		case m["role"] != nil && !slices.Contains([]string{"user", "model", "system", "assistant"}, m.text("role")):
			return fmt.Sprintf("has a messages[%d].role other than user and model", i)
		}
	}
	return ""
}

func mustBeResponse(raw json.RawMessage) string {
	var o Output
	if json.Unmarshal(raw, &o) != nil || o == nil {
		return "is not an object"
	}
	if !o.has("candidates") {
		if o.text("text") != "" {
			return "has a text and no candidates[0].content.parts"
		}
		return ""
	}
	var candidates []struct {
		Content struct {
			Parts []json.RawMessage `json:"parts"`
		} `json:"content"`
	}
	if json.Unmarshal(o["candidates"], &candidates) != nil {
		return "has candidates that are not a list of objects with content.parts"
	}
	if len(candidates) == 0 {
		return ""
	}
	for i, part := range candidates[0].Content.Parts {
		if mustBeText(part) != "" {
			return fmt.Sprintf("has a candidates[0].content.parts[%d] that is not a text", i)
		}
	}
	return ""
}
