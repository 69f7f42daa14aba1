package argmap_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"pollux/llm"
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
	if a.Text != "I write." || len(a.Calls) != 2 || string(a.Calls[0].Args) != `{"file_path":"/root/a"}` || string(a.Calls[1].Args) != `{"path":"a"}` {
		t.Errorf("text %q, calls %s %s", a.Text, a.Calls[0].Args, a.Calls[1].Args)
	}
}
