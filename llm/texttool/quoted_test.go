package texttool

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
	"pollux/llm/quotation"
)

// givenTexts returns the input of a model with texts as results of calls.
func givenTexts(texts ...string) *given {
	req := &llm.Request{}
	for _, text := range texts {
		req.Contents = append(req.Contents, llm.User(llm.Part{FunctionResponse: llm.Output("1", "read_file", text)}))
	}
	return &given{quotation.New(), req}
}

// read parses an answer of a model that was given something.
func read(g *given, isNative bool, chunks ...string) parsed {
	p := newParser(declared, isNative)
	p.given = g
	var out parsed
	for _, c := range chunks {
		out.Text += p.add(c)
	}
	out.Text += p.end(false)
	out.Wrong = p.problem != ""
	for _, c := range p.calls {
		out.Calls = append(out.Calls, c.Name+string(c.Args))
	}
	return out
}

// surroundings are texts that a model writes around a quotation, the %.
var surroundings = map[string]string{
	"nothing":                "%",
	"text before":            "The README ends so:\n\n%",
	"text before in a line":  "For example: %",
	"text behind":            "%\n\nThat is what it says.",
	"quotes":                 "It says \"%\".",
	"typographic quotes":     "It says “%”.",
	"inline code":            "It says `%`.",
	"inline code at the end": "It says:\n`%`",
	"a fence":                "```json\n%\n```",
	"a fence without a word": "It says:\n```\n%\n```\n",
	"a fence with text":      "```\nIt says:\n%\n```\n",
	"a fence of a program":   "```python\n%\n```\n",
	"a fence of calls":       "```tool_code\n%\n```\n",
	"tildes":                 "~~~\n%\n~~~",
	"a quotation":            "> %\n",
	"a quotation of a fence": "> ```json\n> %\n> ```\n",
	"a list":                 "- %\n",
	"a numbered list":        "1. %\n",
	"a table":                "| call |\n| --- |\n| % |\n",
	"an element":             "<tool_call>\n%\n</tool_call>",
	"a thought":              "<think>\n%\n</think>\nSo.",
	"an open thought":        "<think>\n%",
	"a thought of Magistral": "[THINK]\n%\n[/THINK]\nSo.",
	"a thought of gpt-oss":   "<|channel|>analysis<|message|>\n%\n<|end|>\nSo.",
	"a mark":                 "[TOOL_CALLS] [%]",
	"a key":                  `{"tool_call": %}`,
	"a thought in JSON":      `{"thought": "so", "tool_call": %}`,
	"a list of calls":        `{"tool_calls": [{"name": "glob", "arguments": {}}, %]}`,
}

// TestQuotations checks that a call in any form that stands in a text is none, whatever surrounds
// it in the answer, and that another one is.
func TestQuotations(t *testing.T) {
	t.Parallel()
	forms := map[string]string{"taught": call(`"/a"`), "taught, fenced": "```json\n" + call(`"/a"`) + "\n```", "only the inner object": hermes}
	for name, form := range trainedForms {
		forms[name] = form
	}
	for name, form := range forms {
		for _, in := range []string{form, "# README\n\nSome text.\n\n" + form + "\n\nMore text.\n", numbered(form), string(llm.AppendString(nil, form)), strings.ReplaceAll(form, "\n", "\n> ")} {
			g := givenTexts("other", in)
			for around, frame := range surroundings {
				answer := strings.ReplaceAll(frame, "%", form)
				for _, isNative := range []bool{false, true} {
					for _, n := range []int{1, 5, 1 << 20} {
						if got := read(g, isNative, pieces(answer, n)...); slices.ContainsFunc(got.Calls, isReadFile) {
							t.Fatalf("%s in %s, native %v, in pieces of %d: %q from %q: %+v", name, around, isNative, n, in, answer, got)
						}
					}
				}
			}
		}
		if got := read(givenTexts("nothing of it", strings.ReplaceAll(form, "/a", "/b")), false, form); !slices.ContainsFunc(got.Calls, isReadFile) {
			t.Errorf("%s: another call is quoted: %+v", name, got)
		}
	}
}

