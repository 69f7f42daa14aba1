package ollama

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/chatwire"
)

func bodyOf(t *testing.T, m *model, req *llm.Request) string {
	t.Helper()
	data, err := io.ReadAll(m.newRequest(req, true).body.Reader())
	if err != nil || !json.Valid(data) {
		t.Fatalf("%v: %s", err, data)
	}
	return string(data)
}

func called(id, name, args string) *llm.Content {
	return llm.Model(llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: json.RawMessage(args)}})
}

func result(id, name, text string) llm.Part {
	return llm.Part{FunctionResponse: llm.Output(id, name, text)}
}

func thinks(s string) llm.Part { return llm.Part{Text: s, Thought: true} }

func TestMessages(t *testing.T) {
	t.Parallel()
	png := &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n")}
	hello := llm.User(llm.Text("hello"))
	const user = `{"role":"user","content":"hello"}`
	for _, c := range []struct {
		name     string
		contents []*llm.Content
		want     string
		change   func(*model)
	}{
		{"text", []*llm.Content{llm.User(llm.Text("a\n\"b\""), llm.Text("c"))}, `{"role":"user","content":"a\n\"b\"\nc"}`, nil},
		{
			"one side twice",
			[]*llm.Content{hello, llm.User(llm.Text("b")), llm.Model(llm.Text("c"), llm.Text("d")), llm.Model(llm.Text("e")), llm.User(llm.Text("f"))},
			`{"role":"user","content":"hello\nb"},{"role":"assistant","content":"cde"},{"role":"user","content":"f"}`, nil,
		},
		{
			"call and result",
			[]*llm.Content{hello, called("f__c1", "f", `{"a":1}`), llm.User(result("f__c1", "f", "x\ny"))},
			user + `,{"role":"assistant","content":"","tool_calls":[{"id":"c1","function":{"name":"f","arguments":{"a":1}}}]},{"role":"tool","content":"x\ny","tool_name":"f","tool_call_id":"c1"}`, nil,
		},
		{
			"parallel calls, results turned round",
			[]*llm.Content{hello, llm.Model(llm.Text("I look."), called("1", "f", `{}`).Parts[0], called("2", "g", ``).Parts[0]), llm.User(result("2", "g", "y"), result("1", "f", "x"))},
			user + `,{"role":"assistant","content":"I look.","tool_calls":[{"id":"1","function":{"name":"f","arguments":{}}},{"id":"2","function":{"name":"g","arguments":{}}}]},{"role":"tool","content":"y","tool_name":"g","tool_call_id":"2"},{"role":"tool","content":"x","tool_name":"f","tool_call_id":"1"}`, nil,
		},
		{
			"no ids",
			[]*llm.Content{hello, llm.Model(called("", "f", `{"a":1}`).Parts[0], called("", "f", `{"a":2}`).Parts[0]), llm.User(result("", "f", "x"), result("", "f", "y"))},
			user + `,{"role":"assistant","content":"","tool_calls":[{"id":"call_f","function":{"name":"f","arguments":{"a":1}}},{"id":"call_f","function":{"name":"f","arguments":{"a":2}}}]},{"role":"tool","content":"x","tool_name":"f","tool_call_id":"call_f"},{"role":"tool","content":"y","tool_name":"f","tool_call_id":"call_f"}`, nil,
		},
		{
			"lost result",
			[]*llm.Content{hello, called("1", "f", `{}`), llm.User(llm.Text("go on"))},
			user + `,{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"No result: the call was cancelled, or its result was lost.","tool_name":"f","tool_call_id":"1"},{"role":"user","content":"go on"}`, nil,
		},
		{"result of nothing", []*llm.Content{hello, llm.User(result("1", "f", "x"), llm.Text("b"))}, `{"role":"user","content":"hello\nb"}`, nil},
		{
			"arguments that are none",
			[]*llm.Content{hello, called("1", "f", `[1]`), llm.User(result("1", "f", "x"))},
			user + `,{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":{"input":[1]}}}]},{"role":"tool","content":"x","tool_name":"f","tool_call_id":"1"}`, nil,
		},
		{
			"an error",
			[]*llm.Content{hello, called("1", "f", `{}`), llm.User(llm.Part{FunctionResponse: llm.Failure("1", "f", "no")})},
			user + `,{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"no","tool_name":"f","tool_call_id":"1"}`, nil,
		},
		{
			"thoughts of the running loop only",
			[]*llm.Content{hello, llm.Model(thinks("old"), llm.Text("a")), llm.User(llm.Text("b")), llm.Model(thinks("n\"w"), called("1", "f", `{}`).Parts[0]), llm.User(result("1", "f", "x"))},
			user + `,{"role":"assistant","content":"a"},{"role":"user","content":"b"},{"role":"assistant","content":"","thinking":"n\"w","tool_calls":[{"id":"1","function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"x","tool_name":"f","tool_call_id":"1"}`, nil,
		},
		{
			"no thoughts to who has none",
			[]*llm.Content{hello, llm.Model(thinks("t"), called("1", "f", `{}`).Parts[0]), llm.User(result("1", "f", "x"))},
			user + `,{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"x","tool_name":"f","tool_call_id":"1"}`, func(m *model) { m.thinkingSupport = catalog.No },
		},
		{"a thought that led to nothing", []*llm.Content{hello, llm.Model(thinks("t")), llm.User(llm.Text("b"))}, `{"role":"user","content":"hello\nb"}`, nil},
		{"image", []*llm.Content{llm.User(llm.Text("look"), llm.Part{InlineData: png}, llm.Part{InlineData: png})}, `{"role":"user","content":"look","images":["iVBORw0KGgo=","iVBORw0KGgo="]}`, nil},
		{
			"image of a result",
			[]*llm.Content{hello, called("1", "f", `{}`), llm.User(llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "1", Name: "f", Response: json.RawMessage(`{"output":"x"}`), Parts: []llm.Part{{InlineData: png}}}})},
			user + `,{"role":"assistant","content":"","tool_calls":[{"id":"1","function":{"name":"f","arguments":{}}}]},{"role":"tool","content":"x","tool_name":"f","tool_call_id":"1"},{"role":"user","content":"From f:","images":["iVBORw0KGgo="]}`, nil,
		},
		{"image to the blind", []*llm.Content{llm.User(llm.Text("look"), llm.Part{InlineData: png})}, `{"role":"user","content":"look\n[image/png left out: this model does not take it]"}`, func(m *model) { m.imageSupport = catalog.No }},
		{
			"other media",
			[]*llm.Content{llm.User(llm.Part{InlineData: &llm.Blob{MIMEType: "application/pdf", Data: []byte("%PDF-"), DisplayName: "a.pdf"}}, llm.Part{InlineData: &llm.Blob{MIMEType: "image/svg+xml", Data: []byte("x")}}, llm.Part{FileData: &llm.FileData{MIMEType: "image/png", FileURI: "https://x/y"}})},
			`{"role":"user","content":"[application/pdf a.pdf left out: this model does not take it]\n[image/svg+xml left out: this model does not take it]\n[image/png left out: this model does not take it] https://x/y"}`, nil,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := bodyOf(t, capableModel(c.change), &llm.Request{Model: "m", Contents: c.contents})
			if want := `{"model":"m","messages":[` + c.want + `],`; !strings.HasPrefix(got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	tools := []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{
		{Name: "f", Description: "d", Parameters: json.RawMessage(`{"type": "object", "properties": {"b": {"type":"string"}, "a": {}}}`)}, {Name: "g"},
	}}}
	const f, g = `{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object","properties":{"b":{"type":"string"},"a":{}}}}}`,
		`{"type":"function","function":{"name":"g","parameters":{"type":"object","properties":{}}}}`
	levels := func(m *model) { m.hasLevels = true }
	for _, c := range []struct {
		name   string
		config llm.Config
		want   string // "-" before text that must be absent
		change func(*model)
	}{
		{"window", llm.Config{}, `"truncate":false,"shift":false,"options":{"num_ctx":32768},"stream":true}`, nil},
		{"window of others", llm.Config{}, `"options":{},`, func(m *model) { m.isRemote = true }},
		{
			"all",
			llm.Config{Temperature: new(0.5), TopP: new(0.9), TopK: new(64.0), MaxOutputTokens: 100, Seed: new(0), StopSequences: []string{"x"}, PresencePenalty: new(0.1), FrequencyPenalty: new(0.2)},
			`"options":{"num_ctx":32768,"num_predict":100,"temperature":0.5,"top_p":0.9,"top_k":64,"presence_penalty":0.1,"frequency_penalty":0.2,"stop":["x"],"seed":0}`, nil,
		},
		{"system", llm.Config{SystemInstruction: llm.User(llm.Text("a"), llm.Text("b\n"))}, `"messages":[{"role":"system","content":"a\nb\n"},{"role":"user"`, nil},
		{"tools", llm.Config{Tools: tools}, `,"tools":[` + f + `,` + g + `]`, nil},
		{"some tools", llm.Config{Tools: tools, ToolConfig: &llm.ToolConfig{Mode: "ANY", Allowed: []string{"g"}}}, `,"tools":[` + g + `]`, nil},
		{"no tools", llm.Config{Tools: tools, ToolConfig: &llm.ToolConfig{Mode: "NONE"}}, `-"tools"`, nil},
		{"schema", llm.Config{ResponseMIMEType: "application/json", ResponseJSONSchema: json.RawMessage(`{"type":"object"}`)}, `"format":{"type":"object"},"truncate"`, nil},
		{"schema in words", llm.Config{ResponseJSONSchema: json.RawMessage(`{"type":"object"}`)}, `It has to fit this JSON schema: {\"type\":\"object\"}"}`, func(m *model) { m.schemaInText = true }},
		{"schema in words, format", llm.Config{ResponseJSONSchema: json.RawMessage(`{"type":"object"}`)}, `"format":"json"`, func(m *model) { m.schemaInText = true }},
		{"JSON", llm.Config{ResponseMIMEType: "application/json"}, `"format":"json"`, nil},
		{"no schema", llm.Config{ResponseJSONSchema: json.RawMessage(`{`)}, `"format":"json"`, nil},

		{"thinks by itself", llm.Config{}, `"think":true`, nil},
		{"not asked how", llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true, Budget: new(-1)}}, `"think":true`, nil},
		{"not with a form", llm.Config{ResponseMIMEType: "application/json"}, `-"think"`, nil},
		{"thinks in levels", llm.Config{}, `-"think"`, levels},
		{"cannot think", llm.Config{Thinking: &llm.Thinking{Level: "HIGH"}}, `-"think"`, func(m *model) { m.thinkingSupport = catalog.No }},
		{"who knows", llm.Config{}, `-"think"`, func(m *model) { m.thinkingSupport = catalog.Unknown }},
		{"who knows, asked", llm.Config{Thinking: &llm.Thinking{Level: "HIGH"}}, `"think":true`, func(m *model) { m.thinkingSupport = catalog.Unknown }},
		{"off", llm.Config{Thinking: &llm.Thinking{Budget: new(0)}}, `"think":false`, nil},
		{"none", llm.Config{Thinking: &llm.Thinking{Level: "none"}}, `"think":false`, nil},
		{"budget", llm.Config{Thinking: &llm.Thinking{Budget: new(512)}}, `"think":true`, nil},
		{"level", llm.Config{Thinking: &llm.Thinking{Level: "MEDIUM"}}, `"think":"medium"`, levels},
		{"level off", llm.Config{Thinking: &llm.Thinking{Budget: new(0)}}, `"think":"low"`, levels},
		{"level of a budget", llm.Config{Thinking: &llm.Thinking{Budget: new(8192)}}, `"think":"medium"`, levels},
		{"level of a large budget", llm.Config{Thinking: &llm.Thinking{Budget: new(9000)}}, `"think":"high"`, levels},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := bodyOf(t, capableModel(c.change), &llm.Request{Model: "m", Contents: []*llm.Content{llm.User(llm.Text("hello"))}, Config: c.config})
			want, absent := strings.CutPrefix(c.want, "-")
			if strings.Contains(got, want) == absent {
				t.Errorf("got %s\nwant %s", got, c.want)
			}
		})
	}
}

