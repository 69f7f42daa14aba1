package texttool

import (
	"bytes"
	"encoding/json"
	"strings"

	"pollux/llm"
)

// callText returns a call in one of the forms that the instruction teaches: as elements if
// [isRaw] returns true and the call can be written in that form, else as JSON.
func callText(c *llm.FunctionCall, tools toolSet) string {
	if isRaw(c) {
		if s := rawText(c, tools); s != "" {
			return s
		}
	}
	return jsonText(c)
}

// rawMark is in the id of a call that was written as elements, behind [llm.TextCallID].
const rawMark = "raw-"

// isRaw reports whether the history shows a call as elements: one that was written so, and
// one that was not written as text if an argument has a line break or a quote.
func isRaw(c *llm.FunctionCall) bool {
	if _, form, ok := strings.Cut(c.ID, llm.TextCallID); ok {
		return strings.HasPrefix(form, rawMark)
	}
	args, err := membersOf(c.Args)
	if err != nil {
		return false
	}
	for _, a := range args {
		if s, ok := stringOf(a.value); ok && strings.ContainsAny(s, "\n\"") {
			return true
		}
	}
	return false
}

// jsonText returns a call as a fenced block of JSON.
func jsonText(c *llm.FunctionCall) string {
	args := c.Args
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	b := append(make([]byte, 0, len(args)+len(c.Name)+64), "{\"tool_call\": {\"name\": "...)
	b = append(llm.AppendString(b, c.Name), ", \"arguments\": "...)
	b = append(append(b, args...), "}}"...)
	return fenced("json", string(b))
}

// rawText returns a call as elements, whose values are text without escapes:
//
//	<function=NAME>
//	<parameter=P>VALUE</parameter>
//	<parameter=Q>
//	VALUE OF
//	SEVERAL LINES
//	</parameter>
//	</function>
//
// The last line break of a whole text, as tools declares it, is that before the closing tag. It
// returns "" if the parser would not read the same arguments from it, for example
// because a value contains the closing tags.
func rawText(c *llm.FunctionCall, tools toolSet) string {
	args, err := membersOf(c.Args)
	if err != nil || !isName(c.Name) {
		return ""
	}
	var b strings.Builder
	b.WriteString("<function=" + c.Name + ">\n")
	values := make([]string, len(args))
	var wholeTexts []string
	for i, a := range args {
		v, ok := stringOf(a.value)
		if !ok {
			v = string(a.value)
		}
		values[i] = v
		isWholeText := tools.isWholeText(c.Name, a.name)
		if isWholeText {
			wholeTexts = append(wholeTexts, a.name)
		}
		writeParameter(&b, a.name, v, isWholeText)
	}
	b.WriteString("</function>")
	text := b.String()

	p := newParser(toolSet{c.Name: {wholeTexts: wholeTexts}}, false)
	if p.parse(text + "\n."); p.end(false) != "." || p.problem != "" || len(p.calls) != 1 || p.calls[0].Name != c.Name {
		return ""
	}
	read, err := membersOf(p.calls[0].Args)
	if err != nil || len(read) != len(args) {
		return ""
	}
	for i, a := range read {
		if s, _ := stringOf(a.value); a.name != args[i].name || s != values[i] {
			return ""
		}
	}
	return text
}

func writeParameter(b *strings.Builder, name, value string, isWholeText bool) {
	b.WriteString("<parameter=" + name + ">" + insideTags(value, isWholeText) + closingParameter + "\n")
}

// stringOf returns the string that is encoded as JSON, false if value is no string.
func stringOf(value json.RawMessage) (string, bool) {
	var s string
	if value = bytes.TrimSpace(value); len(value) == 0 || value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return "", false
	}
	return s, true
}
