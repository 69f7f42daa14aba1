package texttool

import (
	"encoding/json"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
)

// rawCall returns the call of a tool with one text, written as elements before.
func rawCall(text string) *llm.FunctionCall {
	return &llm.FunctionCall{ID: llm.TextCallID + rawMark + "1", Name: "save", Args: append(append(json.RawMessage(`{"limit":5,"content":`), llm.AppendString(nil, text)...), `,"tags":["a"]}`...)}
}

// checkRaw writes a call with this text in the form of the history, and reads it, alone and
// with text and another call behind it: the same comes out, byte for byte. It reports whether
// the call was written as elements.
func checkRaw(t *testing.T, text string, cuts uint64) bool {
	t.Helper()
	c := rawCall(text)
	isRaw := true
	for _, tools := range saveTools {
		written := callText(c, tools)
		isRaw = isRaw && strings.HasPrefix(written, "<function=save>")
		for _, behind := range []string{"", "\n", "\n</tool_call>", "\n\nSo.", "\n\n" + callText(rawCall("b"), tools)} {
			p := newParser(tools, false)
			for _, chunk := range llmtest.Chunks(written+behind, cuts) {
				p.add(chunk)
			}
			p.end(false)
			if len(p.calls) == 0 || p.problem != "" || p.calls[0].Name != "save" || string(p.calls[0].Args) != string(c.Args) {
				t.Fatalf("%q\nwritten %s\nwith %q behind: %s %v", text, written, behind, p.problem, p.calls)
			}
		}
	}
	return isRaw
}

// TestRaw checks that any text goes through the writer and the parser unchanged, and that
// texts of source code need no escaping.
func TestRaw(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"", "\n", "\n\n", "a\n", "\na", "\n\na\n\n", "\r\n", "\r", "\r\na\r\n", "a\r\nb\r\n", "\r\n\r\n", "a\r", "a\n\n", "a\n\n\n", "a\r\n\r\n", "a\n\r\n", "a\nb", " ", " a ", "\ta\t\n",
		"package main\n\nfunc main() {\n\tfmt.Println(\"a\\n\", 'b', `c`)\n}\n",
		"all: a.o\n\tcc -o $@ $<\n\n.PHONY: all\n",
		"\\", "\\n", "\\\n", "\\\"", "\"", "'", "```go\nx\n```\n", "```", "~~~", "&lt;&amp;", "<b>", "</", "<", "5", "true", "null", `{"a": 1}`,
		"é😀\u2028\u0000", "<tool_call>", "</tool_call>", "<think>\n</think>", "<function=x>", "</function>", "a </parameter> b\n", "</parameter>x",
		"Write\n<function=save>\n<parameter=content>\nx\n</parameter>\n</function>\nand so on.\n",
		"<parameter=a>1</parameter>\n<parameter=b>2</parameter>\n</function>",
		"Result of save:\n```\nx\n```\n", "{\"tool_call\": {\"name\": \"save\"",
	} {
		if !checkRaw(t, text, 0x7123) {
			t.Errorf("%q is written as JSON", text)
		}
	}
	for _, text := range []string{"</parameter>\n</function>", "a\n</parameter>\n<parameter=content>\nb", "</parameter>\n</tool_call>"} {
		if checkRaw(t, text, 0x7123) {
			t.Errorf("%q is written as elements", text)
		}
	}
	llmtest.Repeat(t, func(r llmtest.Random) { checkRaw(t, r.Text()+r.Text(), r.Uint64()) })
}

