package texttool

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	readFive  = `read_file{"file_path":"/a","limit":5}`
	qwenRead  = "<function=read_file>\n<parameter=file_path>\n/a\n</parameter>\n<parameter=limit>\n5\n</parameter>\n</function>"
	hermes    = `{"name": "read_file", "arguments": {"file_path": "/a", "limit": 5}}`
	llama     = `{"name": "read_file", "parameters": {"file_path": "/a", "limit": 5}}`
	openAI    = `{"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": "{\"file_path\": \"/a\", \"limit\": 5}"}}`
	invoke    = "<invoke name=\"read_file\">\n<parameter name=\"file_path\">/a</parameter>\n<parameter name=\"limit\">5</parameter>\n</invoke>"
	glm       = "<tool_call>read_file\n<arg_key>file_path</arg_key>\n<arg_value>/a</arg_value>\n<arg_key>limit</arg_key>\n<arg_value>5</arg_value>\n</tool_call>"
	arguments = `{"file_path": "/a", "limit": 5}`
	dsml      = "<｜DSML｜function_calls>\n<｜DSML｜invoke name=\"read_file\">\n<｜DSML｜parameter name=\"file_path\" string=\"true\">/a</｜DSML｜parameter>\n<｜DSML｜parameter name=\"limit\" string=\"false\">5</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜function_calls>"
	deepSeek  = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>read_file<｜tool▁sep｜>" + arguments + "<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	deepSeek3 = "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n" + arguments + "\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>"
	kimi      = "<|tool_calls_section_begin|><|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>" + arguments + "<|tool_call_end|><|tool_calls_section_end|>"
	otherText = "I look.\n\n"
)

// trainedForms are the forms in which models write a call of read_file.
var trainedForms = map[string]string{
	"qwen":                      "<tool_call>\n" + qwenRead + "\n</tool_call>",
	"qwen without element":      qwenRead,
	"qwen fenced":               "```xml\n" + qwenRead + "\n```",
	"qwen without begin":        qwenRead + "\n</tool_call>",
	"qwen with end of answer":   "<tool_call>\n" + qwenRead + "\n</tool_call><|im_end|>",
	"hermes":                    "<tool_call>\n" + hermes + "\n</tool_call>",
	"hermes, arguments first":   `<tool_call>{"arguments": {"file_path": "/a", "limit": 5}, "name": "read_file"}</tool_call>`,
	"llama":                     llama,
	"llama, a parameter first":  `{"parameters": {"file_path": "/a", "limit": 5}, "name": "read_file"}`,
	"llama with type":           `{"type": "function", "name": "read_file", "parameters": {"file_path": "/a", "limit": 5}}`,
	"python tag":                "<|python_tag|>" + llama,
	"python tag, end of answer": "<|python_tag|>" + llama + "<|eom_id|>",
	"function tag":              `<function=read_file>{"file_path": "/a", "limit": 5}</function>`,
	"mistral":                   "[TOOL_CALLS] [" + hermes + "]",
	"mistral with id":           "[TOOL_CALLS][" + strings.Replace(hermes, "{", `{"id": "abc123def", `, 1) + "]",
	"new mistral":               `[TOOL_CALLS]read_file[ARGS]{"file_path": "/a", "limit": 5}`,
	"new mistral with id":       `[TOOL_CALLS]read_file[CALL_ID]abc123def[ARGS]{"file_path": "/a", "limit": 5}`,
	"new mistral without ARGS":  `[TOOL_CALLS]read_file{"file_path": "/a", "limit": 5}`,
	"invoke":                    invoke,
	"glm":                       glm,
	"glm in a line":             strings.ReplaceAll(glm, "\n", ""),
	"invoke in element":         "<function_calls>\n" + invoke + "\n</function_calls>",
	"deepseek":                  deepSeek,
	"deepseek, end of answer":   deepSeek + "<｜end▁of▁sentence｜>",
	"deepseek 3":                deepSeek3,
	"deepseek 3 without begin":  strings.TrimSuffix(strings.TrimPrefix(deepSeek3, "<｜tool▁calls▁begin｜>"), "<｜tool▁calls▁end｜>"),
	"deepseek 3.2":              dsml,
	"kimi":                      kimi,
	"kimi, plain name":          strings.Replace(strings.ReplaceAll(kimi, "functions.", ""), ":0", "", 1),
	"nemotron":                  "<TOOLCALL>[" + hermes + "]</TOOLCALL>",
	"granite":                   "<|tool_call|>[" + hermes + "]<|end_of_text|>",
	"phi":                       "<|tool_call|>[" + hermes + "]<|/tool_call|>",
	"seed":                      "<seed:tool_call>\n" + qwenRead + "\n</seed:tool_call>",
	"gpt-oss":                   "<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>" + arguments + "<|call|>",
	"gpt-oss, start":            "<|start|>assistant to=functions.read_file<|channel|>commentary json<|message|>" + arguments,
	"llama 4":                   `[read_file(file_path="/a", limit=5)]`,
	"llama 4, tokens":           `<|python_start|>[read_file(file_path='/a', limit=5)]<|python_end|><|eot|>`,
	"openai":                    openAI,
	"openai, object":            `{"type": "function", "function": {"name": "read_file", "arguments": {"file_path": "/a", "limit": 5}}}`,
	"openai, list":              "[" + openAI + "]",
	"openai fenced":             "```json\n" + openAI + "\n```",
	"openai message":            `{"role": "assistant", "content": null, "tool_calls": [` + openAI + `]}`,
	"tool_code":                 "```tool_code\nread_file(file_path=\"/a\", limit=5)\n```",
	"tool_code, printed":        "```tool_code\nprint(default_api.read_file(file_path='/a', limit=5))\n```",
	"tool_code, by position":    "```tool_code\nread_file('/a', 5)  # now\n```",
	"tool_code, JSON":           "```tool_code\n" + hermes + "\n```",
	"a thought before the call": "```json\n{\"thought\": \"I look {there}.\", \"tool_call\": " + hermes + "}\n```",
	"a thought, bare":           `{"thought": "I look \"there\".", "tool_call": ` + hermes + "}",
}

