package texttool_test

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/llm"
	"pollux/llm/gemini"
	"pollux/llm/llmtest"
	"pollux/llm/texttool"
)

var update = flag.Bool("update", false, "write the golden files")

// model is a model without tool calling. It responds with the chunks of its script and
// records requests.
type model struct {
	answers [][]*llm.Response
	asked   []*llm.Request
	err     error // with which each answer breaks off, nil for none
}

func (m *model) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		m.asked = append(m.asked, req)
		if len(m.answers) == 0 {
			yield(nil, &llm.Error{Kind: llm.KindServer, Message: "the script is over"})
			return
		}
		answer := m.answers[0]
		m.answers = m.answers[1:]
		for _, c := range answer {
			if !yield(c, nil) {
				return
			}
		}
		if m.err != nil {
			yield(nil, m.err)
		}
	}
}

func (m *model) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	var parts []llm.Part
	var last *llm.Response
	for c, err := range m.Stream(ctx, req) {
		if err != nil {
			return nil, err
		}
		parts, last = append(parts, c.Parts()...), c
	}
	out := *last
	out.Candidates = []llm.Candidate{{Content: llm.Model(parts...), FinishReason: last.FinishReason()}}
	return &out, nil
}

func (m *model) CountTokens(_ context.Context, req *llm.Request) (int, error) {
	m.asked = append(m.asked, req)
	return len(req.Contents), nil
}

func (m *model) Embed(context.Context, string, []string) ([][]float32, error) { return nil, nil }

// says returns a response in chunks, with as many tokens as bytes.
func says(finish llm.FinishReason, chunks ...string) []*llm.Response {
	var out []*llm.Response
	n := 0
	for i, c := range chunks {
		n += len(c)
		r := &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(c))}}}
		if i == len(chunks)-1 {
			r.Candidates[0].FinishReason = finish
			r.Usage = &llm.Usage{Prompt: 100, Candidates: n, Total: 100 + n}
		}
		out = append(out, r)
	}
	return out
}

func wrap(m *model, o texttool.Options) llm.Generator {
	n := uint64(0xab)
	o.Now = func() time.Time { return time.UnixMilli(1700000000123) }
	o.Rand = func() uint64 { n++; return n }
	return texttool.Wrap(m, o)
}

func request(contents ...*llm.Content) *llm.Request {
	if len(contents) == 0 {
		contents = []*llm.Content{llm.User(llm.Text("hello"))}
	}
	return &llm.Request{Model: "small", Contents: contents, Config: llm.Config{
		SystemInstruction: llm.User(llm.Text("Be brief.")),
		Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{
			{Name: "read_file", Description: "Reads a file.", Parameters: json.RawMessage(`{"type":"object","properties":{"file_path":{"type":"string","description":"The file."},"limit":{"type":"integer"}},"required":["file_path"]}`)},
			{Name: "todo", Description: "Keeps the list of what is to do.\nAll of it, each time.", Parameters: json.RawMessage(`{"type":"OBJECT","required":["items"],"properties":{"items":{"type":"array","items":{"type":"object","properties":{"what":{"type":"string"},"state":{"type":"string","enum":["open","done"],"description":"How far it is."}},"required":["what"]}},"z":{"type":["string","null"]},"a":{"anyOf":[{"type":"string"},{"type":"number"}]},"tags":{"type":"array","items":{"type":"string"}},"any":true}}`)},
			{Name: "now", Description: "Tells the time."},
		}}},
		ToolConfig: &llm.ToolConfig{Mode: "AUTO"},
	}}
}

func ask(t *testing.T, g llm.Generator, req *llm.Request) llmtest.Answer {
	t.Helper()
	var a llmtest.Answer
	for chunk, err := range g.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		a.Add(chunk)
	}
	return a
}

const call = "```json\n{\"tool_call\": {\"name\": \"read_file\", \"arguments\": {\"file_path\": \"/a\"}}}\n```"

