package texttool

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
)

// saved is the arguments of a call of the tool save.
type saved struct {
	Content string   `json:"content"`
	Limit   int      `json:"limit"`
	Deep    bool     `json:"deep"`
	Tags    []string `json:"tags"`

	tools toolSet
}

const saveSchema = `{"properties":{"content":{"type":"string"},"limit":{"type":"integer"},"deep":{"type":"boolean"},"tags":{"type":"array"}}}`

// saveTools declare save without a whole text, and with one.
var saveTools = [...]toolSet{
	{"save": {schema: json.RawMessage(saveSchema)}},
	{"save": {schema: json.RawMessage(saveSchema), wholeTexts: []string{"content"}}},
}

func (s saved) json() string {
	tags := []byte("[")
	for i, tag := range s.Tags {
		if i > 0 {
			tags = append(tags, ',')
		}
		tags = llm.AppendString(tags, tag)
	}
	return fmt.Sprintf(`{"content": %s, "limit": %d, "deep": %v, "tags": %s]}`, llm.AppendString(nil, s.Content), s.Limit, s.Deep, tags)
}

// elements returns the arguments as elements whose opening tags have this form.
func (s saved) elements(tag string) string {
	var b strings.Builder
	all := s.json()
	for _, p := range [][2]string{
		{"content", s.Content},
		{"limit", strconv.Itoa(s.Limit)},
		{"deep", strconv.FormatBool(s.Deep)},
		{"tags", strings.TrimSuffix(all[strings.LastIndex(all, `"tags": `)+len(`"tags": `):], "}")},
	} {
		begin := strings.ReplaceAll(tag, "P", p[0])
		if end, isGLM := "</arg_value>", strings.HasSuffix(tag, "<arg_value>"); isGLM {
			b.WriteString(begin + p[1] + end + "\n")
			continue
		}
		value := "\n" + p[1] + "\n"
		if s.tools.isWholeText("save", p[0]) {
			value = insideTags(p[1], true)
		}
		b.WriteString(begin + value + "</parameter>\n")
	}
	return b.String()
}

// python returns the arguments as those of a call in Python.
func (s saved) python() string {
	quote := func(s string) string {
		return "'" + strings.NewReplacer("\\", "\\\\", "'", "\\'", "\n", "\\n").Replace(s) + "'"
	}
	var tags []string
	for _, tag := range s.Tags {
		tags = append(tags, quote(tag))
	}
	deep := map[bool]string{true: "True", false: "False"}[s.Deep]
	return fmt.Sprintf("content=%s, limit=%d, deep=%s, tags=[%s]", quote(s.Content), s.Limit, deep, strings.Join(tags, ", "))
}

// renderings write a call of save in each form that the parser reads.
var renderings = []func(s saved) string{
	func(s saved) string {
		return callText(&llm.FunctionCall{Name: "save", Args: json.RawMessage(s.json())}, s.tools)
	},
	func(s saved) string { return `{"tool_call": {"name": "save", "arguments": ` + s.json() + "}}" },
	func(s saved) string {
		return "<tool_call>\n" + `{"name": "save", "arguments": ` + s.json() + "}\n</tool_call>"
	},
	func(s saved) string { return `{"name": "save", "parameters": ` + s.json() + "}" },
	func(s saved) string { return `<|python_tag|>{"parameters": ` + s.json() + `, "name": "save"}` },
	func(s saved) string { return "<function=save>" + s.json() + "</function>" },
	func(s saved) string {
		return `[TOOL_CALLS] [{"name": "save", "arguments": ` + s.json() + `, "id": "123456789"}]`
	},
	func(s saved) string { return "[TOOL_CALLS]save[ARGS]" + s.json() },
	func(s saved) string {
		return "<tool_call>\n<function=save>\n" + s.elements("<parameter=P>") + "</function>\n</tool_call>"
	},
	func(s saved) string { return "<function=save>\n" + s.elements("<parameter=P>") + "</function>" },
	func(s saved) string {
		return "<function_calls>\n<invoke name=\"save\">\n" + s.elements(`<parameter name="P">`) + "</invoke>\n</function_calls>"
	},
	func(s saved) string {
		return "<tool_call>save\n" + s.elements("<arg_key>P</arg_key>\n<arg_value>") + "</tool_call>"
	},
	func(s saved) string {
		return "```tool_code\nprint(save(" + s.python() + "))\n```"
	},
	func(s saved) string {
		return `{"type": "function", "function": {"name": "save", "arguments": ` + string(llm.AppendString(nil, s.json())) + "}}"
	},
	func(s saved) string {
		return `{"thought": ` + string(llm.AppendString(nil, s.Content)) + `, "tool_call": {"name": "save", "arguments": ` + s.json() + "}}"
	},
	func(s saved) string {
		return "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>save\n```json\n" + s.json() + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	},
	func(s saved) string {
		return "<|tool_calls_section_begin|><|tool_call_begin|>functions.save:0<|tool_call_argument_begin|>" + s.json() + "<|tool_call_end|><|tool_calls_section_end|>"
	},
	func(s saved) string {
		return fenced("json", `{"thought": "`+strings.Join(s.Tags, "")+`", "tool": "save", "args": `+s.json()+"}")
	},
}

