package think_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/llm"
	"pollux/llm/llmtest"
	"pollux/llm/think"
)

func thought(s string) llm.Part { return llm.Part{Text: s, Thought: true} }

func said(s string) llm.Part { return llm.Part{Text: s} }

func TestSplitter(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		s      think.Splitter
		answer string
		want   []llm.Part
		// whole, if Split returns another result than a stream.
		whole []llm.Part
	}{
		{name: "text", answer: "a < b && c <thin d", want: []llm.Part{said("a < b && c <thin d")}},
		{name: "nothing"},
		{name: "blanks", answer: " \n", want: []llm.Part{said(" \n")}},
		{name: "many blanks", answer: strings.Repeat(" ", 3000), want: []llm.Part{said(strings.Repeat(" ", 3000))}},
		{name: "leading blanks of text", answer: "  indented", want: []llm.Part{said("  indented")}},
		{name: "a thought", answer: "<think>\nhm\n</think>\n\nyes", want: []llm.Part{thought("hm\n"), said("yes")}},
		{name: "the longer tag", answer: " <thinking>hm</thinking>yes", want: []llm.Part{thought("hm"), said("yes")}},
		{name: "mixed tags", answer: "<thinking>hm</think>yes", want: []llm.Part{thought("hm"), said("yes")}},
		{name: "capitals", answer: "<Think>hm</THINK>yes", want: []llm.Part{thought("hm"), said("yes")}},
		{name: "an empty thought", answer: "<think>\n\n</think>\n\nyes", want: []llm.Part{said("yes")}},
		{name: "a thought between", answer: "first\n <think>hm</think>\nthen", want: []llm.Part{said("first\n "), thought("hm"), said("then")}},
		{name: "several", answer: "<think>a</think>b\n<think>c</think>d", want: []llm.Part{thought("a"), said("b\n"), thought("c"), said("d")}},
		{name: "directly behind each other", answer: "<think>a</think>\n<think>c</think>d", want: []llm.Part{thought("ac"), said("d")}},
		{name: "Magistral", answer: "[THINK]a [x](y)\n[/THINK]\nyes", want: []llm.Part{thought("a [x](y)\n"), said("yes")}},
		{name: "Magistral, behind text", answer: "so\n[THINK]a</think>b[/THINK]yes", want: []llm.Part{said("so\n"), thought("a</think>b"), said("yes")}},
		{name: "Magistral, in a line", answer: "the tag [THINK] begins, [/THINK] ends", want: []llm.Part{said("the tag [THINK] begins, [/THINK] ends")}},
		{name: "Magistral, in code", answer: "```\n[THINK]a[/THINK]\n```", want: []llm.Part{said("```\n[THINK]a[/THINK]\n```")}},
		{name: "a link", answer: "[Think](https://x.test) is a book.", want: []llm.Part{said("[Think](https://x.test) is a book.")}},
		{name: "Seed", answer: "<seed:think>hm\n</seed:think>yes", want: []llm.Part{thought("hm\n"), said("yes")}},
		{name: "Gemma", answer: "<|channel>thought\nhm\n<channel|>yes", want: []llm.Part{thought("hm\n"), said("yes")}},
		{name: "Gemma, empty", answer: "<|channel>thought\n<channel|>yes", want: []llm.Part{said("yes")}},
		{name: "harmony", answer: "<|channel|>analysis<|message|>hm < [x]<|end|><|start|>assistant<|channel|>final<|message|>yes <b>\n<|return|>", want: []llm.Part{thought("hm < [x]"), said("yes <b>\n")}},
		{name: "harmony from its start", answer: "<|start|>assistant<|channel|>analysis<|message|>hm<|end|>\n<|start|>assistant<|channel|>final <|constrain|>json<|message|>{}", want: []llm.Part{thought("hm"), said("{}")}},
		{name: "harmony without end", answer: "<|channel|>analysis<|message|>hm<|start|>assistant<|channel|>final<|message|>yes<|end|>", want: []llm.Part{thought("hm"), said("yes")}},
		{name: "harmony, text alone", answer: "<|channel|>final<|message|>yes", want: []llm.Part{said("yes")}},
		{name: "harmony, a thought alone", answer: "<|channel|>analysis<|message|>hm", want: []llm.Part{thought("hm")}},
		{
			name:   "harmony, a text before a call",
			answer: "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>analysis<|message|>hm<|end|><|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>",
			want:   []llm.Part{said("I look."), thought("hm"), said("\n\n<|start|>assistant<|channel|>commentary to=functions.f <|constrain|>json<|message|>{}<|call|>")},
		},
		{
			name:   "harmony talked about",
			answer: "So `<|end|>` ends.\n<|channel|>analysis<|message|>hm<|end|><|start|>x",
			want:   []llm.Part{said("So `<|end|>` ends.\n<|channel|>analysis<|message|>hm<|end|><|start|>x")},
		},
		{
			name:   "harmony talked about in harmony",
			answer: "<|channel|>analysis<|message|>`<|end|>`?<|end|><|start|>assistant<|channel|>final<|message|>`<|end|>` ends:\n```\n<|end|><|start|>user\n```\na<|end|>b<|return|>",
			want:   []llm.Part{thought("`<|end|>`?"), said("`<|end|>` ends:\n```\n<|end|><|start|>user\n```\na<|end|>b")},
		},
		{name: "no end", answer: "<think>so then", want: []llm.Part{thought("so then")}},
		{name: "half an end", answer: "<think>so then</thi", want: []llm.Part{thought("so then</thi")}},
		{name: "half a beginning", answer: "<thin", want: []llm.Part{said("<thin")}},
		{name: "no nesting", answer: "<think>a<think>b</think>c", want: []llm.Part{thought("a<think>b"), said("c")}},
		{name: "only the end", answer: "\n</think>\nyes", want: []llm.Part{said("\n</think>\nyes")}},
		{name: "only the end, of a thinker", s: think.Splitter{MayBeOpened: true}, answer: "\n</think>\nyes", want: []llm.Part{said("yes")}},
		{name: "only the beginning", answer: "<think>"},
		{name: "talked about", answer: "`<think>` and `</think>` are tags", want: []llm.Part{said("`<think>` and `</think>` are tags")}},
		{name: "talked about in a thought", answer: "<think>`</think>`?</think>yes", want: []llm.Part{thought("`</think>`?"), said("yes")}},
		{name: "code ends the thought", answer: "<think>`x`</think>yes", want: []llm.Part{thought("`x`"), said("yes")}},
		{name: "code ends all", answer: "<think>`x`</think>", want: []llm.Part{thought("`x`")}},
		{
			name: "unopened", s: think.Splitter{MayBeOpened: true}, answer: "hm\n```\n</think>yes",
			want: []llm.Part{said("hm\n```\nyes")}, whole: []llm.Part{thought("hm\n```\n"), said("yes")},
		},
		{
			name: "unopened twice", s: think.Splitter{MayBeOpened: true}, answer: "hm</think>well</think>yes",
			want: []llm.Part{said("hmwell</think>yes")}, whole: []llm.Part{thought("hm"), said("well</think>yes")},
		},
		{name: "of a thinker, opened", s: think.Splitter{MayBeOpened: true}, answer: "<think>hm</think>a</think>b", want: []llm.Part{thought("hm"), said("a</think>b")}},
		{name: "of a thinker, talked about", s: think.Splitter{MayBeOpened: true}, answer: "the tag \"</think>\"", want: []llm.Part{said("the tag \"</think>\"")}},

		// Text.
		{name: "a lone end", answer: "hm</think>\n</think>yes", want: []llm.Part{said("hm</think>\n</think>yes")}},
		{name: "in a line", answer: "say <think>hm</think> and go", want: []llm.Part{said("say <think>hm</think> and go")}},
		{name: "no end, behind text", answer: "say\n<think>hm\n\n", want: []llm.Part{said("say\n<think>hm\n\n")}},
		{name: "no end, behind a thought", answer: "<think>a</think>say\n<thinking>hm", want: []llm.Part{thought("a"), said("say\n<thinking>hm")}},
		{name: "a fence", answer: "so:\n```html\n<think>\nx\n</think>\n```\n<think>hm</think>yes", want: []llm.Part{said("so:\n```html\n<think>\nx\n</think>\n```\n"), thought("hm"), said("yes")}},
		{name: "a fence first", answer: "```\n<think>\nx\n</think>\n```", want: []llm.Part{said("```\n<think>\nx\n</think>\n```")}},
		{name: "a program", answer: "~~~py\nSTART = \"<think>\"\nEND = \"</think>\"\n~~~\n", want: []llm.Part{said("~~~py\nSTART = \"<think>\"\nEND = \"</think>\"\n~~~\n")}},
		{name: "JSON", answer: "{\"tool_call\": {\"content\": \"a \\\"\n<think>\nx</think>\"}}\n<think>hm</think>yes", want: []llm.Part{said("{\"tool_call\": {\"content\": \"a \\\"\n<think>\nx</think>\"}}\n"), thought("hm"), said("yes")}},
		{name: "JSON by hand", answer: "{'content': '\n<think>x</think>'}", want: []llm.Part{said("{'content': '\n<think>x</think>'}")}},
		{name: "a bracket that opens nothing", answer: "a { b\n<think>hm</think>c", want: []llm.Part{said("a { b\n"), thought("hm"), said("c")}},
		{name: "an object that ends", answer: "a {'b': \"}\"}\n<think>hm</think>c", want: []llm.Part{said("a {'b': \"}\"}\n"), thought("hm"), said("c")}},
		{
			name:   "a call of elements",
			answer: "<tool_call>\n<function=write_file>\n<parameter=content>\n<think>\nx\n</think>\n</parameter>\n</function>\n</tool_call>\n<think>hm</think>yes",
			want: []llm.Part{
				said("<tool_call>\n<function=write_file>\n<parameter=content>\n<think>\nx\n</think>\n</parameter>\n</function>\n</tool_call>\n"),
				thought("hm"), said("yes"),
			},
		},
		{name: "a call without element", answer: "<think>a</think><function=f><parameter=c>\n<think></parameter></function>", want: []llm.Part{thought("a"), said("<function=f><parameter=c>\n<think></parameter></function>")}},
		{name: "a call talked about", answer: "`<tool_call>` or so\n<think>hm</think>yes", want: []llm.Part{said("`<tool_call>` or so\n"), thought("hm"), said("yes")}},
		{name: "a draft of a file in a thought", answer: "<think>{\"content\": \"START = \\\"<think>\\\", END = \\\"</think>\\\"\"}</think>yes", want: []llm.Part{thought("{\"content\": \"START = \\\"<think>\\\", END = \\\"</think>\\\"\"}"), said("yes")}},
		{name: "inline code in a thought", answer: "<think>in `a </think> b`.\nSo `\n</think>yes", want: []llm.Part{thought("in `a </think> b`.\nSo `\n"), said("yes")}},
		{name: "a lone backtick in a thought", answer: "<think>the ` sign.</think>yes", want: []llm.Part{thought("the ` sign."), said("yes")}},
		{name: "a thought behind text", answer: "yes\n\n<think>\n\n</think>\n\nno", want: []llm.Part{said("yes\n\nno")}},

		{name: "opened", s: think.Splitter{Opened: true}, answer: "\nhm</think>\nyes", want: []llm.Part{thought("hm"), said("yes")}},
		{name: "opened twice", s: think.Splitter{Opened: true}, answer: "<think>hm</think>yes", want: []llm.Part{thought("<think>hm"), said("yes")}},
		{name: "opened, no thought", s: think.Splitter{Opened: true}, answer: "\n\n</think>\n\nyes", want: []llm.Part{said("yes")}},
		{name: "pairs", s: think.Splitter{PairsOnly: true, MayBeOpened: true}, answer: "a</think>\n<thinking>b\n<think>c</think>d", want: []llm.Part{said("a</think>\n<thinking>b\n"), thought("c"), said("d")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for _, cut := range []int{1, 2, 3, 7, 1 << 20} {
				s := c.s
				if diff := cmp.Diff(c.want, feed(&s, pieces(c.answer, cut)), cmp.AllowUnexported(llm.Part{})); diff != "" {
					t.Errorf("in pieces of %d (-want +got):\n%s", cut, diff)
				}
				if s.Unopened() != (c.whole != nil) {
					t.Errorf("in pieces of %d: unopened %v", cut, s.Unopened())
				}
			}
			if c.whole == nil {
				c.whole = c.want
			}
			if diff := cmp.Diff(c.whole, c.s.Split(c.answer), cmp.AllowUnexported(llm.Part{})); diff != "" {
				t.Errorf("whole (-want +got):\n%s", diff)
			}
		})
	}
}