func TestStream(t *testing.T) {
	t.Parallel()
	m := &model{answers: [][]*llm.Response{says(llm.FinishMaxTokens, "I look", " now.\n\n``", "`json\n{\"tool_", call[len("```json\n{\"tool_"):], "\n")}}
	var chunks []string
	var a llmtest.Answer
	for chunk, err := range wrap(m, texttool.Options{}).Stream(t.Context(), request()) {
		if err != nil {
			t.Fatal(err)
		}
		a.Add(chunk)
		chunks = append(chunks, chunk.Text())
	}
	if want := []string{"I look", " now.", ""}; !slices.Equal(chunks, want) {
		t.Errorf("chunks %q, want %q", chunks, want)
	}
	want := []*llm.FunctionCall{{ID: "text-hijack-1700000000123-ac", Name: "read_file", Args: json.RawMessage(`{"file_path":"/a"}`)}}
	if diff := cmp.Diff(want, a.Calls); diff != "" || a.Finish != llm.FinishStop || a.Usage == nil || a.Usage.Prompt != 100 {
		t.Errorf("finish %q, usage %+v, calls (-want +got):\n%s", a.Finish, a.Usage, diff)
	}
	asked := m.asked[0]
	if asked.Config.Tools != nil || asked.Config.ToolConfig != nil {
		t.Errorf("tools are sent to a model that has none: %+v", asked.Config)
	}
}

func TestGenerate(t *testing.T) {
	t.Parallel()
	m := &model{answers: [][]*llm.Response{
		says(llm.FinishStop, "I look. ", `{"tool_call": {"name": "read_file", "arguments": {"file_path": "/a" "b"}}}`),
		says(llm.FinishStop, "Again. "+call),
	}}
	r, err := wrap(m, texttool.Options{}).Generate(t.Context(), request())
	if err != nil {
		t.Fatal(err)
	}
	calls := r.Candidates[0].Content.FunctionCalls()
	if len(calls) != 1 || r.Text() != "I look.\n\nAgain." || r.Usage.Prompt != 100 || r.FinishReason() != llm.FinishStop {
		t.Errorf("%s", r.AppendJSON(nil))
	}
	m.answers = [][]*llm.Response{says(llm.FinishStop, "Plain ", "text.\n")}
	if r, err = wrap(m, texttool.Options{}).Generate(t.Context(), request()); err != nil || r.Text() != "Plain text.\n" || len(r.Parts()) != 1 {
		t.Errorf("%v: %s", err, r.AppendJSON(nil))
	}
}

