package texttool

import (
	"strings"
	"testing"
)

// TestBrokenText checks the message to the model about a text in JSON that has ended too early, or
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
		{"```json\n" + call("a\nf('b\\n')") + "\n```", `the value of "content" has line breaks as they are and also \n, which may be a line break or two characters`},
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
		call(`a\nb`), call("a\nb"), call("a\n\\\\n\n"), call("a\n\\t"), call("a\nf('b')\\n\tc"), strings.TrimSuffix(call(`a`), "}"), strings.TrimSuffix(call(`a`), "}") + "\nDone.",
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

// TestWhichCall checks that the message to the model names which of several calls cannot be read, and that the
// quoted part of it ends before the next one.
func TestWhichCall(t *testing.T) {
	t.Parallel()
	block := func(command string) string {
		return "```json\n{\"tool_call\": {\"name\": \"run\", \"arguments\": {\"command\": \"" + command + "\"}}}\n```\n"
	}
	elements := func(command string) string {
		return "<function=run>\n<parameter=command>" + command + "</parameter>\n</function>\n"
	}
	tools := toolSet{"run": {schema: []byte(`{"properties":{"command":{"type":"string"}},"required":["command"]}`)}}
	const again = " again, call %d in this form, in which nothing is escaped:\n\n<function=run>\n<parameter=command>"
	bad := block(`git commit -m "x"`)
	const stray = "<function=run>\n<parameter=command>a</parameter>\n</function> b</parameter>\n</function>\n"
	for _, c := range []struct{ in, want string }{
		{bad, "Your tool call could not be read, and nothing was run: the value of \"command\" ends at the quote behind `git commit -m`, where `x\"\"}}}` follows; "},
		{block("a") + bad + block("b"), "Call 2 of 3 (run) could not be read: the value of \"command\" ends at the quote behind `git commit -m`, where `x\"\"}}}` follows; "},
		{block("a") + "\n" + bad + "\nThen:\n\n" + block("b"), "Call 2 of 3 (run) could not be read: "},
		{block("a") + bad + block("b"), "None of the 3 was run.\n\nWrite all 3" + strings.Replace(again, "%d", "2", 1)},
		{strings.ReplaceAll(block("a")+bad+block("b"), "```json", "```"), "Call 2 of 3 (run) could not be read: "},
		{bad + block("b"), "Call 1 of 2 (run) could not be read: "},
		{bad + bad + block("b") + bad, "Call 1 of 4 (run) could not be read: "},
		{elements("a") + bad, "Neither was run.\n\nWrite both" + strings.Replace(again, "%d", "2", 1)},
		{bad + elements("a"), "Call 1 of 2 (run) could not be read: the value of \"command\" ends at the quote behind `git commit -m`, where `x\"\"}}}` follows; "},
		{elements("a") + elements("b") + "<function=run>\n<parameter=command>ls</parameter>\nand so on", "Call 3 of 3 (run) could not be read: its parameters do not"},
		{stray + elements("c"), "Call 1 of 2 (run) could not be read: a value has </parameter> in it"},
		{stray, "Your tool call could not be read, and nothing was run: a value has </parameter> in it"},
	} {
		for _, n := range []int{1, 7, 1000} {
			p := newParser(tools, false)
			for _, chunk := range pieces("I write.\n"+c.in, n) {
				p.add(chunk)
			}
			p.end(false)
			if got := p.correction(); !strings.Contains(got, c.want) {
				t.Errorf("%s\nin pieces of %d: %s\nwant %s", c.in, n, got, c.want)
			}
		}
	}
	p := newParser(tools, false)
	p.parse(block("a") + "<function=run>\n<parameter=command>b")
	p.end(true)
	if got := p.correction(); !strings.HasPrefix(got, "Call 2 of 2 (run) could not be read: it was cut off") || !strings.HasSuffix(got, "Write the calls before call 2 again and end your message; write that one in your next message.") {
		t.Error(got)
	}
	for p := range 3 {
		if index, total := parserOf(strings.Repeat(bad, 10*p+1), tools).countCalls(); index != 1 || total != min(10*p+1, maxCounted) {
			t.Errorf("call %d of %d", index, total)
		}
	}
}

func parserOf(text string, tools toolSet) *parser {
	p := newParser(tools, false)
	p.parse(text)
	p.end(false)
	return p
}
