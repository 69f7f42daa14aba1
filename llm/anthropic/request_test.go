package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"

	"pollux/llm"
	"pollux/llm/httpwire"
)

func bodyOf(t testing.TB, b *httpwire.Body) string {
	t.Helper()
	data, err := io.ReadAll(iotest.HalfReader(b.Reader()))
	if err != nil || int64(len(data)) != b.Size() {
		t.Fatalf("%d bytes of %d: %v", len(data), b.Size(), err)
	}
	return string(data)
}

// refusal returns why the vendor would refuse a body, "" if it would accept it.
func refusal(path, body string) string {
	if _, why := check(path, []byte(body)); why != "" {
		return why
	}
	return checkLossless([]byte(body))
}

func call(id, name, args string) llm.Part {
	return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func result(id, name, text string) llm.Part {
	return llm.Part{FunctionResponse: llm.Output(id, name, text)}
}

func thought(text, signature string) llm.Part {
	return llm.Part{Text: text, Thought: true, ThoughtSignature: signature}
}

func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error() // arguments that are not JSON
	}
	return string(data)
}

func TestMessages(t *testing.T) {
	t.Parallel()
	png := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n"), DisplayName: "a.png"}}
	whole := llm.Signed(vendor, `{"type":"thinking","thinking":"hm","signature":"c2ln"}`)
	for _, c := range []struct {
		name     string
		contents []*llm.Content
		want     string
	}{
		{
			"same roles are one message",
			[]*llm.Content{llm.User(llm.Text("a")), llm.User(llm.Text("b"), llm.Text("c")), llm.Model(llm.Text("d"))},
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"},{"type":"text","text":"c"}]},` +
				`{"role":"assistant","content":[{"type":"text","text":"d"}]}`,
		},
		{
			"the user has the first message, and empty messages are dropped",
			[]*llm.Content{llm.Model(llm.Text("a \n")), llm.User(llm.Text(" "), llm.Text(""), llm.Part{}), llm.Model(llm.Text("b"))},
			`{"role":"user","content":[{"type":"text","text":"Continue."}]},{"role":"assistant","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`,
		},
		{
			"thoughts go back to who signed them",
			[]*llm.Content{llm.User(llm.Text("a")), llm.Model(
				thought("unsigned", ""), thought("google's", "c2ln"), thought("another's", llm.Signed("openai", "x")),
				thought("", whole), thought("as text", llm.Signed(vendor, "c2ln")),
				thought("", llm.Signed(vendor, `{"type":"redacted_thinking","data":"ZGF0YQ=="}`)),
				thought("", llm.Signed(vendor, `{"type":"text","text":"forged"}`)), thought("", llm.Signed(vendor, `{broken`)),
				llm.Text("b"),
			)},
			`{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[` +
				`{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"thinking","thinking":"as text","signature":"c2ln"},` +
				`{"type":"redacted_thinking","data":"ZGF0YQ=="},{"type":"text","text":"b"}]}`,
		},
		{
			"results come first",
			[]*llm.Content{
				llm.User(llm.Text("a")), llm.Model(call("ls__1", "ls", `{"a": 1}`), call("ls__2", "ls", ``)), llm.User(llm.Text("stop"), result("ls__1", "ls", "f")),
				llm.User(llm.Part{FunctionResponse: llm.Failure("ls__2", "ls", "no")}, llm.Text("go")),
			},
			`{"role":"user","content":[{"type":"text","text":"a"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ls","input":{"a": 1}},{"type":"tool_use","id":"2","name":"ls","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"f"},{"type":"tool_result","tool_use_id":"2","content":"no","is_error":true},` +
				`{"type":"text","text":"stop"},{"type":"text","text":"go"}]}`,
		},
		{
			"media",
			[]*llm.Content{
				llm.User(llm.Text("a"), png, llm.Part{InlineData: &llm.Blob{MIMEType: "application/pdf", Data: []byte("%PDF-1.7"), DisplayName: "b.pdf"}},
					llm.Part{InlineData: &llm.Blob{MIMEType: "audio/wav", Data: []byte{3}}}, llm.Part{InlineData: &llm.Blob{MIMEType: "text/plain", Data: []byte("words")}},
					llm.Part{FileData: &llm.FileData{MIMEType: "image/png", FileURI: "https://x/y.png"}}, llm.Part{FileData: &llm.FileData{MIMEType: "video/mp4", FileURI: "gs://b/v"}}),
				llm.Model(call("see__1", "see", "{}")),
				llm.User(llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "see__1", Name: "see", Response: json.RawMessage(`{"output":"o"}`), Parts: []llm.Part{png, {}}}}),
			},
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}},` +
				`{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"JVBERi0xLjc="},"title":"b.pdf"},` +
				`{"type":"text","text":"[attachment: 1 bytes of audio/wav were left out, this model is not shown such data]"},{"type":"text","text":"words"},` +
				`{"type":"image","source":{"type":"url","url":"https://x/y.png"}},{"type":"text","text":"[gs://b/v: a file of video/mp4, which this model is not shown]"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"see","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":[{"type":"text","text":"o"},` +
				`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]}`,
		},
		{
			"odd arguments, ids, names and results",
			[]*llm.Content{
				llm.User(llm.Text("a")), llm.Model(call("functions.ls:0", "ls", `[1]`), call("", "a.b", `{"broken`), call("x", "c", `{"half":"\ud83d"}`)),
				llm.User(result("functions.ls:0", "ls", " "), llm.Part{FunctionResponse: &llm.FunctionResponse{Name: "a.b", Response: json.RawMessage(`{"b":2,"a":1}`)}},
					llm.Part{FunctionResponse: &llm.FunctionResponse{ID: "x", Name: "c"}}),
			},
			`{"role":"user","content":[{"type":"text","text":"a"}]},{"role":"assistant","content":[` +
				`{"type":"tool_use","id":"functions_ls_0_2p84bsfg6dcs7","name":"ls","input":{"input":[1]}},` +
				`{"type":"tool_use","id":"a_b_3hz8uqreud25o","name":"a_b_3hz8uqreud25o","input":{"input":"{\"broken"}},` +
				`{"type":"tool_use","id":"x","name":"c","input":{"half":"\ufffd"}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"functions_ls_0_2p84bsfg6dcs7"},` +
				`{"type":"tool_result","tool_use_id":"a_b_3hz8uqreud25o","content":"{\"b\":2,\"a\":1}"},{"type":"tool_result","tool_use_id":"x"}]}`,
		},
		{
			"calls and results that do not fit",
			[]*llm.Content{
				llm.User(llm.Text("a"), result("ls__0", "ls", "old")), llm.Model(call("ls__1", "ls", `{}`), call("ls__1", "ls", `{}`), call("ls__3", "ls", "{}")),
				llm.User(result("ls__1", "ls", "one"), result("ls__1", "ls", "two"), result("ls__1", "ls", "three")),
				llm.Model(call("ls__1", "ls", `{}`)),
			},
			`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"[Result of an earlier call of ls]\nold"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"1","name":"ls","input":{}},{"type":"tool_use","id":"1_2","name":"ls","input":{}},{"type":"tool_use","id":"3","name":"ls","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"one"},{"type":"tool_result","tool_use_id":"1_2","content":"two"},` +
				`{"type":"tool_result","tool_use_id":"3","content":"The call was not run, or its result is lost.","is_error":true},` +
				`{"type":"text","text":"[Result of an earlier call of ls]\nthree"}]},` +
				`{"role":"assistant","content":[{"type":"tool_use","id":"1_3","name":"ls","input":{}}]},` +
				`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1_3","content":"The call was not run, or its result is lost.","is_error":true}]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := show(c.contents)
			q := &query{Request: &llm.Request{Model: "m", Contents: c.contents}}
			got := bodyOf(t, q.countBody())
			if want := `{"messages":[` + c.want + `],`; !strings.HasPrefix(got, want) {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if why := refusal("/v1/messages/count_tokens", got); why != "" {
				t.Error(why)
			}
			if after := show(c.contents); after != before {
				t.Errorf("the messages changed\nfrom %s\nto   %s", before, after)
			}
		})
	}
}

// fullRequest returns a request with every setting.
func fullRequest() *llm.Request {
	return &llm.Request{
		Model: "claude-sonnet-4-5-20250929",
		Contents: []*llm.Content{
			llm.User(llm.Text("one")), llm.Model(llm.Text("two")), llm.User(llm.Text("three")),
			llm.Model(thought("hm", llm.Signed(vendor, "c2ln")), call("read_file__1", "read_file", `{"path":"a.go"}`)),
			llm.User(result("read_file__1", "read_file", "text")),
		},
		Config: llm.Config{
			SystemInstruction: llm.User(llm.Text("Be brief."), llm.Text("Be kind.")),
			Tools: []*llm.ToolSet{
				{Functions: []llm.FunctionDeclaration{
					{Name: "ls", Description: "Lists \"files\".", Parameters: []byte("{\n \"type\": \"object\", \"properties\": {\"a\": {\"type\": \"string\"}}}")},
					{Name: "mcp.x:y", Parameters: []byte(`{"$schema":"http://x","anyOf":[{"required":["a"]}],"$defs":{"n":{"type":"null"}}}`)},
				}},
				{},
				{Functions: []llm.FunctionDeclaration{{Name: "now"}}},
			},
			ToolConfig: &llm.ToolConfig{Mode: "AUTO"}, Temperature: new(0.5), TopP: new(0.95), TopK: new(64.0),
			StopSequences: []string{"END", " "}, Thinking: &llm.Thinking{IncludeThoughts: true, Budget: new(2048)},
		},
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	const mark = `,"cache_control":{"type":"ephemeral"}`
	q := &query{Request: fullRequest(), stream: true}
	got := bodyOf(t, q.body())
	const want = `{"messages":[{"role":"user","content":[{"type":"text","text":"one"}]},{"role":"assistant","content":[{"type":"text","text":"two"}]},` +
		`{"role":"user","content":[{"type":"text","text":"three"` + mark + `}]},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"c2ln"},{"type":"tool_use","id":"1","name":"read_file","input":{"path":"a.go"}}]},` +
		`{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"text"` + mark + `}]}],` +
		`"system":[{"type":"text","text":"Be brief."},{"type":"text","text":"Be kind."` + mark + `}],` +
		`"tools":[{"name":"ls","description":"Lists \"files\".","input_schema":{"type":"object","properties":{"a":{"type":"string"}}}},` +
		`{"name":"mcp_x_y_2stbvnh0m19n8","input_schema":{"type":"object","$defs":{"n":{"type":"null"}},"properties":{}}},` +
		`{"name":"now","input_schema":{"type":"object","properties":{}}` + mark + `}],` +
		`"model":"claude-sonnet-4-5-20250929","max_tokens":65536,"stream":true,"thinking":{"type":"enabled","budget_tokens":2048},"stop_sequences":["END"]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if why := refusal("/v1/messages", got); why != "" {
		t.Error(why)
	}
	if !q.interleaved {
		t.Error("nothing asks for thoughts between calls")
	}
	q = &query{Request: fullRequest(), noCacheMarks: true}
	if got := bodyOf(t, q.body()); strings.Contains(got, "cache_control") || strings.Contains(got, `"stream"`) || !strings.Contains(got, `"max_tokens":16384,`) {
		t.Error(got)
	}
}