// TestPrompt: nothing that is certain is held back.
func TestPrompt(t *testing.T) {
	t.Parallel()
	var s think.Splitter
	for _, c := range [][2]string{
		{" <", ""},
		{"think>", ""},
		{"c", "c"},
		{"d</", "d"},
		{"think", ""},
		{"> e", "e"},
		{"f<thi", "f<thi"},
		{"nk>", "nk>"},
		{"\n<", "\n"},
		{"thi", ""},
		{"ng", "<thing"},
		{"\n<think>", "\n"},
		{"g", ""},
		{"</think>", "g"},
		{"h", "h"},
	} {
		var got string
		for _, p := range s.Add(c[0]) {
			got += p.Text
		}
		if got != c[1] {
			t.Errorf("after %q: %q, want %q", c[0], got, c[1])
		}
	}
}

// feed returns all that s makes of the chunks, joined.
func feed(s *think.Splitter, chunks []string) []llm.Part {
	var all []llm.Part
	add := func(parts []llm.Part) {
		for i, p := range parts {
			if i > 0 && parts[i-1].Thought == p.Thought {
				panic("neighbours of the same kind")
			}
			if n := len(all); n > 0 && all[n-1].Thought == p.Thought {
				all[n-1].Text += p.Text
				continue
			}
			all = append(all, p)
		}
	}
	for _, c := range chunks {
		add(s.Add(c))
	}
	add(s.Flush())
	return all
}

