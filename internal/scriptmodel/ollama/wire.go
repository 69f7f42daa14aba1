// Package ollama implements the server side of Ollama's protocol for scripted models.
package ollama

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"pollux/internal/scriptmodel/protocol"
	"pollux/internal/scriptmodel/shape"
)

// Wire is Ollama's native protocol. Ollama ignores unknown fields and truncates long
// conversations; Wire refuses both.
type Wire struct{}

// Name implements [protocol.Wire].
func (Wire) Name() string { return "ollama" }

// Route accepts /api/chat, embed, show, tags and version. A local server needs no key, so that
// a request without a key gets the key "none".
func (Wire) Route(r *http.Request) (protocol.Query, bool) {
	method, ok := strings.CutPrefix(r.URL.Path, "/api/")
	a := protocol.Query{Key: cmp.Or(protocol.Bearer(r), "none"), JSONLines: true}
	switch {
	case !ok:
		return a, false
	case method == "chat":
		a.Verb, a.VerbName = protocol.Generate, "generateContent"
	case method == "embed":
		a.Verb, a.VerbName = protocol.Embed, "batchEmbedContents"
	case method == "tags" && r.Method == http.MethodGet:
		a.Verb, a.VerbName = protocol.ListModels, "models"
	case method == "show" && r.Method == http.MethodPost, method == "version" && r.Method == http.MethodGet:
		a.Verb, a.VerbName = protocol.ListModels, method
	default:
		return a, false
	}
	return a, true
}

// Read implements [protocol.Wire].
func (o Wire) Read(a *protocol.Query, r *http.Request, body []byte) *protocol.Error {
	if r.Method != http.MethodPost {
		if a.Verb == protocol.ListModels {
			return nil
		}
		return &protocol.Error{Status: 405, Message: "405 method not allowed"}
	}
	root, err := protocol.ParseJSON(body)
	if err != nil {
		return invalid("invalid request: %v", err)
	}
	form := chatShape()
	switch a.Verb {
	case protocol.ListModels:
		form = shape.Object(map[string]*shape.Shape{"model": shape.Is(shape.String), "verbose": shape.Is(shape.Boolean)}, "model")
	case protocol.Embed:
		form = embedShape()
	}
	if m := form.Check(root, "", a.Accept); m != nil {
		return mismatchError(m)
	}
	a.Body = root.(map[string]any) // the shape requires an object
	if a.Model, _ = a.Body["model"].(string); a.Model == "" {
		return invalid("model is required")
	}
	switch a.Verb {
	case protocol.ListModels:
		return nil
	case protocol.Embed:
		if one, ok := a.Body["input"].(string); ok {
			a.Inputs = []string{one}
		}
		for _, v := range protocol.AsList(a.Body["input"]) {
			a.Inputs = append(a.Inputs, v.(string))
		}
		return nil
	}
	return o.readChat(a)
}

func (Wire) readChat(a *protocol.Query) *protocol.Error {
	a.SetContentVerb()
	if a.Body["stream"] == nil { // Ollama streams by default
		a.Verb, a.VerbName = protocol.Stream, "streamGenerateContent"
	}
	a.Thinking = a.Body["think"] != false
	if level, ok := a.Body["think"].(string); ok && !strings.Contains(a.Model, "gpt-oss") {
		return invalid("think value %q is not supported for this model", level)
	}
	if f := checkTools(a); f != nil {
		return f
	}
	h := reader{asked: a}
	for i, v := range protocol.AsList(a.Body["messages"]) {
		if f := h.readMessage(v.(map[string]any), fmt.Sprintf("messages[%d]", i)); f != nil {
			return f
		}
	}
	a.SetResultNames()
	if f := protocol.CheckOrder(a); f != nil {
		return f
	}
	return checkWindow(a)
}

// checkWindow refuses a conversation that Ollama would silently truncate.
func checkWindow(a *protocol.Query) *protocol.Error {
	options, _ := a.Body["options"].(map[string]any)
	window := 4096
	if n := options["num_ctx"]; n != nil {
		window = protocol.AsInt(n)
	}
	switch n := a.Estimate(); {
	case n <= window:
		return nil
	case a.Body["truncate"] == false:
		return tooLong()
	default:
		return invalid("the head of the conversation would be cut off: it has some %d tokens, and the window %d", n, window)
	}
}

func tooLong() *protocol.Error {
	return invalid("the input length exceeds the context length")
}

func checkTools(a *protocol.Query) *protocol.Error {
	for i, v := range protocol.AsList(a.Body["tools"]) {
		f := v.(map[string]any)["function"].(map[string]any)
		name := f["name"].(string)
		if name == "" || slices.Contains(a.Tools, name) {
			return invalid("tools[%d].function.name: %q is empty or declared twice", i, name)
		}
		a.Tools = append(a.Tools, name)
		var parameters parameters
		if err := json.Unmarshal(protocol.MustJSON(f["parameters"]), &parameters); err != nil {
			return invalid("%v", err)
		}
		if parameters.Type != "object" || parameters.Properties == nil {
			return invalid("tools[%d].function.parameters: not the schema of an object", i)
		}
	}
	return nil
}

// reader reads messages. The protocol matches results to calls by ID, or without IDs by the
// tool's name and the order.
type reader struct {
	asked *protocol.Query
	calls map[string]int // number of calls in the model's last message, by ID or name
	names map[string]string
	done  map[string]int // number of results so far, by ID or name
}