// TestSettings tests members that depend on each other.
func TestSettings(t *testing.T) {
	t.Parallel()
	schema := json.RawMessage(`{"type":"object","properties":{"a":{"type":"string"}},"required":["a"]}`)
	tools := []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls"}}}}
	for name, c := range map[string]struct {
		model   string
		config  llm.Config
		dialect dialect
		has     string // separated by blanks
		hasNot  string
	}{
		"sampling":      {"claude-x", llm.Config{Temperature: new(0.5), TopP: new(0.9), TopK: new(5.0)}, dialect{}, `"temperature":0.5, "top_k":5`, `top_p thinking`},
		"the default":   {"claude-x", llm.Config{Temperature: new(1.5), TopP: new(0.9)}, dialect{}, `"max_tokens"`, `temperature top_p`},
		"top_p alone":   {"claude-x", llm.Config{TopP: new(0.9)}, dialect{}, `"top_p":0.9`, `temperature`},
		"none of them":  {"claude-x", llm.Config{Temperature: new(0.0), TopK: new(5.0)}, dialect{noTemperature: true, noTopK: true}, ``, `temperature top_`},
		"adaptive":      {"claude-opus-4-6", llm.Config{Temperature: new(0.0), Thinking: &llm.Thinking{Level: "HIGH"}}, dialect{}, `{"type":"adaptive"} {"effort":"high"}`, `temperature budget display`},
		"display":       {"claude-opus-5", llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true}}, dialect{}, `{"type":"adaptive","display":"summarized"}`, `effort`},
		"no display":    {"claude-opus-5", llm.Config{Thinking: &llm.Thinking{IncludeThoughts: true, Budget: new(9000)}}, dialect{noDisplay: true, noEffort: true}, `{"type":"adaptive"}`, `effort`},
		"old":           {"claude-3-7-sonnet-latest", llm.Config{Thinking: &llm.Thinking{Level: "HIGH"}}, dialect{}, `"budget_tokens":6144 "max_tokens":8192`, `effort`},
		"never thought": {"claude-3-5-sonnet-latest", llm.Config{Temperature: new(0.0), Thinking: &llm.Thinking{Level: "HIGH"}}, dialect{}, `"temperature":0`, `thinking`},
		"no room":       {"claude-sonnet-4", llm.Config{MaxOutputTokens: 1024, Thinking: &llm.Thinking{Level: "HIGH"}}, dialect{}, `"max_tokens":1024`, `thinking`},
		"off":           {"claude-opus-4-6", llm.Config{Thinking: &llm.Thinking{Budget: new(0)}}, dialect{}, `"thinking":{"type":"disabled"}`, `effort`},
		"off before":    {"claude-opus-4-5", llm.Config{Thinking: &llm.Thinking{Budget: new(0)}}, dialect{}, ``, `thinking`},
		"must call":     {"claude-opus-4-5", llm.Config{Tools: tools, ToolConfig: &llm.ToolConfig{Mode: "ANY", Allowed: []string{"ls"}}, Thinking: &llm.Thinking{}}, dialect{}, `"tool_choice":{"type":"tool","name":"ls"}`, `thinking`},
		"must not call": {"claude-opus-4-5", llm.Config{Tools: tools, ToolConfig: &llm.ToolConfig{Mode: "none"}, Thinking: &llm.Thinking{}}, dialect{}, `"tool_choice":{"type":"none"} "thinking":{"type":"enabled"`, `display`},
		"json":          {"claude-opus-4-5", llm.Config{Tools: tools, ResponseJSONSchema: schema, Thinking: &llm.Thinking{}}, dialect{}, `"tools":[{"name":"answer" "required":["a"]} {"type":"tool","name":"answer","disable_parallel_tool_use":true}`, `thinking "ls"`},
		"json list":     {"m", llm.Config{ResponseJSONSchema: []byte(`{"type":"array"}`)}, dialect{}, `"properties":{"value":{"type":"array"}},"required":["value"]`, ``},
		"json somehow":  {"m", llm.Config{ResponseMIMEType: "application/json"}, dialect{}, `one JSON value`, `tool`},
		"search":        {"m", llm.Config{Tools: []*llm.ToolSet{{GoogleSearch: true}}}, dialect{}, `"type":"web_search_20250305"`, ``},
		"learned":       {"claude-opus-4-1", llm.Config{}, dialect{Quirks: Quirks{MaxTokens: 32000, NoCache: true}}, `"max_tokens":16384`, `cache_control`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			q := &query{Request: &llm.Request{Model: c.model, Contents: []*llm.Content{llm.User(llm.Text("hi"))}, Config: c.config}, dialect: c.dialect}
			got := bodyOf(t, q.body())
			for _, part := range strings.Fields(c.has) {
				if !strings.Contains(strings.ReplaceAll(got, " ", ""), strings.TrimSuffix(part, ",")) {
					t.Errorf("no %s in %s", part, got)
				}
			}
			for _, part := range strings.Fields(c.hasNot) {
				if strings.Contains(got, part) {
					t.Errorf("%s in %s", part, got)
				}
			}
			if why := refusal("/v1/messages", got); why != "" {
				t.Error(why)
			}
		})
	}
}