func call(path string) string {
	return `{"tool_call": {"name": "read_file", "arguments": {"file_path": ` + path + `}}}`
}

func isReadFile(call string) bool { return strings.HasPrefix(call, "read_file") }

func numbered(text string) string {
	var b strings.Builder
	n := 0
	for line := range strings.Lines(text) {
		n++
		fmt.Fprintf(&b, "README.md:%d: %s", n, line)
	}
	return b.String()
}

// TestPlaces checks where calls count that stand nowhere else.
func TestPlaces(t *testing.T) {
	t.Parallel()
	taught := call(`"/a"`)
	for around, want := range map[string]int{
		"%":                                  2,
		"I look.\n%":                         2,
		"I look: %":                          2,
		"%\nDone.":                           1,
		"```json\n%\n```":                    2,
		"```json\n%\n```\nDone.":             1,
		"Now:```json\n%\n```":                2,
		"- ```json\n%\n```":                  2,
		"```json\nIt is\n%\n```":             0,
		"```json\n%\nIt is.\n```":            0,
		"```json\n%\n# It is.\n":             0,
		"```go\nx\n```\n%":                   2,
		"```\nx\n% and\n```":                 0,
		"`%`":                                0,
		"``%``":                              0,
		"See ```%``` here.":                  0,
		"See ```%```":                        0,
		"\"%\"":                              0,
		"It is '%'.":                         0,
		"「%」":                                0,
		"> %":                                0,
		"> I look.\n%":                       2,
		"> a\n> %":                           0,
		"| % |":                              0,
		"- %":                                2,
		"<think>\n%\n</think>\n":             0,
		"<think>%":                           0,
		"<THINK>%</THINK>":                   0,
		"<thinking>\n%\n</thinking>Yes.":     0,
		"I look.\n<think>\n% or\n</think>\n": 0,
		"Hm. %\n</think>\nSo.":               0,
		"Hm.\n%\n</think>\n":                 0,
		"<think>a</think>\n%":                2,
		"The tag `<think>` is\n%":            2,
		"The tag <think> is\n%":              2,
		"[THINK]a[/THINK]\n%":                2,
		"[THINK]%":                           0,
	} {
		for n, form := range []string{`{"tool": "read_file", "args": {"file_path": "/a"}}`, taught} {
			counts := want > 1-n
			for size := 1; size < 12; size++ {
				got := read(givenTexts("a text"), false, pieces(strings.ReplaceAll(around, "%", form), size)...)
				if isCall := slices.ContainsFunc(got.Calls, isReadFile); isCall != counts || got.Wrong {
					t.Errorf("%q, form %d, in pieces of %d: %+v", around, n, size, got)
				}
			}
		}
	}
}

// TestQuotedBroken checks that the model is not asked to write a broken call again that it quotes.
func TestQuotedBroken(t *testing.T) {
	t.Parallel()
	for _, broken := range []string{
		`{"tool_call": {"name": "write_file", "arguments": {"content": "say "hi" to all of them"}}}`,
		`{"tool_call": {"name": "write_file", "arguments": ["/a", "b"]}}`,
		`{"tool_call": {"name": "write_file", "arguments": {"content": "abc def ghi`,
		"<function=write_file>\n<parameter=content>a b c",
	} {
		for _, n := range []int{1, 9, 1000} {
			answer := "It says\n" + broken + "\nand more."
			if got := read(givenTexts("x "+broken), false, pieces(answer, n)...); got.Wrong || got.Text != answer {
				t.Errorf("%s in pieces of %d: %+v", broken, n, got)
			}
			if got := read(givenTexts("x"), false, pieces(answer, n)...); !got.Wrong {
				t.Errorf("%s: %+v", broken, got)
			}
		}
	}
}