func pieces(s string, n int) []string {
	var out []string
	for len(s) > n {
		out, s = append(out, s[:n]), s[n:]
	}
	return append(out, s)
}

// samePart reports whether two texts or thoughts are the same.
func samePart(a, b llm.Part) bool { return a.Text == b.Text && a.Thought == b.Thought }

// FuzzSplitter checks that the parts do not depend on the chunks of an answer, that
// nothing is invented, and that words between two tags are never text.
func FuzzSplitter(f *testing.F) {
	for _, s := range []string{"", "<think>a</think>b", "a</think>b", " \n<thinking>x", "`<think>`<", "<<think>></think></thinking>`</think>`"} {
		f.Add(s, uint64(0x0123456789abcdef), false, false)
		f.Add(s, uint64(1), true, true)
	}
	f.Fuzz(checkSplitter)
}

// checkSplitter checks one answer of [FuzzSplitter].
func checkSplitter(t *testing.T, answer string, cuts uint64, opened, pairs bool) {
	zero := think.Splitter{Opened: opened, PairsOnly: pairs}
	whole := zero
	want := feed(&whole, []string{answer})
	var chunks []string
	for rest, c := answer, cuts; ; c = c>>4 | c<<60 {
		n := int(c & 15)
		if n >= len(rest) {
			chunks = append(chunks, rest)
			break
		}
		if cuts == 0 {
			n = 1
		}
		chunks, rest = append(chunks, rest[:n]), rest[n:]
	}
	cut := zero
	if got := feed(&cut, chunks); !slices.EqualFunc(got, want, samePart) {
		t.Fatalf("%q, in one piece: %+v\nin %q: %+v", answer, want, chunks, got)
	}
	if whole.Unopened() != cut.Unopened() {
		t.Fatalf("%q: unopened %v, then %v", answer, whole.Unopened(), cut.Unopened())
	}

	rest := answer
	for _, p := range want {
		if strings.Contains(answer, "<|message|>") { // an empty line comes between two of these
			break
		}
		for _, c := range []byte(p.Text) { // the parts are a subsequence of the answer
			n := strings.IndexByte(rest, c)
			if n < 0 {
				t.Fatalf("%q comes out of %q", p.Text, answer)
			}
			rest = rest[n+1:]
		}
	}

	// Thoughts that are marked letter by letter stay thoughts, at the beginning of a line.
	if strings.ContainsAny(answer, "<>[`\x01~{\"'") {
		return
	}
	mark := strings.Repeat("\x01", len(answer)%50+1)
	for _, p := range feed(&think.Splitter{PairsOnly: pairs}, pieces(answer+"\n<think>"+mark+"</think>"+answer, int(cuts&15)+1)) {
		if strings.Contains(p.Text, "\x01") != p.Thought {
			t.Fatalf("%q: part %q, thought %v", answer, p.Text, p.Thought)
		}
	}
	if strings.TrimSpace(answer) == "" {
		return
	}
	asText := answer + "\n<think>" + mark
	for _, p := range feed(&think.Splitter{PairsOnly: pairs}, pieces(asText, int(cuts&15)+1)) {
		if p.Thought || p.Text != asText {
			t.Fatalf("%q: part %q, thought %v", asText, p.Text, p.Thought)
		}
	}
}