// TestCorrection checks that the generator asks again for a call that cannot be
// parsed, without yielding it.
func TestCorrection(t *testing.T) {
	t.Parallel()
	const broken = `{"tool_call": {"name": "read_file", "arguments": ["/a"]}}`
	for _, c := range []struct {
		name    string
		options texttool.Options
		answers [][]*llm.Response
		text    string
		calls   int
		asked   int
		finish  llm.FinishReason
		log     string // debug messages
		err     string
	}{
		{
			log:     "small: a tool call cannot be read (\"arguments\" is no object): asking again, 1 of 2",
			name:    "once",
			answers: [][]*llm.Response{says(llm.FinishStop, "I look.\n", broken), says(llm.FinishStop, call)},
			text:    "I look.", calls: 1, asked: 2, finish: llm.FinishStop,
		},
		{
			name:    "with text",
			answers: [][]*llm.Response{says(llm.FinishStop, "I look.\n", broken), says(llm.FinishStop, "Sorry.\n", call)},
			text:    "I look.\n\nSorry.", calls: 1, asked: 2, finish: llm.FinishStop,
		},
		{
			log: "small: a tool call cannot be read (\"arguments\" is no object): asking again, 1 of 2\n" +
				"small: a tool call cannot be read (\"arguments\" is no object): asking again, 2 of 2\n" +
				"small: a tool call cannot be read (\"arguments\" is no object): giving up",
			name:    "never",
			answers: [][]*llm.Response{says(llm.FinishStop, broken), says(llm.FinishStop, broken), says(llm.FinishStop, "So: ", broken)},
			text:    "So:", asked: 3,
			err: `The model wrote a tool call that cannot be read, 3 times in a row: "arguments" is no object. Try again, or use another model (--model).`,
		},
		{
			name: "not wanted", options: texttool.Options{Corrections: -1},
			answers: [][]*llm.Response{says(llm.FinishStop, broken)}, asked: 1,
			err: `The model wrote a tool call that cannot be read: "arguments" is no object. Try again, or use another model (--model).`,
		},
		{
			name:    "cut off",
			answers: [][]*llm.Response{says(llm.FinishMaxTokens, call[:50]), says(llm.FinishStop, call)},
			calls:   1, asked: 2, finish: llm.FinishStop,
		},
		{
			name:    "it answers instead",
			answers: [][]*llm.Response{says(llm.FinishStop, broken), says(llm.FinishStop, "Never mind.")},
			text:    "Never mind.", asked: 2, finish: llm.FinishStop,
		},
		{
			name:    "the vendor kept the call",
			answers: [][]*llm.Response{says(llm.FinishUnexpectedToolCall, ""), says(llm.FinishStop, call)},
			calls:   1, asked: 2, finish: llm.FinishStop,
		},
		{
			name:    "blocked",
			answers: [][]*llm.Response{says(llm.FinishSafety, "I ")},
			text:    "I ", asked: 1, finish: llm.FinishSafety,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &model{answers: c.answers}
			req := request()
			var log []string
			c.options.Log = func(model, message string) { log = append(log, model+": "+message) }
			var a llmtest.Answer
			var failure string
			for chunk, err := range wrap(m, c.options).Stream(t.Context(), req) {
				if err != nil {
					failure = err.Error()
					continue
				}
				a.Add(chunk)
			}
			if failure != c.err {
				t.Errorf("error %q, want %q", failure, c.err)
			}
			if got := strings.Join(log, "\n"); c.log != "" && got != c.log || (c.asked > 1) != (got != "") && c.options.Corrections >= 0 {
				t.Errorf("log:\n%s", got)
			}
			if a.Text != c.text || len(a.Calls) != c.calls || len(m.asked) != c.asked || a.Finish != c.finish {
				t.Errorf("text %q, %d calls, asked %d times, finish %q", a.Text, len(a.Calls), len(m.asked), a.Finish)
			}
			var written string
			for _, r := range c.answers[len(c.answers)-1] {
				written += r.Text()
			}
			if want := (llm.Usage{Prompt: 100, Candidates: len(written), Total: 100 + len(written)}); c.err == "" && (a.Usage == nil || *a.Usage != want) {
				t.Errorf("usage %+v, not that of the last request, %+v", a.Usage, want)
			}
			for i, asked := range m.asked[1:] {
				last := asked.Contents[len(asked.Contents)-1]
				if last.Role != llm.RoleUser || !strings.Contains(last.Text(), "Write the call again") {
					t.Errorf("correction %d: %q", i, last.Text())
				}
				if asked.Config.SystemInstruction != m.asked[0].Config.SystemInstruction || asked.Contents[0] != req.Contents[0] {
					t.Error("the prompt's beginning has changed")
				}
			}
			if len(req.Contents) != 1 || len(req.Config.Tools) != 1 {
				t.Error("the request has changed")
			}
		})
	}
}

// TestInvented checks that the rest of an answer is ignored once the model writes a
// result itself.
func TestInvented(t *testing.T) {
	t.Parallel()
	m := &model{answers: [][]*llm.Response{says(llm.FinishStop, call, "\n\nResult of read_file:\n", "```\nlies\n```\n", "So it is.")}}
	logged := ""
	a := ask(t, wrap(m, texttool.Options{Log: func(model, message string) { logged += model + ": " + message }}), request())
	if a.Text != "" || len(a.Calls) != 1 || a.Finish != llm.FinishStop {
		t.Errorf("%+v", a)
	}
	if logged != "small: it goes on to write the result of its own call: that is left out" {
		t.Errorf("log %q", logged)
	}
}

// TestSummary checks that a summary keeps the calls that it quotes, and that a call in the
// place of one is a call.
func TestSummary(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		answer string
		calls  int
	}{
		{"<state_snapshot>\nIt wrote\n" + call + "\nand {\"tool_call\": {\"name\": \"x\" y.\n</state_snapshot>", 0},
		{call, 1},
	} {
		req := request()
		req.Use = llm.UseCompressor
		want := c.answer
		if c.calls > 0 {
			want = ""
		}
		m := &model{answers: [][]*llm.Response{says(llm.FinishStop, c.answer), says(llm.FinishStop, c.answer)}}
		g := wrap(m, texttool.Options{})
		if a := ask(t, g, req); a.Text != want || len(a.Calls) != c.calls {
			t.Errorf("%q, %d calls", a.Text, len(a.Calls))
		}
		r, err := g.Generate(t.Context(), req)
		if err != nil || r.Text() != want || len(r.Candidates[0].Content.FunctionCalls()) != c.calls {
			t.Errorf("%v: %s", err, r.AppendJSON(nil))
		}
	}
}

