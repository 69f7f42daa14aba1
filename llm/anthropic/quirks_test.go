package anthropic

import (
	"encoding/json"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/llmtest"
)

// TestQuirks checks the effect of each quirk in the JSON of a profile.
func TestQuirks(t *testing.T) {
	t.Parallel()
	picture := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n"), DisplayName: "a.png"}}
	paper := llm.Part{InlineData: &llm.Blob{MIMEType: "application/pdf", Data: []byte("%PDF-1.7")}}
	link := llm.Part{FileData: &llm.FileData{MIMEType: "image/png", FileURI: "https://x/y.png"}}
	seen := llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "see__1", Name: "see", Response: json.RawMessage(`{"output":"o"}`), Parts: []llm.Part{picture}}}
	contents := []*llm.Content{llm.User(llm.Text("hi"), picture, paper, link), llm.Model(thought("", llm.Signed(vendor, "c2ln")), call("see__1", "see", "{}")), llm.User(seen)}
	thinks := llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}
	tools := []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "see"}}}}
	for quirks, c := range map[string]struct {
		model       string
		config      llm.Config
		has, hasNot string // separated by blanks
	}{
		`{}`:                                 {"MiniMax-M2.7", thinks, `"x-api-key":"key" cache_control "type":"image" "url":"https://x/y.png" "max_tokens":32000`, `authorization display`},
		`{"bearer":true}`:                    {"MiniMax-M2.7", thinks, `"authorization":"Bearer`, `x-api-key`},
		`{"noCache":true,"maxTokens":70000}`: {"k3", llm.Config{}, `"max_tokens":70000`, `cache_control enabled`},
		`{"maxTokens":900}`:                  {"k3", llm.Config{MaxOutputTokens: 1000}, `"max_tokens":900`, ``},
		`{"thinking":"none"}`:                {"claude-opus-5", thinks, ``, `adaptive enabled`},
		`{"thinking":"adaptive"}`:            {"k3", thinks, `{"type":"adaptive","display":"summarized"}`, `budget_tokens`},
		`{"thinking":"enabled"}`:             {"claude-opus-5", thinks, `"budget_tokens":8192`, `adaptive`},
		`{"noBetas":true}`:                   {"claude-sonnet-4-5", llm.Config{Tools: tools, Thinking: &llm.Thinking{}}, ``, interleavedBeta},
		`{"noForce":true}`:                   {"k3", llm.Config{ResponseJSONSchema: []byte(`{"type":"object"}`)}, `"name":"answer" {"type":"auto","disable_parallel_tool_use":true}`, ``},
		`{"noImages":true}`:                  {"k3", llm.Config{}, `[a.png:8bytesofimage/pngwereleftout,thismodelisnotshownsuchdata] [https://x/y.png: "type":"document"`, `"image" url`},
		`{"noPDF":true}`:                     {"k3", llm.Config{}, `[attachment:8bytesofapplication/pdf "type":"image"`, `document`},
	} {
		t.Run(quirks, func(t *testing.T) {
			t.Parallel()
			s := newStrict(t, answerStream)
			o := Options{APIKey: "key", BaseURL: s.URL, ForModel: func(model string, q *Quirks) {
				if err := json.Unmarshal([]byte(quirks), q); err != nil {
					t.Error(err)
				}
			}}
			if _, err := ask(t, newClient(t, o), &llm.Request{Model: c.model, Contents: contents, Config: c.config}); err != nil {
				t.Fatal(err)
			}
			sent := string(s.raw[0])
			for name, values := range s.headers[0] {
				sent += `"` + strings.ToLower(name) + `":"` + values[0] + `"`
			}
			for _, part := range strings.Fields(c.has) {
				if !strings.Contains(strings.ReplaceAll(sent, " ", ""), part) {
					t.Errorf("no %s in %s", part, sent)
				}
			}
			for _, part := range strings.Fields(c.hasNot) {
				if strings.Contains(sent, part) {
					t.Errorf("%s in %s", part, sent)
				}
			}
		})
	}
	var q Quirks
	if err := json.Unmarshal([]byte(`{"thinking":"deeply"}`), &q); err == nil || !strings.Contains(err.Error(), "adaptive") {
		t.Error(err)
	}
	if data, err := json.Marshal(Quirks{Thinking: ThinkingNone, NoPDF: true}); err != nil || string(data) != `{"thinking":"none","noPDF":true}` {
		t.Errorf("%s, %v", data, err)
	}
}

// TestForModel checks that each model has its own quirks in addition to those of the
// service.
func TestForModel(t *testing.T) {
	t.Parallel()
	s := newStrict(t, answerStream)
	asked := 0
	c := newClient(t, Options{BaseURL: s.URL, Quirks: Quirks{MaxTokens: 5000}, ForModel: func(model string, q *Quirks) {
		asked++
		if model == "small" {
			q.MaxTokens /= 5
		}
	}})
	for _, model := range []string{"small", "large", "small"} {
		req := llmtest.Prompt("hi")
		req.Model = model
		if _, err := ask(t, c, req); err != nil {
			t.Fatal(err)
		}
	}
	if got := show([]any{s.accepted[0]["max_tokens"], s.accepted[1]["max_tokens"], s.accepted[2]["max_tokens"]}); got != `[1000,5000,1000]` || asked != 2 {
		t.Errorf("%s, asked %d times", got, asked)
	}
}

