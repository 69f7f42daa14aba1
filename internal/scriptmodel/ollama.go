package scriptmodel

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
)

// ollama is the native protocol of Ollama. Its server passes over what it does
// not know and cuts what does not fit; this one refuses both.
type ollama struct{}

func (ollama) name() string    { return "ollama" }
func (ollama) newline() string { return "\n" }

// route knows /api/chat, embed, show, tags and version. A local server asks for
// no key: who has none has this one.
func (ollama) route(r *http.Request) (asked, bool) {
	method, ok := strings.CutPrefix(r.URL.Path, "/api/")
	a := asked{key: cmp.Or(bearer(r), "none"), lines: true}
	switch {
	case !ok:
		return a, false
	case method == "chat":
		a.verb, a.name = generate, "generateContent"
	case method == "embed":
		a.verb, a.name = embed, "batchEmbedContents"
	case method == "tags" && r.Method == http.MethodGet:
		a.verb, a.name = models, "models"
	case method == "show" && r.Method == http.MethodPost, method == "version" && r.Method == http.MethodGet:
		a.verb, a.name = models, method
	default:
		return a, false
	}
	return a, true
}

func (o ollama) read(a *asked, r *http.Request, body []byte) *refusal {
	if r.Method != http.MethodPost {
		if a.verb == models {
			return nil
		}
		return &refusal{status: 405, message: "405 method not allowed"}
	}
	root, err := parseJSON(body)
	if err != nil {
		return ollamaWrong("invalid request: %v", err)
	}
	form := ollamaShape()
	switch a.verb {
	case models:
		form = obj(map[string]*shape{"model": is(str), "verbose": is(boolean)}, "model")
	case embed:
		form = ollamaEmbedShape()
	}
	if m := form.check(root, "", a.accept); m != nil {
		return ollamaMisfit(m)
	}
	a.root = root.(map[string]any) // the shape is an object's
	if a.model, _ = a.root["model"].(string); a.model == "" {
		return ollamaWrong("model is required")
	}
	switch a.verb {
	case models:
		return nil
	case embed:
		if one, ok := a.root["input"].(string); ok {
			a.inputs = []string{one}
		}
		for _, v := range list(a.root["input"]) {
			a.inputs = append(a.inputs, v.(string))
		}
		return nil
	}
	return o.readChat(a)
}

func (ollama) readChat(a *asked) *refusal {
	a.converse()
	if a.root["stream"] == nil { // which is what it does by itself
		a.verb, a.name = stream, "streamGenerateContent"
	}
	a.thinking = a.root["think"] != false
	if level, ok := a.root["think"].(string); ok && !strings.Contains(a.model, "gpt-oss") {
		return ollamaWrong("think value %q is not supported for this model", level)
	}
	if f := ollamaTools(a); f != nil {
		return f
	}
	h := ollamaHearer{asked: a}
	for i, v := range list(a.root["messages"]) {
		if f := h.hear(v.(map[string]any), fmt.Sprintf("messages[%d]", i)); f != nil {
			return f
		}
	}
	a.nameResults()
	if f := chatOrder(a); f != nil {
		return f
	}
	return ollamaWindow(a)
}

// ollamaWindow refuses what the real server would cut off without a word.
func ollamaWindow(a *asked) *refusal {
	options, _ := a.root["options"].(map[string]any)
	window, asks := numberIn(options, "num_ctx")
	if !asks {
		window = 4096
	}
	switch n := a.estimate(); {
	case n <= window:
		return nil
	case a.root["truncate"] == false:
		return ollamaTooLong()
	default:
		return ollamaWrong("the head of the conversation would be cut off: it has some %d tokens, and the window %d", n, window)
	}
}

func ollamaTooLong() *refusal {
	return ollamaWrong("the input length exceeds the context length")
}

// ollamaTools checks the declarations.
func ollamaTools(a *asked) *refusal {
	for i, v := range list(a.root["tools"]) {
		f := v.(map[string]any)["function"].(map[string]any)
		name := f["name"].(string)
		if name == "" || slices.Contains(a.tools, name) {
			return ollamaWrong("tools[%d].function.name: %q is empty or declared twice", i, name)
		}
		a.tools = append(a.tools, name)
		var parameters ollamaParameters
		if err := json.Unmarshal(mustJSON(f["parameters"]), &parameters); err != nil {
			return ollamaWrong("%v", err)
		}
		if parameters.Type != "object" || parameters.Properties == nil {
			return ollamaWrong("tools[%d].function.parameters: not the schema of an object", i)
		}
	}
	return nil
}

// ollamaHearer hears messages. The protocol pairs results with calls by the
// tool's name and their order, or by ids where there are any.
type ollamaHearer struct {
	asked *asked
	calls map[string]int // of the last message of the model, by what they go by
	names map[string]string
	done  map[string]int // results so far
}