// TestSchemas checks that the server can decode tool schemas into its own
// types.
func TestSchemas(t *testing.T) {
	t.Parallel()
	const anything = `{"type":"object","properties":{}}`
	for schema, want := range map[string]string{
		``:                  anything,
		`null`:              anything,
		`{"a"`:              anything,
		`[1]`:               anything,
		`{}`:                `{"properties":{},"type":"object"}`,
		`{"type":"OBJECT"}`: `{"properties":{},"type":"object"}`,
		`{"type": "object", "properties": {"z": {"type": ["string", "null"]}, "a": {"enum": [1]}}, "required": ["z"]}`:                            `{"type":"object","properties":{"z":{"type":["string","null"]},"a":{"enum":[1]}},"required":["z"]}`,
		`{"type":["object","null"],"properties":{"a":{"type":"STRING"}}}`:                                                                         `{"properties":{"a":{"type":"string"}},"type":"object"}`,
		`{"type":"object","properties":{"a":true,"b":{"description":7,"enum":"x","type":7},"c":{"anyOf":[true,{"type":"NULL"}]}},"required":"a"}`: `{"properties":{"a":{},"b":{},"c":{"anyOf":[{},{"type":"null"}]}},"type":"object"}`,
		`{"type":"object","Properties":{"a":true},"properties":{"b":{"Type":7,"deſcription":1}}}`:                                                 `{"properties":{"b":{}},"type":"object"}`,
		`{"type":"object","properties":{"a":{"type":"object","properties":{"b":false},"required":[1]}}}`:                                          `{"properties":{"a":{"properties":{"b":{}},"type":"object"}},"type":"object"}`,
	} {
		if got := string(serverSchema(json.RawMessage(schema))); got != want {
			t.Errorf("%s: %s, want %s", schema, got, want)
		}
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		about  string
		wanted int
		most   int
		want   int
	}{
		{`{}`, 0, 0, DefaultWindow},
		{`{"model_info":{"general.architecture":"q","q.context_length":131072}}`, 0, 0, DefaultWindow},
		{`{"model_info":{"general.architecture":"q","q.context_length":131072,"clip.context_length":77}}`, 100_000, 0, 100_000},
		{`{"model_info":{"general.architecture":"q","q.context_length":8192}}`, 100_000, 0, 8192},
		{`{"model_info":{"a.context_length":2048}}`, 0, 0, 2048},
		{`{"model_info":{"general.architecture":7,"a.context_length":"x","b.context_length":2e9,"c.context_length":2048.0}}`, 0, 0, 2048},
		{`{"parameters":"stop x\nnum_ctx   65536\n","model_info":{"q.context_length":131072}}`, 0, 0, 65536},
		{`{"parameters":"num_ctx 4096"}`, 0, 0, 4096},
		{`{"parameters":"num_ctx 4096"}`, 9000, 0, 9000},
		{`{"parameters":7,"model_info":{"q.context_length":null}}`, 0, 0, DefaultWindow},
		{`{"remote_host":"https://ollama.com:443","model_info":{"q.context_length":262144}}`, 0, 0, 262144},
		{`{"remote_host":"https://ollama.com:443","model_info":{"q.context_length":262144}}`, 100_000, 0, 100_000},
		{`{"model_info":{"q.context_length":131072}}`, 0, 16384, 16384},
	} {
		m := &model{name: "m", userWindow: c.wanted, memoryLimit: c.most}
		if err := m.describe([]byte(c.about)); err != nil {
			t.Errorf("%s: %v", c.about, err)
		}
		if got := m.setDerived().window; got != c.want {
			t.Errorf("%s, %d wanted: %d, want %d", c.about, c.wanted, got, c.want)
		}
	}
}

