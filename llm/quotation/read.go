package quotation

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/llm"
)

// read adds the texts of a message.
func (x *Index) read(c *llm.Content) {
	if c.Role == llm.RoleModel {
		for _, call := range c.FunctionCalls() {
			x.readCall(call)
		}
		return
	}
	attached := ""
	for i := range c.Parts {
		p := &c.Parts[i]
		switch {
		case p.FunctionResponse != nil:
			source := x.labels[p.FunctionResponse.ID]
			if source == "" {
				source = "the result of " + p.FunctionResponse.Name
			}
			text := stringsIn(p.FunctionResponse.Response)
			x.add(untrusted, source, text)
			if !isText(p.FunctionResponse.Response) { // the model gets it as JSON
				x.add(untrusted, source, string(p.FunctionResponse.Response))
			}
		case p.Text == "":
		case attached != "":
			x.add(untrusted, attached, p.Text)
			attached = ""
		default:
			if attached = attachment(p.Text); attached == "" {
				x.readPrompt(p.Text)
			}
		}
	}
}

// attachment returns the name of the file whose text is the next part of a prompt, "" if there is
// none.
func attachment(text string) string {
	name, ok := strings.CutPrefix(text, "\nContent from @")
	if name, isLast := strings.CutSuffix(name, ":\n"); ok && isLast && !strings.Contains(name, "\n") {
		return name
	}
	return ""
}

// readPrompt adds a text of the user's side. In frames of untrusted text it is not the user's.
func (x *Index) readPrompt(text string) {
	const begin, end = "<untrusted_context>", "</untrusted_context>"
	for text != "" {
		before, rest, _ := strings.Cut(text, begin)
		inside, after, _ := strings.Cut(rest, end)
		x.add(given, "", before)
		x.add(untrusted, "the output of a tool", inside)
		text = after
	}
}

// readCall adds the arguments of a call of the model, and remembers the source it reads.
func (x *Index) readCall(c *llm.FunctionCall) {
	x.add(own, "", stringsIn(c.Args))
	var args map[string]any
	_ = json.Unmarshal(c.Args, &args) // other arguments name nothing
	text := func(keys ...string) string {
		for _, key := range keys {
			if s, ok := args[key].(string); ok && s != "" {
				return s
			}
		}
		return ""
	}
	label := text("file_path", "path", "absolute_path", "url", "uri")
	if command := text("command"); label == "" && command != "" {
		label = fmt.Sprintf("the output of %.60q", command)
	}
	if len(x.labels) >= maxLabels {
		clear(x.labels)
	}
	if c.ID != "" && label != "" {
		x.labels[c.ID] = label
	}
}

// stringsIn returns the strings in a JSON value, without keys, each on a line of its own.
func stringsIn(data json.RawMessage) string {
	var value any
	_ = json.Unmarshal(data, &value) // invalid JSON has no strings
	var b strings.Builder
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case string:
			b.WriteString(v)
			b.WriteByte('\n')
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			for _, key := range slices.Sorted(maps.Keys(v)) {
				walk(v[key])
			}
		}
	}
	walk(value)
	return b.String()
}

// isText reports whether the result of a call is only a text.
func isText(response json.RawMessage) bool {
	var texts map[string]string
	return json.Unmarshal(response, &texts) == nil && len(texts) == 1
}