// FuzzInverse renders an answer of thoughts, text, and places that only show tags, and
// splits it again: the same comes out.
func FuzzInverse(f *testing.F) {
	f.Add("hm", "yes", "x </think> <think> y", uint8(0), uint64(0x123456789abcdef))
	f.Add("a `b`", "1. {\"c\"}", "```\n<think>", uint8(1), uint64(3))
	f.Add("\n", "~~~", "\"\\", uint8(2), uint64(1))
	f.Add("{", "a\n", "'", uint8(7), uint64(0))
	f.Fuzz(checkInverse)
}

// checkInverse checks one answer of [FuzzInverse].
func checkInverse(t *testing.T, mind, text, shown string, form uint8, cuts uint64) {
	// Thoughts and text lack the characters that begin tags, code, objects and strings.
	plain := strings.NewReplacer("<", "", "[", "", "`", "", "~", "", "{", "", "\"", "", "'", "")
	mind, text = strings.TrimLeft(plain.Replace(mind), " \t\r\n"), strings.TrimSpace(plain.Replace(text))+"."
	switch form % 4 {
	case 0: // a fence longer than those within
		size := 3
		for strings.Contains(shown, strings.Repeat("`", size)) {
			size++
		}
		fence := strings.Repeat("`", size)
		shown = fence + "py\n" + shown + "\n" + fence
	case 1:
		shown = string(llm.AppendString([]byte(`{"content": `), shown)) + "}"
	case 2: // JSON by hand, with line breaks in strings
		shown = `{"content": "` + strings.NewReplacer("\\", "\\\\", `"`, `\"`).Replace(shown) + `"}`
	case 3:
		shown = "<tool_call>\n" + strings.ReplaceAll(shown, "</tool_call>", "") + "\n</tool_call>"
		if strings.Count(shown, "</tool_call>") > 1 {
			return
		}
	}
	before, after := "", text+"\n"+shown+"\n"
	if mind != "" {
		before = "<think>" + mind + "</think>\n"
	}
	answer := before + after + before + text
	var want []llm.Part
	add := func(p llm.Part) {
		if n := len(want); n > 0 && want[n-1].Thought == p.Thought {
			want[n-1].Text += p.Text
		} else if p.Text != "" {
			want = append(want, p)
		}
	}
	for _, p := range []llm.Part{thought(mind), said(after), thought(mind), said(text)} {
		add(p)
	}
	chunks := llmtest.Chunks(answer, cuts)
	if got := feed(new(think.Splitter), chunks); !slices.EqualFunc(got, want, samePart) {
		t.Fatalf("%q in %q: %+v\nwant %+v", answer, chunks, got, want)
	}
}

