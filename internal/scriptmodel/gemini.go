package scriptmodel

import (
	"cmp"
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
		return asked{verb: models, name: "models", key: geminiKey(r)}, r.Method == http.MethodGet && r.URL.Path == "/v1beta/models"
	}
	verbs := map[string]verb{
		"generateContent": generate, "streamGenerateContent": stream, "countTokens": count, "batchEmbedContents": embed,
	}
	v, ok := verbs[m[2]]
	return asked{verb: v, name: m[2], model: m[1], key: geminiKey(r)}, ok
}

func geminiKey(r *http.Request) string {
	if key := r.Header.Get("x-goog-api-key"); key != "" {
		return key
	}
	return bearer(r)
}

var geminiPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/v1(?:alpha|beta|beta1)?/(?:(?:projects/[^/]+/locations/[^/]+/)?publishers/google/)?models/([^/:]+):(\w+)$`)
})

func (gemini) name() string    { return "gemini" }
func (gemini) newline() string { return "\r\n" }

func (gemini) read(a *asked, r *http.Request, body []byte) *refusal {
	switch {
	case a.verb == models:
		return nil
	case r.Method != http.MethodPost:
		return &refusal{status: 405, code: "INVALID_ARGUMENT", message: "Method Not Allowed"}
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return invalid("Invalid content type %q: want application/json.", r.Header.Get("Content-Type"))
	case a.verb == stream && r.URL.Query().Get("alt") != "sse":
		return invalid("streamGenerateContent without alt=sse: the answer would not be a stream of events.")
	}
	root, err := parseJSON(body)
	if err != nil {
		return invalid("Invalid JSON payload received. %v", err)
	}
	var shape *shape
	switch a.verb {
	case count:
		shape, a.kind = countRequest(), "CountTokensRequest"
	case embed:
		shape = embedRequest()
	default:
		shape, a.kind = contentRequest(), "GenerateContentRequest"
	}
	if m := shape.check(root, "", a.accept); m != nil {
		return geminiMisfit(m)
	}
	obj := root.(map[string]any) // the shape is an object's
	a.root = obj
	if a.verb == embed {
		for _, q := range list(obj["requests"]) {
			content, _ := q.(map[string]any)["content"].(map[string]any)
			a.inputs = append(a.inputs, strings.Join(messageOf(content).texts, "\n"))
		}
		return nil
	}
	a.take(obj)
	if f := geminiRules(a); f != nil {
		return f
	}
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
		m.media = append(m.media, geminiMedia(p)...)
		signature, _ := p["thoughtSignature"].(string)
		if c, ok := p["functionCall"].(map[string]any); ok {
			id, _ := c["id"].(string)
			name, _ := c["name"].(string)
			m.calls = append(m.calls, call{id: id, name: name, signature: signature, args: sameArgs(c["args"])})
		}
		if r, ok := p["functionResponse"].(map[string]any); ok {
			m.results = append(m.results, resultOf(r))
			for _, v := range list(r["parts"]) {
				m.media = append(m.media, geminiMedia(v.(map[string]any))...)
			}
		}
	}
	return m
}

// geminiMedia returns the type of what a part brings along, if it does.
func geminiMedia(part map[string]any) []string {
	for _, field := range []string{"inlineData", "fileData"} {
		if d, ok := part[field].(map[string]any); ok {
			kind, _ := d["mimeType"].(string)
			return []string{kind}
		}
	}
	return nil
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

// geminiVoice says each piece by itself.
type geminiVoice struct {
	asked *asked
	said  []piece
}

func (gemini) voice(a *asked, _ *tokens) voice { return &geminiVoice{asked: a} }

func (v *geminiVoice) frames(p piece) []frame {
	if v.asked.verb == generate {
		v.said = append(v.said, p)
		return nil
	}
	return []frame{{data: v.encode([]piece{p})}}
}

func (v *geminiVoice) whole() []byte { return v.encode(v.said) }

func (v *geminiVoice) thoughts() []thought { return nil }

func (v *geminiVoice) failed(f *refusal) []frame { return []frame{{data: gemini{}.refusal(f)}} }

func (v *geminiVoice) encode(ps []piece) []byte {
	parts := []any{}
	candidate := map[string]any{"index": 0}
	out := map[string]any{"candidates": []any{candidate}, "modelVersion": v.asked.model, "responseId": "scripted"}
	for _, p := range ps {
		if p.thought != "" {
			parts = append(parts, map[string]any{"text": p.thought, "thought": true})
		}
		if p.text != "" {
			parts = append(parts, map[string]any{"text": p.text})
		}
		for _, c := range p.calls {
			parts = append(parts, geminiCall(c))
		}
		if p.null {
			candidate["content"] = nil
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

func geminiCall(c sentCall) map[string]any {
	fc := map[string]any{"name": c.name}
	switch c.form {
	case argsBroken: // a broken object would break the whole frame
		fc["args"] = c.text()
	case argsEmpty:
	default:
		fc["args"] = c.args
	}
	if c.id != "" || c.emptyID {
		fc["id"] = c.id
	}
	part := map[string]any{"functionCall": fc}
	if c.signature != "" {
		part["thoughtSignature"] = c.signature
	}
	return part
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
	code := f.code
	if code == "" || code != strings.ToUpper(code) { // another vendor's code
		code = geminiCode(f.status)
	}
	e := map[string]any{"code": f.status, "message": cmp.Or(f.message, geminiText(f)), "status": code}
	if len(f.details) > 0 {
		e["details"] = f.details
	}
	return mustJSON(map[string]any{"error": e})
}

// geminiCode is the code that goes with a status.
func geminiCode(status int) string {
	switch status {
	case 400, 413:
		return "INVALID_ARGUMENT"
	case 401:
		return "UNAUTHENTICATED"
	case 403:
		return "PERMISSION_DENIED"
	case 404:
		return "NOT_FOUND"
	case 429:
		return "RESOURCE_EXHAUSTED"
	case 499:
		return "CANCELLED"
	case 500:
		return "INTERNAL"
	case 503, 529:
		return "UNAVAILABLE"
	case 504:
		return "DEADLINE_EXCEEDED"
	}
	return "UNKNOWN"
}

// geminiText is what the vendor says with an error whose text the script leaves open.
func geminiText(f *refusal) string {
	switch f.code {
	case "context_length_exceeded":
		return "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576)."
	case "insufficient_quota":
		return "You exceeded your current quota, please check your plan and billing details."
	}
	switch f.status {
	case 429:
		return "Resource has been exhausted (e.g. check quota)."
	case 500:
		return "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting"
	case 503:
		return "The model is overloaded. Please try again later."
	case 504:
		return "Deadline expired before operation could complete."
	}
	return http.StatusText(f.status)
}

func (gemini) denied(a *asked, why denial) *refusal {
	switch why.kind {
	case noKey:
		return &refusal{
			status: 403, code: "PERMISSION_DENIED",
			message: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
		}
	case wrongKey:
		return &refusal{
			status: 400, code: "INVALID_ARGUMENT", message: "API key not valid. Please pass a valid API key.",
			details: details(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}`),
		}
	case tooLong:
		return invalid("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", a.estimate(), why.most)
	}
	config, _ := a.root["generationConfig"].(map[string]any)
	switch {
	case why.name == "system" && a.system != "":
		return invalid("Developer instruction is not enabled for models/%s", a.model)
	case why.name == "tools" && len(a.tools) > 0:
		return invalid("Function calling is not enabled for models/%s", a.model)
	case a.root[why.name] != nil || config[why.name] != nil:
		return invalid("Invalid JSON payload received. Unknown name %q: Cannot find field.", why.name)
	}
	return nil
}

