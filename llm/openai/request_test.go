package openai

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"pollux/llm"
)

func fitTraits(p Protocol, q Quirks) *traits {
	q.Protocol = p
	return (&traits{Quirks: q, vendor: "openai", model: "gpt-4.1"}).initKeys()
}

func bodyOf(t testing.TB, tr *traits, req *llm.Request) string {
	t.Helper()
	b, _ := tr.requestBody(req, true)
	data, err := io.ReadAll(b.Reader())
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != b.Size() {
		t.Errorf("size %d, but %d bytes", b.Size(), len(data))
	}
	return string(data)
}

func called(id, name, args string) llm.Part {
	return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func result(id, name, text string, media ...llm.Part) llm.Part {
	r := llm.Output(id, name, text)
	r.Parts = media
	return llm.Part{FunctionResponse: r}
}

// pngHead begins each PNG image.
const pngHead = "\x89PNG\r\n\x1a\n"

func blob(mime, data string) llm.Part {
	return llm.Part{InlineData: &llm.Blob{MIMEType: mime, Data: []byte(data)}}
}

func TestChatMessages(t *testing.T) {
	t.Parallel()
	const lostText = `"No result: the call was cancelled, or its result was lost."`
	ls := func(id string) string {
		return `{"id":"` + id + `","type":"function","function":{"name":"ls","arguments":"{}"}}`
	}
	for _, c := range []struct {
		name     string
		quirks   Quirks
		contents []*llm.Content
		want     string // the messages, joined
	}{
		{"text", Quirks{}, []*llm.Content{llm.User(llm.Text("a"), llm.Text("b\"\n"))}, `{"role":"user","content":"a\nb\"\n"}`},
		{
			"user messages merge",
			Quirks{},
			[]*llm.Content{llm.User(llm.Text("context")), llm.Model(llm.Part{Text: "hm", Thought: true}), llm.User(llm.Text("prompt"))},
			`{"role":"user","content":"context\nprompt"}`,
		},
		{
			"assistant messages merge",
			Quirks{},
			[]*llm.Content{llm.Model(llm.Text("a"), llm.Text("b")), llm.Model(llm.Text("c"), called("1", "ls", ""))},
			`{"role":"assistant","content":"ab\nc","tool_calls":[` + ls("1") + `]},{"role":"tool","tool_call_id":"1","content":` + lostText + `}`,
		},
		{
			"a call and its result",
			Quirks{},
			[]*llm.Content{llm.Model(called("ls__1", "ls", `{"a":"\n"}`)), llm.User(result("ls__1", "ls", "x"))},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"ls","arguments":"{\"a\":\"\\n\"}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}`,
		},
		{
			"no null",
			Quirks{EmptyContent: true},
			[]*llm.Content{llm.Model(called("1", "ls", ``)), llm.User(result("1", "ls", "x"))},
			`{"role":"assistant","content":"","tool_calls":[` + ls("1") + `]},{"role":"tool","tool_call_id":"1","content":"x"}`,
		},
		{
			"orphans go, holes are filled",
			Quirks{},
			[]*llm.Content{
				llm.User(result("0", "ls", "without a call")), llm.User(llm.Text("go")),
				llm.Model(called("1", "ls", ""), called("2", "ls", "")),
				llm.User(result("2", "ls", "two"), result("9", "ls", "nine"), result("2", "ls", "again"), llm.Text("and?")),
				llm.User(result("1", "ls", "late but there")),
				llm.Model(called("3", "ls", "")),
			},
			`{"role":"user","content":"go"},{"role":"assistant","content":null,"tool_calls":[` + ls("1") + `,` + ls("2") + `]},` +
				`{"role":"tool","tool_call_id":"2","content":"two"},{"role":"tool","tool_call_id":"1","content":"late but there"},` +
				`{"role":"user","content":"and?"},{"role":"assistant","content":null,"tool_calls":[` + ls("3") + `]},{"role":"tool","tool_call_id":"3","content":` + lostText + `}`,
		},
		{
			"an orphan between two answers",
			Quirks{},
			[]*llm.Content{llm.Model(llm.Text("a")), llm.User(result("0", "ls", "x")), llm.Model(llm.Text("b"))},
			`{"role":"assistant","content":"a\nb"}`,
		},
		{
			"ids that repeat",
			Quirks{},
			[]*llm.Content{
				llm.Model(called("1", "ls", ""), called("1", "ls", "")), llm.User(result("1", "ls", "a"), result("1", "ls", "b")),
				llm.Model(called("1", "ls", "")), llm.User(result("1", "ls", "c")),
			},
			`{"role":"assistant","content":null,"tool_calls":[` + ls("1") + `,` + ls("1_2") + `]},{"role":"tool","tool_call_id":"1","content":"a"},{"role":"tool","tool_call_id":"1_2","content":"b"},` +
				`{"role":"assistant","content":null,"tool_calls":[` + ls("1_3") + `]},{"role":"tool","tool_call_id":"1_3","content":"c"}`,
		},
		{
			"no ids",
			Quirks{},
			[]*llm.Content{llm.Model(called("", "ls", "")), llm.User(result("", "ls", "a"))},
			`{"role":"assistant","content":null,"tool_calls":[` + ls("call_ls") + `]},{"role":"tool","tool_call_id":"call_ls","content":"a"}`,
		},
		{
			"short ids",
			Quirks{ShortIDs: true},
			[]*llm.Content{llm.Model(called("abcDEF123", "ls", ""), called("call_1", "ls", "")), llm.User(result("abcDEF123", "ls", "a"), result("call_1", "ls", "b"))},
			`{"role":"assistant","content":null,"tool_calls":[` + ls("abcDEF123") + `,` + ls("9gD2Dimct") + `]},{"role":"tool","tool_call_id":"abcDEF123","content":"a"},{"role":"tool","tool_call_id":"9gD2Dimct","content":"b"}`,
		},
		{
			"media",
			Quirks{},
			[]*llm.Content{llm.User(llm.Text("see"), blob("image/png", pngHead), blob("application/pdf", "%PDF-1.7"), blob("audio/mpeg", "ID3\x04"), blob("video/mp4", "\x00\x01"),
				llm.Part{FileData: &llm.FileData{MIMEType: "image/png", FileURI: "https://x/y.png"}}, llm.Part{FileData: &llm.FileData{MIMEType: "image/png", FileURI: "gs://x"}})},
			`{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}},` +
				`{"type":"file","file":{"filename":"document.pdf","file_data":"data:application/pdf;base64,JVBERi0xLjc="}},{"type":"input_audio","input_audio":{"data":"SUQzBA==","format":"mp3"}},` +
				`{"type":"text","text":"[video/mp4 left out: this model does not take it]"},{"type":"image_url","image_url":{"url":"https://x/y.png"}},` +
				`{"type":"text","text":"[image/png left out: this model does not take it] gs://x"}]}`,
		},
		{
			"media that a model does not take",
			Quirks{NoImages: true, NoPDF: true, NoAudio: true},
			[]*llm.Content{llm.User(blob("image/png", pngHead), blob("application/pdf", "%PDF-1.7"), blob("audio/wav", "RIFF\x00\x00\x00\x00WAVE"))},
			`{"role":"user","content":"[image/png left out: this model does not take it]\n[application/pdf left out: this model does not take it]\n[audio/wav left out: this model does not take it]"}`,
		},
		{
			"media of results",
			Quirks{},
			[]*llm.Content{llm.Model(called("1", "ls", ""), called("2", "ls", "")), llm.User(result("1", "ls", "see", blob("image/png", pngHead)), result("2", "ls", "b"))},
			`{"role":"assistant","content":null,"tool_calls":[` + ls("1") + `,` + ls("2") + `]},{"role":"tool","tool_call_id":"1","content":"see"},{"role":"tool","tool_call_id":"2","content":"b"},` +
				`{"role":"user","content":[{"type":"text","text":"From ls:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,iVBORw0KGgo="}}]}`,
		},
		{
			"an answer behind results",
			Quirks{AnswerAfterTool: true},
			[]*llm.Content{llm.Model(called("1", "ls", "")), llm.User(result("1", "ls", "a")), llm.User(llm.Text("go on"))},
			`{"role":"assistant","content":null,"tool_calls":[` + ls("1") + `]},{"role":"tool","tool_call_id":"1","content":"a"},{"role":"assistant","content":"I have the results."},{"role":"user","content":"go on"}`,
		},
		{
			"results of all kinds",
			Quirks{},
			[]*llm.Content{
				llm.Model(called("1", "ls", "[1]"), called("2", "ls", "oops"), called("3", "ls", "{}")),
				llm.User(llm.Part{FunctionResponse: llm.Failure("1", "ls", "bad")}, llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "2", Name: "ls", Response: []byte(`{"content":[1]}`)}},
					llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "3", Name: "ls", Response: []byte(`{"output":{"a":1}}`)}}),
			},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"ls","arguments":"{\"input\":[1]}"}},{"id":"2","type":"function","function":{"name":"ls","arguments":"{\"input\":\"oops\"}"}},` + ls("3") + `]},` +
				`{"role":"tool","tool_call_id":"1","content":"bad"},{"role":"tool","tool_call_id":"2","content":"{\"content\":[1]}"},{"role":"tool","tool_call_id":"3","content":"{\"a\":1}"}`,
		},
		{
			"thoughts of the running loop",
			Quirks{ReasoningOut: "reasoning_content"},
			[]*llm.Content{
				llm.User(llm.Text("a")), llm.Model(llm.Part{Thought: true, ThoughtSignature: `openai:{"text":"old"}`}, llm.Text("b")),
				llm.User(llm.Text("c")), llm.Model(llm.Part{Thought: true, ThoughtSignature: `openai:{"text":"ne\"w"}`}, llm.Part{Text: "!", Thought: true, ThoughtSignature: "other:x"}, called("1", "ls", "")), llm.User(result("1", "ls", "d")),
			},
			`{"role":"user","content":"a"},{"role":"assistant","content":"b"},{"role":"user","content":"c"},{"role":"assistant","content":null,"reasoning_content":"ne\"w!","tool_calls":[` + ls("1") + `]},{"role":"tool","tool_call_id":"1","content":"d"}`,
		},
		{
			"a word to the running loop",
			Quirks{ReasoningOut: "reasoning_content"},
			[]*llm.Content{
				llm.User(llm.Text("a")), llm.Model(llm.Part{Thought: true, ThoughtSignature: `openai:{"text":"hm"}`}, called("1", "ls", "")), llm.User(result("1", "ls", "d")),
				llm.User(llm.Text("x")), llm.User(llm.Text("y")), llm.Model(llm.Part{Thought: true, ThoughtSignature: `openai:{"text":"so"}`}, llm.Text("b")),
			},
			`{"role":"user","content":"a"},{"role":"assistant","content":null,"reasoning_content":"hm","tool_calls":[` + ls("1") + `]},{"role":"tool","tool_call_id":"1","content":"d"},{"role":"user","content":"x\ny"},{"role":"assistant","content":"b","reasoning_content":"so"}`,
		},
		{
			"thoughts in the text",
			Quirks{ReasoningOut: "content", ReasoningKeep: true, ReasoningFill: true},
			[]*llm.Content{
				llm.Model(llm.Part{Thought: true, ThoughtSignature: `openai:{"text":"hm"}`}, called("1", "ls", "")), llm.User(result("1", "ls", "d")), llm.Model(called("2", "ls", "")), llm.User(result("2", "ls", "e")),
			},
			`{"role":"assistant","content":"<think>\nhm</think>\n\n","tool_calls":[` + ls("1") + `]},{"role":"tool","tool_call_id":"1","content":"d"},{"role":"assistant","content":null,"tool_calls":[` + ls("2") + `]},{"role":"tool","tool_call_id":"2","content":"e"}`,
		},
		{
			"thoughts in detail",
			Quirks{ReasoningOut: "reasoning_details", ReasoningKeep: true},
			[]*llm.Content{
				llm.User(llm.Text("a")), llm.Model(llm.Part{Thought: true, ThoughtSignature: `openai:{"reasoning_details":[{"type":"x"}]}`}, llm.Part{Thought: true, ThoughtSignature: `openai:{"reasoning_details":[`}, llm.Text("b")), llm.User(llm.Text("c")),
			},
			`{"role":"user","content":"a"},{"role":"assistant","content":"b","reasoning_details":[{"type":"x"}]},{"role":"user","content":"c"}`,
		},
		{
			"foreign names",
			Quirks{},
			[]*llm.Content{llm.Model(called("1", "a.b:c", "")), llm.User(result("1", "a.b:c", "x"))},
			`{"role":"assistant","content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"` + wireName("a.b:c") + `","arguments":"{}"}}]},{"role":"tool","tool_call_id":"1","content":"x"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := bodyOf(t, fitTraits(Chat, c.quirks), &llm.Request{Model: "m", Contents: c.contents})
			got, _ = strings.CutPrefix(got, `{"model":"m","messages":[`)
			got, _, _ = strings.Cut(got, `],"stream":true`)
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestNameIDs checks that the id of a call is the name of its tool, and that
// the next call of the same tool gets another id.
func TestNameIDs(t *testing.T) {
	t.Parallel()
	contents := []*llm.Content{
		llm.User(llm.Text("hi")),
		llm.Model(called("ls__a", "ls", "{}"), called("ls__b", "ls", "{}")),
		llm.User(result("ls__a", "ls", "1"), result("ls__b", "ls", "2")),
	}
	body := bodyOf(t, fitTraits(Chat, Quirks{NameIDs: true}), &llm.Request{Model: "m", Contents: contents})
	for _, want := range []string{
		`"tool_calls":[{"id":"ls",`, `{"id":"ls_2",`, `{"role":"tool","tool_call_id":"ls","content":"1"}`, `{"role":"tool","tool_call_id":"ls_2","content":"2"}`,
	} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	if body = bodyOf(t, fitTraits(Chat, Quirks{}), &llm.Request{Model: "m", Contents: contents}); !strings.Contains(body, `"tool_call_id":"b"`) {
		t.Errorf("without the quirk: %s", body)
	}
}

// TestNoThink checks that NoThink is added to the instruction when thinking is
// off.
func TestNoThink(t *testing.T) {
	t.Parallel()
	tr := fitTraits(Chat, Quirks{NoThink: "/no_think", Thinking: ThinkingNone})
	for _, c := range []struct {
		k    *llm.Thinking
		want bool
	}{
		{nil, false},
		{&llm.Thinking{IncludeThoughts: true}, false},
		{&llm.Thinking{Budget: new(512)}, false},
		{&llm.Thinking{Level: "HIGH"}, false},
		{&llm.Thinking{Budget: new(0)}, true},
		{&llm.Thinking{Level: "NONE"}, true},
	} {
		req := &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("hi"))}}
		req.Config.SystemInstruction, req.Config.Thinking = llm.User(llm.Text("Be good.")), c.k
		body := bodyOf(t, tr, req)
		if got := strings.Contains(body, `"content":"Be good.\n/no_think"`); got != c.want {
			t.Errorf("%+v: %s", c.k, body)
		}
	}
}

