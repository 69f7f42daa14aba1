package openai

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"pollux/llm"
)

// TestProviders runs a conversation with the quirks of each provider's profile
// and compares the last request. A prompt is followed by a thought, a call and a
// response; a second prompt by a call, whose result comes with a word of the user.
func TestProviders(t *testing.T) {
	t.Parallel()
	const (
		tools = `"tools":[{"type":"function","function":{"name":"ls","description":"Lists.","parameters":{"type":"object","properties":{},"additionalProperties":true}}}],"tool_choice":"auto"`
		usage = `,"stream":true,"stream_options":{"include_usage":true}}`
	)
	// The thought, text and call that providers send.
	inField := func(member string) func(string, string) string {
		return func(thought, id string) string {
			return chunkFrames(`"delta":{"role":"assistant","content":"","`+member+`":"`+thought+`"}`, `"delta":{"content":"I look."}`,
				args(`"index":0,"id":"`+id+`","type":"function",`, `"name":"ls","arguments":"{}"`), `"delta":{},"finish_reason":"tool_calls"`, "[DONE]")
		}
	}
	inTags := func(thought, id string) string {
		return chunkFrames(`"delta":{"content":"<think>\n`+thought+`\n</think>\n\nI look."}`,
			args(`"index":0,"id":"`+id+`","type":"function",`, `"name":"ls","arguments":"{}"`), `"delta":{},"finish_reason":"tool_calls"`, "[DONE]")
	}
	inList := func(thought, id string) string {
		return chunkFrames(`"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"`+thought+`"}]}]}`, `"delta":{"content":[{"type":"text","text":"I look."}]}`,
			args(`"index":0,"id":"`+id+`",`, `"name":"ls","arguments":"{}"`), `"delta":{},"finish_reason":"tool_calls"`, "[DONE]")
	}
	inDetail := func(thought, id string) string {
		return chunkFrames(": OPENROUTER PROCESSING",
			`"delta":{"content":"","reasoning":"`+thought+`","reasoning_details":[{"type":"reasoning.text","text":"`+thought[:1]+`","format":"anthropic-claude-v1","index":0}]}`,
			": OPENROUTER PROCESSING",
			`"delta":{"content":"","reasoning_details":[{"type":"reasoning.encrypted","data":"e","id":"`+id+`","index":1},{"type":"reasoning.text","text":"`+thought[1:]+`","signature":"s","index":0}]}`,
			`"delta":{"content":"I look."}`, args(`"index":0,"id":"`+id+`","type":"function",`, `"name":"ls","arguments":"{}"`), `"delta":{},"finish_reason":"tool_calls"`, "[DONE]")
	}
	inItems := func(thought, id string) string {
		item := `"item":{"type":"reasoning","id":"rs_` + id + `","summary":[{"type":"summary_text","text":"` + thought + `"}],"encrypted_content":"e"}`
		return event(`response.reasoning_summary_text.delta "output_index":0,"summary_index":0,"delta":"`+thought+`"`, `response.output_item.done "output_index":0,`+item,
			`response.output_text.delta "output_index":1,"delta":"I look."`,
			`response.output_item.done "output_index":2,"item":{"type":"function_call","id":"fc","call_id":"`+id+`","name":"ls","arguments":"{}"}`,
			`response.completed "response":{"status":"completed","output":[]}`)
	}
	none := func(_, id string) string { return inField("nothing")("", id) }

	// messages returns the conversation. The parameters are the messages that
	// differ between providers.
	messages := func(system, first, firstID, second, secondID, after string) string {
		call := func(id string) string {
			return `"tool_calls":[{"id":"` + id + `","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","tool_call_id":"` + id + `","content":"a.go"}`
		}
		return `"messages":[{"role":"` + system + `","content":"Be brief."},{"role":"user","content":"first"},{"role":"assistant",` + first + `,` + call(firstID) +
			`,{"role":"assistant","content":"One file."},{"role":"user","content":"second"},{"role":"assistant",` + second + `,` + call(secondID) + after + `,{"role":"user","content":"hurry"}],`
	}
	const looked = `"content":"I look."`
	plain := messages("system", looked, "call_1", looked, "call_2", "")
	inLoop := messages("system", looked, "call_1", looked+`,"reasoning_content":"T2"`, "call_2", "")
	always := messages("system", looked+`,"reasoning_content":"T1"`, "call_1", looked+`,"reasoning_content":"T2"`, "call_2", "")

	const (
		sampled = `,"temperature":1,"top_p":0.9,"presence_penalty":0.1,"frequency_penalty":0.2,"stop":["x"]`
		topK    = `,"top_k":64`
		rest    = `,"seed":7,"max_tokens":99`
	)
	for _, c := range []struct {
		name, model, quirks string
		turn                func(thought, id string) string // the stream
		want                string
	}{
		{
			"openai", "gpt-5.6-sol", `{"protocol":"responses","systemRole":"developer"}`, inItems,
			`{"model":"gpt-5.6-sol","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"first"}]},` +
				`{"type":"reasoning","id":"rs_call_1","summary":[{"type":"summary_text","text":"T1"}],"encrypted_content":"e"},{"type":"message","role":"assistant","content":"I look."},` +
				`{"type":"function_call","call_id":"call_1","name":"ls","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":"a.go"},` +
				`{"type":"message","role":"assistant","content":"One file."},{"type":"message","role":"user","content":[{"type":"input_text","text":"second"}]},` +
				`{"type":"reasoning","id":"rs_call_2","summary":[{"type":"summary_text","text":"T2"}],"encrypted_content":"e"},{"type":"message","role":"assistant","content":"I look."},` +
				`{"type":"function_call","call_id":"call_2","name":"ls","arguments":"{}"},{"type":"function_call_output","call_id":"call_2","output":"a.go"},` +
				`{"type":"message","role":"user","content":[{"type":"input_text","text":"hurry"}]}],"instructions":"Be brief.",` +
				`"tools":[{"type":"function","name":"ls","description":"Lists.","parameters":{"type":"object","properties":{},"additionalProperties":true},"strict":false}],"tool_choice":"auto",` +
				`"max_output_tokens":99,"reasoning":{"effort":"medium","summary":"auto"},"include":["reasoning.encrypted_content"],"store":false,"stream":true}`,
		},
		{
			"openai, chat", "gpt-5.6-sol", `{"systemRole":"developer"}`, none,
			`{"model":"gpt-5.6-sol",` + messages("developer", looked, "call_1", looked, "call_2", "") + tools + `,"seed":7,"max_completion_tokens":99,"reasoning_effort":"medium"` + usage,
		},
		{
			"azure", "my-gpt-4", `{}`, none,
			`{"model":"my-gpt-4",` + plain + tools + sampled + rest + `,"reasoning_effort":"medium"` + usage,
		},
		{
			"openrouter", "anthropic/claude-sonnet-4.6", `{"thinking":"object","reasoningOut":"reasoning_details","topK":true}`, inDetail,
			`{"model":"anthropic/claude-sonnet-4.6",` + messages("system", looked, "call_1",
				looked+`,"reasoning_details":[{"format":"anthropic-claude-v1","index":0,"signature":"s","text":"T2","type":"reasoning.text"},{"data":"e","id":"call_2","index":1,"type":"reasoning.encrypted"}]`, "call_2", "") +
				tools + sampled + topK + rest + `,"reasoning":{"max_tokens":2000}` + usage,
		},
		{
			"deepseek", "deepseek-v4-pro", `{"thinking":"type","efforts":["low","high","max"],"reasoningOut":"reasoning_content","schema":"object","noImages":true,"noPDF":true,"noAudio":true}`, inField("reasoning_content"),
			`{"model":"deepseek-v4-pro",` + inLoop + tools + sampled + rest + `,"thinking":{"type":"enabled"},"reasoning_effort":"high"` + usage,
		},
		{
			"dashscope", "qwen3.6-plus", `{"thinking":"enable","reasoningOut":"reasoning_content","schema":"object","topK":true}`, inField("reasoning_content"),
			`{"model":"qwen3.6-plus",` + inLoop + tools + sampled + topK + rest + `,"enable_thinking":true,"thinking_budget":2000` + usage,
		},
		{
			"dashscope, an older model", "qwq-32b", `{"thinking":"enable","reasoningOut":"reasoning_content","schema":"object","topK":true}`, inTags,
			`{"model":"qwq-32b",` + messages("system", looked, "call_1", looked+`,"reasoning_content":"T2\n"`, "call_2", "") + tools + sampled + topK + rest + `,"enable_thinking":true,"thinking_budget":2000` + usage,
		},
		{
			"mistral", "magistral-medium-latest", `{"shortIds":true,"answerAfterTool":true,"thinking":"none","drop":["stream_options","seed"],"noPDF":true,"noAudio":true}`, inList,
			`{"model":"magistral-medium-latest",` + messages("system", looked, shortID("call_1"), looked, shortID("call_2"), `,{"role":"assistant","content":"I have the results."}`) +
				tools + sampled + `,"max_tokens":99,"stream":true}`,
		},
		{
			"xai", "grok-4.5", `{"drop":["presence_penalty","frequency_penalty","stop"],"noPDF":true,"noAudio":true}`, inField("reasoning_content"),
			`{"model":"grok-4.5",` + plain + tools + `,"temperature":1,"top_p":0.9` + rest + `,"reasoning_effort":"medium"` + usage,
		},
		{
			"groq", "qwen/qwen3-32b", `{"thinking":"none","extra":{"reasoning_format":"parsed"},"noPDF":true,"noAudio":true}`, inField("reasoning"),
			`{"model":"qwen/qwen3-32b",` + plain + tools + sampled + rest + `,"reasoning_format":"parsed"` + usage,
		},
		{
			"cerebras", "gpt-oss-120b", `{"strictSchema":true,"maxTokens":"max_completion_tokens","drop":["presence_penalty","frequency_penalty"],"noPDF":true,"noAudio":true}`, inField("reasoning"),
			`{"model":"gpt-oss-120b",` + plain + strings.Replace(tools, `{"type":"object","properties":{},"additionalProperties":true}`, `{"properties":{},"type":"object"}`, 1) +
				`,"temperature":1,"top_p":0.9,"stop":["x"],"seed":7,"max_completion_tokens":99,"reasoning_effort":"medium"` + usage,
		},
		{
			"moonshot", "kimi-k3", `{"reasoningOut":"reasoning_content","reasoningFill":true,"thinking":"type","drop":["temperature","top_p","presence_penalty","frequency_penalty"],"noPDF":true,"noAudio":true}`, inField("reasoning_content"),
			`{"model":"kimi-k3",` + messages("system", looked+`,"reasoning_content":" "`, "call_1", looked+`,"reasoning_content":"T2"`, "call_2", "") + tools + `,"stop":["x"]` + rest + `,"thinking":{"type":"enabled"}` + usage,
		},
		{
			"zhipu", "glm-5.1", `{"thinking":"type","reasoningOut":"reasoning_content","extra":{"tool_stream":true},"schema":"object","noPDF":true,"noAudio":true}`, inField("reasoning_content"),
			`{"model":"glm-5.1",` + inLoop + tools + sampled + rest + `,"thinking":{"type":"enabled"},"tool_stream":true` + usage,
		},
		{
			"minimax", "MiniMax-M2.7", `{"reasoningOut":"content","reasoningKeep":true,"thinking":"none","noImages":true,"noPDF":true,"noAudio":true}`, inTags,
			`{"model":"MiniMax-M2.7",` + messages("system", `"content":"<think>\nT1\n</think>\n\nI look."`, "call_1", `"content":"<think>\nT2\n</think>\n\nI look."`, "call_2", "") + tools + sampled + rest + usage,
		},
		{
			"together", "openai/gpt-oss-20b", `{"topK":true,"noPDF":true,"noAudio":true}`, inField("reasoning"),
			`{"model":"openai/gpt-oss-20b",` + plain + tools + sampled + topK + rest + `,"reasoning_effort":"medium"` + usage,
		},
		{
			"fireworks", "accounts/fireworks/models/glm-5p2", `{"reasoningOut":"reasoning_content","efforts":["high","max"],"topK":true,"noPDF":true,"noAudio":true}`, inField("reasoning_content"),
			`{"model":"accounts/fireworks/models/glm-5p2",` + inLoop + tools + sampled + topK + rest + `,"reasoning_effort":"high"` + usage,
		},
		{
			"a server that wants all thoughts back", "m", `{"reasoningOut":"reasoning_content","reasoningKeep":true,"thinking":"template"}`, inField("reasoning_content"),
			`{"model":"m",` + always + tools + sampled + rest + `,"chat_template_kwargs":{"enable_thinking":true}` + usage,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var q Quirks
			if err := json.Unmarshal([]byte(c.quirks), &q); err != nil {
				t.Fatal(err)
			}
			final := chunkFrames(`"delta":{"content":"One file."},"finish_reason":"stop"`, "[DONE]")
			if q.Protocol == Responses {
				final = event(`response.output_text.delta "output_index":0,"delta":"One file."`, `response.completed "response":{"status":"completed","output":[]}`)
			}
			answers := []string{c.turn("T1", "call_1"), final, c.turn("T2", "call_2"), final}
			var mu sync.Mutex
			var bodies []string
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if err != nil {
					t.Error(err)
				}
				mu.Lock()
				defer mu.Unlock()
				_, _ = io.WriteString(w, answers[len(bodies)])
				bodies = append(bodies, string(body))
			}))
			t.Cleanup(s.Close)
			g, err := New(Options{APIKey: "k", BaseURL: s.URL, Vendor: "v", Quirks: q})
			if err != nil {
				t.Fatal(err)
			}
			req := &llm.Request{Model: c.model}
			req.Config = llm.Config{
				SystemInstruction: llm.User(llm.Text("Be brief.")),
				Tools:             []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls", Description: "Lists.", Parameters: []byte(`{"type":"object","properties":{},"additionalProperties":true}`)}}}},
				ToolConfig:        &llm.ToolConfig{Mode: "AUTO"},
				Temperature:       new(1.0), TopP: new(0.9), TopK: new(64.0), PresencePenalty: new(0.1), FrequencyPenalty: new(0.2), StopSequences: []string{"x"}, Seed: new(7), MaxOutputTokens: 99,
				Thinking: &llm.Thinking{IncludeThoughts: true, Budget: new(2000)},
			}
			for _, text := range []string{"first", "", "second", "hurry"} {
				if text != "" {
					req.Contents = append(req.Contents, llm.User(llm.Text(text)))
				}
				model, thoughts := llm.Model(), ""
				for chunk, err := range g.Stream(t.Context(), req) {
					if err != nil {
						t.Fatal(err)
					}
					for _, p := range chunk.Parts() {
						if p.Thought {
							thoughts += p.Text
						}
						if !p.Thought || p.ThoughtSignature != "" { // as the agent stores it
							model.Parts = append(model.Parts, p)
						}
					}
				}
				req.Contents = append(req.Contents, model)
				calls := model.FunctionCalls()
				if len(calls) == 1 {
					req.Contents = append(req.Contents, llm.User(result(calls[0].ID, "ls", "a.go")))
				}
				if strings.Contains(model.Text(), "T") {
					t.Errorf("%q: a thought in the text %q", text, model.Text())
				}
				if text != "first" && text != "second" {
					continue
				}
				if silent := c.name == "openai, chat" || c.name == "azure"; len(calls) != 1 || (thoughts == "") != silent {
					t.Errorf("%q: thoughts %q, %d calls", text, thoughts, len(calls))
				}
			}
			if got := bodies[len(bodies)-1]; len(bodies) != 4 || got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}
