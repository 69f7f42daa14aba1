package pollux_test

import (
	"context"
	"fmt"
	"iter"
	"os"
	"path/filepath"

	"pollux"
	"pollux/agent"
	"pollux/llm"
)

// clerk is a scripted model: it calls read_file, then answers with the result.
type clerk struct{ llm.Generator }

func (clerk) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	last := req.Contents[len(req.Contents)-1]
	part := llm.Part{FunctionCall: &llm.FunctionCall{ID: "1", Name: "read_file", Args: []byte(`{"file_path":"note.txt"}`)}}
	if last.HasFunctionResponse() {
		part = llm.Text("The note says: " + string(last.Parts[0].FunctionResponse.Response))
	}
	return func(yield func(*llm.Response, error) bool) {
		yield(&llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(part), FinishReason: llm.FinishStop}}}, nil)
	}
}

// A program runs the agent with a model of its own, which reads a file.
func Example() {
	ctx := context.Background()
	dir, _ := os.MkdirTemp("", "pollux-example-")
	defer os.RemoveAll(dir)
	_ = os.WriteFile(filepath.Join(dir, "note.txt"), []byte("buy milk"), 0o600)

	a, err := pollux.New(ctx, pollux.Options{Dir: dir, Home: dir, Model: "clerk-1", Generator: clerk{}})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()
	for event, err := range a.Run(ctx, pollux.Prompt{Text: "What does my note say?"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		switch e := event.(type) {
		case agent.ToolFinished:
			fmt.Println(e.Call.Name, e.Status)
		case agent.Text:
			fmt.Println(e.Text)
		}
	}
	// Output:
	// read_file success
	// The note says: {"output":"buy milk"}
}