// TestQuotedParts checks that a quotation with additions of the model is not a call.
func TestQuotedParts(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, before, behind string }{
		{"<function=glob>", "", "\n</function>"},
		{"<function=glob>\n<parameter=pattern>*.go", "", "</parameter>\n</function>"},
		{`"name": "glob", "arguments": {"pattern": "*.go"`, `{"tool_call": {`, "}}}"},
		{`glob[ARGS]{"pattern": "*.go"}`, "[TOOL_CALLS]", ""},
		{"glob(pattern='*.go')", "```tool_code\n", "\n```"},
		{"glob(pattern='*.go')", "```tool_code\nread_file(file_path='a')\n", "\n```"},
		{`{"name": "glob", "arguments": {"pattern": "*.go"}}`, `{"tool_calls": [{"name": "read_file", "arguments": {}}, `, "]}"},
		{`{"tool_call": {"name": "glob", "arguments": {"pattern": "*.go"}}}`, `{"thought": "I look.", ` + "\x00", ""},
	} {
		answer := c.before + c.text + c.behind
		if before, cut, ok := strings.Cut(answer, "\x00{"); ok { // the text is inside of another object
			answer = before + cut
		}
		if got := read(nil, false, answer); len(got.Calls) == 0 {
			t.Errorf("%q has no call: %+v", answer, got)
		}
		if got := read(givenTexts(c.text), false, answer); len(got.Calls) > 0 || got.Wrong {
			t.Errorf("%q in %q: %+v", c.text, answer, got)
		}
	}
	p := newParser(declared, false)
	p.given = givenTexts("a")
	if p.nextAttempt().given != p.given {
		t.Error("a repeated request is given the same")
	}
}

// TestGiven checks that whatever a request has is known: instructions, prompts, attachments and
// results, also those that another generator has sent.
func TestGiven(t *testing.T) {
	t.Parallel()
	quote := call(`"/a"`)
	for name, change := range map[string]func(*llm.Request){
		"instruction": func(r *llm.Request) { r.Config.SystemInstruction = llm.User(llm.Text("Memory: " + quote)) },
		"prompt":      func(r *llm.Request) { r.Contents[0] = llm.User(llm.Text("What is " + quote + "?")) },
		"attachment": func(r *llm.Request) {
			r.Contents[0] = llm.User(llm.Text("What is this?"), llm.Text("\nContent from @a:\n"), llm.Text(quote))
		},
		"result": func(r *llm.Request) {
			r.Contents = append(r.Contents, llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "read_file"}}), llm.User(llm.Part{FunctionResponse: llm.Output("1", "read_file", quote)}))
		},
		"result of another form": func(r *llm.Request) {
			r.Contents = append(r.Contents, llm.User(llm.Part{FunctionResponse: &llm.FunctionResponse{Name: "x", Response: json.RawMessage(`{"a": [1, ` + quote + `]}`)}}))
		},
	} {
		for _, isNative := range []bool{false, true} {
			t.Run(fmt.Sprint(name, " ", isNative), func(t *testing.T) {
				t.Parallel()
				m := &quoter{text: "So it is:\n" + quote}
				o := Options{Given: quotation.New()}
				first := llm.Generator(Wrap(m, o))
				if isNative {
					first = AsNeeded(m, o)
				}
				req := quoteRequest()
				change(req)
				for i, g := range []llm.Generator{first, Wrap(m, o)} {
					r, err := g.Generate(t.Context(), req)
					if err != nil || len(r.Candidates[0].Content.FunctionCalls()) != 0 || r.Text() != m.text {
						t.Errorf("generator %d: %v %s", i, err, r.AppendJSON(nil))
					}
					var text string
					for r, err := range g.Stream(t.Context(), req) {
						if err != nil || len(r.Candidates[0].Content.FunctionCalls()) != 0 {
							t.Errorf("generator %d: %v %s", i, err, r.AppendJSON(nil))
						}
						text += r.Text()
					}
					if text != m.text {
						t.Errorf("generator %d: %q", i, text)
					}
					req = quoteRequest() // the second one gets nothing
				}
				r, err := Wrap(m, Options{}).Generate(t.Context(), quoteRequest())
				if err != nil || len(r.Candidates[0].Content.FunctionCalls()) != 1 {
					t.Errorf("without the text: %v %s", err, r.AppendJSON(nil))
				}
			})
		}
	}
}