// faithful refuses a conversation that lost or changed the signature of a call.
func (gemini) faithful(a *asked, m *memory) *refusal {
	for i, msg := range a.messages {
		for _, c := range msg.calls {
			if given, ours := m.given(c); ours && given.signature != "" && given.signature != c.signature {
				return invalid("contents[%d]: the thought_signature of function call %s is not the one that came with it.", i, c.id)
			}
		}
	}
	return nil
}

func (gemini) aside(a *asked) []byte {
	switch a.verb {
	case count:
		return mustJSON(map[string]any{"totalTokens": a.estimate()})
	case embed:
		vectors := []any{}
		for _, text := range a.inputs {
			vectors = append(vectors, map[string]any{"values": vector(text)})
		}
		return mustJSON(map[string]any{"embeddings": vectors})
	}
	all := []any{}
	for _, name := range a.models {
		all = append(all, map[string]any{
			"name": "models/" + name, "displayName": name,
			"supportedGenerationMethods": []string{"generateContent", "countTokens"},
		})
	}
	return mustJSON(map[string]any{"models": all})
}

// vector makes vectors of which equal texts have equal ones; they mean nothing.
func vector(text string) []float32 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(text)) // it never fails
	sum := h.Sum64()
	values := make([]float32, 8)
	for i := range values {
		values[i] = float32(sum>>(8*i)&0xff)/255 - 0.5
	}
	return values
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
