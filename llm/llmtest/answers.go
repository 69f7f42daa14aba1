package llmtest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"testing"

	"pollux/llm"
)

func testText(t *testing.T, v Vendor) {
	s := serve(t, v.streams(v.Stream([]*llm.Response{
		chunk("", llm.Text("Grüße, ")),
		chunk("", llm.Text("\"two\"\nlines and 🦆")),
		chunk(llm.FinishStop, llm.Text("!")),
	})))
	a := Ask(t, v.New(t, s.URL), "hello")
	if want := "Grüße, \"two\"\nlines and 🦆!"; a.Text != want {
		t.Errorf("text %q, want %q", a.Text, want)
	}
	if a.Finish != llm.FinishStop {
		t.Errorf("finish reason %q", a.Finish)
	}
	if a.Chunks < 3 {
		t.Errorf("%d chunks: they must come as they are sent", a.Chunks)
	}
}

func testThoughts(t *testing.T, v Vendor) {
	s := serve(t, v.streams(v.Stream([]*llm.Response{
		chunk("", llm.Part{Text: "Let me see. ", Thought: true}),
		chunk("", llm.Part{Text: "Yes.", Thought: true}),
		chunk(llm.FinishStop, llm.Text("42")),
	})))
	a := Ask(t, v.New(t, s.URL), "hello")
	if a.Thoughts != "Let me see. Yes." || a.Text != "42" {
		t.Errorf("thoughts %q, text %q", a.Thoughts, a.Text)
	}
}

func testCall(t *testing.T, v Vendor) {
	const args = `{"path":"a b.go","n":12345678901234567890,"deep":{"list":[1,"two",null,true]},"empty":""}`
	s := serve(t, v.streams(v.Stream([]*llm.Response{
		chunk("", llm.Text("I look.")),
		chunk(llm.FinishStop, llm.Part{FunctionCall: &llm.FunctionCall{ID: "c1", Name: "read_file", Args: json.RawMessage(args)}}),
	})))
	a := Ask(t, v.New(t, s.URL), "hello")
	if len(a.Calls) != 1 || a.Calls[0].Name != "read_file" || !sameJSON(a.Calls[0].Args, []byte(args)) {
		t.Errorf("calls %s", show(a.Calls))
	}
	if a.Text != "I look." {
		t.Errorf("text %q", a.Text)
	}
}

func testParallelCalls(t *testing.T, v Vendor) {
	var parts []llm.Part
	for i := range 3 {
		parts = append(parts, llm.Part{FunctionCall: &llm.FunctionCall{
			ID: fmt.Sprint("c", i), Name: "glob", Args: json.RawMessage(fmt.Sprintf(`{"i":%d}`, i)),
		}})
	}
	s := serve(t, v.streams(v.Stream([]*llm.Response{chunk("", parts[:2]...), chunk(llm.FinishStop, parts[2])})))
	a := Ask(t, v.New(t, s.URL), "hello")
	if len(a.Calls) != 3 {
		t.Fatalf("calls %s", show(a.Calls))
	}
	ids := map[string]bool{}
	for i, c := range a.Calls {
		ids[c.ID] = true
		if c.Name != "glob" || !sameJSON(c.Args, fmt.Appendf(nil, `{"i":%d}`, i)) {
			t.Errorf("call %d is %s", i, show(c))
		}
	}
	if len(ids) != 3 && !ids[""] {
		t.Errorf("ids are not distinct: %v", ids)
	}
}

func testUsage(t *testing.T, v Vendor) {
	last := chunk(llm.FinishStop, llm.Text("b"))
	last.Usage = &llm.Usage{Prompt: 100, Candidates: 20, Total: 120}
	s := serve(t, v.streams(v.Stream([]*llm.Response{chunk("", llm.Text("a")), last})))
	a := Ask(t, v.New(t, s.URL), "hello")
	if a.Usage == nil || a.Usage.Prompt != 100 || a.Usage.Candidates != 20 || a.Usage.Total != 120 {
		t.Errorf("usage %+v", a.Usage)
	}
}

func testFinish(t *testing.T, v Vendor) {
	for _, reason := range []llm.FinishReason{llm.FinishStop, llm.FinishMaxTokens, llm.FinishSafety} {
		s := serve(t, v.streams(v.Stream([]*llm.Response{chunk(reason, llm.Text("a"))})))
		if a := Ask(t, v.New(t, s.URL), "hello"); a.Finish != reason {
			t.Errorf("finish reason %q, want %q", a.Finish, reason)
		}
	}
}

func testGenerate(t *testing.T, v Vendor) {
	whole := chunk(llm.FinishStop, llm.Text("all at once"))
	whole.Usage = &llm.Usage{Prompt: 7, Candidates: 3, Total: 10}
	s := serve(t, v.streams([][]byte{v.Answer(whole)}))
	r, err := v.New(t, s.URL).Generate(t.Context(), Prompt("hello"))
	if err != nil {
		t.Fatal(err)
	}
	if r.Text() != "all at once" || r.FinishReason() != llm.FinishStop || r.Usage == nil || r.Usage.Total != 10 {
		t.Errorf("answer %s", show(r))
	}
}

// testRequestUnchanged checks that a generator does not change the request, which the
// caller may send again.
func testRequestUnchanged(t *testing.T, v Vendor) {
	s := serve(t, v.streams(v.Stream([]*llm.Response{chunk(llm.FinishStop, llm.Text("a"))})))
	req := Prompt("hello")
	req.Contents = append(req.Contents,
		llm.Model(llm.Part{Text: "hm", Thought: true}, llm.Part{FunctionCall: &llm.FunctionCall{ID: "ls__1", Name: "ls"}}),
		llm.User(llm.Part{FunctionResponse: llm.Output("ls__1", "ls", "files")}),
	)
	req.Config.SystemInstruction = llm.User(llm.Text("be brief"))
	before := show(req.Contents)
	g := v.New(t, s.URL)
	for range 2 {
		for _, err := range g.Stream(t.Context(), req) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	if after := show(req.Contents); after != before {
		t.Errorf("the request changed\nfrom %s\nto   %s", before, after)
	}
}

func testConcurrent(t *testing.T, v Vendor) {
	s := serve(t, v.streams(v.Stream([]*llm.Response{chunk("", llm.Text("a")), chunk(llm.FinishStop, llm.Text("b"))})))
	g := v.New(t, s.URL)
	req := Prompt("hello") // shared by all goroutines
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			var a Answer
			for chunk, err := range g.Stream(t.Context(), req) {
				if err != nil {
					t.Errorf("stream: %v", err)
					return
				}
				a.Add(chunk)
			}
			if a.Text != "ab" {
				t.Errorf("text %q", a.Text)
			}
		})
	}
	wg.Wait()
}

// sameJSON reports whether two JSON values are equal. It compares numbers digit by
// digit.
func sameJSON(a, b []byte) bool {
	var x, y any
	for data, to := range map[*[]byte]*any{&a: &x, &b: &y} {
		d := json.NewDecoder(bytes.NewReader(*data))
		d.UseNumber()
		if d.Decode(to) != nil {
			return false
		}
	}
	return reflect.DeepEqual(x, y)
}

func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	return string(data)
}