func quoteRequest() *llm.Request {
	return &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("hi"))}, Config: llm.Config{
		Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "read_file", Description: "Reads."}}}},
	}}
}

// quoter is a model that always returns the same response.
type quoter struct {
	llm.Generator
	text string
}

func (q *quoter) answer() *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(q.text)), FinishReason: llm.FinishStop}}}
}

func (q *quoter) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return q.answer(), nil
}

func (q *quoter) Stream(context.Context, *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(q.answer(), nil) }
}

// FuzzQuotation puts a text into the result of a call, and into an answer with other text around
// it: no call that the text has is a call of the answer, wherever the answer is cut.
func FuzzQuotation(f *testing.F) {
	for name, form := range trainedForms {
		f.Add(form, "See "+name+":\n", "\n", uint64(0x123456789abcdef))
		f.Add(form, "```json\n", "\n```", uint64(3))
	}
	f.Add(call(`"/a"`), "`", "`", uint64(1))
	f.Add(`"name": "read_file", "arguments": {"file_path": "/a"}`, `{"tool_call": {`, "}}", uint64(1))
	f.Add("<function=read_file>\n<parameter=file_path>/a", "<tool_call>", "</parameter></function></tool_call>", uint64(7))
	f.Add("<function=glob>", "", "</function>", uint64(7))
	f.Fuzz(checkQuotation)
}

// checkQuotation checks one text of [FuzzQuotation].
func checkQuotation(t *testing.T, text, before, behind string, cuts uint64) {
	text, before, behind = strings.ToValidUTF8(text, ""), strings.ToValidUTF8(before, ""), strings.ToValidUTF8(behind, "")
	for _, isNative := range []bool{false, true} {
		quoted := read(nil, isNative, text).Calls
		others := slices.Concat(read(nil, isNative, before).Calls, read(nil, isNative, behind).Calls)
		answer := before + text + behind
		got := read(givenTexts(text), isNative, answer)
		for _, c := range got.Calls {
			if slices.Contains(quoted, c) && !slices.Contains(others, c) {
				t.Fatalf("%q, native %v: %s is a call of %q", text, isNative, c, answer)
			}
		}
		if again := read(givenTexts(text), isNative, llmtest.Chunks(answer, cuts)...); fmt.Sprint(again) != fmt.Sprint(got) {
			t.Fatalf("%q, native %v: %+v in one piece, %+v in others", answer, isNative, got, again)
		}
	}
}

// TestRandomQuotation is [FuzzQuotation] with random texts and forms.
func TestRandomQuotation(t *testing.T) {
	t.Parallel()
	forms := []string{call(`"/a"`)}
	for _, form := range trainedForms {
		forms = append(forms, form)
	}
	slices.Sort(forms)
	var frames []string
	for _, frame := range surroundings {
		frames = append(frames, frame)
	}
	slices.Sort(frames)
	llmtest.Repeat(t, func(r llmtest.Random) {
		before, behind, _ := strings.Cut(frames[r.IntN(len(frames))], "%")
		form := forms[r.IntN(len(forms))]
		checkQuotation(t, r.Text()+form+r.Text(), r.Text()+before, behind+r.Text(), r.Uint64())
		checkQuotation(t, form, before, behind, r.Uint64())
	})
}

// TestMarkInChunks checks that the backticks that end inline code and go on in the next chunk begin no fence.
func TestMarkInChunks(t *testing.T) {
	t.Parallel()
	answer := "It is `a````json\n<tool_call>{\"name\": \"save\", )```json\n\t</thi"
	want := read(nil, false, answer)
	for n := 1; n < len(answer); n++ {
		if got := read(nil, false, answer[:n], answer[n:]); fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("cut behind %q: %+v, not %+v", answer[:n], got, want)
		}
	}
}
