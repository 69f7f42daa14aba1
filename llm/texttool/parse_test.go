package texttool

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

var declared = toolSet{
	"read_file":  {schema: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string"},"limit":{"type":"integer"},"deep":{"type":["boolean","null"]},"from":{"type":["integer","string"]}}}`)},
	"glob":       {schema: json.RawMessage(`{"properties":{"pattern":{"type":"STRING"},"dirs":{"anyOf":[{"type":"array"},{"type":"object"}]}}}`)},
	"write_file": {},
}

// parsed is the output of a parser, with calls as name{arguments}.
type parsed struct {
	Text  string
	Calls []string
	Wrong bool
}

func parse(chunks []string, cut bool) (parsed, *parser) {
	p := newParser(declared, false)
	var out parsed
	for _, c := range chunks {
		out.Text += p.add(c)
	}
	out.Text += p.end(cut)
	out.Wrong = p.problem != ""
	for _, c := range p.calls {
		out.Calls = append(out.Calls, c.Name+string(c.Args))
	}
	return out, p
}

func pieces(s string, n int) []string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return append(out, s)
}

const (
	readA = `read_file{"file_path":"/a"}`
	callA = `{"tool_call": {"name": "read_file", "arguments": {"file_path": "/a"}}}`
	callB = `{"tool_call": {"name": "glob", "arguments": {"pattern": "*.go"}}}`
)

