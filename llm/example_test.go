package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"time"

	"pollux/llm"
)

// parrot is a model that says the last message again, a word at a time.
type parrot struct{ llm.Generator }

func (parrot) Stream(_ context.Context, req *llm.Request) iter.Seq2[*llm.Response, error] {
	return func(yield func(*llm.Response, error) bool) {
		for _, part := range req.Contents[len(req.Contents)-1].Parts {
			chunk := &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(part)}}}
			if !yield(chunk, nil) {
				return
			}
		}
		yield(nil, &llm.Error{Kind: llm.KindRateLimit, Status: 429, Message: "too chatty", RetryAfter: 2 * time.Second})
	}
}

func ExampleGenerator() {
	var model llm.Generator = parrot{}
	req := &llm.Request{Model: "parrot-1", Contents: []*llm.Content{llm.User(llm.Text("hello "), llm.Text("there"))}}
	for chunk, err := range model.Stream(context.Background(), req) {
		var e *llm.Error
		if errors.As(err, &e) {
			fmt.Printf("\n%s; again in %v: %v\n", e, e.RetryAfter, e.Retryable())
			break
		}
		fmt.Print(chunk.Text())
	}
	// Output:
	// hello there
	// too chatty; again in 2s: true
}

func ExampleContent() {
	// A model's message with a thought, a text and a call, as a journal has it.
	line := `{"role":"model","parts":[{"text":"Which file?","thought":true},{"text":"I look."},{"functionCall":{"id":"1","name":"ls","args":{"dir":"."}}}]}`
	var c llm.Content
	if err := json.Unmarshal([]byte(line), &c); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(c.Text())
	for _, call := range c.FunctionCalls() {
		fmt.Println(call.Name, string(call.Args))
		answer := llm.User(llm.Part{FunctionResponse: llm.Output(call.ID, call.Name, "a.go\nb.go")})
		fmt.Println(string(answer.AppendJSON(nil)))
	}
	// Output:
	// I look.
	// ls {"dir":"."}
	// {"role":"user","parts":[{"functionResponse":{"id":"1","name":"ls","response":{"output":"a.go\nb.go"}}}]}
}

func ExampleContent_Encoded() {
	// An adapter encodes a message once, however often it is sent.
	encode := func(dst []byte, c *llm.Content) []byte {
		fmt.Println("encoding")
		return append(dst, c.Text()...)
	}
	c := llm.User(llm.Text("hello"))
	for range 3 {
		fmt.Println(string(c.Encoded("example", encode)))
	}
	// Output:
	// encoding
	// hello
	// hello
	// hello
}

func ExampleFinishReason_Note() {
	fmt.Println(llm.FinishMaxTokens.Note())
	// Output: Response truncated due to token limits.
}