// looseForms are those of trainedForms that are calls only of declared tools.
var looseForms = []string{"llama", "llama, a parameter first", "llama with type", "tool_code, by position", "llama 4", "llama 4, tokens"}

// taughtForms are those of trainedForms that are calls before other text, too: the instruction has
// them, whatever stands around them.
var taughtForms = []string{
	"qwen", "qwen without element", "qwen fenced", "qwen without begin", "qwen with end of answer", "seed",
	"a thought before the call", "a thought, bare",
}

// TestTrainedForms reads each form, in pieces of any size, in text mode and as the text of
// a server that declares tools, before and behind other text.
func TestTrainedForms(t *testing.T) {
	t.Parallel()
	for name, form := range trainedForms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 2, 3, 7, 1 << 20} {
				for _, before := range []string{"", otherText} {
					got, p := parse(pieces(before+form, n), false)
					if got.Text != strings.TrimSpace(before) || !slices.Equal(got.Calls, []string{readFive}) || got.Wrong {
						t.Errorf("in pieces of %d: %+v %s", n, got, p.problem)
					}
					got = parseNative(pieces(before+form+"\n", n))
					if got.Text != before || !slices.Equal(got.Calls, []string{readFive}) {
						t.Errorf("native, in pieces of %d: %+v", n, got)
					}
				}
				got, _ := parse(pieces(form+"\n"+form, n), false)
				if got.Text != "" || !slices.Equal(got.Calls, []string{readFive, readFive}) {
					t.Errorf("twice, in pieces of %d: %+v", n, got)
				}
				got, _ = parse(pieces(form+"\nDone.", n), false)
				if want := (parsed{Text: form + "\nDone."}); !slices.Contains(taughtForms, name) && !cmp.Equal(got, want) {
					t.Errorf("before text, in pieces of %d: %+v", n, got)
				}
				if want := (parsed{Text: "Done.", Calls: []string{readFive}}); slices.Contains(taughtForms, name) && !cmp.Equal(got, want) {
					t.Errorf("before text, in pieces of %d: %+v", n, got)
				}
				got = parseNative(pieces(form+"\n"+form, n))
				if got.Text != "" || !slices.Equal(got.Calls, []string{readFive, readFive}) {
					t.Errorf("native, twice, in pieces of %d: %+v", n, got)
				}
				unknown := strings.ReplaceAll(form, "read_file", "fetch_it")
				got, p := parse(pieces(unknown, n), false)
				if isLoose := slices.Contains(looseForms, name); isLoose != (len(got.Calls) == 0) {
					t.Errorf("unknown tool, in pieces of %d: %+v %s", n, got, p.problem)
				}
				got = parseNative(pieces(unknown, n))
				if got.Text != unknown || len(got.Calls) != 0 {
					t.Errorf("native, unknown tool, in pieces of %d: %+v", n, got)
				}
			}
		})
	}
}

