//go:build sdk

package openai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"pollux/llm/llmtest"
	"pollux/llm/openai"
)

// TestSDKAgrees checks that OpenAI's SDK and this package decode the same
// stream alike.
func TestSDKAgrees(t *testing.T) {
	t.Parallel()
	var stream strings.Builder
	for _, c := range []string{
		`{"index":0,"delta":{"role":"assistant","content":"I "},"finish_reason":null}`, `{"index":0,"delta":{"content":"look."},"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","type":"function","function":{"name":"ls","arguments":""}}]},"finish_reason":null}`,
		`{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{\"a\":"}}]},"finish_reason":null}`, `{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"[1]}"}}]},"finish_reason":null}`,
		`{"index":0,"delta":{},"finish_reason":"tool_calls"}`, ``,
	} {
		usage := "null"
		if c == "" {
			usage = `{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}`
		}
		fmt.Fprintf(&stream, "data: {\"id\":\"i\",\"object\":\"chat.completion.chunk\",\"created\":1,\"model\":\"m\",\"choices\":[%s],\"usage\":%s}\n\n", c, usage)
	}
	stream.WriteString("data: [DONE]\n\n")
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream.String())
	}))
	t.Cleanup(s.Close)
	ours := llmtest.Ask(t, newClient(t, openai.Options{BaseURL: s.URL}), "hello")

	client := sdk.NewClient(option.WithBaseURL(s.URL+"/v1"), option.WithAPIKey("k"))
	theirs := client.Chat.Completions.NewStreaming(t.Context(), sdk.ChatCompletionNewParams{Model: "m", Messages: []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage("hello")}})
	var acc sdk.ChatCompletionAccumulator
	for theirs.Next() {
		acc.AddChunk(theirs.Current())
	}
	if err := theirs.Err(); err != nil {
		t.Fatal(err)
	}
	m := acc.Choices[0].Message
	if ours.Text != m.Content || len(ours.Calls) != 1 || ours.Calls[0].ID != m.ToolCalls[0].ID || string(ours.Calls[0].Args) != m.ToolCalls[0].Function.Arguments || ours.Usage.Total != int(acc.Usage.TotalTokens) {
		t.Errorf("understood %+v, the SDK %+v", ours, acc)
	}
}