// readMessage adds one message to the conversation.
func (h *reader) readMessage(m map[string]any, at string) *protocol.Error {
	text, _ := m["content"].(string)
	out := protocol.Message{}
	if text != "" {
		out.Texts = []string{text}
	}
	for i, v := range protocol.AsList(m["images"]) {
		kind, f := image(v.(string), fmt.Sprintf("%s.images[%d]", at, i))
		if f != nil {
			return f
		}
		out.Media = append(out.Media, kind)
	}
	switch m["role"] {
	case "system":
		if len(h.asked.Messages) > 0 {
			return invalid("%s: the system's message must come before all others", at)
		}
		h.asked.System = strings.TrimPrefix(h.asked.System+"\n"+text, "\n")
		return nil
	case "user":
		if len(out.Texts)+len(out.Media) == 0 {
			return invalid("%s: the message says nothing", at)
		}
		return h.asked.AppendMessage(out, at)
	case "tool":
		return h.result(m, text, at)
	}
	out.FromModel = true
	if t, _ := m["thinking"].(string); t != "" {
		out.Thoughts = []protocol.Thought{{Text: t}}
	}
	h.calls, h.names, h.done = map[string]int{}, map[string]string{}, map[string]int{}
	for _, v := range protocol.AsList(m["tool_calls"]) {
		c := v.(map[string]any)
		name := c["function"].(map[string]any)["name"].(string)
		id, _ := c["id"].(string)
		if name == "" {
			return invalid("%s.tool_calls: a call of nothing", at)
		}
		by := cmp.Or(id, name)
		h.calls[by]++
		h.names[by] = name
		out.Calls = append(out.Calls, protocol.Call{ID: nth(by, h.calls[by]), Name: name})
	}
	if len(out.Texts)+len(out.Calls) == 0 {
		return invalid("%s: the message says nothing", at)
	}
	return h.asked.AppendMessage(out, at)
}

// result adds the result of a call to the conversation.
func (h *reader) result(m map[string]any, text, at string) *protocol.Error {
	id, _ := m["tool_call_id"].(string)
	name, _ := m["tool_name"].(string)
	by := cmp.Or(id, name)
	switch {
	case by == "":
		return invalid("%s: a result of an unknown tool", at)
	case h.done[by] >= h.calls[by]:
		return invalid("%s: a result of no call: %q", at, by)
	case name != "" && h.names[by] != name:
		return invalid("%s: a result of %q for a call of %q", at, name, h.names[by])
	}
	h.done[by]++
	return h.asked.AppendMessage(protocol.Message{Results: []protocol.Result{{ID: nth(by, h.done[by]), Text: text, HasNoErrorMark: true}}}, at)
}

// nth makes the keys of calls with the same ID or name unique.
func nth(by string, n int) string {
	if n == 1 {
		return by
	}
	return fmt.Sprintf("%s#%d", by, n)
}

// image returns the media type of an image, or an error if the server cannot read it.
func image(data, at string) (string, *protocol.Error) {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "", invalid("%s: illegal base64 data", at)
	}
	switch kind := http.DetectContentType(raw); kind {
	case "image/png", "image/jpeg", "image/webp":
		return kind, nil
	}
	return "", &protocol.Error{Status: 500, Message: "failed to process inputs: image: unknown format"}
}

// CheckMemory returns nil, because the protocol has no signatures.
func (Wire) CheckMemory(*protocol.Query, *protocol.Memory) *protocol.Error { return nil }

// Deny implements [protocol.Wire].
func (Wire) Deny(a *protocol.Query, why protocol.Denial) *protocol.Error {
	switch why.Kind {
	case protocol.NoKey, protocol.WrongKey:
		return &protocol.Error{Status: 401}
	case protocol.TooLong:
		if a.Verb != protocol.Generate && a.Verb != protocol.Stream {
			return nil
		}
		return tooLong()
	}
	if a.Verb == protocol.ListModels {
		return nil
	}
	switch why.Name { // Ollama ignores other parameters that a model does not support
	case "tools":
		if len(a.Tools) > 0 {
			return invalid("registry.ollama.ai/library/%s does not support tools", a.Model)
		}
	case "think":
		if think := a.Body["think"]; think != nil && think != false {
			return invalid("%q does not support thinking", a.Model)
		}
	case "images":
		for _, m := range a.Messages {
			if len(m.Media) > 0 {
				return &protocol.Error{Status: 500, Message: "this model is missing data required for image input"}
			}
		}
	}
	return nil
}

func invalid(format string, args ...any) *protocol.Error {
	return &protocol.Error{Status: 400, Message: fmt.Sprintf(format, args...)}
}

// mismatchError returns the error of Go's JSON decoder for a request that does not have the
// right shape.
func mismatchError(m *shape.Mismatch) *protocol.Error {
	field := strings.TrimPrefix(m.Path+"."+m.Name, ".")
	switch m.Reason {
	case shape.UnknownField:
		return invalid("json: unknown field %q", field)
	case shape.MissingField:
		return invalid("%s is required", field)
	case shape.WrongWord:
		return invalid("invalid %s: %v", m.Path, m.Got)
	}
	if m.Want.Kind == shape.Base64 {
		return invalid("%s: illegal base64 data", m.Path)
	}
	return invalid("json: cannot unmarshal %s into Go struct field %s", protocol.JSONKind(m.Got), m.Path)
}

// EncodeError implements [protocol.Wire].
func (Wire) EncodeError(f *protocol.Error) []byte {
	return protocol.MustJSON(protocol.AddDetails(map[string]any{"error": message(f)}, f.Details))
}

// message returns the text of an error, the server's usual one if the script has none.
func message(f *protocol.Error) string {
	return f.Text(map[string]string{
		"context_length_exceeded": "the input length exceeds the context length",
		"insufficient_quota":      "you've reached your hourly usage limit, please upgrade to continue",
	}, map[int]string{
		401: "unauthorized",
		404: "model not found, try pulling it first",
		429: "too many concurrent requests",
		500: "llama runner process has terminated: exit status 2",
		503: "server busy, please try again.  maximum pending requests exceeded",
	})
}