// TestRandom is [FuzzInverse] and [FuzzSplitter] with random texts.
func TestRandom(t *testing.T) {
	t.Parallel()
	llmtest.Repeat(t, func(r llmtest.Random) {
		checkInverse(t, r.Text(), r.Text(), r.Text(), uint8(r.IntN(256)), r.Uint64())
		checkSplitter(t, r.Text()+r.Text(), r.Uint64(), r.IntN(4) == 0, r.IntN(4) == 0)
	})
}

// TestEndless checks that a thought behind text is text if it grows too long.
func TestEndless(t *testing.T) {
	t.Parallel()
	answer := "text\n<think>" + strings.Repeat("so ", 1<<20) + "</think>\n<think>a</think>b"
	var s think.Splitter
	got := feed(&s, pieces(answer, 1<<12))
	if len(got) != 1 || got[0].Thought || got[0].Text != answer {
		t.Errorf("%d parts", len(got))
	}
}

// TestMayBeOpened checks which models are known to begin in a thought.
func TestMayBeOpened(t *testing.T) {
	t.Parallel()
	for model, want := range map[string]bool{
		"deepseek-r1": true, "deepseek-ai/DeepSeek-R1-Distill-Qwen-32B": true, "qwq:32b": true, "Qwen3-30B-A3B-Thinking-2507": true,
		"phi-4-reasoning": true, "deepseek-reasoner": true, "qwen3-coder": false, "llama-3.1": false, "gpt-4.1": false, "command-r1x": false, "": false,
	} {
		if got := think.MayBeOpened(model); got != want {
			t.Errorf("%s: %v", model, got)
		}
	}
}

