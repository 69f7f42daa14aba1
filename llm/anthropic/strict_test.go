package anthropic

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

// strict is a service that refuses requests as the vendor does, with the same error
// messages, and with the tag sdk, requests that the vendor's own types cannot hold. It
// responds to other requests with its answers in order and repeats the last one.
type strict struct {
	*httptest.Server
	refuse func(body map[string]any) string // more reasons to refuse; "" is none
	// lenient accepts thoughts without a signature, as services of other vendors do.
	lenient bool

	mu       sync.Mutex
	answers  []string
	accepted []map[string]any
	refused  []string
	headers  []http.Header
	paths    []string
	raw      [][]byte
	peers    []string
}

func newStrict(t testing.TB, answers ...string) *strict {
	s := &strict{answers: answers}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	t.Cleanup(s.Close)
	return s
}

func (s *strict) serve(w http.ResponseWriter, r *http.Request) {
	data, _ := io.ReadAll(r.Body) // a short body is refused
	s.mu.Lock()
	defer s.mu.Unlock()
	s.headers, s.paths = append(s.headers, r.Header), append(s.paths, r.RequestURI)
	s.raw, s.peers = append(s.raw, data), append(s.peers, r.RemoteAddr)
	path, data, why := unwrapped(r, data)
	var body map[string]any
	if why == "" {
		body, why = check(path, data)
	}
	if s.lenient && strings.HasSuffix(why, ".signature: Field required") {
		why = ""
	}
	if why == "" {
		why = checkLossless(data)
	}
	if why == "" && s.refuse != nil {
		if betas := r.Header.Get(betaHeader); betas != "" {
			body["betas"] = betas
		}
		why = s.refuse(body)
	}
	if why != "" {
		s.refused = append(s.refused, why)
		if strings.HasPrefix(why, `{"detail"`) { // FastAPI
			w.WriteHeader(http.StatusUnprocessableEntity)
			_, _ = io.WriteString(w, why)
			return
		}
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write(errorBody(http.StatusBadRequest, why))
		return
	}
	s.accepted = append(s.accepted, body)
	answer := s.answers[0]
	if len(s.answers) > 1 {
		s.answers = s.answers[1:]
	}
	switch {
	case body["stream"] == true && strings.HasPrefix(r.URL.Path, "/model/"):
		w.Header().Set("Content-Type", eventStream)
		answer = framed(answer)
	case strings.HasPrefix(answer, "<"):
		w.Header().Set("Content-Type", "text/html")
	case body["stream"] == true:
		w.Header().Set("Content-Type", "text/event-stream")
	default:
		w.Header().Set("Content-Type", "application/json")
	}
	_, _ = io.WriteString(w, answer)
	if body["stream"] == true {
		w.(http.Flusher).Flush() // the end of the body comes behind that of the answer
	}
}

