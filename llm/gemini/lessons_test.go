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

// TestLessons: what a model does not take is left out, once it has been refused,
// and that is told.
func TestLessons(t *testing.T) {
	t.Parallel()
	var bodies []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		data, _ := io.ReadAll(r.Body)
		body := string(data)
		bodies = append(bodies, body)
		refused := ""
		switch {
		case strings.Contains(body, "systemInstruction"):
			refused = "Developer instruction is not enabled for models/gemma-3-27b-it"
		case strings.Contains(body, "thinkingConfig"):
			refused = "Thinking is not enabled for this model"
		}
		w.Header().Set("Content-Type", "application/json")
		if refused != "" {
			w.WriteHeader(400)
			_, _ = io.WriteString(w, `{"error":{"code":400,"message":"`+refused+`","status":"INVALID_ARGUMENT"}}`)
			return
		}
		_, _ = io.WriteString(w, `{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]},"finishReason":"STOP"}]}`)
	}))
	defer server.Close()
	var told []string
	c, err := gemini.New(gemini.Options{APIKey: "k", BaseURL: server.URL, Log: func(m string) { told = append(told, m) }})
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
	if len(told) != 2 || !strings.Contains(told[0], "the system instruction goes into the first message") {
		t.Errorf("told %q", told)
	}
}
