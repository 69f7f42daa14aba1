package hook

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/llm"
)

func sampleRequest() *llm.Request {
	return &llm.Request{
		Model: "m1",
		Contents: []*llm.Content{
			llm.User(llm.Text("one "), llm.Text("two")),
			llm.Model(llm.Part{Text: "hm", Thought: true}, llm.Text("<answer>"), llm.Part{FunctionCall: &llm.FunctionCall{ID: "c", Name: "look"}}),
			llm.User(llm.Part{FunctionResponse: llm.Output("c", "look", "x")}),
			llm.User(llm.Text("three")),
		},
		Config: llm.Config{Temperature: new(1.0), TopP: new(0.95), MaxOutputTokens: 100},
	}
}

func TestEncodeRequest(t *testing.T) {
	t.Parallel()
	const want = `{"model":"m1","messages":[{"role":"user","content":"one two"},{"role":"model","content":"hm<answer>"},{"role":"user","content":"three"}],` +
		`"config":{"temperature":1,"topP":0.95,"maxOutputTokens":100}}`
	if got := string(encode(encodeRequest(sampleRequest()))); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if got := string(encode(encodeRequest(&llm.Request{Model: "m"}))); got != `{"model":"m","messages":[],"config":{}}` {
		t.Error(got)
	}
}

func TestApplyRequest(t *testing.T) {
	t.Parallel()
	shape := func(r *llm.Request) string {
		text := r.Model
		for _, c := range r.Contents {
			text += " | " + string(c.Role) + ":"
			for _, p := range c.Parts {
				switch {
				case p.FunctionCall != nil:
					text += " call"
				case p.FunctionResponse != nil:
					text += " response"
				default:
					text += " " + p.Text
				}
			}
		}
		return text
	}
	for _, tt := range []struct{ change, want string }{
		{`{}`, "m1 | user: one  two | model: hm <answer> call | user: response | user: three"},
		{`{"model":"other"}`, "other! | user: one  two | model: hm <answer> call | user: response | user: three"},
		{`{"messages":[{"content":"uno"}]}`, "m1 | user: uno | model: hm <answer> call | user: response | user: three"},
		{
			`{"messages":[{"content":"one two"},{"content":"si"},{"content":"tres"},{"role":"model","content":"more"},{"role":"system","content":"rule"}]}`,
			"m1 | user: one  two | model: si call | user: response | user: tres | model: more | user: rule",
		},
		{`{"messages":null,"model":7,"config":[]}`, "m1 | user: one  two | model: hm <answer> call | user: response | user: three"},
	} {
		var change Output
		if err := json.Unmarshal([]byte(tt.change), &change); err != nil {
			t.Fatal(err)
		}
		req := sampleRequest()
		before := req.Contents
		err := applyRequest(req, change, func(r *llm.Request, model string) error { r.Model = model + "!"; return nil })
		if err != nil {
			t.Errorf("%s: %v", tt.change, err)
		}
		if got := shape(req); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.change, got, tt.want)
		}
		if diff := cmp.Diff(shape(sampleRequest()), shape(&llm.Request{Model: "m1", Contents: before})); diff != "" {
			t.Errorf("%s changes the history: %s", tt.change, diff)
		}
	}
	req := sampleRequest()
	var change Output
	_ = json.Unmarshal([]byte(`{"config":{"topK":5,"maxOutputTokens":9,"other":1}}`), &change)
	if err := applyRequest(req, change, nil); err != nil {
		t.Error(err)
	}
	c := req.Config
	if c.Temperature != nil || c.TopP != nil || c.TopK == nil || *c.TopK != 5 || c.MaxOutputTokens != 9 {
		t.Errorf("config %+v", c)
	}
}

// TestInvalidRequests checks that a change is refused after which services would refuse the request.
func TestInvalidRequests(t *testing.T) {
	t.Parallel()
	for change, want := range map[string]string{
		`{"messages":[]}`:               "no message is left",
		`{"messages":[{"content":""}]}`: "the message of turn 1, of the role user, is empty",
		`{"messages":[{"content":"a"},{"content":"b"},{"content":"c"},{"role":"model","content":"more"}]}`: "the last message has the role model",
		`{"messages":[{"content":"a"},{"content":"b"},{"content":"c"},{"role":"user","content":" "}]}`:     "",
		`{"messages":[{"content":"a"},{"content":""},{"content":"c"}]}`:                                    "", // its call stays
		`{"messages":[{"role":"model","content":"a"},{"content":"b"},{"content":"c"}]}`:                    "the first message has the role model",
	} {
		var c Output
		if err := json.Unmarshal([]byte(change), &c); err != nil {
			t.Fatal(err)
		}
		req := sampleRequest()
		before := req.Contents
		switch err := applyRequest(req, c, nil); {
		case (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want):
			t.Errorf("%s: error %v, want %q", change, err, want)
		case err != nil && &req.Contents[0] != &before[0]:
			t.Errorf("%s: the request has changed", change)
		}
	}
	results := []*llm.Content{llm.User(llm.Text("a")), llm.Model(llm.Text("b")), llm.User(llm.Part{FunctionResponse: llm.Output("c", "look", "x")})}
	if got := findDefect(results); !strings.Contains(got, "result of a call that is missing") {
		t.Errorf("a result without a call: %q", got)
	}
}

