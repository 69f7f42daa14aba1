package gemini_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/gemini"
)

// TestLessons checks that the client omits a setting after the service has refused
// it, and logs that.
func TestLessons(t *testing.T) {
	t.Parallel()
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body := string(data)
		bodies = append(bodies, body)
		message := ""
		switch {
		case strings.Contains(body, "systemInstruction"):
			message = "Developer instruction is not enabled for models/gemma-3-27b-it"
		case strings.Contains(body, "thinkingConfig"):
			message = "Thinking is not enabled for this model"
		}
		w.Header().Set("Content-Type", "application/json")
		if message != "" {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"code":400,"message":"`+message+`","status":"INVALID_ARGUMENT"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP"}]}`)
	}))
	defer server.Close()
	var logged []string
	c, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL, Log: func(m string) { logged = append(logged, m) }})
	if err != nil {
		t.Fatal(err)
	}
	req := &llm.Request{Model: "gemma-3-27b-it", Contents: []*llm.Content{llm.User(llm.Text("hi"))}}
	req.Config.SystemInstruction = llm.User(llm.Text("Be good."))
	req.Config.Thinking = &llm.Thinking{IncludeThoughts: true}
	for range 2 {
		r, err := c.Generate(t.Context(), req)
		if err != nil || r.Text() != "ok" {
			t.Fatal(r, err)
		}
	}
	if len(bodies) != 4 { // two refusals, two answers
		t.Fatalf("%d requests", len(bodies))
	}
	if want := `{"contents":[{"role":"user","parts":[{"text":"Be good."},{"text":"hi"}]}]}`; bodies[2] != want || bodies[3] != want {
		t.Errorf("sent %s, then %s", bodies[2], bodies[3])
	}
	if len(logged) != 2 || !strings.Contains(logged[0], "the system instruction goes into the first message") {
		t.Errorf("logged %q", logged)
	}
}

// TestNamedTool checks that a refusal with the number of a tool has its name, too.
func TestNamedTool(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"* GenerateContentRequest.tools[1].function_declarations[1].parameters.properties: should be non-empty for OBJECT type": "OBJECT type. This is about the tool mcp_db_query",
		"Invalid value at 'tools[0].functionDeclarations[0].parameters'.":                                                       "parameters'. This is about the tool glob",
		"* GenerateContentRequest.tools[1].function_declarations[7].name: invalid":                                              "name: invalid",
		"* GenerateContentRequest.contents: empty":                                                                              "contents: empty",
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"code":400,"message":"`+message+`","status":"INVALID_ARGUMENT"}}`)
		}))
		defer server.Close()
		c, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		req := &llm.Request{Model: "gemini-2.5-pro", Contents: []*llm.Content{llm.User(llm.Text("hi"))}}
		req.Config.Tools = []*llm.ToolSet{
			{Functions: []llm.FunctionDeclaration{{Name: "glob"}}},
			{},
			{Functions: []llm.FunctionDeclaration{{Name: "mcp_db_read"}, {Name: "mcp_db_query"}}},
		}
		if _, err := c.Generate(t.Context(), req); err == nil || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