func BenchmarkSplitter(b *testing.B) {
	chunks := pieces("<think>\n"+strings.Repeat("Let me see whether a < b. ", 400)+"</think>\n\n"+strings.Repeat("The answer is 42. ", 400), 12)
	size := 0
	for _, c := range chunks {
		size += len(c)
	}
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		var s think.Splitter
		for _, c := range chunks {
			s.Add(c)
		}
		s.Flush()
	}
}

// BenchmarkHostile is a chunk of nothing but beginnings of tags.
func BenchmarkHostile(b *testing.B) {
	chunk := strings.Repeat("<think></think>a<", 1<<16)
	b.SetBytes(int64(len(chunk)))
	for b.Loop() {
		var s think.Splitter
		s.Add(chunk)
		s.Flush()
	}
}

func ExampleSplitter() {
	var s think.Splitter
	show := func(parts []llm.Part) {
		for _, p := range parts {
			fmt.Printf("thought=%v %q\n", p.Thought, p.Text)
		}
	}
	for _, chunk := range []string{"<thi", "nk>Two and two", "...</th", "ink>\n\nFo", "ur."} {
		show(s.Add(chunk))
	}
	show(s.Flush())
	// Output:
	// thought=true "Two and two"
	// thought=true "..."
	// thought=false "Fo"
	// thought=false "ur."
}