func fullRequest() *llm.Request {
	req := &llm.Request{Model: "gpt-4.1", Contents: []*llm.Content{
		llm.User(llm.Text("context")),
		llm.User(llm.Text("look"), blob("image/png", pngHead), blob("application/pdf", "%PDF-1.7")),
		llm.Model(
			llm.Part{Text: "hm", Thought: true},
			llm.Part{Thought: true, ThoughtSignature: llm.Signed("openai", `{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"s"}],"encrypted_content":"e"}`)},
			llm.Text("I look."), called("ls__call_1", "ls", `{"dir":"."}`), called("mcp.tool__call_1", "mcp.tool", `{}`)),
		llm.User(result("ls__call_1", "ls", "a.go", blob("image/jpeg", "\xff\xd8\xff\xe0")), result("mcp.tool__call_1", "mcp.tool", "x")),
		llm.Model(llm.Text("Done.")),
		llm.User(llm.Text("thanks")),
	}}
	req.Config = llm.Config{
		SystemInstruction: llm.User(llm.Text("Be brief."), llm.Text("Be kind.")),
		Tools: []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{
			{Name: "ls", Description: "Lists.", Parameters: []byte(`{"type":"OBJECT","properties":{"dir":{"type":"STRING","maxLength":"9"}}}`)},
			{Name: "mcp.tool"},
		}}},
		ToolConfig:  &llm.ToolConfig{Mode: "AUTO"},
		Temperature: new(0.5), TopP: new(0.9), TopK: new(40.0), MaxOutputTokens: 9, StopSequences: []string{"x"}, PresencePenalty: new(0.1), FrequencyPenalty: new(0.2), Seed: new(7),
		ResponseJSONSchema: []byte(`{"type":"object"}`),
		Thinking:           &llm.Thinking{IncludeThoughts: true, Budget: new(2000)},
	}
	return req
}

