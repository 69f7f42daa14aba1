//go:build sdk

package gemini_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"testing"

	"google.golang.org/genai"

	"pollux/llm"
	"pollux/llm/llmtest"
)

// TestSDKAgrees sends the same requests with the vendor's SDK and with the client,
// and compares the requests and the decoded responses.
func TestSDKAgrees(t *testing.T) {
	t.Parallel()
	s, last := listen(t, "data: "+hello+"\r\n\r\ndata: "+
		`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"id":"1","name":"ls","args":{"a":[1]}},"thoughtSignature":"c2ln"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":3,"totalTokenCount":5}}`+"\r\n\r\n")
	sdk, err := genai.NewClient(t.Context(), &genai.ClientConfig{
		APIKey: "k", Backend: genai.BackendGeminiAPI, HTTPOptions: genai.HTTPOptions{BaseURL: s.URL},
	})
	if err != nil {
		t.Fatal(err)
	}
	req := request("gemini-2.5-pro")
	req.Contents = append(req.Contents,
		llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: "ls__7", Name: "ls", Args: []byte(`{"dir":"."}`)}, ThoughtSignature: "c2ln"}),
		llm.User(llm.Part{FunctionResponse: llm.Output("ls__7", "ls", "a.go")}))
	req.Config = llm.Config{
		SystemInstruction: llm.User(llm.Text("Be brief.")), Temperature: new(0.5), MaxOutputTokens: 9,
		Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls", Description: "d", Parameters: []byte(`{"type":"object"}`)}}}},
	}
	var ours llmtest.Answer
	for chunk, err := range newClient(t, s.URL).Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		ours.Add(chunk)
	}
	sent := *last

	var text, calls string
	var total int32
	for chunk, err := range sdk.Models.GenerateContentStream(t.Context(), "gemini-2.5-pro", []*genai.Content{
		genai.NewContentFromText("hello", genai.RoleUser),
		{Role: "model", Parts: []*genai.Part{{FunctionCall: &genai.FunctionCall{ID: "7", Name: "ls", Args: map[string]any{"dir": "."}}, ThoughtSignature: []byte("sig")}}},
		{Role: "user", Parts: []*genai.Part{{FunctionResponse: &genai.FunctionResponse{ID: "7", Name: "ls", Response: map[string]any{"output": "a.go"}}}}},
	}, &genai.GenerateContentConfig{
		SystemInstruction: genai.NewContentFromText("Be brief.", genai.RoleUser), Temperature: genai.Ptr[float32](0.5), MaxOutputTokens: 9,
		Tools: []*genai.Tool{{FunctionDeclarations: []*genai.FunctionDeclaration{{Name: "ls", Description: "d", ParametersJsonSchema: map[string]any{"type": "object"}}}}},
	}) {
		if err != nil {
			t.Fatal(err)
		}
		text += chunk.Text()
		for _, c := range chunk.FunctionCalls() {
			calls += c.ID + c.Name
		}
		if chunk.UsageMetadata != nil {
			total = chunk.UsageMetadata.TotalTokenCount
		}
	}
	if ours.Text != text || len(ours.Calls) != 1 || ours.Calls[0].ID+ours.Calls[0].Name != calls || ours.Usage.Total != int(total) {
		t.Errorf("understood %+v, the SDK %q %q %d", ours, text, calls, total)
	}
	if sent.path != last.path || sent.query != last.query {
		t.Errorf("asked %s?%s, the SDK %s?%s", sent.path, sent.query, last.path, last.query)
	}
	for _, k := range []string{"X-Goog-Api-Key", "Content-Type"} {
		if (sent.header.Get(k) == "") != (last.header.Get(k) == "") {
			t.Errorf("%s: %q, the SDK %q", k, sent.header.Get(k), last.header.Get(k))
		}
	}
	var a, b any
	if err := errors.Join(json.Unmarshal([]byte(sent.body), &a), json.Unmarshal([]byte(last.body), &b)); err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(a, b) {
		t.Errorf("sent     %s\nthe SDK: %s", sent.body, last.body)
	}
}
