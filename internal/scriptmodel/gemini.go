package scriptmodel

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"regexp"
	"strings"
	"sync"
)

// gemini is the protocol of the Gemini API, and Vertex AI's form of it.
type gemini struct{}

// route knows /v1beta/models/M:verb and, for Vertex AI,
// /v1beta1/[projects/P/locations/L/]publishers/google/models/M:verb.
func (gemini) route(r *http.Request) (asked, bool) {
	m := geminiPath().FindStringSubmatch(r.URL.Path)
	if m == nil {
		return asked{}, false
	}
	verbs := map[string]verb{
		"generateContent": generate, "streamGenerateContent": stream, "countTokens": count, "batchEmbedContents": embed,
	}
	v, ok := verbs[m[2]]
	key := r.Header.Get("x-goog-api-key")
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && key == "" {
		key = token
	}
	return asked{verb: v, name: m[2], model: m[1], key: key}, ok
}

var geminiPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/v1(?:alpha|beta|beta1)?/(?:(?:projects/[^/]+/locations/[^/]+/)?publishers/google/)?models/([^/:]+):(\w+)$`)
})

func (gemini) read(a *asked, r *http.Request, body []byte) *refusal {
	switch {
	case r.Method != http.MethodPost:
		return &refusal{status: 405, code: "INVALID_ARGUMENT", message: "Method Not Allowed"}
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return invalid("Invalid content type %q: want application/json.", r.Header.Get("Content-Type"))
	case a.verb == stream && r.URL.Query().Get("alt") != "sse":
		return invalid("streamGenerateContent without alt=sse: the answer would not be a stream of events.")
	}
	d := json.NewDecoder(strings.NewReader(string(body)))
	d.UseNumber()
	var root any
	if err := d.Decode(&root); err != nil {
		return invalid("Invalid JSON payload received. %v", err)
	}
	if d.More() {
		return invalid("Invalid JSON payload received. Text after the end of the value.")
	}
	shape := map[verb]*shape{generate: contentRequest(), stream: contentRequest(), count: countRequest(), embed: embedRequest()}[a.verb]
	if f := shape.check(root, ""); f != nil {
		return f
	}
	obj := root.(map[string]any) // the shape is an object's
	if a.verb == embed {
		for _, q := range list(obj["requests"]) {
			content, _ := q.(map[string]any)["content"].(map[string]any)
			a.inputs = append(a.inputs, strings.Join(messageOf(content).texts, "\n"))
		}
		return nil
	}
	a.take(obj)
	return conversation(a, list(obj["contents"]), a.verb == count)
}

// take notes what is in a request whose shape was checked.
func (a *asked) take(obj map[string]any) {
	if s, ok := obj["systemInstruction"].(map[string]any); ok {
		a.system = strings.Join(messageOf(s).texts, "\n")
	}
	for _, t := range list(obj["tools"]) {
		for _, f := range list(t.(map[string]any)["functionDeclarations"]) {
			name, _ := f.(map[string]any)["name"].(string)
			a.tools = append(a.tools, name)
		}
	}
	for _, c := range list(obj["contents"]) {
		a.messages = append(a.messages, messageOf(c.(map[string]any)))
	}
}

func messageOf(content map[string]any) message {
	m := message{model: content["role"] == "model"}
	for _, v := range list(content["parts"]) {
		p := v.(map[string]any)
		if t, ok := p["text"].(string); ok {
			m.texts = append(m.texts, t)
		}
		signature, _ := p["thoughtSignature"].(string)
		if c, ok := p["functionCall"].(map[string]any); ok {
			id, _ := c["id"].(string)
			name, _ := c["name"].(string)
			m.calls = append(m.calls, call{id, name, signature})
		}
		if r, ok := p["functionResponse"].(map[string]any); ok {
			m.results = append(m.results, resultOf(r))
		}
	}
	return m
}

func resultOf(r map[string]any) result {
	out := result{}
	out.id, _ = r["id"].(string)
	out.name, _ = r["name"].(string)
	response, _ := r["response"].(map[string]any)
	if e, ok := response["error"]; ok {
		out.failed = true
		out.text, ok = e.(string)
		if ok {
			return out
		}
	}
	if t, ok := response["output"].(string); ok {
		out.text = t
		return out
	}
	b, _ := json.Marshal(response) // it was JSON before
	out.text = string(b)
	return out
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}

func (g gemini) frames(a *asked, p piece) [][]byte {
	return [][]byte{g.whole(a, []piece{p})}
}

func (gemini) whole(a *asked, ps []piece) []byte {
	parts := []any{}
	candidate := map[string]any{"index": 0}
	out := map[string]any{"candidates": []any{candidate}, "modelVersion": a.model, "responseId": "scripted"}
	for _, p := range ps {
		if p.thought != "" {
			parts = append(parts, map[string]any{"text": p.thought, "thought": true})
		}
		if p.text != "" {
			parts = append(parts, map[string]any{"text": p.text})
		}
		if c := p.call; c != nil {
			fc := map[string]any{"name": c.name, "args": c.args}
			if c.id != "" {
				fc["id"] = c.id
			}
			part := map[string]any{"functionCall": fc}
			if c.signature != "" {
				part["thoughtSignature"] = c.signature
			}
			parts = append(parts, part)
		}
		if p.finish != "" {
			candidate["finishReason"] = p.finish
		}
		if u := p.usage; u != nil {
			out["usageMetadata"] = usageOf(u)
		}
	}
	if len(parts) > 0 {
		candidate["content"] = map[string]any{"role": "model", "parts": parts}
	}
	return mustJSON(out)
}

func usageOf(u *tokens) map[string]int {
	m := map[string]int{
		"promptTokenCount": u.prompt, "candidatesTokenCount": u.candidates,
		"totalTokenCount": u.prompt + u.candidates + u.thoughts + u.tools,
	}
	for name, n := range map[string]int{
		"cachedContentTokenCount": u.cached, "thoughtsTokenCount": u.thoughts, "toolUsePromptTokenCount": u.tools,
	} {
		if n > 0 {
			m[name] = n
		}
	}
	return m
}

func (gemini) refusal(f *refusal) []byte {
	e := map[string]any{"code": f.status, "message": f.message, "status": f.code}
	if len(f.details) > 0 {
		e["details"] = f.details
	}
	return mustJSON(map[string]any{"error": e})
}

func (gemini) count(a *asked) []byte {
	return mustJSON(map[string]any{"totalTokens": a.estimate()})
}

// embed makes vectors of which equal texts have equal ones; they mean nothing.
func (gemini) embed(a *asked) []byte {
	vectors := []any{}
	for _, text := range a.inputs {
		h := fnv.New64a()
		_, _ = h.Write([]byte(text)) // it never fails
		sum := h.Sum64()
		values := make([]float32, 8)
		for i := range values {
			values[i] = float32(sum>>(8*i)&0xff)/255 - 0.5
		}
		vectors = append(vectors, map[string]any{"values": values})
	}
	return mustJSON(map[string]any{"embeddings": vectors})
}

func details(objects ...string) []json.RawMessage {
	var out []json.RawMessage
	for _, o := range objects {
		out = append(out, json.RawMessage(o))
	}
	return out
}

// mustJSON encodes what is made of maps, strings, numbers and valid JSON.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("scriptmodel: %v", err))
	}
	return b
}