func TestChatBody(t *testing.T) {
	t.Parallel()
	got := bodyOf(t, fitTraits(Chat, Quirks{}), fullRequest())
	const head = `{"model":"gpt-4.1","messages":[{"role":"system","content":"Be brief.\nBe kind."},{"role":"user","content":[{"type":"text","text":"context"},`
	tail := `],"tools":[{"type":"function","function":{"name":"ls","description":"Lists.","parameters":{"properties":{"dir":{"maxLength":9,"type":"string"}},"type":"object"}}},` +
		`{"type":"function","function":{"name":"` + wireName("mcp.tool") + `","parameters":{"type":"object","properties":{}}}}],"tool_choice":"auto",` +
		`"temperature":0.5,"top_p":0.9,"presence_penalty":0.1,"frequency_penalty":0.2,"stop":["x"],"seed":7,"max_tokens":9,` +
		`"response_format":{"type":"json_schema","json_schema":{"name":"answer","strict":false,"schema":{"type":"object"}}},"reasoning_effort":"medium","stream":true,"stream_options":{"include_usage":true}}`
	if !strings.HasPrefix(got, head) || !strings.HasSuffix(got, tail) {
		t.Errorf("got  %s\nwant %s ... %s", got, head, tail)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	set := []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "a"}, {Name: "b"}}}}
	for _, c := range []struct {
		name, model string
		quirks      Quirks
		config      llm.Config
		has, lacks  string // separated by spaces
	}{
		{"reasoner", "o3", Quirks{}, llm.Config{Temperature: new(1.0), TopP: new(1.0), PresencePenalty: new(0.1), StopSequences: []string{"x"}, MaxOutputTokens: 5}, `"max_completion_tokens":5`, `temperature top_p penalty stop max_tokens`},
		{"reasoner that is sampled", "o3", Quirks{Sampling: true}, llm.Config{Temperature: new(1.0), FrequencyPenalty: new(0.1)}, `"temperature":1,"frequency_penalty":0.1`, ``},
		{"reasoner elsewhere", "openai/gpt-5-mini", Quirks{}, llm.Config{Temperature: new(1.0), Thinking: &llm.Thinking{Budget: new(0)}}, `"reasoning_effort":"minimal"`, `temperature`},
		{"no thinking", "gpt-5.6", Quirks{}, llm.Config{Thinking: &llm.Thinking{Budget: new(0)}}, `"reasoning_effort":"none"`, ``},
		{"thinking left to the model", "gpt-5.6", Quirks{}, llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true, Budget: new(-1)}}, ``, `reasoning`},
		{"level", "gpt-5.6", Quirks{}, llm.Config{Thinking: &llm.Thinking{Level: "HIGH"}}, `"reasoning_effort":"high"`, ``},
		{"enable_thinking", "qwen3", Quirks{Thinking: ThinkingEnable}, llm.Config{Thinking: &llm.Thinking{Budget: new(99)}}, `"enable_thinking":true,"thinking_budget":99`, `effort`},
		{"thinking type", "deepseek", Quirks{Thinking: ThinkingType}, llm.Config{Thinking: &llm.Thinking{Budget: new(0)}}, `"thinking":{"type":"disabled"}`, `effort`},
		{"thinking object", "m", Quirks{Thinking: ThinkingObject}, llm.Config{Thinking: &llm.Thinking{Budget: new(99)}}, `"reasoning":{"max_tokens":99}`, `effort`},
		{"thinking in the template", "m", Quirks{Thinking: ThinkingTemplate}, llm.Config{Thinking: &llm.Thinking{Level: "none"}}, `"chat_template_kwargs":{"enable_thinking":false}`, `effort`},
		{"default of effort", "gpt-5.6", Quirks{}, llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}, ``, `reasoning thinking`},
		{"default of enable_thinking", "m", Quirks{Thinking: ThinkingEnable}, llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}, `"enable_thinking":true,"stream"`, `budget`},
		{"default of Qwen, unasked", "m", Quirks{Thinking: ThinkingEnable}, llm.Config{}, ``, `thinking`},
		{"default of type", "m", Quirks{Thinking: ThinkingType}, llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}, ``, `reasoning thinking`},
		{"default of object", "m", Quirks{Thinking: ThinkingObject}, llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}, ``, `reasoning thinking`},
		{"default of the template", "m", Quirks{Thinking: ThinkingTemplate}, llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}, ``, `reasoning thinking`},
		{"default of Responses", "gpt-5.6", Quirks{Protocol: Responses}, llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}, `"reasoning":{"summary":"auto"},"include":["reasoning.encrypted_content"]`, `effort`},
		{"Responses, a model that does not think", "gpt-4.1", Quirks{Protocol: Responses}, llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}, `"store":false`, `reasoning include`},
		{"efforts", "m", Quirks{Efforts: []string{"low", "high", "max"}}, llm.Config{Thinking: &llm.Thinking{Level: "MEDIUM"}}, `"reasoning_effort":"high"`, ``},
		{"least effort", "m", Quirks{Efforts: []string{"low", "high"}}, llm.Config{Thinking: &llm.Thinking{Budget: new(0)}}, `"reasoning_effort":"low"`, ``},
		{"some effort", "m", Quirks{Efforts: []string{"none", "high"}}, llm.Config{Thinking: &llm.Thinking{Level: "LOW"}}, `"reasoning_effort":"high"`, ``},
		{"most effort", "gpt-5.6", Quirks{Protocol: Responses, Efforts: []string{"low", "xhigh"}}, llm.Config{Thinking: &llm.Thinking{Level: "max"}}, `"reasoning":{"effort":"xhigh"}`, ``},
		{"another word", "m", Quirks{Efforts: []string{"low"}}, llm.Config{Thinking: &llm.Thinking{Level: "ULTRA"}}, `"reasoning_effort":"ultra"`, ``},
		{"type and effort", "m", Quirks{Thinking: ThinkingType, Efforts: []string{"high", "max"}}, llm.Config{Thinking: &llm.Thinking{Level: "LOW"}}, `"thinking":{"type":"enabled"},"reasoning_effort":"high"`, ``},
		{"type and no effort", "m", Quirks{Thinking: ThinkingType, Efforts: []string{"high", "max"}}, llm.Config{Thinking: &llm.Thinking{Budget: new(0)}}, `"thinking":{"type":"disabled"}`, `effort`},
		{"top_k", "m", Quirks{TopK: true}, llm.Config{TopK: new(4.0)}, `"top_k":4`, ``},
		{"dropped", "m", Quirks{Drop: []string{"stream_options", "seed"}}, llm.Config{Seed: new(1)}, `"stream":true`, `stream_options seed`},
		{"extra", "m", Quirks{Extra: map[string]json.RawMessage{"tool_stream": []byte(`true`), "bad": []byte(`{`)}}, llm.Config{}, `"tool_stream":true`, `bad`},
		{"required", "m", Quirks{}, llm.Config{Tools: set, ToolConfig: &llm.ToolConfig{Mode: "ANY"}}, `"tool_choice":"required"`, ``},
		{"one allowed", "m", Quirks{}, llm.Config{Tools: set, ToolConfig: &llm.ToolConfig{Mode: "ANY", Allowed: []string{"b"}}}, `"tool_choice":{"type":"function","function":{"name":"b"}}`, `"name":"a"`},
		{"none", "m", Quirks{}, llm.Config{Tools: set, ToolConfig: &llm.ToolConfig{Mode: "NONE"}}, `"tool_choice":"none"`, ``},
		{"none without a choice", "m", Quirks{Drop: []string{"tool_choice"}}, llm.Config{Tools: set, ToolConfig: &llm.ToolConfig{Mode: "NONE"}}, ``, `tool`},
		{"no tools", "m", Quirks{NoTools: true}, llm.Config{Tools: set}, ``, `tool`},
		{"choice without tools", "m", Quirks{}, llm.Config{ToolConfig: &llm.ToolConfig{Mode: "AUTO"}}, ``, `tool`},
		{"json", "m", Quirks{}, llm.Config{ResponseMIMEType: "application/json"}, `"response_format":{"type":"json_object"} JSON`, ``},
		{"schema in words", "m", Quirks{Schema: SchemaWords}, llm.Config{ResponseJSONSchema: []byte(`{"x":1}`)}, `{\"x\":1}`, `response_format`},
		{"developer", "m", Quirks{SystemRole: "developer"}, llm.Config{SystemInstruction: llm.User(llm.Text("s"))}, `{"role":"developer","content":"s"}`, ``},
		{"no system role", "m", Quirks{SystemRole: "user"}, llm.Config{SystemInstruction: llm.User(llm.Text("s"))}, `{"role":"user","content":"s\n\nhi"}`, `system`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			tr := (&traits{Quirks: c.quirks, vendor: "openai", model: c.model}).initKeys()
			got := bodyOf(t, tr, &llm.Request{Model: c.model, Config: c.config, Contents: []*llm.Content{llm.User(llm.Text("hi"))}})
			if !json.Valid([]byte(got)) {
				t.Errorf("not JSON: %s", got)
			}
			for _, s := range strings.Fields(c.has) {
				if !strings.Contains(got, s) {
					t.Errorf("no %s in %s", s, got)
				}
			}
			for _, s := range strings.Fields(c.lacks) {
				if strings.Contains(got, s) {
					t.Errorf("%s in %s", s, got)
				}
			}
		})
	}
}