// unwrapped returns the path and body that a request would have on the vendor's own
// service, or why it is refused.
func unwrapped(r *http.Request, data []byte) (path string, body []byte, why string) {
	model, verb, vertex := "", "", false
	if rest, ok := strings.CutPrefix(r.URL.Path, "/model/"); ok {
		model, verb, _ = strings.Cut(rest, "/")
	} else if _, rest, ok := strings.Cut(r.URL.Path, "/publishers/anthropic/models/"); ok {
		vertex = true
		model, verb, _ = strings.Cut(rest, ":")
	} else {
		if r.Header.Get("Anthropic-Version") == "" {
			why = "anthropic-version: header is required"
		}
		return r.URL.Path, data, why
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(data, &members) != nil {
		return "", nil, "The request body is not valid JSON"
	}
	version := string(members["anthropic_version"])
	switch {
	case r.Header.Get("Anthropic-Version") != "":
		return "", nil, "anthropic-version: not a header here"
	case vertex && version != `"vertex-2023-10-16"`, !vertex && version != `"bedrock-2023-05-31"`:
		return "", nil, "anthropic_version: Input should be another"
	case members["model"] != nil && model != "count-tokens", !vertex && (members["stream"] != nil || r.Header.Get("Anthropic-Beta") != ""):
		return "", nil, "Malformed input request: #: extraneous key is not permitted, please reformat your input and try again."
	}
	delete(members, "anthropic_version")
	delete(members, "anthropic_beta")
	path = "/v1/messages"
	switch verb {
	case "streamRawPredict", "rawPredict":
		if (string(members["stream"]) == "true") != (verb == "streamRawPredict") {
			return "", nil, "stream: does not go with the method"
		}
	case "invoke-with-response-stream":
		members["stream"] = []byte("true")
	case "invoke":
	default:
		return "", nil, "no such method: " + verb
	}
	if model == "count-tokens" {
		path = "/v1/messages/count_tokens"
	} else {
		members["model"] = encode(model)
	}
	return path, encode(members), ""
}

var (
	idPattern   = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	namePattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,128}$`)
)

// check returns the body of a request, or why it is refused.
func check(path string, data []byte) (body map[string]any, why string) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	if err := d.Decode(&body); err != nil || !utf8.Valid(data) {
		return nil, fmt.Sprint("The request body is not valid JSON: ", err)
	}
	if bytes.Contains(data, []byte(`\ud8`)) && bytes.Contains(encode(body), []byte("\uFFFD")) {
		return nil, "The request body is not valid JSON: no low surrogate in string"
	}
	c := checker{body: body, counting: strings.HasSuffix(path, "/count_tokens")}
	c.top()
	c.tools()
	c.messages()
	c.thinking()
	if c.marks > 4 {
		c.fail("A maximum of 4 blocks with cache_control may be provided. Found %d.", c.marks)
	}
	return body, c.why
}

// checkLossless returns what of a request the vendor's types cannot hold. With the tag
// sdk, the vendor's SDK decodes and encodes it; without, none are asked.
var checkLossless = func(data []byte) string { return "" }

// listResults replaces results that are a string by a list, as the SDK does.
func listResults(body map[string]any) {
	for _, m := range array(body["messages"]) {
		for _, b := range array(m.(map[string]any)["content"]) {
			if b := b.(map[string]any); b["type"] == "tool_result" {
				if text, ok := b["content"].(string); ok {
					b["content"] = []any{map[string]any{"type": "text", "text": text}}
				}
			}
		}
	}
}

// checker collects the first reason to refuse a request.
type checker struct {
	body     map[string]any
	why      string
	marks    int
	hasCalls bool
	counting bool
}

func (c *checker) fail(format string, args ...any) {
	if c.why == "" {
		c.why = fmt.Sprintf(format, args...)
	}
}

func (c *checker) top() {
	for key := range c.body {
		if !slices.Contains([]string{
			"model", "max_tokens", "messages", "system", "tools", "tool_choice", "temperature", "top_p", "top_k",
			"stop_sequences", "thinking", "output_config", "stream",
		}, key) {
			c.fail("%s: Extra inputs are not permitted", key)
		}
	}
	if parseNumber(fmt.Sprint(c.body["max_tokens"])) < 1 && !c.counting {
		c.fail("max_tokens: Field required")
	}
	if c.body["temperature"] != nil && c.body["top_p"] != nil {
		c.fail("`temperature` and `top_p` cannot both be specified for this model.")
	}
	for _, s := range array(c.body["stop_sequences"]) {
		if strings.TrimSpace(s.(string)) == "" {
			c.fail("stop_sequences: each stop sequence must contain non-whitespace")
		}
	}
	if c.body["system"] != nil {
		c.blocks("system", "system", array(c.body["system"]))
	}
}

func array(v any) []any {
	a, _ := v.([]any)
	return a
}

func (c *checker) tools() {
	names := map[string]bool{}
	for i, v := range array(c.body["tools"]) {
		tool := v.(map[string]any)
		c.mark(tool)
		name := fmt.Sprint(tool["name"])
		if names[name] {
			c.fail("tools: Tool names must be unique.")
		}
		names[name] = true
		if !namePattern.MatchString(name) {
			c.fail("tools.%d.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", i)
		}
		if tool["type"] != nil { // the vendor's own
			continue
		}
		schema, _ := tool["input_schema"].(map[string]any)
		if schema["type"] != "object" {
			c.fail("tools.%d.custom.input_schema.type: Input should be 'object'", i)
		}
		for _, key := range []string{"anyOf", "oneOf", "allOf", "$schema"} {
			if schema[key] != nil {
				c.fail("tools.%d.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level", i)
			}
		}
	}
	if c.body["tools"] != nil && len(names) == 0 || c.body["tools"] == nil && c.body["tool_choice"] != nil {
		c.fail("tool_choice may only be specified while providing tools.")
	}
}

func (c *checker) mark(block map[string]any) {
	if block["cache_control"] != nil {
		c.marks++
		if block["type"] == "thinking" || block["type"] == "redacted_thinking" {
			c.fail("cache_control: Extra inputs are not permitted")
		}
	}
}

func (c *checker) messages() {
	messages := array(c.body["messages"])
	if len(messages) == 0 {
		c.fail("messages: at least one message is required")
	}
	ids := map[string]bool{}
	var open []string
	for i, v := range messages {
		m := v.(map[string]any)
		role, content := m["role"], array(m["content"])
		if want := []string{"user", "assistant"}[i%2]; role != want {
			c.fail("messages.%d: roles must alternate, and the first be user, but got %v", i, role)
		}
		if len(content) == 0 {
			c.fail("messages.%d: all messages must have non-empty content", i)
		}
		c.blocks(fmt.Sprintf("messages.%d", i), role.(string), content)
		if role == "user" {
			c.results(i, content, open)
			open = nil
			continue
		}
		for _, b := range content {
			if b := b.(map[string]any); b["type"] == "tool_use" {
				id := fmt.Sprint(b["id"])
				if ids[id] {
					c.fail("messages: `tool_use` ids must be unique")
				}
				ids[id] = true
				open = append(open, id)
				c.hasCalls = true
			}
		}
		last := content[max(len(content)-1, 0):]
		if i == len(messages)-1 && len(last) == 1 && last[0].(map[string]any)["type"] == "text" {
			if text := last[0].(map[string]any)["text"].(string); strings.TrimSpace(text[len(text)-1:]) == "" {
				c.fail("messages: final assistant content cannot end with trailing whitespace")
			}
		}
	}
	if len(open) > 0 {
		c.fail("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %v", len(messages), open)
	}
	if c.hasCalls && c.body["tools"] == nil {
		c.fail("Requests which have `tool_use` or `tool_result` blocks in messages must include tools")
	}
}

// results checks that a user's message starts with the results of the calls before it.
func (c *checker) results(i int, content []any, open []string) {
	behind := false
	for k, b := range content {
		b := b.(map[string]any)
		if b["type"] != "tool_result" {
			behind = true
			continue
		}
		at := slices.Index(open, fmt.Sprint(b["tool_use_id"]))
		if at < 0 {
			c.fail("messages.%d.content.%d: unexpected `tool_use_id` found in `tool_result` blocks: %v", i, k, b["tool_use_id"])
			continue
		}
		open = slices.Delete(slices.Clone(open), at, at+1)
		if behind {
			c.fail("messages.%d: `tool_result` blocks must come first", i)
		}
	}
	if len(open) > 0 {
		c.fail("messages.%d: `tool_use` ids were found without `tool_result` blocks immediately after: %v", i, open)
	}
}

func (c *checker) blocks(where, role string, content []any) {
	kinds := map[string][]string{
		"system":    {"text"},
		"user":      {"text", "image", "document", "tool_result"},
		"assistant": {"text", "thinking", "redacted_thinking", "tool_use", "server_tool_use", "web_search_tool_result"},
		"result":    {"text", "image", "document"},
	}[role]
	for i, v := range content {
		at := fmt.Sprintf("%s.content.%d", where, i)
		b := v.(map[string]any)
		kind := fmt.Sprint(b["type"])
		if !slices.Contains(kinds, kind) {
			c.fail("%s: Input tag '%s' is not expected here", at, kind)
		}
		c.mark(b)
		switch kind {
		case "text":
			if text, _ := b["text"].(string); strings.TrimSpace(text) == "" {
				c.fail("%s: text content blocks must contain non-whitespace text", at)
			}
		case "thinking":
			if b["signature"] == "" || b["signature"] == nil || b["thinking"] == nil {
				c.fail("%s.signature: Field required", at)
			}
		case "redacted_thinking":
			if b["data"] == "" || b["data"] == nil {
				c.fail("%s.data: Field required", at)
			}
		case "tool_use":
			if !idPattern.MatchString(fmt.Sprint(b["id"])) {
				c.fail("%s.id: String should match pattern '^[a-zA-Z0-9_-]+$'", at)
			}
			if _, ok := b["input"].(map[string]any); !ok || !namePattern.MatchString(fmt.Sprint(b["name"])) {
				c.fail("%s.input: Input should be a valid dictionary", at)
			}
		case "tool_result":
			if nested := array(b["content"]); nested != nil {
				c.blocks(at, "result", nested)
			}
		case "image":
			source := b["source"].(map[string]any)
			if source["type"] == "base64" && !isImage(fmt.Sprint(source["media_type"])) {
				c.fail("%s.source.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'", at)
			}
		}
	}
}

func (c *checker) thinking() {
	t, _ := c.body["thinking"].(map[string]any)
	if t == nil || t["type"] == "disabled" {
		return
	}
	if temperature := c.body["temperature"]; temperature != nil && fmt.Sprint(temperature) != "1" {
		c.fail("`temperature` may only be set to 1 when thinking is enabled.")
	}
	if c.body["top_k"] != nil {
		c.fail("`top_k` must be unset when thinking is enabled.")
	}
	if choice, _ := c.body["tool_choice"].(map[string]any); choice != nil && choice["type"] != "auto" && choice["type"] != "none" {
		c.fail("Thinking may not be enabled when tool_choice forces tool use.")
	}
	if t["type"] != "enabled" {
		return
	}
	budget := parseNumber(fmt.Sprint(t["budget_tokens"]))
	if budget < 1024 || budget >= parseNumber(fmt.Sprint(c.body["max_tokens"])) {
		c.fail("`max_tokens` must be greater than `thinking.budget_tokens`, which must be at least 1024")
	}
	messages := array(c.body["messages"])
	if len(messages) < 2 {
		return
	}
	results := array(messages[len(messages)-1].(map[string]any)["content"])
	first := array(messages[len(messages)-2].(map[string]any)["content"])[0].(map[string]any)["type"]
	if results[0].(map[string]any)["type"] == "tool_result" && first != "thinking" && first != "redacted_thinking" {
		c.fail("messages.%d.content.0.type: Expected `thinking` or `redacted_thinking`, but found `%v`. When `thinking` is enabled, "+
			"a final `assistant` message must start with a thinking block", len(messages)-2, first)
	}
}