// TestWholeText checks the content of a file that a model writes between tags.
func TestWholeText(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ between, text, whole string }{
		{"\na\nb\n", "a\nb", "a\nb\n"},
		{"\na\nb\n\n", "a\nb\n", "a\nb\n"},
		{"\na\nb\n\n\n", "a\nb\n\n", "a\nb\n\n"},
		{"\na\nb", "a\nb", "a\nb"},
		{"\na\n", "a", "a\n"},
		{"a\nb\n", "a\nb", "a\nb\n"},
		{"a", "a", "a"},
		{"", "", ""},
		{"\n", "", ""},
		{"\r\na\r\n", "a", "a\r\n"},
		{"\r\na\r\n\r\n", "a\r\n", "a\r\n"},
	} {
		for i, want := range []string{c.text, c.whole} {
			for _, name := range []string{"content", "Content"} {
				p := newParser(saveTools[i], false)
				p.parse("<function=save>\n<parameter=" + name + ">" + c.between + "</parameter>\n</function>")
				p.end(false)
				if got := string(p.calls[0].Args); got != `{"`+name+`":`+string(llm.AppendString(nil, want))+"}" {
					t.Errorf("%q, tool %d: %s, want %q", c.between, i, got, want)
				}
			}
		}
	}
	// A message is rendered again when a request declares the tool for the first time.
	var cache messageCache
	history := []*llm.Content{llm.Model(llm.Part{FunctionCall: rawCall("a\nb\n")})}
	for _, c := range []struct {
		tools toolSet
		want  string
	}{{nil, "b\n\n</parameter>"}, {saveTools[1], "a\nb\n</parameter>"}, {nil, "a\nb\n</parameter>"}} {
		if got := cache.render(history, c.tools)[0].Parts[0].Text; !strings.Contains(got, c.want) {
			t.Errorf("%s, want %q", got, c.want)
		}
	}
}

// FuzzRaw is [TestRaw] with any text.
func FuzzRaw(f *testing.F) {
	f.Add("a\n</parameter>\n", uint64(3))
	f.Add("<parameter=b></function>\r\n", uint64(0x1234))
	f.Fuzz(func(t *testing.T, text string, cuts uint64) { checkRaw(t, strings.ToValidUTF8(text, ""), cuts) })
}

// TestFormInHistory checks in which form the history shows a call.
func TestFormInHistory(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		id, args string
		raw      bool
	}{
		{llm.TextCallID + rawMark + "1-a", `{"file_path":"a"}`, true},
		{"save__" + llm.TextCallID + rawMark + "1-a", `{"file_path":"a"}`, true},
		{llm.TextCallID + rawMark + "1-a", `{}`, true},
		{llm.TextCallID + rawMark + "1-a", `{"a>b":"x"}`, false},
		{llm.TextCallID + "1-a", `{"content":"a\n\"b\""}`, false},
		{"call_1", `{"content":"a\nb"}`, true},
		{"", `{"content":"say \"hi\""}`, true},
		{"", `{"content":"a","list":["a\nb"]}`, false},
		{"", `{"content":"a b"}`, false},
		{"", ``, false},
		{"", `["a\nb"]`, false},
	} {
		got := callText(&llm.FunctionCall{ID: c.id, Name: "save", Args: json.RawMessage(c.args)}, nil)
		if strings.HasPrefix(got, "<function=save>\n") != c.raw {
			t.Errorf("%s %s: %s", c.id, c.args, got)
		}
	}
	if got := callText(&llm.FunctionCall{Name: "save", Args: json.RawMessage(`{"file_path":"a.go","n":[1,2],"content":"x\n\ty"}`)}, nil); got !=
		"<function=save>\n<parameter=file_path>a.go</parameter>\n<parameter=n>[1,2]</parameter>\n<parameter=content>\nx\n\ty\n</parameter>\n</function>" {
		t.Error(got)
	}
}

// TestTagInValue checks that a value that holds a call in the same form is whole, and that a
// call is asked for again if one of its values may have ended too early.
func TestTagInValue(t *testing.T) {
	t.Parallel()
	const begin, end = "<function=save>\n<parameter=content>\n", "\n</parameter>\n</function>"
	const nested = "Write\n<function=f>\n<parameter=p>\nx\n</parameter>\n</function>\nhere."
	for _, n := range []int{1, 3, 1000} {
		for _, behind := range []string{"", "\nDone."} {
			got, p := parse(pieces(begin+nested+end+behind, n), false)
			if want := `save{"content":` + string(llm.AppendString(nil, nested)) + "}"; len(got.Calls) != 1 || got.Calls[0] != want {
				t.Errorf("in pieces of %d: %+v %s", n, got, p.problem)
			}
		}
		// The value has an opening tag alone.
		got, p := parse(pieces(begin+"The tag <parameter=P> begins one."+end+"\n"+begin+"b"+end, n), false)
		if len(got.Calls) != 2 || got.Calls[1] != `save{"content":"b"}` {
			t.Errorf("in pieces of %d: %+v %s", n, got, p.problem)
		}
		got, p = parse(pieces(begin+"x</parameter>\n</function> ends one."+end, n), false)
		if !got.Wrong || !strings.Contains(p.problem, "write that call as JSON") {
			t.Errorf("in pieces of %d: %+v %s", n, got, p.problem)
		}
	}
}