// protocols maps each protocol to the name of its request schema.
var protocols = map[Protocol]string{Chat: "CreateChatCompletionRequest", Responses: "CreateResponse"}

// vendorSchema returns the vendor's published schema for requests of protocol
// p, or nil if it is not next to the checkout.
func vendorSchema(t *testing.T, p Protocol) *jsonschema.Resolved {
	t.Helper()
	file, err := filepath.Abs("../../../shared/wire/openai.json")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Logf("NOT CHECKED against the vendor's schema: %v", err)
		return nil
	}
	doc := new(jsonschema.Schema)
	if err := json.Unmarshal(text, doc); err != nil {
		t.Fatal(err)
	}
	doc.Ref = "#/$defs/" + protocols[p]
	schema, err := doc.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// schemaError returns the error that the vendor would report for body, or nil.
func schemaError(schema *jsonschema.Resolved, p Protocol, body []byte) error {
	var value any
	if err := json.Unmarshal(body, &value); err != nil {
		return err
	}
	if schema != nil {
		if err := schema.Validate(value); err != nil {
			return err
		}
	}
	if p == Chat {
		return checkMessageOrder(body)
	}
	return checkItemOrder(body)
}

// checkItemOrder checks the rules about items that the schema does not contain.
func checkItemOrder(body []byte) error {
	var b struct {
		Input []struct {
			Type, Role string
			CallID     string `json:"call_id"`
		}
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return err
	}
	open, used := map[string]bool{}, map[string]bool{}
	for i, item := range b.Input {
		switch item.Type {
		case "reasoning":
			if i+1 == len(b.Input) || b.Input[i+1].Type == "function_call_output" {
				return fmt.Errorf("reasoning item %d without what follows it", i)
			}
		case "function_call":
			if used[item.CallID] || item.CallID == "" {
				return fmt.Errorf("item %d: call id %q", i, item.CallID)
			}
			open[item.CallID], used[item.CallID] = true, true
		case "function_call_output":
			if !open[item.CallID] {
				return fmt.Errorf("item %d answers %q, which is not open", i, item.CallID)
			}
			delete(open, item.CallID)
		default: // a model may write text between two calls
			if len(open) > 0 && item.Role == "user" {
				return fmt.Errorf("item %d while %v are open", i, open)
			}
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%v are open at the end", open)
	}
	return nil
}

func TestBodyValidates(t *testing.T) {
	t.Parallel()
	for p := range protocols {
		body := bodyOf(t, fitTraits(p, Quirks{}), fullRequest())
		if err := schemaError(vendorSchema(t, p), p, []byte(body)); err != nil {
			t.Errorf("%v\n%s", err, body)
		}
	}
}

// TestToolLoop runs a tool loop against a server that rejects invalid requests,
// to check that decoded responses can be sent back.
func TestToolLoop(t *testing.T) {
	t.Parallel()
	for p := range protocols {
		schema := vendorSchema(t, p)
		turn := 0
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, err := io.ReadAll(r.Body)
			if err == nil {
				err = schemaError(schema, p, body)
			}
			if err != nil {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error","param":null,"code":null}}`, err)
				return
			}
			turn++
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, map[Protocol]func(int) string{Chat: chatTurn, Responses: responsesTurn}[p](turn))
		}))
		t.Cleanup(s.Close)
		c, err := New(Options{APIKey: "k", BaseURL: s.URL, Quirks: Quirks{Protocol: p}})
		if err != nil {
			t.Fatal(err)
		}
		req := fullRequest()
		req.Model = "o4-mini"
		for want := range 4 {
			model := llm.Model()
			for chunk, err := range c.Stream(t.Context(), req) {
				if err != nil {
					t.Fatalf("turn %d: %v", want+1, err)
				}
				model.Parts = append(model.Parts, chunk.Parts()...)
			}
			results := llm.User()
			for _, f := range model.FunctionCalls() {
				results.Parts = append(results.Parts, result(f.ID, f.Name, "done"))
			}
			if len(results.Parts) != 2 {
				t.Fatalf("turn %d: %+v", want+1, model.Parts)
			}
			req.Contents = append(req.Contents, model, results)
		}
	}
}

