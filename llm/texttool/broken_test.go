package texttool

import (
	"strings"
	"testing"
)

// TestBrokenText checks what a model is told of a text in JSON that has ended too early, or
// has line breaks of two kinds, and that the form without escapes is offered.
func TestBrokenText(t *testing.T) {
	t.Parallel()
	call := func(content string) string {
		return `{"tool_call": {"name": "write_file", "arguments": {"file_path": "a.go", "content": "` + content + `"}}}`
	}
	tools := toolSet{"write_file": {schema: []byte(`{"properties":{"file_path":{"type":"string"},"content":{"type":"string"}},"required":["file_path","content"]}`)}}
	const form = "<function=write_file>\n<parameter=file_path>...</parameter>\n<parameter=content>\n...\n...\n</parameter>\n</function>"
	for _, c := range []struct{ in, want string }{
		{call(`say "hi" to all`), "the value of \"content\" ends at the quote behind `say`, where `hi\" to all\"}}}` follows; a quote in a value is written \\\""},
		{call(`package a\n\nvar s = "x"\n`), "the value of \"content\" ends in its line 3 at the quote behind `package a\\n\\nvar s =`, where `x\"\\n\"}}}` follows; a quote in a value is written \\\""},
		{call("package a\n\nvar s = \"x\"\n"), "the value of \"content\" ends in its line 3 at the quote behind `package a var s =`, where `x\" \"}}}` follows; a quote in a value is written \\\""},
		{call(`f("}}")`), "the value of \"content\" ends at the quote behind `f(`, where `}}\")\"}}}` follows; a quote in a value is written \\\""},
		{call(`f("}}}")`), `the value of "content" ends at a quote behind which the call ends, but another quote follows; a quote in a value is written \"`},
		{call(`["a", "b"]`), "the value of \"content\" ends at the quote behind `[`, where `a\", \"b\"]\"}}}` follows; a quote in a value is written \\\""},
		{strings.TrimSuffix(call(`unfinished`), `"}}}`), "the value of \"content\" has no closing quote; it begins with `unfinished`"},
		{call("func f() {\n\tfmt.Println(\\\"a\\n\\\")\n}"), `the value of "content" has line breaks as they are and also \n, which may be a line break or two characters`},
		{"```json\n" + call("a\nb\\nc") + "\n```", `the value of "content" has line breaks as they are and also \n, which may be a line break or two characters`},
		{"<tool_call>\n{\"name\": \"write_file\", \"arguments\": {\"content\": \"say \"hi\"\"}}\n</tool_call>", "the value of \"content\" ends at the quote behind `say`, where `hi\"\"}} </tool_call>` follows; a quote in a value is written \\\""},
		{`<function=write_file>{"content": "say "hi""}</function>`, "the value of \"content\" ends at the quote behind `say`, where `hi\"\"}</function>` follows; a quote in a value is written \\\""},
	} {
		for _, n := range []int{1, 7, 1000} {
			p := newParser(tools, false)
			for _, chunk := range pieces("I write.\n"+c.in, n) {
				p.add(chunk)
			}
			p.end(false)
			if p.problem != c.want || p.form != form {
				t.Errorf("%s\nin pieces of %d: %s\nwant %s\n%s", c.in, n, p.problem, c.want, p.form)
			}
			if got := parseNative(pieces(c.in, n)); got.Text != c.in || len(got.Calls) > 0 {
				t.Errorf("native: %+v", got)
			}
		}
	}
	// These have one reading.
	for _, in := range []string{
		call(`a\nb`), call("a\nb"), call("a\n\\\\n\n"), call("a\n\\t"), strings.TrimSuffix(call(`a`), "}"), strings.TrimSuffix(call(`a`), "}") + "\nDone.",
		strings.TrimSuffix(call(`a`), "}") + "\n```", `{"thought": "a` + "\n" + `\n", ` + call("a")[1:],
	} {
		if got, p := parse([]string{in}, false); len(got.Calls) != 1 || got.Wrong {
			t.Errorf("%s: %+v %s", in, got, p.problem)
		}
	}
	// Without a schema the form has the parameter that is known.
	p := newParser(toolSet{"save": {}}, false)
	p.parse(`{"tool": "save", "args": {"text": "a "b""}}`)
	if p.end(false); p.form != "<function=save>\n<parameter=text>\n...\n...\n</parameter>\n</function>" {
		t.Error(p.form)
	}
}