// TestMinTokens checks that the lower bound is computed without reading the history
// again, and that only prompts that exceed the window are rejected.
func TestMinTokens(t *testing.T) {
	t.Parallel()
	m := capableModel(nil)
	ask := func(parts ...llm.Part) int {
		return m.newRequest(&llm.Request{Model: "m", Contents: []*llm.Content{llm.User(parts...)}}, true).minPromptTokens
	}
	empty := ask(llm.Text("x"))
	if n := ask(llm.Text(strings.Repeat("word ", 10_000))) - empty; n < 9_000 || n > 13_000 {
		t.Errorf("10,000 English words: %d", n)
	}
	if n := ask(llm.Text(strings.Repeat("汉字", 5_000))) - empty; n < 4_000 || n > 10_000 {
		t.Errorf("10,000 Chinese characters: %d", n)
	}
	if n := ask(llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: append([]byte("\x89PNG\r\n\x1a\n"), make([]byte, 1<<20)...)}}) - empty; n < 200 || n > 1000 {
		t.Errorf("an image of a megabyte: %d", n)
	}
}

// TestEncodedOnce checks that a message is encoded once per form: with and without
// images.
func TestEncodedOnce(t *testing.T) {
	t.Parallel()
	m := capableModel(nil)
	content := llm.User(llm.Text("hello"))
	first := chatwire.Record(m, content)
	if again := content.Encoded(capableModel(nil).key, func([]byte, *llm.Content) []byte { t.Error("encoded again"); return nil }); !slices.Equal(first, again) {
		t.Errorf("%q, then %q", first, again)
	}
	if blind := capableModel(func(m *model) { m.imageSupport = catalog.No }); blind.key == m.key {
		t.Error("the same for the blind")
	}
}

func FuzzSchema(f *testing.F) {
	f.Add([]byte(`{"type":"OBJECT","properties":{"a":true,"b":{"anyOf":[1],"type":["A",1]}},"required":[1],"enum":1}`))
	f.Fuzz(func(t *testing.T, schema []byte) {
		got := serverSchema(schema)
		var read struct { // as the server decodes it
			Type       string
			Required   []string
			Properties map[string]struct {
				AnyOf       []map[string]any
				Type        any
				Description string
				Enum        []any
				Properties  map[string]map[string]any
			}
		}
		if err := json.Unmarshal(got, &read); err != nil || read.Type != "object" {
			t.Fatalf("%s becomes %s: %v", schema, got, err)
		}
		if again := serverSchema(got); string(again) != string(got) && !sameJSON(again, got) {
			t.Fatalf("%s becomes %s, and that %s", schema, got, again)
		}
	})
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && fmt.Sprint(x) == fmt.Sprint(y)
}
