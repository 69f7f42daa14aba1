package gemini

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/jsonschema-go/jsonschema"

	"pollux/llm"
	"pollux/llm/httpwire"
)

func bodyOf(t testing.TB, b *httpwire.Body) string {
	t.Helper()
	data, err := io.ReadAll(b.Reader())
	if err != nil {
		t.Fatal(err)
	}
	if int64(len(data)) != b.Size() {
		t.Errorf("size %d, but %d bytes", b.Size(), len(data))
	}
	return string(data)
}

func call(id, name, args string) llm.Part {
	return llm.Part{FunctionCall: &llm.FunctionCall{ID: id, Name: name, Args: json.RawMessage(args)}}
}

func signed(p llm.Part, signature string) llm.Part {
	p.ThoughtSignature = signature
	return p
}

func TestContents(t *testing.T) {
	t.Parallel()
	media := llm.Part{InlineData: &llm.Blob{MIMEType: "image/png", Data: []byte("\x89PNG\r\n\x1a\n"), DisplayName: "a.png"}}
	for _, c := range []struct {
		name     string
		contents []*llm.Content
		want     string
	}{
		{"none", nil, ``},
		{
			"same roles are one message",
			[]*llm.Content{llm.User(llm.Text("a")), llm.User(llm.Text("b"), llm.Text("c")), llm.Model(llm.Text("d"))},
			`{"role":"user","parts":[{"text":"a"},{"text":"b"},{"text":"c"}]},{"role":"model","parts":[{"text":"d"}]}`,
		},
		{
			"thoughts stay here",
			[]*llm.Content{llm.Model(llm.Part{Text: "hm", Thought: true, ThoughtSignature: "s"}, llm.Text("a"))},
			`{"role":"model","parts":[{"text":"a"}]}`,
		},
		{
			"a message of thoughts is none",
			[]*llm.Content{llm.User(llm.Text("a")), llm.Model(llm.Part{Text: "hm", Thought: true}), llm.User(llm.Text("b"))},
			`{"role":"user","parts":[{"text":"a"},{"text":"b"}]}`,
		},
		{
			"ids as the model gave them",
			[]*llm.Content{
				llm.Model(signed(call("ls__x__1", "ls", `{"a":1}`), "sig")), llm.User(llm.Part{FunctionResponse: llm.Output("ls__x__1", "ls", "f")}),
			},
			`{"role":"model","parts":[{"functionCall":{"id":"x__1","name":"ls","args":{"a":1}},"thoughtSignature":"sig"}]},` +
				`{"role":"user","parts":[{"functionResponse":{"id":"x__1","name":"ls","response":{"output":"f"}}}]}`,
		},
		{
			"the first call is signed",
			[]*llm.Content{llm.Model(llm.Text("t"), call("1", "a", ""), call("2", "b", "{}"))},
			`{"role":"model","parts":[{"text":"t"},{"functionCall":{"id":"1","name":"a","args":{}},"thoughtSignature":"skip_thought_signature_validator"},` +
				`{"functionCall":{"id":"2","name":"b","args":{}}}]}`,
		},
		{
			"only a missing signature is made up",
			[]*llm.Content{llm.Model(signed(call("1", "a", "{}"), "s"), call("2", "b", "{}"))},
			`{"role":"model","parts":[{"functionCall":{"id":"1","name":"a","args":{}},"thoughtSignature":"s"},{"functionCall":{"id":"2","name":"b","args":{}}}]}`,
		},
		{
			"nested media stay, names do not",
			[]*llm.Content{llm.User(llm.Part{FunctionResponse: &llm.FunctionResponse{
				ID: "a__1", Name: "a", Response: json.RawMessage(`{"output":"o"}`), Parts: []llm.Part{media, {}},
			}}, media)},
			`{"role":"user","parts":[{"functionResponse":{"id":"1","name":"a","response":{"output":"o"},"parts":[{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}},` +
				`{"inlineData":{"mimeType":"image/png","data":"iVBORw0KGgo="}}]}`,
		},
		{
			"nothing is not sent, a signature is",
			[]*llm.Content{llm.User(llm.Part{}, llm.Text(""), llm.Text("a")), llm.Model(signed(llm.Text(""), "s"), signed(llm.Part{}, "t"))},
			`{"role":"user","parts":[{"text":"a"}]},{"role":"model","parts":[{"text":"","thoughtSignature":"s"},{"text":"","thoughtSignature":"t"}]}`,
		},
		{
			"arguments and results are objects",
			[]*llm.Content{
				llm.Model(signed(call("1", "a", `[1]`), "s"), call("2", "b", `{"broken`)),
				llm.User(llm.Part{FunctionResponse: &llm.FunctionResponse{Name: "a", Response: json.RawMessage(`"text"`)}}, llm.Part{FunctionResponse: &llm.FunctionResponse{Name: "b"}}),
			},
			`{"role":"model","parts":[{"functionCall":{"id":"1","name":"a","args":{"input":[1]}},"thoughtSignature":"s"},{"functionCall":{"id":"2","name":"b","args":{"input":"{\"broken"}}}]},` +
				`{"role":"user","parts":[{"functionResponse":{"name":"a","response":{"output":"text"}}},{"functionResponse":{"name":"b","response":{}}}]}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			before := show(c.contents)
			if got, want := bodyOf(t, contentsBody(c.contents)), `{"contents":[`+c.want+`]}`; got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if after := show(c.contents); after != before {
				t.Errorf("the messages changed\nfrom %s\nto   %s", before, after)
			}
		})
	}
}

func show(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error() // arguments that are not JSON
	}
	return string(data)
}

// fullRequest returns a request with every setting.
func fullRequest() *llm.Request {
	return &llm.Request{
		Model: "gemini-2.5-pro",
		Contents: []*llm.Content{
			llm.User(llm.Text("Where is it?"), llm.Part{FileData: &llm.FileData{MIMEType: "video/mp4", FileURI: "gs://b/v"}}),
			llm.Model(call("read_file__1", "read_file", `{"path":"a.go","n":1}`), call("ls__2", "ls", `{}`)),
			llm.User(llm.Part{FunctionResponse: llm.Output("read_file__1", "read_file", "text")}, llm.Part{FunctionResponse: llm.Failure("ls__2", "ls", "no")}),
			llm.Model(llm.Part{Extra: map[string]json.RawMessage{"executableCode": []byte(`{"code":"1+1","language":"PYTHON"}`)}}),
		},
		Config: llm.Config{
			SystemInstruction: llm.User(llm.Text("Be brief.")),
			Tools: []*llm.ToolSet{
				{Functions: []llm.FunctionDeclaration{{Name: "ls", Description: "Lists \"files\".", Parameters: []byte("{\n \"type\": \"object\"}")}, {Name: "now"}}},
				{},
				{GoogleSearch: true, URLContext: true},
			},
			ToolConfig:  &llm.ToolConfig{Mode: "ANY", Allowed: []string{"ls"}},
			Temperature: new(0.0), TopP: new(0.95), TopK: new(64.0), CandidateCount: 1, MaxOutputTokens: 100,
			StopSequences: []string{"END", "\""}, PresencePenalty: new(0.5), FrequencyPenalty: new(-0.5), Seed: new(0),
			ResponseMIMEType: "application/json", ResponseJSONSchema: []byte(`{"type":"object"}`),
			Thinking:       &llm.Thinking{IncludeThoughts: true, Budget: new(0)},
			SafetySettings: []byte(`[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"}]`),
			CachedContent:  "cachedContents/x", Labels: map[string]string{"b": "2", "a": "1"},
		},
	}
}

func TestBody(t *testing.T) {
	t.Parallel()
	c := &Client{endpoint: endpoint{vertex: true}}
	got := bodyOf(t, c.generateBody(fullRequest(), refusals{}))
	const want = `,"systemInstruction":{"role":"user","parts":[{"text":"Be brief."}]},` +
		`"tools":[{"functionDeclarations":[{"name":"ls","description":"Lists \"files\".","parametersJsonSchema":{"type":"object"}},{"name":"now"}]},{"googleSearch":{},"urlContext":{}}],` +
		`"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["ls"]}},` +
		`"safetySettings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"OFF"}],"cachedContent":"cachedContents/x","labels":{"a":"1","b":"2"},` +
		`"generationConfig":{"temperature":0,"topP":0.95,"topK":64,"candidateCount":1,"maxOutputTokens":100,"stopSequences":["END","\""],` +
		`"presencePenalty":0.5,"frequencyPenalty":-0.5,"seed":0,"responseMimeType":"application/json","responseJsonSchema":{"type":"object"},` +
		`"thinkingConfig":{"includeThoughts":true,"thinkingBudget":0}}}`
	if _, rest, _ := strings.Cut(got, `"language":"PYTHON"}}]}]`); rest != want {
		t.Errorf("got  %s\nwant %s", rest, want)
	}
	if got := bodyOf(t, (&Client{}).generateBody(fullRequest(), refusals{})); strings.Contains(got, `"labels"`) {
		t.Error("the Gemini API is sent labels, which it refuses")
	}
	if got := bodyOf(t, c.generateBody(&llm.Request{Contents: []*llm.Content{llm.User(llm.Text("a"))}}, refusals{})); got != `{"contents":[{"role":"user","parts":[{"text":"a"}]}]}` {
		t.Errorf("a bare request is %s", got)
	}
}

// TestBodyValidates validates bodies against the vendor's published schema, if it
// lies beside the checkout.
func TestBodyValidates(t *testing.T) {
	t.Parallel()
	file, err := filepath.Abs("../../../shared/wire/gemini.json")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(file); err != nil {
		t.Skipf("NOT CHECKED against the vendor's schema: %v", err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string]*httpwire.Body{
		"GenerateContentRequest": (&Client{endpoint: endpoint{vertex: true}}).generateBody(fullRequest(), refusals{}),
		"CountTokensRequest":     contentsBody(fullRequest().Contents),
	} {
		doc := new(jsonschema.Schema)
		if err := json.Unmarshal(text, doc); err != nil {
			t.Fatal(err)
		}
		doc.Ref = "#/$defs/" + name
		schema, err := doc.Resolve(nil)
		if err != nil {
			t.Fatal(err)
		}
		var value any
		if err := json.Unmarshal([]byte(bodyOf(t, b)), &value); err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestPrefix checks that the body for a longer history starts with the body for a
// shorter one, as the vendor's prompt cache requires.
func TestPrefix(t *testing.T) {
	t.Parallel()
	contents := fullRequest().Contents
	var last string
	for n := 1; n <= len(contents); n++ {
		got := strings.TrimSuffix(bodyOf(t, contentsBody(contents[:n])), `]}]}`)
		if !strings.HasPrefix(got, last) {
			t.Errorf("%d messages: %s\ndo not begin with %s", n, got, last)
		}
		last = got
	}
}

// TestBodyReader checks that a body reads the same with any buffer size and again.
func TestBodyReader(t *testing.T) {
	t.Parallel()
	b := (&Client{}).generateBody(fullRequest(), refusals{})
	want := bodyOf(t, b)
	if err := iotest.TestReader(b.Reader(), []byte(want)); err != nil {
		t.Error(err)
	}
}

// sdkReads returns why the vendor's types do not accept a body. With the tag sdk, the
// vendor's SDK decodes it; without, none are asked.
var sdkReads = func(sent string) error { return nil }

// FuzzWire checks that a body is valid JSON that the vendor's types accept, for all
// messages.
func FuzzWire(f *testing.F) {
	for _, c := range fullRequest().Contents {
		f.Add(c.AppendJSON(nil))
	}
	f.Add([]byte(`{"role":"model","parts":[{"functionCall":{"name":"a","args":"x"}},{"text":"t","thought":true},{}]}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var c llm.Content
		if c.UnmarshalJSON(data) != nil {
			return
		}
		for i := range c.Parts {
			c.Parts[i].Extra = nil // members that Pollux does not know are sent unchanged
			c.Parts[i].ThoughtSignature = ""
		}
		sent := bodyOf(t, contentsBody([]*llm.Content{llm.User(llm.Text("a")), &c, llm.Model(llm.Text("b"))}))
		var body struct {
			Contents []struct {
				Role  string
				Parts []json.RawMessage
			}
		}
		if err := errors.Join(json.Unmarshal([]byte(sent), &body), sdkReads(sent)); err != nil {
			t.Fatalf("%v\n%s", err, sent)
		}
		for i, m := range body.Contents {
			if len(m.Parts) == 0 || i > 0 && m.Role == body.Contents[i-1].Role {
				t.Fatalf("message %d is empty or of the role of the one before it: %s", i, sent)
			}
		}
	})
}

// TestForeignSignatures checks that signatures of other vendors are not sent.
func TestForeignSignatures(t *testing.T) {
	t.Parallel()
	c := llm.Model(
		signed(llm.Text("so"), llm.Signed("anthropic", "c2ln")),
		signed(call("f__1", "f", `{}`), llm.Signed("anthropic", "c2ln")),
		signed(call("f__2", "f", `{}`), "Z29vZ2xl"),
	)
	want := `{"text":"so"},` +
		`{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"` + placeholderSignature + `"},` +
		`{"functionCall":{"id":"2","name":"f","args":{}},"thoughtSignature":"Z29vZ2xl"}`
	if got := string(appendContent(nil, c)); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
