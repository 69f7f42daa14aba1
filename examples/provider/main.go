// Command provider runs the agent with a model of its own. This model needs no key and no
// network: it counts the entries of the directory.
//
//	go run ./examples/provider
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log"
	"strings"

	"pollux"
	"pollux/agent"
	"pollux/llm"
)

// counter is the model. Each method gets the whole conversation in the request.
type counter struct{}

var _ llm.Generator = counter{}

// Stream yields the response in pieces, as they arrive; the last one has a FinishReason. A failed
// request yields an [llm.Error], whose kind determines whether Pollux sends it again.
func (c counter) Stream(ctx context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) { yield(c.Generate(ctx, req)) }
}

// Generate calls a tool if the last message is a prompt, and answers if it is a result.
func (counter) Generate(_ context.Context, req *llm.Request) (*llm.Response, error) {
	last := req.Contents[len(req.Contents)-1]
	if !last.HasFunctionResponse() {
		return response(llm.Part{FunctionCall: &llm.FunctionCall{
			ID: "1", Name: "list_directory", Args: json.RawMessage(`{"dir_path": "."}`),
		}}), nil
	}
	var result struct{ Output, Error string }
	if err := json.Unmarshal(last.Parts[0].FunctionResponse.Response, &result); err != nil {
		return nil, err
	}
	if result.Error != "" {
		return response(llm.Text("I cannot tell: " + result.Error)), nil
	}
	return response(llm.Text(fmt.Sprintf("The listing has %d lines.", strings.Count(result.Output, "\n")+1))), nil
}

func response(part llm.Part) *llm.Response {
	return &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(part), FinishReason: llm.FinishStop}}}
}

// CountTokens returns the size of the messages in tokens.
func (counter) CountTokens(_ context.Context, req *llm.Request) (int, error) {
	n := 0
	for _, c := range req.Contents {
		n += c.Tokens()
	}
	return n, nil
}

// Embed computes embeddings for tools that search by meaning. No built-in tool needs it.
func (counter) Embed(context.Context, string, []string) ([][]float32, error) {
	return nil, errors.ErrUnsupported
}

func main() {
	ctx := context.Background()
	a, err := pollux.New(ctx, pollux.Options{Model: "counter", Generator: counter{}})
	if err != nil {
		log.Fatal(err)
	}
	defer a.Close()
	for event, err := range a.Run(ctx, pollux.Prompt{Text: "How large is this directory?"}) {
		if err != nil {
			log.Print(err)
			return
		}
		if e, ok := event.(agent.Text); ok {
			fmt.Println(e.Text)
		}
	}
}
