// Package anthropic implements the server side of Anthropic's Messages API, also on Vertex AI,
// for scripted models.
package anthropic

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"pollux/internal/scriptmodel/protocol"
)

// Wire is Anthropic's Messages API, and its form on Vertex AI.
type Wire struct{}

// Name implements [protocol.Wire].
func (Wire) Name() string { return "anthropic" }

// Route accepts /v1/messages, /v1/messages/count_tokens, /v1/models and
// /v1/models/M, and, for Vertex AI,
// /v1/projects/P/locations/L/publishers/anthropic/models/M:rawPredict and :streamRawPredict.
func (Wire) Route(r *http.Request) (protocol.Query, bool) {
	a := protocol.Query{Key: cmp.Or(r.Header.Get("x-api-key"), protocol.Bearer(r))}
	model, isModel := strings.CutPrefix(r.URL.Path, "/v1/models/")
	switch {
	case r.URL.Path == "/v1/messages":
		a.Verb, a.VerbName = protocol.Generate, "generateContent"
		return a, true
	case r.URL.Path == "/v1/messages/count_tokens":
		a.Verb, a.VerbName = protocol.CountTokens, "countTokens"
		return a, true
	case r.Method == http.MethodGet && (r.URL.Path == "/v1/models" || isModel):
		a.Verb, a.VerbName = protocol.ListModels, "models"
		if isModel {
			a.Model = model
		}
		return a, r.Header.Get("anthropic-version") != "" || r.Header.Get("x-api-key") != ""
	}
	if m := vertexPath().FindStringSubmatch(r.URL.Path); m != nil {
		a.Verb, a.VerbName, a.Model = protocol.Generate, "generateContent", m[1]
		if m[1] == "count-tokens" {
			a.Verb, a.VerbName, a.Model = protocol.CountTokens, "countTokens", ""
		}
		return a, true
	}
	return a, false
}

var vertexPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/v1/(?:projects/[^/]+/locations/[^/]+/)?publishers/anthropic/models/([^/:]+):(?:r|streamR)awPredict$`)
})

// invalid returns the vendor's error for an invalid request.
func invalid(format string, args ...any) *protocol.Error {
	return &protocol.Error{Status: 400, Code: "invalid_request_error", Message: fmt.Sprintf(format, args...)}
}

// Read implements [protocol.Wire].
func (Wire) Read(a *protocol.Query, r *http.Request, body []byte) *protocol.Error {
	vertex := strings.Contains(r.URL.Path, "/publishers/")
	version := r.Header.Get("anthropic-version")
	switch {
	case !vertex && version == "":
		return invalid("anthropic-version: header is required")
	case !vertex && version != "2023-06-01":
		return invalid("anthropic-version: \"%s\" is not a valid version", version)
	case a.Verb == protocol.ListModels:
		return nil
	case r.Method != http.MethodPost:
		return &protocol.Error{Status: 405, Code: "invalid_request_error", Message: "Method Not Allowed"}
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return invalid("content-type: must be application/json, not %q", r.Header.Get("Content-Type"))
	}
	if len(body) > 32<<20 {
		return &protocol.Error{Status: 413, Code: "request_too_large", Message: "Request exceeds the maximum size"}
	}
	root, err := protocol.ParseJSON(body)
	if err != nil {
		return invalid("The request body is not valid JSON: %v", err)
	}
	s := messagesShape()
	if a.Verb == protocol.CountTokens {
		s = countShape()
	}
	if vertex {
		s.Required = append(s.Required[1:len(s.Required):len(s.Required)], "anthropic_version")
		if a.Verb != protocol.CountTokens {
			delete(s.Fields, "model")
		}
	} else {
		delete(s.Fields, "anthropic_version")
	}
	if m := s.Check(root, "", a.Accept); m != nil {
		return mismatchError(m)
	}
	a.Body = root.(map[string]any) // the shape requires an object
	if v := a.Body["anthropic_version"]; vertex && v != "vertex-2023-10-16" {
		return invalid("anthropic_version: %q is not a valid version", v)
	}
	if name, ok := a.Body["model"].(string); ok {
		a.Model = name
	}
	if a.Verb != protocol.CountTokens {
		a.SetContentVerb()
		if streams := strings.HasSuffix(r.URL.Path, ":streamRawPredict"); vertex && streams != (a.Verb == protocol.Stream) {
			return invalid("stream: does not fit the path")
		}
	}
	if f := checkParameters(a); f != nil {
		return f
	}
	return readMessages(a)
}

// checkParameters checks the fields besides the messages.
func checkParameters(a *protocol.Query) *protocol.Error {
	if text, ok := a.Body["system"].(string); ok {
		a.System = text
		if text == "" {
			return invalid("system: text content blocks must be non-empty")
		}
	}
	for i, v := range protocol.AsList(a.Body["system"]) {
		text := v.(map[string]any)["text"].(string)
		if strings.TrimSpace(text) == "" {
			return invalid("system.%d: text content blocks must be non-empty", i)
		}
		a.System = strings.TrimPrefix(a.System+"\n"+text, "\n")
	}
	if n := countCacheMarks(a.Body); n > 4 {
		return invalid("A maximum of 4 blocks with cache_control may be provided. Found %d.", n)
	}
	if f := checkTools(a); f != nil {
		return f
	}
	if f := checkThinking(a); f != nil {
		return f
	}
	_, temperature := a.Body["temperature"]
	_, topP := a.Body["top_p"]
	version := claude(a.Model)
	if temperature && topP && version >= 401 {
		return invalid("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
	}
	for _, name := range []string{"temperature", "top_p", "top_k"} {
		if v, ok := a.Body[name]; ok && version >= 407 && (fmt.Sprint(v) != "1" || name == "top_k") {
			return invalid("`%s` is deprecated for this model.", name)
		}
	}
	return nil
}

// countCacheMarks counts the blocks with cache_control.
func countCacheMarks(v any) int {
	n := 0
	switch v := v.(type) {
	case map[string]any:
		for name, field := range v {
			switch {
			case name == "cache_control" && field != nil:
				n++
			case name != "input" && name != "input_schema":
				n += countCacheMarks(field)
			}
		}
	case []any:
		for _, item := range v {
			n += countCacheMarks(item)
		}
	}
	return n
}

func checkTools(a *protocol.Query) *protocol.Error {
	seen := map[string]bool{}
	for i, v := range protocol.AsList(a.Body["tools"]) {
		tool := v.(map[string]any)
		name := tool["name"].(string)
		schema := tool["input_schema"].(map[string]any)
		at := fmt.Sprintf("tools.%d.custom", i)
		switch {
		case !isName(name, 128):
			return invalid("%s.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'", at)
		case seen[name]:
			return invalid("tools: Tool names must be unique.")
		case schema["type"] == nil:
			return invalid("%s.input_schema.type: Field required", at)
		case schema["type"] != "object":
			return invalid("%s.input_schema.type: Input should be 'object'", at)
		case schema["oneOf"] != nil || schema["anyOf"] != nil || schema["allOf"] != nil:
			return invalid("%s.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level", at)
		case schema["$schema"] != nil && schema["$schema"] != "https://json-schema.org/draft/2020-12/schema":
			return invalid("%s.input_schema: JSON schema is invalid. It must match JSON Schema draft 2020-12 (https://json-schema.org/draft/2020-12).", at)
		}
		seen[name] = true
		a.Tools = append(a.Tools, name)
	}
	choice, _ := a.Body["tool_choice"].(map[string]any)
	switch name, _ := choice["name"].(string); {
	case choice != nil && len(a.Tools) == 0:
		return invalid("tool_choice: may only be specified while providing tools")
	case name != "" && !seen[name]:
		return invalid("tool_choice: Tool '%s' not found in provided tools", name)
	}
	return nil
}

func isName(s string, most int) bool {
	return s != "" && len(s) <= most && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") == ""
}

// checkThinking refuses fields that may not be combined with thinking.
func checkThinking(a *protocol.Query) *protocol.Error {
	thinking, _ := a.Body["thinking"].(map[string]any)
	kind, _ := thinking["type"].(string)
	version := claude(a.Model)
	if kind == "" || kind == "disabled" {
		return nil
	}
	a.Thinking = true
	choice, _ := a.Body["tool_choice"].(map[string]any)
	switch {
	case kind == "enabled" && version >= 407:
		return invalid("\"thinking.type.enabled\" is not supported for this model. Use \"thinking.type.adaptive\" and \"output_config.effort\" to control thinking behavior.")
	case kind == "adaptive" && version > 0 && version < 406:
		return invalid("adaptive thinking is not supported on this model")
	case kind == "enabled" && a.Body["max_tokens"] != nil && protocol.AsInt(thinking["budget_tokens"]) >= protocol.AsInt(a.Body["max_tokens"]):
		return invalid("`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size")
	case a.Body["temperature"] != nil && fmt.Sprint(a.Body["temperature"]) != "1":
		return invalid("`temperature` may only be set to 1 when thinking is enabled or in adaptive mode. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#important-considerations-when-using-extended-thinking")
	case a.Body["top_k"] != nil:
		return invalid("`top_k` must be unset when thinking is enabled or in adaptive mode.")
	case a.Body["top_p"] != nil && protocol.AsFloat(a.Body["top_p"]) < 0.95:
		return invalid("`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled or in adaptive mode.")
	case choice["type"] == "any" || choice["type"] == "tool":
		return invalid("Thinking may not be enabled when tool_choice forces tool use.")
	}
	return nil
}