func TestParser(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, in string
		text     string
		calls    []string
		wrong    bool
		cut      bool
	}{
		// Text.
		{name: "nothing"},
		{name: "text", in: "  Just [text] with `code`, a < b, {braces} ~ and more.\n\n", text: "  Just [text] with `code`, a < b, {braces} ~ and more.\n\n"},
		{name: "blanks", in: " \n ", text: " \n "},
		{name: "code", in: "So:\n```go\nx := []int{1}\n```\nDone", text: "So:\n```go\nx := []int{1}\n```\nDone"},
		{name: "json", in: "So:\n```json\n{\"name\": \"pollux\", \"version\": 1}\n```\n", text: "So:\n```json\n{\"name\": \"pollux\", \"version\": 1}\n```\n"},
		{name: "half an opening", in: "see {\"tool_ca", text: "see {\"tool_ca"},
		{name: "half a fence", in: "see ```js", text: "see ```js"},
		{name: "an unknown tool", in: "```json\n" + `{"tool_call": {"name": "rm", "arguments": {}}}` + "\n```", calls: []string{"rm{}"}},
		{name: "documentation", in: "Write `{\"tool_call\": ...}` or {\"tool\": \"x\", ...", text: "Write `{\"tool_call\": ...}` or {\"tool\": \"x\", ..."},
		{name: "a tool's name in prose", in: `So {"name": "read_file", "arguments": {}}`, text: `So {"name": "read_file", "arguments": {}}`},
		{name: "an unknown tool's name alone", in: `{"name": "rm", "arguments": {}}`, text: `{"name": "rm", "arguments": {}}`},
		{name: "an unknown tool in inline code", in: "So: `" + `{"tool_call": {"name": "tool_name", "arguments": {}}}` + "`.", text: "So: `" + `{"tool_call": {"name": "tool_name", "arguments": {}}}` + "`."},
		{name: "a call in a program", in: "```python\nx = 1\n" + callA + "\n```\nDone", text: "```python\nx = 1\n" + callA + "\n```\nDone"},
		{name: "a word like a key", in: `{"toolbox": 1}`, text: `{"toolbox": 1}`},

		// Forms.
		{name: "fenced", in: "I look.\n\n```json\n" + callA + "\n```\n", text: "I look.", calls: []string{readA}},
		{name: "bare", in: "I look. " + callA, text: "I look.", calls: []string{readA}},
		{name: "no word for the fence", in: "```\n" + callA + "\n```", calls: []string{readA}},
		{name: "odd fence", in: "~~~~ tool_code x=\"1\"\n\n" + callA + "\n~~~~", calls: []string{readA}},
		{name: "on the fence's line", in: "```json " + callA + "```", calls: []string{readA}},
		{name: "inline code", in: "Now `" + callA + "` ok", text: "Now `" + callA + "` ok"},
		{name: "tag", in: "<tool_call>\n{\"name\": \"read_file\", \"arguments\": {\"file_path\": \"/a\"}}\n</tool_call>", calls: []string{readA}},
		{name: "prose around", in: "One.\n```json\n" + callA + "\n```\n\nTwo.", text: "One.\nTwo.", calls: []string{readA}},
		{name: "several fences", in: "```json\n" + callA + "\n```\nand\n```json\n" + callB + "\n```", text: "and", calls: []string{readA, `glob{"pattern":"*.go"}`}},
		{name: "several in one fence", in: "```json\n" + callA + "\n" + callB + "\n```", calls: []string{readA, `glob{"pattern":"*.go"}`}},
		{name: "a list", in: "```json\n[\n" + callA + ",\n" + callB + "\n]\n```", calls: []string{readA, `glob{"pattern":"*.go"}`}},
		{name: "a list of calls", in: `{"tool_calls": [{"tool": "read_file", "args": {"file_path": "/a"}}, {"function": {"name": "glob", "arguments": "{\"pattern\": \"*.go\"}"}}]}`, calls: []string{readA, `glob{"pattern":"*.go"}`}},
		{name: "tool and args", in: `{"tool": "read_file", "args": {"file_path": "/a"}}`, calls: []string{readA}},
		{name: "tool as object", in: `{"tool": {"name": "read_file", "input": {"file_path": "/a"}}}`, calls: []string{readA}},
		{name: "parameters", in: `{"tool_call": {"name": "read_file", "parameters": {"file_path": "/a"}}}`, calls: []string{readA}},
		{name: "input", in: `{"tool_call": {"name": "read_file", "input": {"file_path": "/a"}}}`, calls: []string{readA}},
		{name: "no arguments", in: `{"tool_call": {"name": "read_file"}}`, calls: []string{`read_file{}`}},
		{name: "null", in: `{"tool_call": {"name": "read_file", "arguments": null}}`, calls: []string{`read_file{}`}},
		{name: "arguments in a string", in: `{"tool_call": {"name": "read_file", "arguments": "{'file_path': '/a',}"}}`, calls: []string{readA}},
		{name: "an empty string", in: `{"tool_call": {"name": "read_file", "arguments": ""}}`, calls: []string{`read_file{}`}},
		{name: "nested braces", in: `{"tool_call": {"name": "write_file", "arguments": {"content": "}}` + "```" + `{\"tool_call\":", "o": {"p": [{}]}}}}`, calls: []string{`write_file{"content":"}}` + "```" + `{\"tool_call\":","o":{"p":[{}]}}`}},

		{name: "quotes in quotes", in: `{"tool_call": {"name": "write_file", "arguments": {"content": "say \"hi \\\"you\\\"\""}}}`, calls: []string{`write_file{"content":"say \"hi \\\"you\\\"\""}`}},

		// Not quite JSON.
		{name: "double quotes in single ones", in: `{'tool_call': {'name': 'write_file', 'arguments': {'content': 'say "hi", it\'s me'}}}`, calls: []string{`write_file{"content":"say \"hi\", it's me"}`}},
		{name: "single quotes", in: `{'tool_call': {'name': 'read_file', 'arguments': {'file_path': '/a'}}}`, calls: []string{readA}},
		{name: "no quotes", in: `{tool_call: {name: "read_file", arguments: {file_path: "/a"}}}`, calls: []string{readA}},
		{name: "trailing commas", in: `{"tool_call": {"name": "read_file", "arguments": {"file_path": "/a",},},}`, calls: []string{readA}},
		{name: "comments", in: "{\"tool_call\": { // now\n\"name\": \"read_file\", /* so */ \"arguments\": {\"file_path\": \"/a\"}}}", calls: []string{readA}},
		{name: "raw line breaks", in: "{\"tool_call\": {\"name\": \"write_file\", \"arguments\": {\"content\": \"a\n\tb\"}}}", calls: []string{`write_file{"content":"a\n\tb"}`}},
		{name: "missing end", in: `{"tool_call": {"name": "read_file", "arguments": {"file_path": "/a"}`, calls: []string{readA}},
		{name: "missing end in a fence", in: "```json\n" + `{"tool_call": {"name": "read_file", "arguments": {"file_path": "/a"}}` + "\n```\nWait.", text: "Wait.", calls: []string{readA}},
		{name: "missing end before text", in: `{"tool_call": {"name": "read_file", "args": {"file_path": "/a"}` + "\nI wait.", text: "I wait.", calls: []string{readA}},
		{name: "missing end of a list", in: `{"tool_calls": [{"tool": "read_file", "args": {"file_path": "/a"}`, calls: []string{readA}},
		{name: "too many ends", in: callA + "}}\n", calls: []string{readA}},
		{name: "fence without end", in: "```json\n" + callA, calls: []string{readA}},
		{name: "end of a fence behind text", in: "```json\n" + callA + "\n(reading)\n```\nOk", text: "```json\n" + callA + "\n(reading)\n```\nOk"},

		// Intended calls that are invalid.
		{name: "quotes within", in: `{"tool_call": {"name": "write_file", "arguments": {"content": "say "hi""}}}`, wrong: true},
		{name: "an end that is none", in: "{\"tool_call\": {\"name\": \"write_file\", \"arguments\": {\"content\": \"say \"\nhello\"\n\"}}}", wrong: true},
		{name: "arguments without end", in: `{"tool": "write_file", "args": {"content": {"a": "b"}`, wrong: true},
		{name: "string without end", in: "Now.\n" + `{"tool_call": {"name": "write_file", "arguments": {"content": "abc`, text: "Now.", wrong: true},
		{name: "only a name", in: `{"tool_call": {"name": "read_file"`, wrong: true},
		{name: "a list for arguments", in: `{"tool_call": {"name": "read_file", "arguments": ["/a"]}}`, wrong: true},
		{name: "a word for arguments", in: `{"tool_call": {"name": "read_file", "arguments": "/a"}}`, wrong: true},
		{name: "a word for a call", in: `{"tool_call": "read_file"}`, wrong: true},
		{name: "pseudo code", in: `{"tool_call": read_file(path="/a")}`, wrong: true},
		{name: "one known, one not", in: `{"tool_calls": [{"tool": "read_file", "args": {}}, {"tool": "rm", "args": {}}]}`, calls: []string{"read_file{}", "rm{}"}},
		{name: "no name", in: `{"tool_call": {"name": "read the file", "arguments": {}}}`, wrong: true},
		{name: "broken behind a good one", in: callA + "\n" + `{"tool_call": {"name": "glob", "arguments": {"a`, calls: []string{readA}, wrong: true},
		{name: "missing end at the limit", in: `{"tool_call": {"name": "read_file", "arguments": {"file_path": "/a"}`, cut: true, wrong: true},

		{name: "an element with a word", in: "<tool_call>\nread_file: /a\n</tool_call>", wrong: true},
		{name: "an element with another", in: "<tool_call><read_file>/a</read_file></tool_call>", wrong: true},
		{name: "an element about something else", in: "<tool_call>\nnothing\n</tool_call>\n" + callA, text: "<tool_call>\nnothing\n</tool_call>", calls: []string{readA}},
		{name: "an element without end", in: "<tool_call> opens a call of read_file.\n" + callA, text: "<tool_call> opens a call of read_file.", calls: []string{readA}},
		{name: "a long element", in: "<tool_call> read_file " + strings.Repeat("x", maxOther) + "</tool_call>", text: "<tool_call> read_file " + strings.Repeat("x", maxOther) + "</tool_call>"},
		{name: "an element in a line", in: "So <tool_call>read_file</tool_call>", text: "So <tool_call>read_file</tool_call>"},
		{name: "an element in inline code", in: "`<tool_call>read_file</tool_call>`", text: "`<tool_call>read_file</tool_call>`"},

		{name: "another key for the name", in: `{"tool_call": {"tool_name": "read_file", "arguments": {"file_path": "/a"}}}`, wrong: true},

		// Chinese.
		{name: "Chinese prose", in: "好的，我先看文件：\n```json\n" + callA + "\n```\n。请稍候…", text: "好的，我先看文件：\n。请稍候…", calls: []string{readA}},
		{name: "Chinese prose, bare", in: "我来读取“/a”：" + callA + "，然后继续。", text: "我来读取“/a”：\n，然后继续。", calls: []string{readA}},
		{name: "Chinese arguments", in: `{"tool_call": {"name": "write_file", "arguments": {"content": "他说：“好，{}”。"}}}`, calls: []string{`write_file{"content":"他说：“好，{}”。"}`}},
		{name: "missing end before Chinese", in: `{"tool_call": {"name": "read_file", "args": {"file_path": "/a"}` + "。我等待。", text: "。我等待。", calls: []string{readA}},
		{name: "Chinese quotes", in: "```json\n{“tool_call”: {“name”: “read_file”, “arguments”: {“file_path”: “/a”}}}\n```\n", calls: []string{readA}},
		{name: "Chinese quotes and colons", in: `{“tool”：“read_file”，“args”：{“file_path”：“/a”}}`, calls: []string{readA}},
		{name: "Chinese brackets and numbers", in: `{“tool_call”：｛“name”：“read_file”，“arguments”：{“file_path”：“/a”，“limit”：５，"lines": [“a”，2]}｝}`, calls: []string{`read_file{"file_path":"/a","limit":5,"lines":["a",2]}`}},
		{name: "Chinese quotes in a Chinese text", in: `{“tool_call”：{“name”：“write_file”，“arguments”：{“content”：“他说：“好”，然后 "走" 了。”}}}`, calls: []string{`write_file{"content":"他说：“好”，然后 \"走\" 了。"}`}},
		{name: "Chinese quotes without an end", in: `{“tool_call”：{“name”：“read_file”，“arguments”：`, text: `{“tool_call”：{“name”：“read_file”，“arguments”：`},
		{name: "a call behind a broken one", in: "{“tool_call”：坏}\n" + callA, text: "{“tool_call”：坏}", calls: []string{readA}},
		{name: "Chinese quotes within", in: `{"tool_call": {“name”: “read_file”, "arguments": {}}}`, wrong: true},
		{name: "a Chinese colon", in: `{"tool_call"：{"name"："read_file"}}`, calls: []string{"read_file{}"}},
		{name: "a Chinese comma", in: `{"tool_call": {"name": "read_file"， "arguments": {"file_path": "/a"}}}`, wrong: true},
		{name: "a Chinese comma in arguments", in: `{"tool_call": {"name": "read_file", "arguments": {"file_path": "/a"，"limit": 5}}}`, wrong: true},
		{name: "Chinese quotes, no tool", in: `配置：{“name”：“pollux”，“tool”：“无”}`, text: `配置：{“name”：“pollux”，“tool”：“无”}`},
		{name: "Chinese quotes, unknown tool", in: `{“tool_call”: {“name”: “rm”}} 完`, text: "完", calls: []string{"rm{}"}}, // as with ASCII quotes

		// Invented results.
		{name: "invented", in: "```json\n" + callA + "\n```\n\nResult of read_file:\n```\nlies\n```\n" + callB, calls: []string{readA}},
		{name: "invented error", in: callA + "\nError from glob:\n", calls: []string{readA}},
		{name: "a result of something else", in: callA + "\nResult of thinking: none", text: "Result of thinking: none", calls: []string{readA}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, n := range []int{1, 2, 3, 5, 17, 1 << 20} {
				got, p := parse(pieces(c.in, n), c.cut)
				if got.Text != c.text || !slices.Equal(got.Calls, c.calls) || got.Wrong != c.wrong {
					t.Errorf("in pieces of %d: text %q, calls %q, wrong %q", n, got.Text, got.Calls, p.problem)
				}
			}
		})
	}
}