// TestAnyHistory checks that the vendor accepts any conversation, and that messages
// added later do not change the bytes before them.
func TestAnyHistory(t *testing.T) {
	t.Parallel()
	text := rapid.SampledFrom([]string{"", " \n", "words", "words \n", "\x00\xff\"\\", "🦆\u2028"})
	name := rapid.SampledFrom([]string{"ls", "read_file", "mcp.x:y", "ü", ""})
	id := rapid.SampledFrom([]string{"", "ls__1", "1", "call:0", "read_file__read_file__2", strings.Repeat("long", 40)})
	object := rapid.SampledFrom([]string{"", "{}", `{"a":[1,"\ud800"]}`, `{"output":"text"}`, `{"error":"no"}`, `{"error":{"x":1}}`, `[1]`, `{"half`, "null", "\xff"})
	signature := rapid.SampledFrom([]string{
		"", "c2ln", llm.Signed(vendor, "c2ln"), llm.Signed(vendor, `{"type":"thinking","thinking":"hm","signature":"s"}`),
		llm.Signed(vendor, `{"type":"redacted_thinking","data":"x"}`), llm.Signed(vendor, `{"type":"tool_use"}`), llm.Signed(vendor, "{"), llm.Signed("x", "y"),
	})
	mime := rapid.SampledFrom([]string{"image/png", "IMAGE/JPEG; q=1", "image/tiff", "application/pdf", "text/plain", "audio/wav", ""})
	var part func(depth int) *rapid.Generator[llm.Part]
	part = func(depth int) *rapid.Generator[llm.Part] {
		return rapid.Custom(func(t *rapid.T) llm.Part {
			switch rapid.IntRange(0, 7-depth).Draw(t, "kind") {
			case 0:
				return llm.Text(text.Draw(t, "text"))
			case 1:
				return llm.Part{InlineData: &llm.Blob{MIMEType: mime.Draw(t, "mime"), Data: []byte(text.Draw(t, "data"))}}
			case 2:
				return llm.Part{FileData: &llm.FileData{MIMEType: mime.Draw(t, "mime"), FileURI: "https://x/y"}}
			case 3:
				return llm.Part{Extra: map[string]json.RawMessage{"executableCode": []byte(`{"code":"1"}`)}}
			case 4:
				return thought(text.Draw(t, "text"), signature.Draw(t, "signature"))
			case 5, 6:
				return call(id.Draw(t, "id"), name.Draw(t, "name"), object.Draw(t, "args"))
			}
			r := &llm.FunctionResponse{ID: id.Draw(t, "id"), Name: name.Draw(t, "name"), Response: json.RawMessage(object.Draw(t, "response"))}
			if depth == 0 {
				r.Parts = rapid.SliceOfN(part(1), 0, 2).Draw(t, "parts")
			}
			return llm.Part{FunctionResponse: r}
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		var contents []*llm.Content
		for range rapid.IntRange(0, 6).Draw(t, "messages") {
			role := rapid.SampledFrom([]llm.Role{llm.RoleUser, llm.RoleModel}).Draw(t, "role")
			contents = append(contents, &llm.Content{Role: role, Parts: rapid.SliceOfN(part(0), 0, 4).Draw(t, "parts")})
		}
		contents = append(contents, llm.User(llm.Text("go on")))
		model := rapid.SampledFrom([]string{"claude-sonnet-4-5", "claude-opus-4-6", "other"}).Draw(t, "model")
		req := &llm.Request{Model: model, Contents: contents}
		if rapid.Bool().Draw(t, "tools") {
			req.Config.Tools = []*llm.ToolSet{{Functions: []llm.FunctionDeclaration{{Name: "ls"}}}}
		}
		if rapid.Bool().Draw(t, "think") {
			req.Config.Thinking = &llm.Thinking{IncludeThoughts: true}
		}
		q := &query{Request: req}
		if rapid.Bool().Draw(t, "foreign") {
			q.lastRejected = contents[len(contents)/2]
		}
		var first, again bytes.Buffer
		_, _ = first.ReadFrom(q.body().Reader())
		if why := refusal("/v1/messages", first.String()); why != "" {
			t.Fatalf("%s\n%s", why, first.String())
		}
		_, _ = again.ReadFrom(q.body().Reader())
		if first.String() != again.String() {
			t.Fatalf("the same request, twice:\n%s\n%s", first.String(), again.String())
		}
	})
}

// TestPrefix checks that a request starts with the conversation of the previous one,
// apart from cache marks, and that cached encodings are not copied.
func TestPrefix(t *testing.T) {
	t.Parallel()
	const mark = `,"cache_control":{"type":"ephemeral"}`
	req := &llm.Request{Model: "claude-opus-4-6", Contents: []*llm.Content{llm.User(llm.Text("begin"))}}
	before := ""
	for i := range 5 {
		q := &query{Request: req}
		got := bodyOf(t, q.body())
		got = got[:strings.LastIndex(got, `}]}],"`)+3]
		if n := strings.Count(got, mark); n != min(i+1, 2) {
			t.Errorf("%d marks in the messages of request %d", n, i)
		}
		got = strings.ReplaceAll(got, mark, "")
		if !strings.HasPrefix(got, before) {
			t.Errorf("request %d\n%s\ndoes not begin with\n%s", i, got, before)
		}
		before = got
		id := fmt.Sprintf("ls__%d", i)
		req.Contents = append(req.Contents, llm.Model(thought("", llm.Signed(vendor, "s")), call(id, "ls", "{}")), llm.User(result(id, "ls", "x")))
	}
	kept := req.Contents[1].Encoded(keyBlocks, encodingsFor(&Quirks{}).model)
	_ = (&query{Request: req}).body()
	if again := req.Contents[1].Encoded(keyBlocks, encodingsFor(&Quirks{}).model); &again[0] != &kept[0] {
		t.Error("a message was encoded twice")
	}
}
