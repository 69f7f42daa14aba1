package scriptmodel

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// anthropic is Anthropic's Messages, and Vertex AI's form of it.
type anthropic struct{}

func (anthropic) name() string    { return "anthropic" }
func (anthropic) newline() string { return "\n" }

// route knows /v1/messages, /v1/messages/count_tokens, /v1/models and
// /v1/models/M, and, for Vertex AI,
// /v1/projects/P/locations/L/publishers/anthropic/models/M:rawPredict and :streamRawPredict.
func (anthropic) route(r *http.Request) (asked, bool) {
	a := asked{key: r.Header.Get("x-api-key")}
	if a.key == "" {
		a.key = bearer(r)
	}
	model, isModel := strings.CutPrefix(r.URL.Path, "/v1/models/")
	switch {
	case r.URL.Path == "/v1/messages":
		a.verb, a.name = generate, "generateContent"
		return a, true
	case r.URL.Path == "/v1/messages/count_tokens":
		a.verb, a.name = count, "countTokens"
		return a, true
	case r.Method == http.MethodGet && (r.URL.Path == "/v1/models" || isModel):
		a.verb, a.name = models, "models"
		if isModel {
			a.model = model
		}
		return a, r.Header.Get("anthropic-version") != "" || r.Header.Get("x-api-key") != ""
	}
	if m := anthropicVertex().FindStringSubmatch(r.URL.Path); m != nil {
		a.verb, a.name, a.model = generate, "generateContent", m[1]
		if m[1] == "count-tokens" {
			a.verb, a.name, a.model = count, "countTokens", ""
		}
		return a, true
	}
	return a, false
}