func chatTurn(n int) string {
	return chunkFrames(`"delta":{"reasoning_content":"h","content":"I go on."}`, args(`"index":0,"id":"call_1",`, `"name":"ls","arguments":"{}"`),
		args(fmt.Sprintf(`"index":1,"id":"call_%d",`, n+1), `"name":"ls","arguments":"{}"`), `"delta":{},"finish_reason":"tool_calls"`, "[DONE]")
}

func responsesTurn(n int) string {
	return event(fmt.Sprintf(`response.output_item.done "output_index":0,"item":{"type":"reasoning","id":"rs_%d","summary":[],"encrypted_content":"e"}`, n),
		`response.output_text.delta "output_index":1,"delta":"I go on."`,
		`response.output_item.done "output_index":2,"item":{"type":"function_call","id":"fc","call_id":"call_1","name":"ls","arguments":"{}"}`,
		fmt.Sprintf(`response.output_item.done "output_index":3,"item":{"type":"function_call","id":"fd","call_id":"call_%d","name":"ls","arguments":"{}"}`, n+1),
		`response.completed "response":{"status":"completed","output":[]}`)
}

// TestPrefix checks that the request of a longer history begins with the bytes
// of the shorter one, as the service's prompt cache requires.
func TestPrefix(t *testing.T) {
	t.Parallel()
	for p := range protocols {
		contents := fullRequest().Contents
		var last string
		for n := 1; n <= len(contents); n++ {
			if n == 1 || n == 3 { // the last message may still grow, or its calls have no results yet
				continue
			}
			got, _, _ := strings.Cut(bodyOf(t, fitTraits(p, Quirks{}), &llm.Request{Model: "m", Contents: contents[:n]}), `],"st`)
			if !strings.HasPrefix(got, last) {
				t.Errorf("%d messages: %s\ndo not begin with %s", n, got, last)
			}
			last = got
		}
	}
}

