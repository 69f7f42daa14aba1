// Package openai implements the server side of OpenAI's Chat Completions and Responses APIs,
// also on Azure, for scripted models.
package openai

import (
	"cmp"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pollux/internal/scriptmodel/protocol"
	"pollux/internal/scriptmodel/shape"
)

// base has the methods that both protocols share.
type base struct{}

// route returns PATH and MODEL of a request to OpenAI or Azure: /v1/PATH, /openai/v1/PATH or
// /openai/deployments/MODEL/PATH.
func route(r *http.Request) (path, model string) {
	m := routePath().FindStringSubmatch(r.URL.Path)
	if m == nil {
		return "", ""
	}
	return m[2], m[1]
}

var routePath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:/openai)?/v1|/openai/deployments/([^/]+))/(.+)$`)
})

// apiKey returns the key of a request, from the Authorization header or Azure's api-key.
func apiKey(r *http.Request) string { return cmp.Or(r.Header.Get("api-key"), protocol.Bearer(r)) }

// readBody parses the body of a request and checks its shape.
func readBody(a *protocol.Query, r *http.Request, body []byte, s *shape.Shape) *protocol.Error {
	if r.Method != http.MethodPost {
		return &protocol.Error{Status: 405, Message: fmt.Sprintf("Not allowed to %s on %s.", r.Method, r.URL.Path)}
	}
	if t := r.Header.Get("Content-Type"); !strings.HasPrefix(t, "application/json") {
		return protocol.BadParameter("", "", "Unsupported content type: '%s'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: %s'. Please try again with a supported content type.", t, t)
	}
	root, err := protocol.ParseJSON(body)
	if err != nil {
		return protocol.BadParameter("", "", "We could not parse the JSON body of your request. (%v)", err)
	}
	if m := s.Check(root, "", a.Accept); m != nil {
		return mismatchError(m)
	}
	a.Body = root.(map[string]any) // the shape requires an object
	if name, _ := a.Body["model"].(string); name != "" {
		a.Model = name
	}
	return nil
}

// mismatchError returns the vendor's error for a request that does not have the right shape.
func mismatchError(m *shape.Mismatch) *protocol.Error {
	field := m.Name
	if m.Path != "" {
		field = m.Path + "." + m.Name
	}
	switch m.Reason {
	case shape.UnknownField:
		return protocol.BadParameter(field, "unknown_parameter", "Unknown parameter: '%s'.", field)
	case shape.MissingField:
		return protocol.BadParameter(field, "missing_required_parameter", "Missing required parameter: '%s'.", field)
	case shape.WrongWord:
		return protocol.BadParameter(m.Path, "invalid_value", "Invalid value: '%s'. Supported values are: '%s'.", m.Got, strings.Join(m.Want.Words, "', '"))
	case shape.TooFew:
		return protocol.BadParameter(m.Path, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length %d, but got an empty array instead.", m.Path, m.Want.MinItems)
	case shape.TooSmall:
		return protocol.BadParameter(m.Path, "decimal_below_min_value", "Invalid '%s': decimal below minimum value. Expected a value >= %v, but got %v instead.", m.Path, m.Want.Min, m.Got)
	case shape.TooLarge:
		return protocol.BadParameter(m.Path, "decimal_above_max_value", "Invalid '%s': decimal above maximum value. Expected a value <= %v, but got %v instead.", m.Path, m.Want.Max, m.Got)
	}
	if m.Want.Kind == shape.Base64 {
		return protocol.BadParameter(m.Path, "invalid_value", "Invalid '%s': expected base64-encoded data.", m.Path)
	}
	return protocol.BadParameter(m.Path, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", m.Path, kindName(m.Want), protocol.JSONKind(m.Got))
}

func kindName(s *shape.Shape) string {
	if s.Kind == shape.Either {
		var all []string
		for _, e := range s.Either {
			all = append(all, kindName(e))
		}
		return "one of " + strings.Join(all, " or ")
	}
	return map[shape.Kind]string{
		shape.ObjectKind: "an object", shape.Tagged: "an object", shape.ArrayKind: "an array", shape.String: "a string",
		shape.Number: "a decimal", shape.Integer: "an integer", shape.Boolean: "a boolean",
	}[s.Kind]
}

// EncodeError encodes an error. It replaces the code of another vendor by this vendor's usual
// code for the status.
func (base) EncodeError(f *protocol.Error) []byte {
	kind, code := codeOf(f)
	e := map[string]any{"message": message(f), "type": kind, "param": nil, "code": nil}
	if f.Param != "" {
		e["param"] = f.Param
	}
	if code != "" {
		e["code"] = code
	}
	return protocol.MustJSON(map[string]any{"error": protocol.AddDetails(e, f.Details)})
}

// codeOf returns the type and the code of an error; the code may be "".
func codeOf(f *protocol.Error) (kind, code string) {
	if f.Code != "" && f.Code == strings.ToLower(f.Code) && !strings.HasSuffix(f.Code, "_error") {
		code = f.Code
	}
	switch {
	case code == "insufficient_quota":
		kind = code
	case f.Status == 429:
		kind = "requests"
		if code == "" {
			code = "rate_limit_exceeded"
		}
	case f.Status >= 500:
		kind = "server_error"
	default:
		kind = "invalid_request_error"
		if code == "" {
			code = map[int]string{401: "invalid_api_key", 404: "model_not_found"}[f.Status]
		}
	}
	return kind, code
}

// message returns the text of an error, the vendor's usual one if the script has none.
func message(f *protocol.Error) string {
	const overloaded = "The engine is currently overloaded, please try again later."
	return f.Text(map[string]string{
		"context_length_exceeded": "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens. Please reduce the length of the messages.",
		"insufficient_quota":      "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors.",
	}, map[int]string{
		401: "Incorrect API key provided: sk-***. You can find your API key at https://platform.openai.com/account/api-keys.",
		404: "The model does not exist or you do not have access to it.",
		429: "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s.",
		500: "The server had an error while processing your request. Sorry about that!",
		503: overloaded,
		529: overloaded,
	})
}

func (base) Deny(a *protocol.Query, why protocol.Denial) *protocol.Error {
	switch why.Kind {
	case protocol.NoKey:
		return &protocol.Error{Status: 401, Message: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."}
	case protocol.WrongKey:
		return &protocol.Error{Status: 401, Code: "invalid_api_key"}
	case protocol.TooLong:
		return protocol.BadParameter("messages", "context_length_exceeded", "This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", why.MaxTokens, a.Estimate())
	}
	value, there := a.Body[why.Name]
	switch {
	case why.Name == "system" || why.Name == "developer":
		return refusedRole(a, why.Name)
	case !there:
		return nil
	case why.Name == "tools":
		return protocol.BadParameter("tools", "", "%s does not support tools", a.Model)
	case why.Name == "temperature" || why.Name == "top_p":
		return protocol.BadParameter(why.Name, "unsupported_value", "Unsupported value: '%s' does not support %v with this model. Only the default (1) value is supported.", why.Name, value)
	}
	return protocol.BadParameter(why.Name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", why.Name)
}

// refusedRole returns the error for messages of a role. Instructions count as system messages.
func refusedRole(a *protocol.Query, role string) *protocol.Error {
	if text, _ := a.Body["instructions"].(string); text != "" && role == "system" {
		return protocol.BadParameter("instructions", "unsupported_parameter", "Unsupported parameter: 'instructions' is not supported with this model.")
	}
	for _, field := range []string{"messages", "input"} {
		for i, m := range protocol.AsList(a.Body[field]) {
			if m.(map[string]any)["role"] == role {
				at := fmt.Sprintf("%s[%d].role", field, i)
				return protocol.BadParameter(at, "unsupported_value", "Unsupported value: '%s' does not support '%s' with this model.", at, role)
			}
		}
	}
	return nil
}

// reasons reports whether a model belongs to a reasoning family, which has no sampling
// parameters.
func reasons(model string) bool {
	return regexp.MustCompile(`^(?:o\d|gpt-5|codex-)`).MatchString(model)
}

// sampling refuses sampling parameters for reasoning models.
func sampling(a *protocol.Query) *protocol.Error {
	if !reasons(a.Model) {
		return nil
	}
	for _, name := range []string{"temperature", "top_p"} {
		if v := a.Body[name]; v != nil && fmt.Sprint(v) != "1" {
			return protocol.BadParameter(name, "unsupported_value", "Unsupported value: '%s' does not support %v with this model. Only the default (1) value is supported.", name, v)
		}
	}
	for _, name := range []string{"presence_penalty", "frequency_penalty", "stop", "logprobs", "logit_bias"} {
		if a.Body[name] != nil {
			return protocol.BadParameter(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", name)
		}
	}
	return nil
}

// olderGPT reports whether a model belongs to a family without reasoning.
func olderGPT(model string) bool {
	return strings.HasPrefix(model, "gpt-3") || strings.HasPrefix(model, "gpt-4") || strings.HasPrefix(model, "chatgpt-4")
}

// checkEffort checks the reasoning effort in the field param.
func checkEffort(model string, effort any, param string) *protocol.Error {
	if effort == nil {
		return nil
	}
	if olderGPT(model) {
		if param == "reasoning_effort" {
			return protocol.BadParameter("", "", "Unrecognized request argument supplied: reasoning_effort")
		}
		return protocol.BadParameter(param, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", param)
	}
	var takes []string
	switch {
	case regexp.MustCompile(`^o\d`).MatchString(model):
		takes = []string{"low", "medium", "high"}
	case regexp.MustCompile(`^gpt-5(?:-(?:mini|nano))?(?:-\d{4}-.*)?$`).MatchString(model):
		takes = []string{"minimal", "low", "medium", "high"}
	case strings.HasPrefix(model, "gpt-5.1"):
		takes = []string{"none", "low", "medium", "high"}
	case strings.HasPrefix(model, "gpt-5."):
		takes = []string{"none", "low", "medium", "high", "xhigh", "max"}
	default:
		return nil
	}
	if !slices.Contains(takes, effort.(string)) {
		return protocol.BadParameter(param, "unsupported_value", "Unsupported value: '%s' is not supported with the '%s' model. Supported values are: '%s'.", effort, model, strings.Join(takes, "', '"))
	}
	return nil
}

// checkToolChoice checks that the function in tool_choice is declared.
func checkToolChoice(a *protocol.Query) *protocol.Error {
	choice, _ := a.Body["tool_choice"].(map[string]any)
	if inner, ok := choice["function"].(map[string]any); ok {
		choice = inner
	}
	if name, ok := choice["name"].(string); ok && !slices.Contains(a.Tools, name) {
		return protocol.BadParameter("tool_choice", "", "Tool choice '%s' not found in 'tools' parameter.", name)
	}
	return nil
}

// checkFormat checks the response format. schema has its name and schema; said is the
// conversation.
func checkFormat(format, schema map[string]any, param, at string, said any) *protocol.Error {
	switch format["type"] {
	case "json_object":
		if !strings.Contains(strings.ToLower(string(protocol.MustJSON(said))), "json") {
			where, to := "'messages'", ", to"
			if param == "text.format" {
				where, to = "Response input messages", " to"
			}
			return protocol.BadParameter(param, "", "%s must contain the word 'json' in some form%s use '%s' of type 'json_object'.", where, to, param)
		}
	case "json_schema":
		name, _ := schema["name"].(string)
		if !namePattern().MatchString(name) {
			return protocol.BadParameter(at+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
		}
		s, _ := schema["schema"].(map[string]any)
		if schema["strict"] == true {
			if problem := strictSchema(s, "()"); problem != "" {
				return protocol.BadParameter(param, "", "Invalid schema for response_format '%s': %s", name, problem)
			}
		}
	}
	return nil
}

// checkTools checks the declarations of functions; at(i) is the path of the ith.
func checkTools(a *protocol.Query, functions []map[string]any, at func(i int) string) *protocol.Error {
	if len(functions) > 128 {
		return protocol.BadParameter("tools", "array_above_max_length", "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length %d instead.", len(functions))
	}
	seen := map[string]bool{}
	for i, f := range functions {
		name, _ := f["name"].(string)
		if !namePattern().MatchString(name) {
			return protocol.BadParameter(at(i)+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string of at most 64 characters that matches the pattern '^[a-zA-Z0-9_-]+$'.", at(i))
		}
		if seen[name] {
			return protocol.BadParameter("tools", "", "Function names must be unique: %s", name)
		}
		seen[name] = true
		a.Tools = append(a.Tools, name)
		p, ok := f["parameters"].(map[string]any)
		if ok && len(p) > 0 && p["type"] != "object" {
			return protocol.BadParameter(at(i)+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%v\"'.", name, p["type"])
		}
		if f["strict"] == true {
			if problem := strictSchema(p, "()"); problem != "" {
				return protocol.BadParameter(at(i)+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s", name, problem)
			}
		}
	}
	return nil
}

var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })

// strictSchema returns why a schema cannot be used with strict, or "" if it can.
func strictSchema(s map[string]any, context string) string {
	properties, isObject := s["properties"].(map[string]any)
	if (isObject || s["type"] == "object") && s["additionalProperties"] != false {
		return fmt.Sprintf("In context=%s, 'additionalProperties' is required to be supplied and to be false.", context)
	}
	required := protocol.AsList(s["required"])
	for name, p := range properties {
		if !slices.Contains(required, any(name)) {
			return fmt.Sprintf("In context=%s, 'required' is required to be supplied and to be an array including every key in properties. Missing '%s'.", context, name)
		}
		if sub, ok := p.(map[string]any); ok {
			if problem := strictSchema(sub, "('properties', '"+name+"')"); problem != "" {
				return problem
			}
		}
	}
	return ""
}

// dataURL checks that a URL is a data URL of one of the media types, and returns its type; "" for another URL.
func dataURL(url, at string, types ...string) (string, *protocol.Error) {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
			return "", nil
		}
		return "", protocol.BadParameter(at, "invalid_value", "Invalid '%s'. Expected a valid URL, but got a value with an invalid format.", at)
	}
	kind, data, ok := strings.Cut(rest, ";base64,")
	if !slices.Contains(types, kind) {
		return "", protocol.BadParameter(at, "invalid_image_format", "Invalid MIME type %q in '%s'. Supported are %s.", kind, at, strings.Join(types, ", "))
	}
	if _, err := base64.StdEncoding.DecodeString(data); !ok || err != nil || data == "" {
		return "", protocol.BadParameter(at, "invalid_base64", "Invalid base64 data in '%s'.", at)
	}
	return kind, nil
}

// argumentsOf checks the arguments of a call in the conversation.
func argumentsOf(c map[string]any, at string) *protocol.Error {
	text, _ := c["arguments"].(string)
	var args map[string]any
	if err := json.Unmarshal([]byte(text), &args); err != nil || args == nil {
		return protocol.BadParameter(at+".arguments", "invalid_value", "Invalid '%s.arguments': expected a string that holds a JSON object, but got %q.", at, protocol.Shorten(text))
	}
	return nil
}

func embeddingShape() *shape.Shape {
	return shape.Object(map[string]*shape.Shape{
		"input": shape.OneOf(shape.Is(shape.String), shape.NonEmpty(shape.Is(shape.String))), "model": shape.Is(shape.String), "encoding_format": shape.Word("float", "base64"),
		"dimensions": shape.Between(shape.Integer, 1, 1e6), "user": shape.Is(shape.String),
	}, "input", "model")
}

// DirectResponse lists the models, or returns embeddings.
func (base) DirectResponse(a *protocol.Query) []byte {
	if a.Verb == protocol.Embed {
		return embeddings(a)
	}
	model := func(name string) map[string]any {
		return map[string]any{"id": name, "object": "model", "created": scriptedAt, "owned_by": "scripted"}
	}
	if a.Model != "" {
		return protocol.MustJSON(model(a.Model))
	}
	all := []any{}
	for _, name := range a.Models {
		all = append(all, model(name))
	}
	return protocol.MustJSON(map[string]any{"object": "list", "data": all})
}

// scriptedAt is the time in all answers, so that they are the same on each run.
const scriptedAt = 1700000000

func embeddings(a *protocol.Query) []byte {
	data := []any{}
	for i, text := range a.Inputs {
		var values any = protocol.Vector(text)
		if a.Body["encoding_format"] == "base64" {
			var b []byte
			for _, f := range protocol.Vector(text) {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
			}
			values = base64.StdEncoding.EncodeToString(b)
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": values})
	}
	n := a.Size/4 + 1
	return protocol.MustJSON(map[string]any{
		"object": "list", "model": a.Model, "data": data,
		"usage": map[string]any{"prompt_tokens": n, "total_tokens": n},
	})
}