// TestTokensInLine checks that a server's text may have the special tokens of a call behind other
// text in the line, as these models write them, and several calls between the tokens.
func TestTokensInLine(t *testing.T) {
	t.Parallel()
	for _, form := range []string{deepSeek, deepSeek3, kimi, dsml, trainedForms["gpt-oss, start"]} {
		for _, n := range []int{1, 4, 1 << 20} {
			got := parseNative(pieces("I look. "+form, n))
			if got.Text != "I look. " || !slices.Equal(got.Calls, []string{readFive}) {
				t.Errorf("in pieces of %d: %+v", n, got)
			}
			if got := parseNative(pieces("I look. "+form+"\nSo it is.", n)); len(got.Calls) > 0 {
				t.Errorf("before text, in pieces of %d: %+v", n, got)
			}
			if got := parseNative(pieces("Write `"+form+"`", n)); len(got.Calls) > 0 && form != deepSeek3 {
				t.Errorf("in inline code, in pieces of %d: %+v", n, got)
			}
		}
	}
	for _, form := range []string{
		"<｜tool▁calls▁begin｜>" + strings.Repeat("<｜tool▁call▁begin｜>read_file<｜tool▁sep｜>"+arguments+"<｜tool▁call▁end｜>", 2) + "<｜tool▁calls▁end｜>",
		"<｜tool▁calls▁begin｜>" + strings.Repeat("<｜tool▁call▁begin｜>function<｜tool▁sep｜>read_file\n```json\n"+arguments+"\n```<｜tool▁call▁end｜>\n", 2) + "<｜tool▁calls▁end｜>",
		"<|tool_calls_section_begin|>" + strings.Repeat("<|tool_call_begin|>functions.read_file:0<|tool_call_argument_begin|>"+arguments+"<|tool_call_end|>", 2) + "<|tool_calls_section_end|>",
	} {
		for _, n := range []int{1, 4, 1 << 20} {
			if got := parseNative(pieces(form, n)); got.Text != "" || !slices.Equal(got.Calls, []string{readFive, readFive}) {
				t.Errorf("in pieces of %d: %+v", n, got)
			}
			if got, p := parse(pieces(form, n), false); got.Text != "" || !slices.Equal(got.Calls, []string{readFive, readFive}) {
				t.Errorf("text, in pieces of %d: %+v %s", n, got, p.problem)
			}
		}
	}
}

// TestFirst checks the calls that count only at the beginning of an answer.
func TestFirst(t *testing.T) {
	t.Parallel()
	for _, form := range []string{
		"to=functions.read_file <|channel|>commentary json<|message|>" + arguments + "<|call|>",
		"functools[" + hermes + "]",
	} {
		for _, n := range []int{1, 4, 1 << 20} {
			if got := parseNative(pieces(form, n)); got.Text != "" || !slices.Equal(got.Calls, []string{readFive}) {
				t.Errorf("in pieces of %d: %+v", n, got)
			}
			if got, p := parse(pieces("\n"+form, n), false); got.Text != "" || !slices.Equal(got.Calls, []string{readFive}) {
				t.Errorf("text, in pieces of %d: %+v %s", n, got, p.problem)
			}
			for _, text := range []string{"A " + form, form + "\nSo.", "`" + form + "`", form[:12], "to", "function f"} {
				if got := parseNative(pieces(text, n)); got.Text != text || len(got.Calls) > 0 {
					t.Errorf("%q in pieces of %d: %+v", text, n, got)
				}
			}
		}
	}
}