// checkMessageOrder checks the rules about messages that the schema does not
// contain.
func checkMessageOrder(body []byte) error {
	var b struct {
		Messages []struct {
			Role      string
			Content   any
			ToolCalls []struct {
				ID       string
				Function struct{ Name, Arguments string }
			} `json:"tool_calls"`
			ToolCallID string `json:"tool_call_id"`
		}
	}
	if err := json.Unmarshal(body, &b); err != nil {
		return err
	}
	used, open := map[string]bool{}, map[string]bool{}
	last := ""
	for i, m := range b.Messages {
		switch {
		case m.Role == "tool":
			if !open[m.ToolCallID] || m.Content == nil {
				return fmt.Errorf("message %d answers %q, which is not open", i, m.ToolCallID)
			}
			delete(open, m.ToolCallID)
		case len(open) > 0:
			return fmt.Errorf("message %d while %v are open", i, open)
		case m.Role == last:
			return fmt.Errorf("two messages of %s", last)
		case m.Content == nil && len(m.ToolCalls) == 0:
			return fmt.Errorf("message %d is empty", i)
		}
		last = m.Role
		for _, c := range m.ToolCalls {
			var args map[string]any
			if used[c.ID] || c.ID == "" || len(c.ID) > 64 || json.Unmarshal([]byte(c.Function.Arguments), &args) != nil {
				return fmt.Errorf("message %d: call %+v", i, c)
			}
			used[c.ID], open[c.ID] = true, true
		}
	}
	if len(open) > 0 {
		return fmt.Errorf("%v are open at the end", open)
	}
	return nil
}

