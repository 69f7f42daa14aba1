package scriptmodel_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"pollux/internal/scriptmodel"
	"pollux/internal/scriptmodel/anthropic"
	"pollux/internal/scriptmodel/gemini"
	"pollux/internal/scriptmodel/ollama"
	"pollux/internal/scriptmodel/openai"
	"pollux/internal/scriptmodel/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// every returns all protocols.
func every() []protocol.Wire {
	return []protocol.Wire{gemini.Wire{}, openai.Chat{}, openai.Responses{}, anthropic.Wire{}, ollama.Wire{}, openai.Text{}}
}

// serve starts a server for a script, and closes it when the test ends.
func serve(t *testing.T, script string, opts scriptmodel.Options) *scriptmodel.Server {
	t.Helper()
	parsed, err := scriptmodel.Parse(script)
	if err != nil {
		t.Fatal(err)
	}
	opts.Wires = every()
	s, err := scriptmodel.Start(parsed, opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// post sends a request and returns the status and the body, which may be incomplete.
func post(t *testing.T, url, body string) (int, string, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("x-goog-api-key", "k")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(b), err
}

const (
	streamPath   = "/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse"
	generatePath = "/v1beta/models/gemini-2.5-pro:generateContent"
	hi           = `{"role":"user","parts":[{"text":"hi"}]}`
)

func ask(contents ...string) string {
	return `{"contents":[` + strings.Join(contents, ",") + `]}`
}

// frames returns the parsed data of a stream.
func frames(t *testing.T, body, end string) []map[string]any {
	t.Helper()
	var out []map[string]any
	for _, f := range strings.Split(strings.TrimSuffix(body, end), end) {
		data, ok := strings.CutPrefix(f, "data: ")
		if !ok {
			t.Fatalf("a frame without data: %q", f)
		}
		var v map[string]any
		if err := json.Unmarshal([]byte(data), &v); err != nil {
			t.Fatalf("%q: %v", data, err)
		}
		out = append(out, v)
	}
	return out
}

func TestAnswer(t *testing.T) {
	t.Parallel()
	s := serve(t, `
# A stream of two chunks, a call, and its result.
turn
  expect prompt hi
  think **Hm** let me see
  text Hello, `+`
  text "wörld\n"
turn
  call read_file {
    "file_path": "{{DIR}}/a"
  }
  call sig=c2ln list_directory {"dir_path": "."}
  finish STOP
  usage prompt=1
turn
  expect result read_file_1 forty
  expect not anywhere {{DIR}}
  expect error list_directory_1 No such
  expect anywhere hi
  expect not anywhere bye
  expect messages 3
  text "got {{read_file_1 /forty-(\\w+)/}}"
`, scriptmodel.Options{Vars: map[string]string{"DIR": `/tmp/"x"`}})

	status, body, err := post(t, s.URL()+streamPath, ask(hi))
	if status != 200 || err != nil {
		t.Fatal(status, body, err)
	}
	got := frames(t, body, "\r\n\r\n")
	if len(got) != 3 || !strings.Contains(fmt.Sprint(got[0]), "thought:true") ||
		!strings.Contains(fmt.Sprint(got[2]), "finishReason:STOP") || !strings.Contains(fmt.Sprint(got[2]), "wörld\n") {
		t.Errorf("frames: %v", got)
	}
	if strings.Contains(fmt.Sprint(got[:2]), "finishReason") {
		t.Errorf("a reason before the end: %v", got)
	}

	_, body, _ = post(t, s.URL()+streamPath, ask(hi))
	if !strings.Contains(body, `"args":{"file_path":"/tmp/\"x\"/a"},"id":"read_file_1"`) || !strings.Contains(body, `"thoughtSignature":"c2ln"`) {
		t.Errorf("calls: %s", body)
	}

	_, body, _ = post(t, s.URL()+generatePath, ask(hi,
		`{"role":"model","parts":[{"functionCall":{"id":"read_file_1","name":"read_file","args":{}}},
			{"functionCall":{"id":"list_directory_1","name":"list_directory"},"thoughtSignature":"c2ln"}]}`,
		`{"role":"user","parts":[{"functionResponse":{"id":"read_file_1","name":"read_file","response":{"output":"forty-two"}}},
			{"functionResponse":{"id":"list_directory_1","name":"list_directory","response":{"error":"No such thing"}}}]}`))
	if !strings.Contains(body, `"got two"`) {
		t.Errorf("the template: %s", body)
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
	if r := s.Requests(); len(r) != 3 || r[2].Turn != 3 || r[2].Verb != "generateContent" || r[0].Model != "gemini-2.5-pro" || len(r[0].Body) == 0 {
		t.Errorf("requests: %+v", r)
	}
}

func TestCheckTellsWhatWentWrong(t *testing.T) {
	t.Parallel()
	s := serve(t, "turn\n expect prompt bye\n text x\nturn\n text never asked\n", scriptmodel.Options{})
	status, body, _ := post(t, s.URL()+streamPath, ask(hi))
	if status != 400 || !strings.Contains(body, "line 2: expected prompt") {
		t.Errorf("%d %s", status, body)
	}
	err := s.Check()
	if err == nil || !strings.Contains(err.Error(), "line 2") || !strings.Contains(err.Error(), "turn 2: was asked for 0 of 1") {
		t.Errorf("Check: %v", err)
	}
	_, _, _ = post(t, s.URL()+streamPath, ask(hi))
	if status, body, _ := post(t, s.URL()+streamPath, ask(hi)); status != 400 || !strings.Contains(body, "no turn is left") {
		t.Errorf("%d %s", status, body)
	}
}

func TestWhenChoosesATurn(t *testing.T) {
	t.Parallel()
	s := serve(t, "turn\n when verb generateContent\n text judge\nturn\n times always\n text main\n", scriptmodel.Options{})
	for _, c := range []struct{ path, want string }{{streamPath, "main"}, {generatePath, "judge"}, {streamPath, "main"}} {
		if _, body, _ := post(t, s.URL()+c.path, ask(hi)); !strings.Contains(body, c.want) {
			t.Errorf("%s: %s", c.path, body)
		}
	}
	if err := s.Check(); err != nil {
		t.Error(err)
	}
}

func TestMisbehaviour(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		status       int
		want         string // in the body
		broken       bool   // the connection breaks
	}{
		{"error", "header Retry-After: 2\nfail 429 RESOURCE_EXHAUSTED slow down\ndetail {\"@type\":\"x\",\n \"a\":1}", 429, `"details":[{"@type":"x",`, false},
		{"error in the stream", "text a\nfail 503 UNAVAILABLE overloaded", 200, `data: {"error":{"code":503,`, false},
		{"page", "html 502 <h1>Bad</h1>", 502, "<h1>Bad</h1>", false},
		{"drop at once", "drop", 0, "", true},
		{"drop after a chunk", "text a\ndrop", 200, `"text":"a"`, true},
		{"no reason", "text a\nfinish none", 200, `"text":"a"`, false},
		{"nothing", "", 200, `"finishReason":"STOP"`, false},
		{"bad frame", `frame {"candidates": [`, 200, "data: {\"candidates\": [\r\n\r\n", false},
		{"raw", `raw "data: {\"x"`, 200, "data: {\"x", false},
		{"raw bytes", `raw64 /w==`, 200, "\xff", false},
		{"line feeds", "framing lf\ntext a", 200, "}\n\n", false},
		{"carriage returns", "framing cr\nsplit 3\ntext ä", 200, "\"text\":\"ä\"", false},
		{"large", "fill 1MB ab", 200, strings.Repeat("ab", 1<<19), false},
		{"waits", "delay 1ms\npace 1ms\ntext a\ntext b", 200, `"text":"b"`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "turn\n"+c.script, scriptmodel.Options{})
			status, body, err := post(t, s.URL()+streamPath, ask(hi))
			if status != c.status || !strings.Contains(body, c.want) || (err != nil) != c.broken {
				t.Errorf("status %d, error %v, body %.400q", status, err, body)
			}
			if strings.Contains(c.script, "none") && strings.Contains(body, "finishReason") {
				t.Errorf("a reason: %s", body)
			}
			if err := s.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestHangEndsWithTheServer(t *testing.T) {
	t.Parallel()
	s := serve(t, "turn\ntext a\nhang", scriptmodel.Options{})
	req, _ := http.NewRequestWithContext(t.Context(), "POST", s.URL()+streamPath, strings.NewReader(ask(hi)))
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer token")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadAll(resp.Body); err == nil {
		t.Error("the hanging stream ended as if it were whole")
	}
}

// TestStrict sends requests that each break one rule, and checks the vendor's error text.
func TestStrict(t *testing.T) {
	t.Parallel()
	const (
		callTurn = `{"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":{}}}]}`
		result   = `{"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"x"}}}]}`
	)
	user := func(part string) string { return ask(`{"role":"user","parts":[` + part + `]}`) }
	for _, c := range []struct{ name, body, want string }{
		{"not JSON", `{`, "Invalid JSON payload"},
		{"two values", ask(hi) + "{}", "Invalid JSON payload"},
		{"not an object", `[]`, "(object)"},
		{"unknown name", `{"contents":[` + hi + `],"model":"m"}`, `Unknown name \"model\"`},
		{"unknown name in a part", user(`{"text":"x","txt":1}`), "contents[0].parts[0]"},
		{"no contents", `{}`, "contents is not specified"},
		{"empty contents", `{"contents":[]}`, "contents is not specified"},
		{"no parts", ask(`{"role":"user","parts":[]}`), "must not be empty"},
		{"empty part", user(`{}`), "required oneof field"},
		{"empty text", user(`{"text":""}`), "empty text"},
		{"two payloads", user(`{"text":"x","functionResponse":{"name":"f","response":{}}}`), "already set"},
		{"role", ask(`{"role":"system","parts":[{"text":"x"}]}`), "valid role"},
		{"same role twice", ask(hi, hi), "alternate"},
		{"model last", ask(hi, `{"role":"model","parts":[{"text":"x"}]}`), "end with a user role"},
		{"model first", ask(`{"role":"model","parts":[{"text":"x"}]}`, hi), "begins with a user"},
		{"no result", ask(hi, callTurn, hi), "number of function response parts"},
		{"result of nothing", ask(result), "immediately after a function call"},
		{"another id", ask(hi, callTurn, strings.Replace(result, "c1", "c2", 1)), "match the function calls"},
		{"another name", ask(hi, callTurn, strings.Replace(result, `"f"`, `"g"`, 1)), "match the function calls"},
		{"our own id", ask(hi, strings.ReplaceAll(callTurn, "c1", "f__c1"), strings.ReplaceAll(result, "c1", "f__c1")), "not one that a model gave"},
		{"response is text", user(`{"functionResponse":{"name":"f","response":"x"}}`), "(object)"},
		{"args are a list", ask(hi, strings.Replace(callTurn, `"args":{}`, `"args":[]`, 1), result), "(object)"},
		{"thought", ask(hi, `{"role":"model","parts":[{"text":"x","thought":true}]}`, hi), "thoughts are not sent back"},
		{"bad base64", user(`{"inlineData":{"mimeType":"image/png","data":"%%"}}`), "TYPE_BYTES"},
		{"temperature", `{"contents":[` + hi + `],"generationConfig":{"temperature":9}}`, "TYPE_NUMBER"},
		{"function name", `{"contents":[` + hi + `],"tools":[{"functionDeclarations":[{"name":"a b","description":""}]}]}`, "Invalid function name"},
		{"function twice", `{"contents":[` + hi + `],"tools":[{"functionDeclarations":[{"name":"a","description":""},{"name":"a","description":""}]}]}`, "Duplicate function"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := serve(t, "turn\n text x", scriptmodel.Options{})
			status, body, err := post(t, s.URL()+streamPath, c.body)
			if status != 400 || err != nil || !strings.Contains(body, c.want) || !strings.Contains(body, `"status":"INVALID_ARGUMENT"`) {
				t.Errorf("%d %v %s", status, err, body)
			}
			if s.Check() == nil {
				t.Error("Check has nothing to say")
			}
		})
	}
	// The same without a fault is let in, also by the vendor's own schema.
	s := serve(t, "turn\n times always\n text x", scriptmodel.Options{Validate: judge(t)})
	for _, body := range []string{
		ask(hi, callTurn, result),
		ask(hi, callTurn, strings.TrimSuffix(result, "]}")+`,{"inlineData":{"mimeType":"image/png","data":"AAAA"}}]}`),
		`{"contents":[` + hi + `],"systemInstruction":{"role":"user","parts":[{"text":"s"}]},
			"tools":[{"functionDeclarations":[{"name":"a","description":"d","parametersJsonSchema":{"type":"object"}}]}],
			"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}},
			"generationConfig":{"temperature":1,"topP":0.95,"topK":64,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":24576}}}`,
		`{"contents":[` + hi + `],"tools":[{"googleSearch":{}}],"generationConfig":{"thinkingConfig":{"thinkingBudget":-1}}}`,
	} {
		if status, answer, _ := post(t, s.URL()+streamPath, body); status != 200 {
			t.Errorf("%s: %d %s", body, status, answer)
		}
	}
}

// judge returns a check against the vendor's schema, if that is beside the checkout.
func judge(t *testing.T) func(string, []byte) error {
	path := filepath.Join("..", "..", "..", "shared", "wire", "gemini.json")
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	j, err := scriptmodel.Schema(path)
	if err != nil {
		t.Fatal(err)
	}
	return j
}

func TestSchema(t *testing.T) {
	t.Parallel()
	j := judge(t)
	if j == nil {
		t.Skip("NOT CHECKED: the vendor's schema is not beside the checkout")
	}
	if err := j("GenerateContentRequest", []byte(`{"contents":[{"role":"user","parts":[{"text":1}]}]}`)); err == nil {
		t.Error("a number for a text passed")
	}
	s := serve(t, "turn\n text x", scriptmodel.Options{Validate: func(kind string, body []byte) error {
		if kind != "GenerateContentRequest" || !bytes.Contains(body, []byte("hi")) {
			t.Errorf("judge got %s %s", kind, body)
		}
		return errors.New("no")
	}})
	if status, body, _ := post(t, s.URL()+streamPath, ask(hi)); status != 400 || !strings.Contains(body, "schema refuses") {
		t.Errorf("%d %s", status, body)
	}
}

func TestSignatures(t *testing.T) {
	t.Parallel()
	s := serve(t, "turn\n call sig=c2ln f {}\nturn\n text x", scriptmodel.Options{})
	if _, body, _ := post(t, s.URL()+streamPath, ask(hi)); !strings.Contains(body, "c2ln") {
		t.Fatal(body)
	}
	history := func(sig string) string {
		return ask(hi, `{"role":"model","parts":[{"functionCall":{"id":"f_1","name":"f"}`+sig+`}]}`,
			`{"role":"user","parts":[{"functionResponse":{"id":"f_1","name":"f","response":{}}}]}`)
	}
	if status, body, _ := post(t, s.URL()+streamPath, history(`,"thoughtSignature":"b3RoZXI="`)); status != 400 || !strings.Contains(body, "not the one") {
		t.Errorf("%d %s", status, body)
	}
	newer := strings.Replace(streamPath, "2.5-pro", "3-pro", 1)
	if status, body, _ := post(t, s.URL()+newer, history("")); status != 400 || !strings.Contains(body, "signature") {
		t.Errorf("%d %s", status, body)
	}
	if status, body, _ := post(t, s.URL()+newer, history(`,"thoughtSignature":"c2ln"`)); status != 200 {
		t.Errorf("%d %s", status, body)
	}
}

func TestWhoIsLetIn(t *testing.T) {
	t.Parallel()
	s := serve(t, "key right\nturn\n text x", scriptmodel.Options{})
	if status, body, _ := post(t, s.URL()+streamPath, ask(hi)); status != 400 || !strings.Contains(body, "API_KEY_INVALID") {
		t.Errorf("%d %s", status, body)
	}
	req, _ := http.NewRequestWithContext(t.Context(), "POST", s.URL()+streamPath, strings.NewReader(ask(hi)))
	req.Header.Set("Content-Type", "application/json")
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 403 {
		t.Error(resp.Status)
	}
	if status, _, _ := post(t, s.URL()+"/v2/chat/completions", "{}"); status != 404 {
		t.Errorf("an unknown path: %d", status)
	}
	if status, body, _ := post(t, serve(t, "context 3\nturn\n text x", scriptmodel.Options{}).URL()+streamPath,
		ask(`{"role":"user","parts":[{"text":"more than twelve characters"}]}`)); status != 400 || !strings.Contains(body, "exceeds the maximum number of tokens") {
		t.Errorf("%d %s", status, body)
	}
}

func TestOtherVerbs(t *testing.T) {
	t.Parallel()
	s := serve(t, "turn\n text x", scriptmodel.Options{})
	if status, body, _ := post(t, s.URL()+"/v1beta/models/m:countTokens", ask(hi)); status != 200 || body != `{"totalTokens":1}` {
		t.Errorf("%d %s", status, body)
	}
	body := `{"requests":[{"model":"models/m","content":{"parts":[{"text":"a"}]}},{"model":"models/m","content":{"parts":[{"text":"b"}]}}]}`
	status, answer, _ := post(t, s.URL()+"/v1beta/models/m:batchEmbedContents", body)
	var got struct{ Embeddings []struct{ Values []float32 } }
	if err := json.Unmarshal([]byte(answer), &got); err != nil || status != 200 || len(got.Embeddings) != 2 || len(got.Embeddings[0].Values) != 8 {
		t.Errorf("%d %s", status, answer)
	}
	for _, path := range []string{
		"/v1beta1/publishers/google/models/m:generateContent",
		"/v1beta1/projects/p/locations/l/publishers/google/models/m:generateContent",
	} {
		s := serve(t, "turn\n text x", scriptmodel.Options{})
		if status, body, _ := post(t, s.URL()+path, ask(hi)); status != 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func TestParseErrors(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"":                               "no turn",
		"text x":                         "line 1: text: stands before the first turn",
		"turn\nsay x":                    "line 2: say: unknown statement",
		"turn\nkey x":                    "belongs before the first turn",
		"turn\ncall f {\"a\":":           "does not end",
		"turn\ncall f {a}":               "not valid JSON",
		"turn\ncall f []":                "want a JSON object",
		"turn\ncall":                     "of what function",
		"turn\ncall id=a f\ncall id=a f": "has the id a",
		"turn\nexpect result c1 x":       "no call before this line",
		"turn\nexpect luck":              "not something to expect",
		"turn\ntext \"a\\q\"":            "not a JSON string",
		"turn\nfail 200 OK":              "between 400 and 599",
		"turn\ndetail {}":                "does not follow a fail",
		"turn\ncall ids=a f":             "want id, sig or args",
		"turn\ncall args=odd f":          "want object, broken or empty",
		"turn\ncall id=same f":           "no call before this one has an id",
		"turn\ncomment \"a\\nb\"":        "a comment is one line",
		"turn\nthoughts":                 "want the name of a field",
		"turn\ninterleave 2":             "nothing belongs behind it",
		"refuse\nturn":                   "what?",
		"turn\nhtml 199 x":               "between 200 and 599",
		"turn\ndelay soon":               "invalid duration",
		"turn\nfill 9999999MB":           "between 1 and 1024MB",
		"turn\nhang on":                  "nothing belongs behind it",
		"turn\nframing tabs":             "want crlf, lf or cr",
		"turn\nusage tokens=1":           "not a count",
		"turn\ntimes never":              "want a number",
	} {
		if _, err := scriptmodel.Parse(script); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", script, err, want)
		}
	}
}

// FuzzRead checks any request body with checkReadable, on each protocol.
func FuzzRead(f *testing.F) {
	user := []turn{{user: "hi"}, {calls: []string{"c1 f"}, results: []string{"c1 x"}}}
	f.Add(0, []byte(ask(hi)))
	f.Add(0, []byte(`{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":{}}}}]}]}`))
	f.Add(1, []byte(chatBody(true, user, "")))
	f.Add(2, []byte(responsesBody(false, user, "")))
	f.Add(3, []byte(anthropicBody(true, user, `"thinking":{"type":"adaptive"}`)))
	f.Add(3, []byte(anthropicBody(false, user, `"system":[{"type":"text","text":"x"}]`)))
	f.Fuzz(func(t *testing.T, which int, body []byte) {
		wires := []protocol.Wire{gemini.Wire{}, openai.Chat{}, openai.Responses{}, anthropic.Wire{}}
		paths := []string{streamPath, "/v1/chat/completions", "/v1/responses", "/v1/messages"}
		which = (which%4 + 4) % 4
		r, _ := http.NewRequest("POST", "http://x"+paths[which], nil)
		r.Header.Set("Content-Type", "application/json")
		if which == 3 {
			r.Header.Set("anthropic-version", "2023-06-01")
		}
		w := wires[which]
		a, ok := w.Route(r)
		if !ok {
			t.Fatal("not routed")
		}
		checkReadable(t, w, &a, r, body)
	})
}

// checkReadable reads the body as w does. A refused request must get an error in JSON; one
// that is accepted must have alternating messages and results for every call, and its answer
// must be JSON.
func checkReadable(t *testing.T, w protocol.Wire, q *protocol.Query, r *http.Request, body []byte) {
	t.Helper()
	if refused := w.Read(q, r, body); refused != nil {
		if !json.Valid(w.EncodeError(refused)) {
			t.Errorf("an error that is not JSON: %q", refused.Message)
		}
		return
	}
	_ = w.CheckMemory(q, &protocol.Memory{})
	for i, m := range q.Messages {
		switch {
		case i > 0 && m.FromModel == q.Messages[i-1].FromModel:
			t.Errorf("message %d is out of turn: %s", i, body)
		case i > 0 && len(q.Messages[i-1].Calls) != len(m.Results):
			t.Errorf("message %d does not answer the calls: %s", i, body)
		}
	}
	encoder := w.NewEncoder(q, nil)
	for _, p := range []protocol.Piece{
		{Thought: "hm"},
		{Text: "a"},
		{Calls: []protocol.SentCall{{ID: "c", Name: "f", Signature: "s", Args: []byte("{}")}}},
		{Last: true, FinishReason: "STOP", Usage: &protocol.Tokens{}},
	} {
		for _, frame := range encoder.Frames(p) {
			if !json.Valid(frame.Data) && string(frame.Data) != "[DONE]" {
				t.Errorf("a frame that is not JSON: %s", frame.Data)
			}
		}
	}
	if q.Verb == protocol.Generate && !json.Valid(encoder.Response()) {
		t.Errorf("an answer that is not JSON: %s", encoder.Response())
	}
}
