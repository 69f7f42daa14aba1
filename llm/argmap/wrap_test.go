package argmap_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"pollux/llm"
	"pollux/llm/argmap"
	"pollux/llm/llmtest"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	answer := &llm.Response{Candidates: []llm.Candidate{{FinishReason: llm.FinishStop, Content: llm.Model(
		llm.Text("I write."),
		llm.Part{FunctionCall: &llm.FunctionCall{Name: "write_file", Args: json.RawMessage(`{"path":"a"}`)}, ThoughtSignature: "c2ln"},
		llm.Part{FunctionCall: &llm.FunctionCall{Name: "unknown", Args: json.RawMessage(`{"path":"a"}`)}},
	)}}}
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "data: %s\n\n", answer.AppendJSON(nil))
	}))
	t.Cleanup(s.Close)
	req := llmtest.Prompt("hello")
	req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{*declared("write_file", "file_path")}}}
	var a llmtest.Answer
	for chunk, err := range wrapped(t, s.URL).Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		a.Add(chunk)
		if got := chunk.Parts()[1].ThoughtSignature; got != "c2ln" {
			t.Errorf("signature %q", got)
		}
	}
	if a.Text != "I write." || len(a.Calls) != 2 || string(a.Calls[0].Args) != `{"file_path":"/top/a"}` || string(a.Calls[1].Args) != `{"path":"a"}` {
		t.Errorf("text %q, calls %s %s", a.Text, a.Calls[0].Args, a.Calls[1].Args)
	}
}

// canned is a generator that always returns the same response.
type canned struct {
	llm.Generator
	answer *llm.Response
}

func (c canned) Generate(context.Context, *llm.Request) (*llm.Response, error) {
	return c.answer, nil
}

// TestNamesByModel checks that each model has its own names, which are looked up once.
func TestNamesByModel(t *testing.T) {
	t.Parallel()
	asked := map[string]int{}
	g := argmap.Wrap(canned{answer: &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(
		llm.Part{FunctionCall: &llm.FunctionCall{Name: "write_file", Args: json.RawMessage(`{"path":"/a","where":"/b"}`)}},
	)}}}}, func(model string) argmap.Names {
		asked[model]++
		switch model {
		case "paths":
			return argmap.Names{"write_file": {"path": "file_path"}}
		case "places":
			return argmap.Names{"write_file": {"where": "file_path"}}
		}
		return nil
	}, "")
	for range 2 {
		for model, want := range map[string]string{
			"paths":  `{"file_path":"/a","where":"/b"}`,
			"places": `{"path":"/a","file_path":"/b"}`,
			"none":   `{"path":"/a","where":"/b"}`,
		} {
			req := &llm.Request{Model: model}
			req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{*declared("write_file", "file_path")}}}
			r, err := g.Generate(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if got := string(r.Parts()[0].FunctionCall.Args); got != want {
				t.Errorf("%s: %s, want %s", model, got, want)
			}
		}
	}
	for model, n := range asked {
		if n != 1 {
			t.Errorf("the names of %s were looked up %d times", model, n)
		}
	}
}