// TestList checks lists of calls in Python, and what looks like one.
func TestList(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		`[read_file(file_path="/a", limit=5), read_file(limit=5, file_path='/a')]`: {readFive, `read_file{"limit":5,"file_path":"/a"}`},
		"[\n  read_file(file_path=\"/a])\", limit=5),\n  glob()\n]":                {`read_file{"file_path":"/a])","limit":5}`, `glob{}`},
		`[write_file(content="""a "b" ]` + "\n" + `c\"""")]`:                       {`write_file{"content":"a \"b\" ]\nc\""}`},
		`[write_file(content='', file_path="it's")]`:                               {`write_file{"content":"","file_path":"it's"}`},
		"[read_file(file_path)](docs/a.md) reads.":                                 nil,
		"[glob()](docs/a.md)":                            nil,
		"[read_file(file_path=\"/a\")] is a call":        nil,
		"[read_file(file_path=\"/a\"":                    nil,
		"[read_file(file_path=\"/a\"), rm(file=\"/a\")]": nil,
		"[rm(file=\"/a\")]":                              nil,
		"See [read_file(file_path=\"/a\")]":              nil,
		"[read_file] and [glob":                          nil,
		"- [read_file(file_path=\"/a\")]":                nil,
	} {
		for _, n := range []int{1, 2, 3, 7, 1 << 20} {
			text := ""
			if want == nil {
				text = in
			}
			if got := parseNative(pieces(in, n)); got.Text != text || !slices.Equal(got.Calls, want) {
				t.Errorf("%s in pieces of %d: %+v", in, n, got)
			}
			if got, _ := parse(pieces(in, n), false); want != nil && (got.Text != "" || !slices.Equal(got.Calls, want)) || got.Wrong {
				t.Errorf("text: %s in pieces of %d: %+v", in, n, got)
			}
		}
	}
	if got, _ := parse([]string{"[read_file(x)\n" + call(`"/a"`)}, false); len(got.Calls) != 1 {
		t.Errorf("a call behind what looks like a list: %+v", got)
	}
}

// parseNative parses an answer of a model whose tools were declared to its server.
func parseNative(chunks []string) parsed {
	p := newParser(declared, true)
	var out parsed
	for _, c := range chunks {
		out.Text += p.add(c)
	}
	out.Text += p.end(false)
	for _, c := range p.calls {
		out.Calls = append(out.Calls, c.Name+string(c.Args))
	}
	return out
}

// TestNativeText checks that text that shows a call, but is none, stays as it is where
// the model's server has declared its tools.
func TestNativeText(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"text behind":                 "<tool_call>\n" + hermes + "\n</tool_call>\nThat is how it looks.",
		"text behind the fence":       "```json\n" + callA + "\n```\nThat is how it looks.",
		"text between":                "<tool_call>\n" + hermes + "\n</tool_call>\nand\n<tool_call>\n" + hermes + "\n</tool_call>\nare two.",
		"in a paragraph":              "Models write <tool_call>" + hermes + "</tool_call>",
		"object in a paragraph":       "Models write " + callA,
		"in inline code":              "Models write\n`<tool_call>" + hermes + "</tool_call>`",
		"inline code alone":           "`" + callA + "`",
		"in a program":                "```python\n" + llama + "\n```",
		"behind a line of a program":  "```python\nx = 1\n" + llama + "\n```",
		"in a fence":                  "```\nan example:\n" + llama + "\n```",
		"in a longer fence":           "````\n```json\n" + llama + "\n```\n````\n",
		"in a list":                   "- " + llama,
		"data":                        "```json\n{\"name\": \"read_file\", \"version\": 1}\n```",
		"no object":                   "<tool_call>read_file</tool_call>",
		"broken":                      `<tool_call>{"name": "read_file", "arguments": {"file_path": "/a`,
		"broken in the middle":        `<tool_call>{"name": "read_file", "arguments": {"file_path": "/a" "b"}}</tool_call>`,
		"an opening tag":              "<tool_call>",
		"one unknown tool":            "[TOOL_CALLS] [" + hermes + `, {"name": "rm", "arguments": {}}]`,
		"blanks":                      " \n\n text \n\n",
		"a mark":                      "[TOOL_CALLS]",
		"code that is no call":        "```tool_code\nprint('hello')\n```\n",
		"result of another":           llama + "\nError from others: no",
		"much":                        "<tool_call>\n" + hermes + "\n</tool_call>" + strings.Repeat("\n", maxHeld+10) + "x",
		"calls and a half":            "<tool_call>\n" + hermes + "\n</tool_call>\n<tool_call>\n{\"name\": \"read_",
		"a fence behind":              llama + "\n```\ntext\n```",
		"a heading, and a list of it": "[1] first\n[2] second\n{x} third\n<b> fourth\n~ fifth\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 3, 1 << 22} {
				if n < 100 && len(in) > 1<<20 {
					continue
				}
				if got := parseNative(pieces(in, n)); got.Text != in || len(got.Calls) > 0 {
					t.Errorf("in pieces of %d: %.500q %q", n, got.Text, got.Calls)
				}
			}
		})
	}
}