var anthropicVertex = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/v1/(?:projects/[^/]+/locations/[^/]+/)?publishers/anthropic/models/([^/:]+):(?:r|streamR)awPredict$`)
})

// bad refuses a request as the vendor does.
func bad(format string, args ...any) *refusal {
	return &refusal{status: 400, code: "invalid_request_error", message: fmt.Sprintf(format, args...)}
}

func (anthropic) read(a *asked, r *http.Request, body []byte) *refusal {
	vertex := strings.Contains(r.URL.Path, "/publishers/")
	version := r.Header.Get("anthropic-version")
	switch {
	case !vertex && version == "":
		return bad("anthropic-version: header is required")
	case !vertex && version != "2023-06-01":
		return bad("anthropic-version: \"%s\" is not a valid version", version)
	case a.verb == models:
		return nil
	case r.Method != http.MethodPost:
		return &refusal{status: 405, code: "invalid_request_error", message: "Method Not Allowed"}
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return bad("content-type: must be application/json, not %q", r.Header.Get("Content-Type"))
	}
	if len(body) > 32<<20 {
		return &refusal{status: 413, code: "request_too_large", message: "Request exceeds the maximum size"}
	}
	root, err := parseJSON(body)
	if err != nil {
		return bad("The request body is not valid JSON: %v", err)
	}
	s := messagesShape()
	if a.verb == count {
		s = countShape()
	}
	if vertex {
		s.required = append(s.required[1:len(s.required):len(s.required)], "anthropic_version")
		if a.verb != count {
			delete(s.fields, "model")
		}
	} else {
		delete(s.fields, "anthropic_version")
	}
	if m := s.check(root, "", a.accept); m != nil {
		return anthropicMisfit(m)
	}
	a.root = root.(map[string]any) // the shape is an object's
	if v := a.root["anthropic_version"]; vertex && v != "vertex-2023-10-16" {
		return bad("anthropic_version: %q is not a valid version", v)
	}
	if name, ok := a.root["model"].(string); ok {
		a.model = name
	}
	if a.verb != count {
		a.converse()
		if streams := strings.HasSuffix(r.URL.Path, ":streamRawPredict"); vertex && streams != (a.verb == stream) {
			return bad("stream: does not fit the path")
		}
	}
	if f := anthropicParameters(a); f != nil {
		return f
	}
	return a.converseBlocks()
}

// anthropicParameters checks what is beside the messages.
func anthropicParameters(a *asked) *refusal {
	if text, ok := a.root["system"].(string); ok {
		a.system = text
		if text == "" {
			return bad("system: text content blocks must be non-empty")
		}
	}
	for i, v := range list(a.root["system"]) {
		text := v.(map[string]any)["text"].(string)
		if strings.TrimSpace(text) == "" {
			return bad("system.%d: text content blocks must be non-empty", i)
		}
		a.system = strings.TrimPrefix(a.system+"\n"+text, "\n")
	}
	if n := marks(a.root); n > 4 {
		return bad("A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
	}
	if f := anthropicTools(a); f != nil {
		return f
	}
	if f := thinkingRules(a); f != nil {
		return f
	}
	_, temperature := a.root["temperature"]
	_, topP := a.root["top_p"]
	version := claude(a.model)
	if temperature && topP && version >= 401 {
		return bad("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
	}
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		if v, ok := a.root[name]; ok && version >= 407 && (fmt.Sprint(v) != "1" || name == "top_k") {
			return bad("`%s` is deprecated for this model.", name)
		}
	}
	return nil
}

// marks counts the blocks with cache_control.
func marks(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			switch {
			case name == "cache_control" && field != nil:
				n++
			case name != "input" && name != "input_schema":
				n += marks(field)
			}
		}
	case []any:
		for _, item := range v {
			n += marks(item)
		}
	}
	return n
}

func anthropicTools(a *asked) *refusal {
	seen := map[string]bool{}
	for i, v := range list(a.root["tools"]) {
		tool := v.(map[string]any)
		name := tool["name"].(string)
		schema := tool["input_schema"].(map[string]any)
		at := fmt.Sprintf("tools.%d.custom", i)
		switch {
		case !anthropicName(name, 128):
			return bad("%s.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", at)
		case seen[name]:
			return bad("tools: Tool names must be unique.")
		case schema["type"] == nil:
			return bad("%s.input_schema.type: Field required", at)
		case schema["type"] != "object":
			return bad("%s.input_schema.type: Input should be 'object'", at)
		case schema["oneOf"] != nil || schema["anyOf"] != nil || schema["allOf"] != nil:
			return bad("%s.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level", at)
		case schema["$schema"] != nil && schema["$schema"] != "https://json-schema.org/draft/2020-12/schema":
			return bad("%s.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).", at)
		}
		seen[name] = true
		a.tools = append(a.tools, name)
	}
	choice, _ := a.root["tool_choice"].(map[string]any)
	switch name, _ := choice["name"].(string); {
	case choice != nil && len(a.tools) == 0:
		return bad("tool_choice: may only be specified while providing tools")
	case name != "" && !seen[name]:
		return bad("tool_choice: Tool '%s' not found in provided tools", name)
	}
	return nil
}

func anthropicName(s string, most int) bool {
	return s != "" && len(s) <= most && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// thinkingRules checks what may not stand beside thinking.
func thinkingRules(a *asked) *refusal {
	thinking, _ := a.root["thinking"].(map[string]any)
	kind, _ := thinking["type"].(string)
	version := claude(a.model)
	if kind == "" || kind == "disabled" {
		return nil
	}
	a.thinking = true
	choice, _ := a.root["tool_choice"].(map[string]any)
	switch {
	case kind == "enabled" && version >= 407:
		return bad("\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.")
	case kind == "adaptive" && version > 0 && version < 406:
		return bad("adaptive thinking is not supported on this model")
	case kind == "enabled" && a.root["max_tokens"] != nil && whole(thinking["budget_tokens"]) >= whole(a.root["max_tokens"]):
		return bad("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size")
	case a.root["temperature"] != nil && fmt.Sprint(a.root["temperature"]) != "1":
		return bad("`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking")
	case a.root["top_k"] != nil:
		return bad("`top_k` must be unset when thinking is enabled or in adaptive mode.")
	case a.root["top_p"] != nil && decimal(a.root["top_p"]) < 0.95:
		return bad("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled or in adaptive mode.")
	case choice["type"] == "any" || choice["type"] == "tool":
		return bad("Thinking may not be enabled when tool_choice forces tool use.")
	}
	return nil
}