// hear adds one message to the conversation.
func (h *ollamaHearer) hear(m map[string]any, at string) *refusal {
	text, _ := m["content"].(string)
	out := message{}
	if text != "" {
		out.texts = []string{text}
	}
	for i, v := range list(m["images"]) {
		kind, f := ollamaImage(v.(string), fmt.Sprintf("%s.images[%d]", at, i))
		if f != nil {
			return f
		}
		out.media = append(out.media, kind)
	}
	switch m["role"] {
	case "system":
		if len(h.asked.messages) > 0 {
			return ollamaWrong("%s: the system's message must come before all others", at)
		}
		h.asked.system = strings.TrimPrefix(h.asked.system+"\n"+text, "\n")
		return nil
	case "user":
		if len(out.texts)+len(out.media) == 0 {
			return ollamaWrong("%s: the message says nothing", at)
		}
		return h.asked.next(out, at)
	case "tool":
		return h.result(m, text, at)
	}
	out.model = true
	if t, _ := m["thinking"].(string); t != "" {
		out.thoughts = []thought{{text: t}}
	}
	h.calls, h.names, h.done = map[string]int{}, map[string]string{}, map[string]int{}
	for _, v := range list(m["tool_calls"]) {
		c := v.(map[string]any)
		name := c["function"].(map[string]any)["name"].(string)
		id, _ := c["id"].(string)
		if name == "" {
			return ollamaWrong("%s.tool_calls: a call of nothing", at)
		}
		by := cmp.Or(id, name)
		h.calls[by]++
		h.names[by] = name
		out.calls = append(out.calls, call{id: nth(by, h.calls[by]), name: name})
	}
	if len(out.texts)+len(out.calls) == 0 {
		return ollamaWrong("%s: the message says nothing", at)
	}
	return h.asked.next(out, at)
}

// result hears what came of a call.
func (h *ollamaHearer) result(m map[string]any, text, at string) *refusal {
	id, _ := m["tool_call_id"].(string)
	name, _ := m["tool_name"].(string)
	by := cmp.Or(id, name)
	switch {
	case by == "":
		return ollamaWrong("%s: a result of which nobody knows the tool", at)
	case h.done[by] >= h.calls[by]:
		return ollamaWrong("%s: a result of no call: %q", at, by)
	case name != "" && h.names[by] != name:
		return ollamaWrong("%s: a result of %q for a call of %q", at, name, h.names[by])
	}
	h.done[by]++
	return h.asked.next(message{results: []result{{id: nth(by, h.done[by]), text: text, unmarked: true}}}, at)
}

// nth tells calls apart that go by the same.
func nth(by string, n int) string {
	if n == 1 {
		return by
	}
	return fmt.Sprintf("%s#%d", by, n)
}

// ollamaImage returns the type of an image that the server can read.
func ollamaImage(data, at string) (string, *refusal) {
	raw, err := base64.StdEncoding.DecodeString(data)
	if err != nil {
		return "", ollamaWrong("%s: illegal base64 data", at)
	}
	switch kind := http.DetectContentType(raw); kind {
	case "image/png", "image/jpeg", "image/webp":
		return kind, nil
	}
	return "", &refusal{status: 500, message: "failed to process inputs: image: unknown format"}
}

// faithful has nothing to say: the protocol knows no signatures.
func (ollama) faithful(*asked, *memory) *refusal { return nil }

func (ollama) denied(a *asked, why denial) *refusal {
	switch why.kind {
	case noKey, wrongKey:
		return &refusal{status: 401}
	case tooLong:
		if a.verb != generate && a.verb != stream {
			return nil
		}
		return ollamaTooLong()
	}
	if a.verb == models {
		return nil
	}
	switch why.name { // what else a model does not know is passed over
	case "tools":
		if len(a.tools) > 0 {
			return ollamaWrong("registry.ollama.ai/library/%s does not support tools", a.model)
		}
	case "think":
		if think := a.root["think"]; think != nil && think != false {
			return ollamaWrong("%q does not support thinking", a.model)
		}
	case "images":
		for _, m := range a.messages {
			if len(m.media) > 0 {
				return &refusal{status: 500, message: "this model is missing data required for image input"}
			}
		}
	}
	return nil
}

func ollamaWrong(format string, args ...any) *refusal {
	return &refusal{status: 400, message: fmt.Sprintf(format, args...)}
}

// ollamaMisfit words what does not fit in a request, as Go's decoder does.
func ollamaMisfit(m *misfit) *refusal {
	field := strings.TrimPrefix(m.at+"."+m.name, ".")
	switch m.what {
	case unknownField:
		return ollamaWrong("json: unknown field %q", field)
	case missingField:
		return ollamaWrong("%s is required", field)
	case wrongWord:
		return ollamaWrong("invalid %s: %v", m.at, m.got)
	}
	if m.want.kind == base64Bytes {
		return ollamaWrong("%s: illegal base64 data", m.at)
	}
	return ollamaWrong("json: cannot unmarshal %s into Go struct field %s", jsonKind(m.got), m.at)
}

func (ollama) refusal(f *refusal) []byte {
	return mustJSON(addDetails(map[string]any{"error": cmp.Or(f.message, ollamaText(f))}, f.details))
}

// ollamaText is what the server says with an error whose text the script leaves open.
func ollamaText(f *refusal) string {
	switch f.code {
	case "context_length_exceeded":
		return "the input length exceeds the context length"
	case "insufficient_quota":
		return "you've reached your hourly usage limit, please upgrade to continue"
	}
	switch f.status {
	case 401:
		return "unauthorized"
	case 404:
		return "model not found, try pulling it first"
	case 429:
		return "too many concurrent requests"
	case 500:
		return "llama runner process has terminated: exit status 2"
	case 503:
		return "server busy, please try again.  maximum pending requests exceeded"
	}
	return strings.ToLower(http.StatusText(f.status))
}