func TestThoughts(t *testing.T) {
	t.Parallel()
	answer := []*llm.Response{
		{Candidates: []llm.Candidate{{Content: llm.Model(llm.Part{Text: call, Thought: true})}}},
		{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text("No need."))}}},
		{Candidates: []llm.Candidate{{FinishReason: llm.FinishStop}}},
		{Usage: &llm.Usage{Total: 7}},
	}
	a := ask(t, wrap(&model{answers: [][]*llm.Response{answer}}, texttool.Options{}), request())
	if a.Thoughts != call || a.Text != "No need." || len(a.Calls) != 0 || a.Usage.Total != 7 || a.Finish != llm.FinishStop {
		t.Errorf("%+v", a)
	}
}

func TestError(t *testing.T) {
	t.Parallel()
	g := wrap(&model{}, texttool.Options{})
	for _, err := range g.Stream(t.Context(), request()) {
		if err == nil {
			t.Error("no error")
		}
	}
	if _, err := g.Generate(t.Context(), request()); err == nil {
		t.Error("no error")
	}
}

// breaking is a model whose stream breaks off.
type breaking struct{ model }

func (b *breaking) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for c, err := range b.model.Stream(ctx, req) {
			if !yield(c, err) {
				return
			}
		}
		yield(nil, &llm.Error{Kind: llm.KindNetwork, Message: "it is gone"})
	}
}

// TestErrorAfterHeldText checks that an error after held-back text follows an empty
// chunk.
func TestErrorAfterHeldText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"```json\n{\"tool_call\": {\"name\"", "Well, ```json\n{\"tool_call\": {"} {
		b := &breaking{model{answers: [][]*llm.Response{{{Candidates: []llm.Candidate{{Content: llm.Model(llm.Text(text))}}}}}}}
		g := texttool.Wrap(b, texttool.Options{})
		chunks, said, failed := 0, "", false
		for c, err := range g.Stream(t.Context(), request()) {
			if failed = err != nil; !failed {
				chunks++
				said += c.Text()
			}
		}
		if want, _, _ := strings.Cut(text, "```"); chunks != 1 || said != strings.TrimSpace(want) || !failed {
			t.Errorf("%q: %d chunks, %q, failed %v", text, chunks, said, failed)
		}
	}
}

// history returns the history of a model with tool calling.
func history() []*llm.Content {
	return []*llm.Content{
		llm.User(llm.Text("What is in a.md and logo.png?")),
		llm.Model(llm.Part{Text: "Two files.", Thought: true, ThoughtSignature: "c2ln"}, llm.Text("I look."),
			llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "read_file", Args: json.RawMessage(`{"file_path":"a.md"}`)}, ThoughtSignature: "c2ln"},
			llm.Part{FunctionCall: &llm.FunctionCall{ID: "2", Name: "read_file", Args: json.RawMessage(`{"file_path":"logo.png"}`)}},
			llm.Part{FunctionCall: &llm.FunctionCall{ID: "3", Name: "now"}}),
		llm.User(
			llm.Part{FunctionResponse: llm.Output("1", "read_file", "# Title\n```\ncode\n```\nResult of read_file:\n")},
			llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "2", Name: "read_file", Response: json.RawMessage(`{"output":"An image."}`), Parts: []llm.Part{{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("png")}}}}},
			llm.Part{FunctionResponse: llm.Failure("3", "now", "The clock is broken.")},
			llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "4", Name: "odd", Response: json.RawMessage(`{"a":1,"output":"x"}`)}},
			llm.Text("And be quick.")),
	}
}