func decimal(v any) float64 {
	f, _ := strconv.ParseFloat(fmt.Sprint(v), 64) // the shape says that it is one
	return f
}

func whole(v any) int { return int(decimal(v)) }

// claude returns the version of a model as a number, 406 for 4.6, 0 for a model
// whose version its name does not tell.
func claude(model string) int {
	m := regexp.MustCompile(`^claude-(?:[a-z]+-)?(\d)(?:[-.](\d{1,2}))?(?:-[a-z]+)?(?:[-@]\d{8}|-latest)?$`).FindStringSubmatch(model)
	if m == nil {
		return 0
	}
	return 100*whole(m[1]) + whole("0"+m[2])
}

func (anthropic) denied(a *asked, why denial) *refusal {
	switch why.kind {
	case noKey:
		return &refusal{status: 401, code: "authentication_error", message: "x-api-key header is required"}
	case wrongKey:
		return &refusal{status: 401, code: "authentication_error", message: "invalid x-api-key"}
	case tooLong:
		return bad("prompt is too long: %d tokens > %d maximum", a.estimate(), why.most)
	}
	if _, there := a.root[why.name]; !there {
		return nil
	}
	switch why.name {
	case "temperature", "top_p", "top_k":
		return bad("`%s` is deprecated for this model.", why.name)
	case "tools":
		return bad("tools: this model does not support tools")
	}
	return bad("%s: Extra inputs are not permitted", why.name)
}

func (anthropic) refusal(f *refusal) []byte {
	return mustJSON(map[string]any{"type": "error", "error": anthropicError(f), "request_id": "req_scripted"})
}

// anthropicError words an error; the code of another vendor becomes what this
// one says with that status.
func anthropicError(f *refusal) map[string]any {
	code := f.code
	if !strings.HasSuffix(code, "_error") && code != "request_too_large" {
		code = map[int]string{
			401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
			413: "request_too_large", 429: "rate_limit_error", 503: "overloaded_error", 504: "timeout_error", 529: "overloaded_error",
		}[f.status]
	}
	switch {
	case code == "" && f.status < 500:
		code = "invalid_request_error"
	case code == "":
		code = "api_error"
	}
	return addDetails(map[string]any{"type": code, "message": cmp.Or(f.message, anthropicText(f))}, f.details)
}

// anthropicText is what the vendor says with an error whose text the script leaves open.
func anthropicText(f *refusal) string {
	switch f.code {
	case "context_length_exceeded":
		return "prompt is too long: 200001 tokens > 200000 maximum"
	case "insufficient_quota":
		return "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits."
	}
	switch f.status {
	case 401:
		return "invalid x-api-key"
	case 413:
		return "Request exceeds the maximum size"
	case 429:
		return "This request would exceed your organization's rate limit of 50 requests per minute."
	case 500:
		return "Internal server error"
	case 503, 529:
		return "Overloaded"
	}
	return http.StatusText(f.status)
}

func (anthropic) aside(a *asked) []byte {
	if a.verb == count {
		return mustJSON(map[string]any{"input_tokens": a.estimate()})
	}
	model := func(name string) map[string]any {
		return map[string]any{"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
	}
	if a.model != "" {
		return mustJSON(model(a.model))
	}
	all := []any{}
	for _, name := range a.models {
		all = append(all, model(name))
	}
	out := map[string]any{"data": all, "has_more": false, "first_id": nil, "last_id": nil}
	if n := len(a.models); n > 0 {
		out["first_id"], out["last_id"] = a.models[0], a.models[n-1]
	}
	return mustJSON(out)
}