// TestUnsigned checks that unsigned thoughts are sent back to the models that expect
// them, but not to Claude.
func TestUnsigned(t *testing.T) {
	t.Parallel()
	stream := ev(`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`) +
		ev(`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"Let me see."}}`) + ev(`{"type":"content_block_stop","index":0}`) +
		strings.ReplaceAll(callStream(`{}`), `"index":0`, `"index":1`) + stopStream
	s := newStrict(t, stream)
	c := newClient(t, Options{BaseURL: s.URL})
	req := llmtest.Prompt("hi")
	req.Model = "kimi-for-coding"
	req.Config = llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}, Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls"}}}}}
	var all []llm.Part
	for chunk, err := range c.Stream(t.Context(), req) {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, chunk.Parts()...)
	}
	req.Contents = append(req.Contents, llm.Model(all...), llm.User(result("t", "ls", "x")))
	s.lenient = true // Anthropic's own service looks at signatures
	if _, err := ask(t, c, req); err != nil {
		t.Fatal(err)
	}
	if got := string(s.raw[1]); !strings.Contains(got, `{"type":"thinking","thinking":"Let me see.","signature":""}`) || !strings.Contains(got, `"budget_tokens"`) {
		t.Error(got)
	}
	s.lenient = false
	for _, model := range []string{"claude-sonnet-4-5", "claude-opus-5"} {
		req.Model = model
		if _, err := ask(t, c, req); err != nil {
			t.Fatal(err)
		}
		if got := string(s.raw[len(s.raw)-1]); strings.Contains(got, "Let me see.") {
			t.Error(got)
		}
	}
	if len(s.refused) > 0 {
		t.Errorf("refused: %q", s.refused)
	}
}

// TestHandover checks that Claude can continue a conversation of another vendor's
// model in the middle of a tool loop, and thinks again from the next prompt on.
func TestHandover(t *testing.T) {
	t.Parallel()
	foreign := []*llm.Content{
		llm.User(llm.Text("hi")),
		llm.Model(thought("hm", "c2ln"), call("call_1", "ls", "{}")), llm.User(result("call_1", "ls", "x")),
		llm.Model(thought("", llm.Signed("openai", "x")), llm.Text("And"), call("call_2", "ls", "{}")), llm.User(result("call_2", "ls", "x")),
	}
	config := llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}, Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls"}}}}}
	next := append(foreign[:len(foreign):len(foreign)], llm.Model(llm.Text("Done.")), llm.User(llm.Text("And now?")))
	for model, kind := range map[string]string{"claude-sonnet-4-5": `"enabled"`, "claude-opus-4-6": `"adaptive"`, "claude-opus-5": `"adaptive"`, "claude-3-5-haiku-latest": `"text"`} {
		s := newStrict(t, answerStream)
		c := newClient(t, Options{BaseURL: s.URL})
		for i, contents := range [][]*llm.Content{foreign, next} {
			if _, err := ask(t, c, &llm.Request{Model: model, Contents: contents, Config: config}); err != nil {
				t.Fatalf("%s: %v", model, err)
			}
			if got := string(s.raw[len(s.raw)-1]); strings.Contains(got, kind) != (i == 1 || kind != `"enabled"`) {
				t.Errorf("%s: request %d: %s", model, i, got)
			}
		}
		if len(s.refused) > 0 {
			t.Errorf("%s: refused: %q", model, s.refused)
		}
	}
	// If the service still refuses the request, the client does not conclude that the
	// model cannot think.
	for _, why := range []string{
		"messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, a final `assistant` message must start with a thinking block",
		"thinking is enabled but reasoning_content is missing in assistant tool call message at index 1",
	} {
		s := newStrict(t, answerStream)
		s.refuse = func(body map[string]any) string {
			if th, _ := body["thinking"].(map[string]any); th != nil && th["type"] != "disabled" && len(array(body["messages"])) == 3 {
				return why
			}
			return ""
		}
		for _, model := range []string{"claude-opus-4-6", "kimi-for-coding"} {
			c := newClient(t, Options{BaseURL: s.URL})
			own := []*llm.Content{llm.User(llm.Text("hi")), llm.Model(thought("", llm.Signed(vendor, "c2ln")), call("a", "ls", "{}")), llm.User(result("a", "ls", "x"))}
			for _, contents := range [][]*llm.Content{own, next} {
				if _, err := ask(t, c, &llm.Request{Model: model, Contents: contents, Config: config}); err != nil {
					t.Fatalf("%s: %v", model, err)
				}
			}
			if got := string(s.raw[len(s.raw)-1]); !strings.Contains(got, `"thinking":{"type":"`) {
				t.Errorf("%s does not think any more: %s", model, got)
			}
		}
		if len(s.refused) != 2 {
			t.Errorf("refused %d times", len(s.refused))
		}
	}
}