// TestGolden shows all text that is sent to a model.
func TestGolden(t *testing.T) {
	t.Parallel()
	m := &model{answers: [][]*llm.Response{says(llm.FinishStop, "{\"tool_call\": {\"name\": \"now\", \"arguments\": {\"zone\": "), says(llm.FinishStop, "Done.")}}
	req := request(history()...)
	ask(t, wrap(m, texttool.Options{}), req)
	var b strings.Builder
	b.WriteString("SYSTEM\n")
	for _, p := range m.asked[1].Config.SystemInstruction.Parts {
		b.WriteString(p.Text)
	}
	for _, c := range m.asked[1].Contents {
		fmt.Fprintf(&b, "\n%s\n", strings.ToUpper(string(c.Role)))
		for _, p := range c.Parts {
			switch {
			case p.Thought:
				fmt.Fprintf(&b, "(thought: %s)\n", p.Text)
			case p.InlineData != nil:
				fmt.Fprintf(&b, "(%s)\n", p.InlineData.MIMEType)
			default:
				b.WriteString(p.Text + "\n")
			}
		}
	}
	golden := filepath.Join("testdata", "request.golden")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestKept checks that an unchanged message is the same message in each request.
func TestKept(t *testing.T) {
	t.Parallel()
	m := &model{}
	g := texttool.Wrap(m, texttool.Options{})
	req := request(history()...)
	for range 2 {
		if _, err := g.CountTokens(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		// The same tools in new declarations.
		req.Config.Tools = []*llm.ToolSet{{Functions: slices.Clone(req.Config.Tools[0].Functions)}}
		req.Contents = append(slices.Clone(req.Contents), llm.Model(llm.Text("more")))
	}
	if m.asked[0].Config.SystemInstruction != m.asked[1].Config.SystemInstruction {
		t.Error("two instructions")
	}
	for i, c := range m.asked[0].Contents {
		if m.asked[1].Contents[i] != c {
			t.Errorf("message %d was rendered twice", i)
		}
	}
}

// TestForgotten checks that a rendered message is freed with its message.
func TestForgotten(t *testing.T) {
	t.Parallel()
	m := &model{}
	g := texttool.Wrap(m, texttool.Options{})
	gone := make(chan struct{})
	func() {
		req := request(history()...)
		if _, err := g.CountTokens(t.Context(), req); err != nil {
			t.Fatal(err)
		}
		runtime.AddCleanup(m.asked[0].Contents[2], func(struct{}) { close(gone) }, struct{}{})
	}()
	m.asked = nil
	for {
		runtime.GC()
		select {
		case <-gone:
			runtime.KeepAlive(g)
			return
		case <-t.Context().Done():
			t.Fatal("still there")
		default:
			runtime.Gosched()
		}
	}
}

func TestTools(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		change      func(*llm.Config)
		instruction []string // parts of the instruction
		not         []string
		calls       int
		sets        int
	}{
		{name: "any", change: func(c *llm.Config) { c.ToolConfig.Mode = "ANY" }, instruction: []string{"must make a call", "**now**"}, calls: 1},
		{name: "none", change: func(c *llm.Config) { c.ToolConfig.Mode = "none" }, not: []string{"**now**"}},
		{name: "no tools", change: func(c *llm.Config) { c.Tools = nil }, not: []string{"**now**"}},
		{name: "some", change: func(c *llm.Config) { c.ToolConfig.Allowed = []string{"now"} }, instruction: []string{"**now**"}, not: []string{"**read_file**"}, calls: 1},
		{name: "no instruction", change: func(c *llm.Config) { c.SystemInstruction = nil }, instruction: []string{"**now**"}, calls: 1},
		{name: "the vendor's", change: func(c *llm.Config) { c.Tools = []*llm.ToolSet{{GoogleSearch: true}} }, not: []string{"**now**"}, sets: 1},
		{name: "both", change: func(c *llm.Config) {
			c.Tools = append(c.Tools, &llm.ToolSet{GoogleSearch: true, Functions: c.Tools[0].Functions[:1]})
		}, instruction: []string{"**now**"}, calls: 1, sets: 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			m := &model{answers: [][]*llm.Response{says(llm.FinishStop, call)}}
			req := request()
			c.change(&req.Config)
			a := ask(t, wrap(m, texttool.Options{}), req)
			if len(a.Calls) != c.calls || c.calls == 0 && a.Text != call {
				t.Errorf("%d calls, text %q", len(a.Calls), a.Text)
			}
			asked := m.asked[0].Config
			if len(asked.Tools) != c.sets || asked.ToolConfig != nil {
				t.Errorf("tools %+v", asked.Tools)
			}
			for _, s := range asked.Tools {
				if len(s.Functions) > 0 {
					t.Error("functions are sent")
				}
			}
			text := asked.SystemInstruction.Text()
			for _, s := range c.instruction {
				if !strings.Contains(text, s) {
					t.Errorf("the instruction lacks %q", s)
				}
			}
			for _, s := range c.not {
				if strings.Contains(text, s) {
					t.Errorf("the instruction contains %q", s)
				}
			}
		})
	}
}

