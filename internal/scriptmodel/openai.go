package scriptmodel

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
)

// openai is what the vendor's two protocols have in common.
type openai struct{}

func (openai) newline() string { return "\n" }

// openAIRoute knows the paths of the vendor's own API and of Azure's two forms
// of it: /v1/PATH, /openai/v1/PATH and /openai/deployments/MODEL/PATH.
func openAIRoute(r *http.Request) (path, model string) {
	m := openAIPath().FindStringSubmatch(r.URL.Path)
	if m == nil {
		return "", ""
	}
	return m[2], m[1]
}

var openAIPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(?:(?:/openai)?/v1|/openai/deployments/([^/]+))/(.+)$`)
})

// openAIKey returns the key of a request; Azure has a header of its own.
func openAIKey(r *http.Request) string {
	if key := r.Header.Get("api-key"); key != "" {
		return key
	}
	return bearer(r)
}

// openAIBody parses the body of a request and checks its shape.
func openAIBody(a *asked, r *http.Request, body []byte, s *shape) *refusal {
	if r.Method != http.MethodPost {
		return &refusal{status: 405, message: fmt.Sprintf("Not allowed to %s on %s.", r.Method, r.URL.Path)}
	}
	if t := r.Header.Get("Content-Type"); !strings.HasPrefix(t, "application/json") {
		return wrong("", "", "Unsupported content type: '%s'. This API method only accepts 'application/json' requests, but you specified the header 'Content-Type: %s'. Please try again with a supported content type.", t, t)
	}
	root, err := parseJSON(body)
	if err != nil {
		return wrong("", "", "We could not parse the JSON body of your request. (%v)", err)
	}
	if m := s.check(root, "", a.accept); m != nil {
		return openAIMisfit(m)
	}
	a.root = root.(map[string]any) // the shape is an object's
	if name, _ := a.root["model"].(string); name != "" {
		a.model = name
	}
	return nil
}

// wrong refuses a request as the vendor does.
func wrong(param, code, format string, args ...any) *refusal {
	return &refusal{status: 400, param: param, code: code, message: fmt.Sprintf(format, args...)}
}

// openAIMisfit words what does not fit in a request.
func openAIMisfit(m *misfit) *refusal {
	field := m.name
	if m.at != "" {
		field = m.at + "." + m.name
	}
	switch m.what {
	case unknownField:
		return wrong(field, "unknown_parameter", "Unknown parameter: '%s'.", field)
	case missingField:
		return wrong(field, "missing_required_parameter", "Missing required parameter: '%s'.", field)
	case wrongWord:
		return wrong(m.at, "invalid_value", "Invalid value: '%s'. Supported values are: '%s'.", m.got, strings.Join(m.want.words, "', '"))
	case tooFew:
		return wrong(m.at, "empty_array", "Invalid '%s': empty array. Expected an array with minimum length %d, but got an empty array instead.", m.at, m.want.least)
	case tooSmall:
		return wrong(m.at, "decimal_below_min_value", "Invalid '%s': decimal below minimum value. Expected a value >= %v, but got %v instead.", m.at, m.want.min, m.got)
	case tooLarge:
		return wrong(m.at, "decimal_above_max_value", "Invalid '%s': decimal above maximum value. Expected a value <= %v, but got %v instead.", m.at, m.want.max, m.got)
	}
	if m.want.kind == base64Bytes {
		return wrong(m.at, "invalid_value", "Invalid '%s': expected base64-encoded data.", m.at)
	}
	return wrong(m.at, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", m.at, openAIKind(m.want), jsonKind(m.got))
}

func openAIKind(s *shape) string {
	if s.kind == either {
		var all []string
		for _, e := range s.either {
			all = append(all, openAIKind(e))
		}
		return "one of " + strings.Join(all, " or ")
	}
	return map[kind]string{
		object: "an object", tagged: "an object", array: "an array", str: "a string",
		number: "a decimal", integer: "an integer", boolean: "a boolean",
	}[s.kind]
}

func jsonKind(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case map[string]any:
		return "an object"
	case []any:
		return "an array"
	case string:
		return "a string"
	case bool:
		return "a boolean"
	}
	return "a number"
}

// refusal words an error; the code of another vendor becomes what this one says
// with that status.
func (openai) refusal(f *refusal) []byte {
	kind, code := openAIError(f)
	e := map[string]any{"message": cmp.Or(f.message, openAIText(f)), "type": kind, "param": nil, "code": nil}
	if f.param != "" {
		e["param"] = f.param
	}
	if code != "" {
		e["code"] = code
	}
	return mustJSON(map[string]any{"error": addDetails(e, f.details)})
}

// openAIError returns the type and the code of an error, "" for none.
func openAIError(f *refusal) (kind, code string) {
	if f.code != "" && f.code == strings.ToLower(f.code) && !strings.HasSuffix(f.code, "_error") {
		code = f.code
	}
	switch {
	case code == "insufficient_quota":
		kind = code
	case f.status == 429:
		kind = "requests"
		if code == "" {
			code = "rate_limit_exceeded"
		}
	case f.status >= 500:
		kind = "server_error"
	default:
		kind = "invalid_request_error"
		if code == "" {
			code = map[int]string{401: "invalid_api_key", 404: "model_not_found"}[f.status]
		}
	}
	return kind, code
}

// openAIText is what the vendor says with an error whose text the script leaves open.
func openAIText(f *refusal) string {
	switch f.code {
	case "context_length_exceeded":
		return "This model's maximum context length is 128000 tokens. However, your messages resulted in 128001 tokens. Please reduce the length of the messages."
	case "insufficient_quota":
		return "You exceeded your current quota, please check your plan and billing details. For more information on this error, read the docs: https://platform.openai.com/docs/guides/error-codes/api-errors."
	}
	switch f.status {
	case 401:
		return "Incorrect API key provided: sk-***. You can find your API key at https://platform.openai.com/account/api-keys."
	case 404:
		return "The model does not exist or you do not have access to it."
	case 429:
		return "Rate limit reached on requests per min (RPM): Limit 3, Used 3, Requested 1. Please try again in 20s."
	case 500:
		return "The server had an error while processing your request. Sorry about that!"
	case 503, 529:
		return "The engine is currently overloaded, please try again later."
	}
	return http.StatusText(f.status)
}

// addDetails puts the fields of details into an error of a vendor that has no
// place for them. What Gemini says in details, the others do not say.
func addDetails(e map[string]any, details []json.RawMessage) map[string]any {
	for _, d := range details {
		var fields map[string]any
		if json.Unmarshal(d, &fields) != nil || fields["@type"] != nil {
			continue
		}
		for name, v := range fields {
			e[name] = v
		}
	}
	return e
}

func (openai) denied(a *asked, why denial) *refusal {
	switch why.kind {
	case noKey:
		return &refusal{status: 401, message: "You didn't provide an API key. You need to provide your API key in an Authorization header using Bearer auth (i.e. Authorization: Bearer YOUR_KEY)."}
	case wrongKey:
		return &refusal{status: 401, code: "invalid_api_key"}
	case tooLong:
		return wrong("messages", "context_length_exceeded", "This model's maximum context length is %d tokens. However, your messages resulted in %d tokens. Please reduce the length of the messages.", why.most, a.estimate())
	}
	value, there := a.root[why.name]
	switch {
	case why.name == "system" || why.name == "developer":
		return refusedRole(a, why.name)
	case !there:
		return nil
	case why.name == "tools":
		return wrong("tools", "", "%s does not support tools", a.model)
	case why.name == "temperature" || why.name == "top_p":
		return wrong(why.name, "unsupported_value", "Unsupported value: '%s' does not support %v with this model. Only the default (1) value is supported.", why.name, value)
	}
	return wrong(why.name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", why.name)
}

// refusedRole refuses messages of a role; instructions are the system's.
func refusedRole(a *asked, role string) *refusal {
	if text, _ := a.root["instructions"].(string); text != "" && role == "system" {
		return wrong("instructions", "unsupported_parameter", "Unsupported parameter: 'instructions' is not supported with this model.")
	}
	for _, field := range []string{"messages", "input"} {
		for i, m := range list(a.root[field]) {
			if m.(map[string]any)["role"] == role {
				at := fmt.Sprintf("%s[%d].role", field, i)
				return wrong(at, "unsupported_value", "Unsupported value: '%s' does not support '%s' with this model.", at, role)
			}
		}
	}
	return nil
}

// reasons reports whether a model is of a family that takes no sampling parameters.
func reasons(model string) bool {
	return regexp.MustCompile(`^(?:o\d|gpt-5|codex-)`).MatchString(model)
}

// sampling refuses what thinking models do not take.
func sampling(a *asked) *refusal {
	if !reasons(a.model) {
		return nil
	}
	for _, name := range []string{"temperature", "top_p"} {
		if v := a.root[name]; v != nil && fmt.Sprint(v) != "1" {
			return wrong(name, "unsupported_value", "Unsupported value: '%s' does not support %v with this model. Only the default (1) value is supported.", name, v)
		}
	}
	for _, name := range []string{"presence_penalty", "frequency_penalty", "stop", "logprobs", "logit_bias"} {
		if a.root[name] != nil {
			return wrong(name, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", name)
		}
	}
	return nil
}

// olderGPT reports whether a model is of a family that does not reason.
func olderGPT(model string) bool {
	return strings.HasPrefix(model, "gpt-3") || strings.HasPrefix(model, "gpt-4") || strings.HasPrefix(model, "chatgpt-4")
}

// openAIEffort checks how much a model is to think, which stands at param.
func openAIEffort(model string, effort any, param string) *refusal {
	if effort == nil {
		return nil
	}
	if olderGPT(model) {
		if param == "reasoning_effort" {
			return wrong("", "", "Unrecognized request argument supplied: reasoning_effort")
		}
		return wrong(param, "unsupported_parameter", "Unsupported parameter: '%s' is not supported with this model.", param)
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
		return wrong(param, "unsupported_value", "Unsupported value: '%s' is not supported with the '%s' model. Supported values are: '%s'.", effort, model, strings.Join(takes, "', '"))
	}
	return nil
}

// openAIChoice checks that a function which must be called is there.
func openAIChoice(a *asked) *refusal {
	choice, _ := a.root["tool_choice"].(map[string]any)
	if inner, ok := choice["function"].(map[string]any); ok {
		choice = inner
	}
	if name, ok := choice["name"].(string); ok && !slices.Contains(a.tools, name) {
		return wrong("tool_choice", "", "Tool choice '%s' not found in 'tools' parameter.", name)
	}
	return nil
}

// openAIFormat checks the format of the answer; schema is where its name and
// schema are, and said all that is said.
func openAIFormat(format, schema map[string]any, param, at string, said any) *refusal {
	switch format["type"] {
	case "json_object":
		if !strings.Contains(strings.ToLower(string(mustJSON(said))), "json") {
			where, to := "'messages'", ", to"
			if param == "text.format" {
				where, to = "Response input messages", " to"
			}
			return wrong(param, "", "%s must contain the word 'json' in some form%s use '%s' of type 'json_object'.", where, to, param)
		}
	case "json_schema":
		name, _ := schema["name"].(string)
		if !openAIName().MatchString(name) {
			return wrong(at+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.", at)
		}
		s, _ := schema["schema"].(map[string]any)
		if schema["strict"] == true {
			if problem := strictSchema(s, "()"); problem != "" {
				return wrong(param, "", "Invalid schema for response_format '%s': %s", name, problem)
			}
		}
	}
	return nil
}

// openAITools checks declarations of functions; at is where the ith stands.
func openAITools(a *asked, functions []map[string]any, at func(i int) string) *refusal {
	if len(functions) > 128 {
		return wrong("tools", "array_above_max_length", "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length %d instead.", len(functions))
	}
	seen := map[string]bool{}
	for i, f := range functions {
		name, _ := f["name"].(string)
		if !openAIName().MatchString(name) {
			return wrong(at(i)+".name", "invalid_value", "Invalid '%s.name': string does not match pattern. Expected a string of at most 64 characters that matches the pattern '^[a-zA-Z0-9_-]+$'.", at(i))
		}
		if seen[name] {
			return wrong("tools", "", "Function names must be unique: %s", name)
		}
		seen[name] = true
		a.tools = append(a.tools, name)
		p, ok := f["parameters"].(map[string]any)
		if ok && len(p) > 0 && p["type"] != "object" {
			return wrong(at(i)+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': schema must be a JSON Schema of 'type: \"object\"', got 'type: \"%v\"'.", name, p["type"])
		}
		if f["strict"] == true {
			if problem := strictSchema(p, "()"); problem != "" {
				return wrong(at(i)+".parameters", "invalid_function_parameters", "Invalid schema for function '%s': %s", name, problem)
			}
		}
	}
	return nil
}

var openAIName = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })

// strictSchema says why a schema cannot be used with strict, "" if it can.
func strictSchema(s map[string]any, context string) string {
	properties, isObject := s["properties"].(map[string]any)
	if (isObject || s["type"] == "object") && s["additionalProperties"] != false {
		return fmt.Sprintf("In context=%s, 'additionalProperties' is required to be supplied and to be false.", context)
	}
	required := list(s["required"])
	for name, p := range properties {
		found := false
		for _, r := range required {
			found = found || r == name
		}
		if !found {
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

// dataURL checks data of one of these types in a URL.
func dataURL(url, at string, types ...string) *refusal {
	rest, ok := strings.CutPrefix(url, "data:")
	if !ok {
		if strings.HasPrefix(url, "https://") || strings.HasPrefix(url, "http://") {
			return nil
		}
		return wrong(at, "invalid_value", "Invalid '%s'. Expected a valid URL, but got a value with an invalid format.", at)
	}
	kind, data, ok := strings.Cut(rest, ";base64,")
	fits := false
	for _, t := range types {
		fits = fits || t == kind
	}
	if !fits {
		return wrong(at, "invalid_image_format", "Invalid MIME type %q in '%s'. Supported are %s.", kind, at, strings.Join(types, ", "))
	}
	if _, err := base64.StdEncoding.DecodeString(data); !ok || err != nil || data == "" {
		return wrong(at, "invalid_base64", "Invalid base64 data in '%s'.", at)
	}
	return nil
}

// argumentsOf checks the arguments of a call that comes back.
func argumentsOf(c map[string]any, at string) *refusal {
	text, _ := c["arguments"].(string)
	var args map[string]any
	if err := json.Unmarshal([]byte(text), &args); err != nil || args == nil {
		return wrong(at+".arguments", "invalid_value", "Invalid '%s.arguments': expected a string that holds a JSON object, but got %q.", at, clip(text))
	}
	return nil
}

func embeddingShape() *shape {
	return obj(map[string]*shape{
		"input": oneOf(is(str), some(is(str))), "model": is(str), "encoding_format": word("float", "base64"),
		"dimensions": between(integer, 1, 1e6), "user": is(str),
	}, "input", "model")
}

// aside lists models, or makes embeddings.
func (openai) aside(a *asked) []byte {
	if a.verb == embed {
		return openAIEmbeddings(a)
	}
	model := func(name string) map[string]any {
		return map[string]any{"id": name, "object": "model", "created": scriptedAt, "owned_by": "scripted"}
	}
	if a.model != "" {
		return mustJSON(model(a.model))
	}
	all := []any{}
	for _, name := range a.models {
		all = append(all, model(name))
	}
	return mustJSON(map[string]any{"object": "list", "data": all})
}

// scriptedAt is when all answers were made, so that they are the same each time.
const scriptedAt = 1700000000

func openAIEmbeddings(a *asked) []byte {
	data := []any{}
	for i, text := range a.inputs {
		var values any = vector(text)
		if a.root["encoding_format"] == "base64" {
			var b []byte
			for _, f := range vector(text) {
				b = binary.LittleEndian.AppendUint32(b, math.Float32bits(f))
			}
			values = base64.StdEncoding.EncodeToString(b)
		}
		data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": values})
	}
	n := a.size/4 + 1
	return mustJSON(map[string]any{
		"object": "list", "model": a.model, "data": data,
		"usage": map[string]any{"prompt_tokens": n, "total_tokens": n},
	})
}

// mediaType is the type of the data in a URL, "" for data elsewhere.
func mediaType(url string) string {
	rest, _ := strings.CutPrefix(url, "data:")
	kind, _, _ := strings.Cut(rest, ";base64,")
	if kind == rest {
		return ""
	}
	return kind
}
