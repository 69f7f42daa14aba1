package mcptest

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pollux/internal/crash"
)

// addAsking adds tools that ask for something themselves: a person, or a model. Results are the answers as
// JSON, or the error.
func addAsking(s *sdk.Server) {
	form := `{"type":"object","properties":{"schema":{"type":"object"},"message":{"type":"string"},"times":{"type":"integer"}}}`
	s.AddTool(&sdk.Tool{Name: "ask", Description: "Asks a person", InputSchema: json.RawMessage(form)}, ask)
	s.AddTool(&sdk.Tool{Name: "page", Description: "Offers a page", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			var a struct{ URL string }
			_ = json.Unmarshal(r.Params.Arguments, &a)
			got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Mode: "url", Message: "Sign in", URL: a.URL, ElicitationID: "1"})
			return said(got, err), nil
		})
	s.AddTool(&sdk.Tool{Name: "sample", Description: "Asks the model", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			//lint:ignore SA1019 clients of today have samples
			got, err := r.Session.CreateMessage(ctx, &sdk.CreateMessageParams{
				SystemPrompt: "Be short.", MaxTokens: 1_000_000, IncludeContext: "allServers",
				//lint:ignore SA1019 clients of today have samples
				Messages: []*sdk.SamplingMessage{{Role: "user", Content: &sdk.TextContent{Text: "What is the capital of Peru?"}}},
			})
			return said(got, err), nil
		})
	s.AddTool(&sdk.Tool{Name: "later", Description: "Asks a person after the call", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(_ context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
			go func() {
				defer crash.Recover()
				time.Sleep(50 * time.Millisecond)
				_, _ = r.Session.Elicit(context.Background(), &sdk.ElicitParams{Message: "Now?", RequestedSchema: json.RawMessage(`{"type":"object","properties":{}}`)})
			}()
			return text("ok"), nil
		})
}

// ask asks a person the given number of times at once, and returns the answers.
func ask(ctx context.Context, r *sdk.CallToolRequest) (*sdk.CallToolResult, error) {
	var a struct {
		Schema  json.RawMessage
		Message string
		Times   int
	}
	_ = json.Unmarshal(r.Params.Arguments, &a)
	results := make([]*sdk.CallToolResult, max(a.Times, 1))
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			defer crash.Recover()
			got, err := r.Session.Elicit(ctx, &sdk.ElicitParams{Message: a.Message, RequestedSchema: a.Schema})
			results[i] = said(got, err)
		})
	}
	all.Wait()
	var whole sdk.CallToolResult
	for _, one := range results {
		whole.Content = append(whole.Content, one.Content...)
	}
	return &whole, nil
}

func said(got any, err error) *sdk.CallToolResult {
	if err != nil {
		return text(fmt.Sprintf("error: %v", err))
	}
	b, _ := json.Marshal(got)
	return text(string(b))
}