func TestResponses(t *testing.T) {
	t.Parallel()
	chunk := &llm.Response{
		Candidates: []llm.Candidate{{
			Content:      llm.Model(llm.Part{Text: "hm", Thought: true}, llm.Text("yes"), llm.Part{FunctionCall: &llm.FunctionCall{Name: "look"}}),
			FinishReason: llm.FinishStop,
		}},
		Usage: &llm.Usage{Prompt: 1, Candidates: 2, Total: 3},
	}
	const want = `{"text":"yes","candidates":[{"content":{"role":"model","parts":["hm","yes"]},"finishReason":"STOP","index":0}],` +
		`"usageMetadata":{"promptTokenCount":1,"candidatesTokenCount":2,"totalTokenCount":3}}`
	if got := string(encode(encodeResponse(chunk))); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	call := &llm.Response{Candidates: []llm.Candidate{{Content: llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{Name: "look"}})}}}
	if got := string(encode(encodeResponse(call))); got != `{"text":"","candidates":[{"content":{"role":"model","parts":[]},"index":0}]}` {
		t.Error(got)
	}
	if got := string(encode(encodeResponse(&llm.Response{Usage: chunk.Usage}))); !strings.HasPrefix(got, `{"candidates":[],"usageMetadata"`) {
		t.Errorf("a chunk without parts: %s", got)
	}

	decode := func(text string, chunk *llm.Response) *llm.Response {
		var o Output
		_ = json.Unmarshal([]byte(text), &o)
		return decodeResponse(o, chunk)
	}
	for _, text := range []string{`{}`, `{"candidates":[]}`, `{"candidates":[{"content":{"parts":[]}}]}`, `{"candidates":[{"content":{"parts":[1]}}]}`, `{"candidates":"x"}`} {
		if r := decode(text, chunk); r != nil {
			t.Errorf("%s is read as %+v", text, r)
		}
	}
	r := decode(`{"candidates":[{"content":{"parts":["no"," way"]}}]}`, chunk)
	if r.Text() != "no way" || r.FinishReason() != llm.FinishStop || r.Usage != chunk.Usage || len(r.Candidates[0].Content.FunctionCalls()) != 0 {
		t.Errorf("read as %+v", r)
	}
	if r := decode(`{"candidates":[{"content":{"parts":["no"]},"finishReason":"SAFETY"}]}`, nil); r.FinishReason() != llm.FinishSafety {
		t.Errorf("read as %+v", r)
	}
	if chunk.Text() != "yes" {
		t.Error("the chunk has changed")
	}
}

// TestTurns checks that consecutive contents of one role are one message: a hook that changes the first message
// changes the description of the directory and the prompt.
func TestTurns(t *testing.T) {
	t.Parallel()
	image := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png"}}
	req := func() *llm.Request {
		return &llm.Request{Contents: []*llm.Content{
			llm.User(llm.Text("context ")), llm.User(image, llm.Text("my "), llm.Text("secret")), {Role: llm.RoleUser}, llm.Model(image), llm.Model(llm.Text("")), llm.User(llm.Text("go")),
		}}
	}
	shape := encodeRequest(req())
	if got := string(encode(shape.Messages)); got != `[{"role":"user","content":"context my secret"},{"role":"user","content":"go"}]` {
		t.Errorf("messages %s", got)
	}
	change := Output{}
	change.set("messages", []map[string]string{{"role": "user", "content": "nothing"}})
	changed := req()
	if err := applyRequest(changed, change, nil); err != nil {
		t.Fatal(err)
	}
	var parts []string
	for _, c := range changed.Contents {
		for _, p := range c.Parts {
			if p.InlineData != nil {
				p.Text = "image"
			}
			parts = append(parts, string(c.Role)+" "+p.Text)
		}
	}
	if got := strings.Join(parts, ", "); got != "user nothing, user image, model image, model , user go" {
		t.Errorf("changed to %s", got)
	}
}