// FuzzInverse renders a call in each form with any arguments and text around it, cuts it
// anywhere, and reads it: the same comes out, in text mode and in the content of a server
// that declares tools.
func FuzzInverse(f *testing.F) {
	for i := range len(renderings) * len(saveTools) {
		f.Add("I look.\n", "</parameter\n{\"tool_call\": \"```\n\\n\r", "it's \"so\"", "So.", i, true, uint8(i), uint64(0x123456789abcdef))
		f.Add("", "\n\n", "", "", -i, false, uint8(i), uint64(0))
	}
	f.Fuzz(checkInverse)
}

// checkInverse checks one call of [FuzzInverse].
func checkInverse(t *testing.T, before, content, tag, after string, limit int, deep bool, form uint8, cuts uint64) {
	tools := saveTools[int(form)/len(renderings)%len(saveTools)]
	form %= uint8(len(renderings))
	valid := func(s string) string { return strings.ToValidUTF8(s, "") }
	prose := strings.NewReplacer("`", "", "~", "", "{", "", "[", "", "<", "")
	before, after, content, tag = valid(prose.Replace(before)), "X"+valid(prose.Replace(after)), valid(content), valid(tag)
	if strings.Contains(content+tag, "</parameter>") && form >= 8 && form <= 10 || strings.Contains(content+tag, "<arg_") && form == 11 || strings.Contains(content+tag, "</arg_value>") && form == 11 { // there is no way to write it in an element
		return
	}
	want := saved{content, limit, deep, []string{tag, "b"}, tools}
	render := renderings[form]
	if int(form) == len(renderings)-1 {
		want.Tags = []string{"a", "b"}
	}
	call := render(want)
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	check := func(mode string, p *parser, text, wantText string) {
		if len(p.calls) != 1 || p.problem != "" || p.calls[0].Name != "save" {
			t.Fatalf("%s, form %d: %q: calls %v, %s", mode, form, call, p.calls, p.problem)
		}
		var got saved
		if err := json.Unmarshal(p.calls[0].Args, &got); err != nil || got.json() != want.json() {
			t.Fatalf("%s: %q: %s", mode, call, p.calls[0].Args)
		}
		if text != wantText {
			t.Fatalf("%s: %q: text %q, want %q", mode, call, text, wantText)
		}
	}
	read := func(in string, isNative bool) (*parser, string) {
		p := newParser(tools, isNative)
		var text strings.Builder
		for _, chunk := range llmtest.Chunks(in, cuts) {
			text.WriteString(p.add(chunk))
		}
		text.WriteString(p.end(false))
		return p, text.String()
	}
	p, text := read(before+call, false)
	check("text mode", p, strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(before), " "))
	switch in := before + call + "\n" + after; form {
	case 0, 1, 8, 9, 14: // the instruction has these forms
		p, text = read(in, false)
		check("text mode, with text behind", p, strings.Join(strings.Fields(text), " "), strings.Join(strings.Fields(before+after), " "))
	default:
		if p, text = read(in, false); len(p.calls) > 0 || text != in {
			t.Fatalf("text mode, with text behind: %q: calls %v, text %q", in, p.calls, text)
		}
	}
	p, text = read(before+call+"\n", true)
	check("native", p, text, before)
	if in := before + call + "\n" + after; true {
		if p, text = read(in, true); len(p.calls) > 0 || text != in {
			t.Fatalf("native, with text behind: %q: calls %v, text %q", in, p.calls, text)
		}
	}
}

// TestRandom is [FuzzInverse] and [FuzzParser] with random texts.
func TestRandom(t *testing.T) {
	t.Parallel()
	llmtest.Repeat(t, func(r llmtest.Random) {
		checkInverse(t, r.Text(), r.Text(), r.Text(), r.Text(), r.IntN(2000)-1000, r.IntN(2) == 0, uint8(r.IntN(256)), r.Uint64())
		checkParser(t, r.Text()+r.Text(), r.Uint64(), r.IntN(4) == 0)
	})
}