// TestConformance runs the conformance tests with a model that writes its calls as
// text, over the Gemini protocol.
func TestConformance(t *testing.T) {
	t.Parallel()
	asText := func(r *llm.Response) *llm.Response {
		out := *r
		out.Candidates = slices.Clone(r.Candidates)
		for i, c := range out.Candidates {
			content := llm.Model()
			for _, p := range c.Content.Parts {
				if f := p.FunctionCall; f != nil {
					p = llm.Text(fmt.Sprintf("\n```json\n{\"tool_call\": {\"name\": %q, \"arguments\": %s}}\n```\n", f.Name, f.Args))
				}
				content.Parts = append(content.Parts, p)
			}
			out.Candidates[i].Content = content
		}
		return &out
	}
	llmtest.Run(t, llmtest.Vendor{
		New: func(t *testing.T, url string) llm.Generator {
			g, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: url})
			if err != nil {
				t.Fatal(err)
			}
			return offering{texttool.Wrap(g, texttool.Options{})}
		},
		Stream: func(chunks []*llm.Response) [][]byte {
			var out [][]byte
			for _, c := range chunks {
				out = append(out, fmt.Appendf(nil, "data: %s\n\n", asText(c).AppendJSON(nil)))
			}
			return out
		},
		Answer: func(r *llm.Response) []byte { return asText(r).AppendJSON(nil) },
		Error: func(status int, message string) []byte {
			return fmt.Appendf(nil, `{"error":{"code":%d,"message":%q}}`, status, message)
		},
	})
}

// offering adds tools to each request.
type offering struct{ llm.Generator }

func (o offering) with(req *llm.Request) *llm.Request {
	out := *req
	out.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "read_file"}, {Name: "glob"}, {Name: "ls"}}}}
	return &out
}

func (o offering) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return o.Generator.Stream(ctx, o.with(req))
}

func (o offering) Generate(ctx context.Context, req *llm.Request) (*llm.Response, error) {
	return o.Generator.Generate(ctx, o.with(req))
}

// BenchmarkNextRequest renders one more exchange after a history of 1,000 messages.
func BenchmarkNextRequest(b *testing.B) {
	m := &model{}
	g := texttool.Wrap(m, texttool.Options{})
	req := request()
	for range 250 {
		req.Contents = append(req.Contents, history()[:3]...)
		req.Contents = append(req.Contents, llm.Model(llm.Text("Done.")))
	}
	if _, err := g.CountTokens(b.Context(), req); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		m.asked = m.asked[:0]
		next := *req
		next.Contents = append(slices.Clip(req.Contents), history()[1:3]...)
		if _, err := g.CountTokens(b.Context(), &next); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkStream parses chunks of text.
func BenchmarkStream(b *testing.B) {
	chunks := make([]string, 1000)
	for i := range chunks {
		chunks[i] = " and so on"
	}
	answer := says(llm.FinishStop, chunks...)
	m := &model{}
	g := texttool.Wrap(m, texttool.Options{})
	req := request()
	b.ReportAllocs()
	for b.Loop() {
		m.answers, m.asked = [][]*llm.Response{answer}, m.asked[:0]
		for _, err := range g.Stream(b.Context(), req) {
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/chunk")
}

func ExampleWrap() {
	var small llm.Generator = &model{answers: [][]*llm.Response{says(llm.FinishStop, "I look.\n", call)}}
	g := texttool.Wrap(small, texttool.Options{})
	r, err := g.Generate(context.Background(), request())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Text())
	for _, c := range r.Candidates[0].Content.FunctionCalls() {
		fmt.Println(c.Name, string(c.Args))
	}
	// Output:
	// I look.
	// read_file {"file_path":"/a"}
}