// TestHeld checks that text that is not a call is not held back longer than
// necessary.
func TestHeld(t *testing.T) {
	t.Parallel()
	p := newParser(declared, false)
	for _, c := range [][2]string{
		{"a `", "a"},
		{"x", " `x"},
		{"``", "``"},
		{"y", "y"},
		{"\n```go", ""},
		{"\n", ""},
		{"f", "\n```go\nf"},
		{" {", " {"}, // a call does not begin in a program
		{"\n```", "\n```"},
		{"\n", ""}, // white space may precede a call
		{"{", ""},
		{" \"too", ""},
		{"ls\": 1", ""}, // any key, at the start of a line
		{"}", "\n{ \"tools\": 1}"},
		{" { \"too", ""},
		{"ls\": 1}", " { \"tools\": 1}"},
		{"<tool", ""},
		{"s>", "<tools>"},
	} {
		if got := p.add(c[0]); got != c[1] {
			t.Errorf("after %q: %q, want %q", c[0], got, c[1])
		}
	}
}

// TestEndless checks that an endless call becomes text.
func TestEndless(t *testing.T) {
	t.Parallel()
	for name, head := range map[string]string{
		"a call":          `{"tool_call": {"name": "write_file", "arguments": {"content": "`,
		"a broken call":   `{"tool_call": {"name": "write_file", "arguments": {"content": "a" b `,
		"an invalid form": `{"tool_call": {"name": "write_file", "arguments": []}}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := head + strings.Repeat("x", 3<<20)
			for _, n := range []int{1 << 12, 1 << 30} {
				p := newParser(declared, false)
				var text strings.Builder
				for _, c := range pieces(in, n) {
					text.WriteString(p.add(c))
					if cap(p.held) > 4*maxHeld {
						t.Fatalf("%d bytes are held", cap(p.held))
					}
				}
				text.WriteString(p.end(false))
				if text.String() != in || p.problem != "" || p.calls != nil {
					t.Errorf("in pieces of %d: %d of %d bytes, wrong %q", n, text.Len(), len(in), p.problem)
				}
			}
		})
	}
}

// FuzzParser checks that calls and text do not depend on the boundaries of chunks,
// that only declared tools are called, with objects, and that a call between any two
// texts is found and removed.
func FuzzParser(f *testing.F) {
	for _, s := range []string{
		"text", "```json\n" + callA + "\n```\nmore", callA + callB + "}\n", "<tool_call>" + callA + "</tool_call>", "`" + callA + "`",
		"{'tool': 'glob', args: {a: [1,],}, /* x */}", "{\"tool_call\": {\"name\": \"glob\", \"arguments\": \"{", "~~~\n[" + callA + ",",
		callA + "\nResult of glob:\nx", "```\n  {tool_calls:[{'name':'glob','input':{}}", strings.Repeat(" ", 1500) + callA,
		"{“tool”：“glob”，“args”：{“a”：“b”，“c”：１}} {“tool_call”：坏}", "```json\n{\"tool_call\"：｛“name”：“glob”｝",
	} {
		f.Add(s, uint64(0x123456789abcdef), false)
		f.Add(s, uint64(0), true)
	}
	f.Add("{\"tool\":{\"nAme\":\"0\"}}\"000", uint64(136), true)
	f.Fuzz(checkParser)
}

// checkParser checks one text of [FuzzParser].
func checkParser(t *testing.T, s string, cuts uint64, cut bool) {
	want, whole := parse([]string{s}, cut)
	var chunks []string
	for rest, c := s, cuts; ; c = c>>4 | c<<60 {
		n := max(1, int(c&15))
		if n >= len(rest) {
			chunks = append(chunks, rest)
			break
		}
		chunks, rest = append(chunks, rest[:n]), rest[n:]
	}
	got, pieced := parse(chunks, cut)
	if fmt.Sprint(got) != fmt.Sprint(want) || whole.problem != pieced.problem {
		t.Fatalf("%q in one piece: %+v (%s)\nin %q: %+v (%s)", s, want, whole.problem, chunks, got, pieced.problem)
	}
	for _, c := range whole.calls {
		if !isName(c.Name) || !json.Valid(c.Args) || c.Args[0] != '{' {
			t.Fatalf("%q: call %s%s", s, c.Name, c.Args)
		}
	}
	if whole.problem != "" {
		if index, total := whole.countCalls(); index < 1 || total < index || whole.correction() == "" {
			t.Fatalf("%q: call %d of %d", s, index, total)
		}
		want.Text += whole.giveUp()
	}
	rest := s
	for _, c := range []byte(strings.Join(strings.Fields(want.Text), "")) { // nothing is invented, or shown twice
		n := strings.IndexByte(rest, c)
		if n < 0 {
			t.Fatalf("%q: text %q", s, want.Text)
		}
		rest = rest[n+1:]
	}
	if len(want.Calls) == 0 && !whole.isDone() && !strings.ContainsAny(s, "`~<") && want.Text != s {
		t.Fatalf("%q: text %q without a call", s, want.Text)
	}

	if strings.ContainsAny(s, "`~<{[") {
		return
	}
	marked, _ := parse(pieces(s+"\n```json\n{\"tool_call\": {\"name\": \"glob\", \"arguments\": {\"a\": \"\x01\"}}}\n```\n"+s, 1+int(cuts&63)), false)
	if len(marked.Calls) != 1 || strings.ContainsAny(marked.Text, "\x01{}`") != strings.ContainsAny(strings.TrimLeft(s, whiteSpace+"}],;")+s, "\x01{}`") && !strings.Contains(s, "\x01") {
		t.Fatalf("%q: %+v", s, marked)
	}
}

func BenchmarkParser(b *testing.B) {
	text := strings.Repeat("The quick brown fox (see `fox.go`) jumps over 2 lazy dogs. ", 200)
	for name, s := range map[string]string{
		"text": text,
		"call": text + "\n```json\n{\"tool_call\": {\"name\": \"write_file\", \"arguments\": {\"content\": \"" + strings.Repeat(`func f() {}\n`, 1000) + "\"}}}\n```\n",
		// Every byte may start a call, but none does.
		"hostile":   strings.Repeat("[", 1<<16) + strings.Repeat("{ \"tool_call\"", 1<<12) + strings.Repeat("`~", 1<<15),
		"blanks":    strings.Repeat("[ "+strings.Repeat(" ", 250)+"{", 1<<8),
		"unclosed":  `{"tool_call": {"name": "write_file", "arguments": {"content": "` + strings.Repeat("x", 1<<20),
		"not calls": strings.Repeat("```json\n{\"name\": \"x\"}\n```\n", 1<<12),
	} {
		for _, n := range []int{12, 4096} {
			b.Run(fmt.Sprint(name, "/", n), func(b *testing.B) {
				chunks := pieces(s, n)
				b.SetBytes(int64(len(s)))
				b.ReportAllocs()
				for b.Loop() {
					p := newParser(declared, false)
					for _, c := range chunks {
						p.add(c)
					}
					p.end(false)
				}
			})
		}
	}
}