// claude returns the version of a model as a number, such as 406 for 4.6, or 0 if its name
// contains no version.
func claude(model string) int {
	m := regexp.MustCompile(`^claude-(?:[a-z]+-)?(\d)(?:[-.](\d{1,2}))?(?:-[a-z]+)?(?:[-@]\d{8}|-latest)?$`).FindStringSubmatch(model)
	if m == nil {
		return 0
	}
	return 100*protocol.AsInt(m[1]) + protocol.AsInt("0"+m[2])
}

// Deny implements [protocol.Wire].
func (Wire) Deny(a *protocol.Query, why protocol.Denial) *protocol.Error {
	switch why.Kind {
	case protocol.NoKey:
		return &protocol.Error{Status: 401, Code: "authentication_error", Message: "x-api-key header is required"}
	case protocol.WrongKey:
		return &protocol.Error{Status: 401, Code: "authentication_error", Message: "invalid x-api-key"}
	case protocol.TooLong:
		return invalid("prompt is too long: %d tokens > %d maximum", a.Estimate(), why.MaxTokens)
	}
	if _, there := a.Body[why.Name]; !there {
		return nil
	}
	switch why.Name {
	case "temperature", "top_p", "top_k":
		return invalid("`%s` is deprecated for this model.", why.Name)
	case "tools":
		return invalid("tools: this model does not support tools")
	}
	return invalid("%s: Extra inputs are not permitted", why.Name)
}

// EncodeError implements [protocol.Wire].
func (Wire) EncodeError(f *protocol.Error) []byte {
	return protocol.MustJSON(map[string]any{"type": "error", "error": encodeError(f), "request_id": "req_scripted"})
}

// encodeError encodes an error. It replaces the code of another vendor by this vendor's usual
// code for the status.
func encodeError(f *protocol.Error) map[string]any {
	code := f.Code
	if !strings.HasSuffix(code, "_error") && code != "request_too_large" {
		code = map[int]string{
			401: "authentication_error", 402: "billing_error", 403: "permission_error", 404: "not_found_error",
			413: "request_too_large", 429: "rate_limit_error", 503: "overloaded_error", 504: "timeout_error", 529: "overloaded_error",
		}[f.Status]
	}
	switch {
	case code == "" && f.Status < 500:
		code = "invalid_request_error"
	case code == "":
		code = "api_error"
	}
	return protocol.AddDetails(map[string]any{"type": code, "message": message(f)}, f.Details)
}

// message returns the text of an error, the vendor's usual one if the script has none.
func message(f *protocol.Error) string {
	return f.Text(map[string]string{
		"context_length_exceeded": "prompt is too long: 200001 tokens > 200000 maximum",
		"insufficient_quota":      "Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.",
	}, map[int]string{
		401: "invalid x-api-key",
		413: "Request exceeds the maximum size",
		429: "This request would exceed your organization's rate limit of 50 requests per minute.",
		500: "Internal server error",
		503: "Overloaded",
		529: "Overloaded",
	})
}

// DirectResponse implements [protocol.Wire].
func (Wire) DirectResponse(a *protocol.Query) []byte {
	if a.Verb == protocol.CountTokens {
		return protocol.MustJSON(map[string]any{"input_tokens": a.Estimate()})
	}
	model := func(name string) map[string]any {
		return map[string]any{"type": "model", "id": name, "display_name": name, "created_at": "2026-01-01T00:00:00Z"}
	}
	if a.Model != "" {
		return protocol.MustJSON(model(a.Model))
	}
	all := []any{}
	for _, name := range a.Models {
		all = append(all, model(name))
	}
	out := map[string]any{"data": all, "has_more": false, "first_id": nil, "last_id": nil}
	if n := len(a.Models); n > 0 {
		out["first_id"], out["last_id"] = a.Models[0], a.Models[n-1]
	}
	return protocol.MustJSON(out)
}