// TestNativeCut checks that a call at the end of an answer that was cut off is text.
func TestNativeCut(t *testing.T) {
	t.Parallel()
	p := newParser(declared, true)
	if text := p.add(llama) + p.end(true); text != llama || len(p.calls) > 0 {
		t.Errorf("%q %v", text, p.calls)
	}
}

// TestMarkup checks values and types of arguments in elements.
func TestMarkup(t *testing.T) {
	t.Parallel()
	parameter := func(name, value string) string {
		return "<parameter=" + name + ">" + value + "</parameter>\n"
	}
	for _, c := range []struct{ name, tool, in, want string }{
		{"a string stays one", "read_file", parameter("file_path", "5"), `read_file{"file_path":"5"}`},
		{"an integer", "read_file", parameter("limit", " 5 "), `read_file{"limit":5}`},
		{"an integer or a string", "read_file", parameter("from", "5"), `read_file{"from":"5"}`},
		{"a tag far from the end", "write_file", parameter("content", "a</parameter>"+strings.Repeat(" ", maxGap+1)+"</function>"), `write_file{"content":"a</parameter>` + strings.Repeat(" ", maxGap+1) + `</function>"}`},
		{"a word for an integer", "read_file", parameter("limit", "five"), `read_file{"limit":"five"}`},
		{"a boolean", "read_file", parameter("deep", "True"), `read_file{"deep":true}`},
		{"null", "read_file", parameter("deep", "null"), `read_file{"deep":null}`},
		{"an array", "glob", parameter("dirs", `["a", 1]`), `glob{"dirs":["a", 1]}`},
		{"an array by hand", "glob", parameter("dirs", `['a',]`), `glob{"dirs":["a"]}`},
		{"an object", "glob", parameter("dirs", "\n{\"a\": 1}\n"), `glob{"dirs":{"a": 1}}`},
		{"no array", "glob", parameter("dirs", "a, b"), `glob{"dirs":"a, b"}`},
		{"a schema's capitals", "glob", parameter("pattern", "7"), `glob{"pattern":"7"}`},
		{"no schema", "write_file", parameter("content", "7"), `write_file{"content":"7"}`},
		{"one line break at each end", "write_file", parameter("content", "\n\n a\n\n"), `write_file{"content":"\n a\n"}`},
		{"CRLF", "write_file", parameter("content", "\r\na\r\n\r\n"), `write_file{"content":"a\r\n"}`},
		{"tags in a value", "write_file", parameter("content", "\n<b>&amp;</parameter> <b> </function> <think>\n"), `write_file{"content":"<b>&amp;</parameter> <b> </function> <think>"}`},
		{"braces in a value", "write_file", parameter("content", "{\"tool_call\": \"```\""), `write_file{"content":"{\"tool_call\": \"` + "```" + `\""}`},
		{"the last value counts", "write_file", parameter("content", "a") + parameter("content", "b"), `write_file{"content":"b"}`},
		{"nothing", "write_file", "", `write_file{}`},
		{"an unknown tool", "rm", parameter("path", "/"), `rm{"path":"/"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, in := range []string{
				"<tool_call>\n<function=" + c.tool + ">\n" + c.in + "</function>\n</tool_call>",
				"<function=" + c.tool + ">" + c.in + "</function>",
				"<function=" + c.tool + ">" + strings.TrimSpace(c.in) + "</function>\n```",
			} {
				for _, n := range []int{1, 2, 5, 1 << 20} {
					if got, p := parse(pieces(in, n), false); !slices.Equal(got.Calls, []string{c.want}) {
						t.Errorf("%q in pieces of %d: %q %s", in, n, got.Calls, p.problem)
					}
				}
			}
		})
	}
	for name, in := range map[string]string{
		"no end of the call":  "<function=write_file>\n<parameter=content>\na\n</parameter>",
		"no end of the value": "<function=write_file>\n<parameter=content>\na\n</function>",
		"only the element":    "<tool_call><function=write_file>\n<parameter=content>\na\n</parameter>\n</tool_call>",
	} {
		if got, p := parse(pieces(in, 3), false); !slices.Equal(got.Calls, []string{`write_file{"content":"a"}`}) {
			t.Errorf("%s: %+v %s", name, got, p.problem)
		}
	}
	for name, in := range map[string]string{
		"no end":      "<function=write_file>\n<parameter=content>\na",
		"words":       "<function=write_file>\n<parameter=content>a</parameter>\nand so on",
		"JSON broken": `<function=write_file>{"content": "a" b}</function>`,
		"no code":     "```tool_code\nread_file(open('x'))\n```",
	} {
		if got, _ := parse(pieces(in, 3), false); !got.Wrong {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

// TestBehindBroken checks that calls behind text that only looks like the beginning of one
// do not depend on the boundaries of chunks.
func TestBehindBroken(t *testing.T) {
	t.Parallel()
	for _, in := range []string{
		"{\"tool\": 5} " + callA,
		"```tool_code\nx\n" + strings.Repeat("```\n", maxCodeEnds+1) + callA,
	} {
		want, _ := parse([]string{in}, false)
		if len(want.Calls) != 1 {
			t.Errorf("%q: %+v", in, want)
		}
		for n := 1; n < 20; n++ {
			if got, _ := parse(pieces(in, n), false); !cmp.Equal(got, want) {
				t.Errorf("%q in pieces of %d: %+v, want %+v", in, n, got, want)
			}
		}
	}
}

// TestPython checks the literals of Python.
func TestPython(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`glob(pattern="*.go", dirs=['a', "b",], x=None, y=-1.5e3, z=(True, False,), o={'k': {"l": []},})`: `glob{"pattern":"*.go","dirs":["a","b"],"x":null,"y":-1.5e3,"z":[true,false],"o":{"k":{"l":[]}}}`,
		`write_file(content='''a "b"` + "\n" + `'c' \'''' "d" r'\n' f"\x41\u00e9\
e\q")`: `write_file{"content":"a \"b\"\n'c' 'd\\nAée\\q"}`,
		"glob()\n# more\nread_file(file_path='x');glob( )": `glob{} read_file{"file_path":"x"} glob{}`,
		"x = glob()":                 "",
		"glob(f())":                  "",
		"glob(pattern=a)":            "",
		"glob('a', pattern='b')":     "",
		"glob('a', {}, 'c')":         "",
		"glob(pattern='a' limit=5)":  "",
		"glob(pattern='a":            "",
		"print('x')":                 "",
		"print(glob())":              "glob{}",
		"glob() or read_file()":      "",
		"":                           "",
		strings.Repeat("glob([", 99): "",
	} {
		calls, ok := readPython(in, declared)
		var got []string
		for _, c := range calls {
			got = append(got, c.call.Name+string(c.call.Args))
		}
		if strings.Join(got, " ") != want || ok != (want != "") {
			t.Errorf("%q: %q %v", in, got, ok)
		}
	}
}

// TestFencesInCode checks that a fence in a string does not end the code of a call.
func TestFencesInCode(t *testing.T) {
	t.Parallel()
	in := "```tool_code\nwrite_file(content=\"\"\"# A\n```sh\nls\n```\n\"\"\")\n```\n"
	want := parsed{Calls: []string{`write_file{"content":"# A\n` + "```sh\\nls\\n```" + `\n"}`}}
	for _, n := range []int{1, 4, 1000} {
		got, _ := parse(pieces(in, n), false)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in pieces of %d:\n%s", n, diff)
		}
	}
}