// FuzzHistory checks that the messages of any history are sent in a valid
// order.
func FuzzHistory(f *testing.F) {
	var seed []byte
	for _, c := range fullRequest().Contents {
		seed = append(c.AppendJSON(seed), '\n')
	}
	f.Add(seed, byte(0))
	f.Add([]byte(`{"role":"model","parts":[{"functionCall":{"name":"a","args":"x"}},{"text":"t","thought":true},{},{"executableCode":{}}]}`+"\n"+
		`{"role":"user","parts":[{"functionResponse":{"name":"a","id":"7","response":7,"parts":[{"inlineData":{"mimeType":"image/p\"ng","data":"AA=="}}]}}]}`), byte(3))
	f.Add(seed, byte(0xff))
	f.Add([]byte(`{"role":"model","parts":[{"text":"t","thought":true,"thoughtSignature":"openai:{\"text\":\"</think>\"}"},{"functionCall":{"name":"a"}}]}`+"\n"+`{"role":"user","parts":[{"functionResponse":{"name":"a"}}]}`+"\n"+`{"role":"user","parts":[{"text":"x"}]}`), byte(4))
	f.Fuzz(func(t *testing.T, data []byte, flags byte) {
		req := &llm.Request{Model: "m"}
		for line := range strings.SplitSeq(string(data), "\n") {
			c := new(llm.Content)
			if c.UnmarshalJSON([]byte(line)) == nil {
				req.Contents = append(req.Contents, c)
			}
		}
		q := Quirks{
			ShortIDs: flags&1 != 0, NoImages: flags&2 != 0, ReasoningOut: []string{"", "reasoning_content", "reasoning_details", "content"}[flags>>2&3],
			ReasoningKeep: flags&16 != 0, ReasoningFill: flags&32 != 0, AnswerAfterTool: flags&64 != 0, EmptyContent: flags&128 != 0,
		}
		body := bodyOf(t, fitTraits(Chat, q), req)
		if err := checkMessageOrder([]byte(body)); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		body = bodyOf(t, fitTraits(Responses, q), req)
		if err := checkItemOrder([]byte(body)); err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
	})
}
