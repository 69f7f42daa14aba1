// Package gemini implements the server side of the Gemini API, also on Vertex AI, for scripted
// models.
package gemini

import (
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"sync"

	"pollux/internal/scriptmodel/protocol"
	"pollux/internal/scriptmodel/shape"
)

// Wire is the Gemini API, and its form on Vertex AI.
type Wire struct{}

// Route accepts /v1beta/models/M:verb and /v1beta/tunedModels/M:verb and, for Vertex AI,
// /v1beta1/[projects/P/locations/L/]publishers/google/models/M:verb and
// /v1beta1/projects/P/locations/L/endpoints/M:verb. The name of a tuned model has
// "tunedModels/" or "endpoints/" before it.
func (Wire) Route(r *http.Request) (protocol.Query, bool) {
	key := cmp.Or(r.Header.Get("x-goog-api-key"), protocol.Bearer(r))
	m := modelPath().FindStringSubmatch(r.URL.Path)
	if m == nil {
		return protocol.Query{Verb: protocol.ListModels, VerbName: "models", Key: key}, r.Method == http.MethodGet && r.URL.Path == "/v1beta/models"
	}
	verbs := map[string]protocol.Verb{
		"generateContent": protocol.Generate, "streamGenerateContent": protocol.Stream, "countTokens": protocol.CountTokens, "batchEmbedContents": protocol.Embed,
	}
	v, ok := verbs[m[3]]
	return protocol.Query{Verb: v, VerbName: m[3], Model: m[1] + m[2], Key: key, Newline: "\r\n"}, ok
}

var modelPath = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^/v1(?:alpha|beta|beta1)?/(?:(?:(?:projects/[^/]+/locations/[^/]+/)?publishers/google/)?models/|(?:projects/[^/]+/locations/[^/]+/)?((?:tunedModels|endpoints)/))([^/:]+):(\w+)$`)
})

// Name implements [protocol.Wire].
func (Wire) Name() string { return "gemini" }

// Read implements [protocol.Wire].
func (Wire) Read(a *protocol.Query, r *http.Request, body []byte) *protocol.Error {
	switch {
	case a.Verb == protocol.ListModels:
		return nil
	case r.Method != http.MethodPost:
		return &protocol.Error{Status: 405, Code: "INVALID_ARGUMENT", Message: "Method Not Allowed"}
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return protocol.Invalid("Invalid content type %q: want application/json.", r.Header.Get("Content-Type"))
	case a.Verb == protocol.Stream && r.URL.Query().Get("alt") != "sse":
		return protocol.Invalid("streamGenerateContent without alt=sse: the answer would not be a stream of events.")
	}
	root, err := protocol.ParseJSON(body)
	if err != nil {
		return protocol.Invalid("Invalid JSON payload received. %v", err)
	}
	var shape *shape.Shape
	switch a.Verb {
	case protocol.CountTokens:
		shape, a.Kind = countRequest(), "CountTokensRequest"
	case protocol.Embed:
		shape = embedRequest()
	default:
		shape, a.Kind = contentRequest(), "GenerateContentRequest"
	}
	if m := shape.Check(root, "", a.Accept); m != nil {
		return mismatchError(m)
	}
	obj := root.(map[string]any) // the shape requires an object
	a.Body = obj
	if a.Verb == protocol.Embed {
		for _, q := range protocol.AsList(obj["requests"]) {
			content, _ := q.(map[string]any)["content"].(map[string]any)
			a.Inputs = append(a.Inputs, strings.Join(messageOf(content).Texts, "\n"))
		}
		return nil
	}
	readContents(a, obj)
	if f := checkRules(a); f != nil {
		return f
	}
	return checkConversation(a, protocol.AsList(obj["contents"]), a.Verb == protocol.CountTokens)
}

// readContents reads the contents of a request with a valid shape.
func readContents(a *protocol.Query, obj map[string]any) {
	if s, ok := obj["systemInstruction"].(map[string]any); ok {
		a.System = strings.Join(messageOf(s).Texts, "\n")
	}
	for _, t := range protocol.AsList(obj["tools"]) {
		for _, f := range protocol.AsList(t.(map[string]any)["functionDeclarations"]) {
			name, _ := f.(map[string]any)["name"].(string)
			a.Tools = append(a.Tools, name)
		}
	}
	for _, c := range protocol.AsList(obj["contents"]) {
		a.Messages = append(a.Messages, messageOf(c.(map[string]any)))
	}
}

func messageOf(content map[string]any) protocol.Message {
	m := protocol.Message{FromModel: content["role"] == "model"}
	for _, v := range protocol.AsList(content["parts"]) {
		p := v.(map[string]any)
		if t, ok := p["text"].(string); ok {
			m.Texts = append(m.Texts, t)
		}
		m.Media = append(m.Media, mediaTypes(p)...)
		signature, _ := p["thoughtSignature"].(string)
		if c, ok := p["functionCall"].(map[string]any); ok {
			id, _ := c["id"].(string)
			name, _ := c["name"].(string)
			m.Calls = append(m.Calls, protocol.Call{ID: id, Name: name, Signature: signature, Args: protocol.CanonicalArgs(c["args"])})
		}
		if r, ok := p["functionResponse"].(map[string]any); ok {
			m.Results = append(m.Results, resultOf(r))
			for _, v := range protocol.AsList(r["parts"]) {
				m.Media = append(m.Media, mediaTypes(v.(map[string]any))...)
			}
		}
	}
	return m
}

// mediaTypes returns the media type of the data or file in a part, if it has one.
func mediaTypes(part map[string]any) []string {
	for _, field := range []string{"inlineData", "fileData"} {
		if d, ok := part[field].(map[string]any); ok {
			kind, _ := d["mimeType"].(string)
			return []string{kind}
		}
	}
	return nil
}

func resultOf(r map[string]any) protocol.Result {
	out := protocol.Result{}
	out.ID, _ = r["id"].(string)
	out.Name, _ = r["name"].(string)
	response, _ := r["response"].(map[string]any)
	_, out.Failed = response["error"]
	for _, field := range []string{"error", "output"} {
		if text, ok := response[field].(string); ok {
			out.Text = text
			return out
		}
	}
	out.Text = string(protocol.MustJSON(response)) // it was decoded from JSON
	return out
}

// encoder encodes each piece as one frame.
type encoder struct {
	asked *protocol.Query
	said  []protocol.Piece
}

// NewEncoder implements [protocol.Wire].
func (Wire) NewEncoder(a *protocol.Query, _ *protocol.Tokens) protocol.Encoder {
	return &encoder{asked: a}
}

func (v *encoder) Frames(p protocol.Piece) []protocol.Frame {
	if v.asked.Verb == protocol.Generate {
		v.said = append(v.said, p)
		return nil
	}
	return []protocol.Frame{{Data: v.encode([]protocol.Piece{p})}}
}

func (v *encoder) Response() []byte { return v.encode(v.said) }

func (v *encoder) SignedThoughts() []protocol.Thought { return nil }

func (v *encoder) ErrorFrames(f *protocol.Error) []protocol.Frame {
	return []protocol.Frame{{Data: Wire{}.EncodeError(f)}}
}

func (v *encoder) encode(ps []protocol.Piece) []byte {
	parts := []any{}
	candidate := map[string]any{"index": 0}
	out := map[string]any{"candidates": []any{candidate}, "modelVersion": v.asked.Model, "responseId": "scripted"}
	for _, p := range ps {
		if p.Thought != "" {
			parts = append(parts, map[string]any{"text": p.Thought, "thought": true})
		}
		if p.Text != "" {
			parts = append(parts, map[string]any{"text": p.Text})
		}
		for _, c := range p.Calls {
			parts = append(parts, encodeCall(c))
		}
		if p.Null {
			candidate["content"] = nil
		}
		if p.FinishReason != "" {
			candidate["finishReason"] = p.FinishReason
		}
		if u := p.Usage; u != nil {
			out["usageMetadata"] = encodeUsage(u)
		}
	}
	if len(parts) > 0 {
		candidate["content"] = map[string]any{"role": "model", "parts": parts}
	}
	return protocol.MustJSON(out)
}

func encodeCall(c protocol.SentCall) map[string]any {
	fc := map[string]any{"name": c.Name}
	switch c.Form {
	case protocol.ArgsBroken: // a broken object would make the whole frame invalid
		fc["args"] = c.Text()
	case protocol.ArgsEmpty:
	default:
		fc["args"] = c.Args
	}
	if c.ID != "" || c.EmptyID {
		fc["id"] = c.ID
	}
	part := map[string]any{"functionCall": fc}
	if c.Signature != "" {
		part["thoughtSignature"] = c.Signature
	}
	return part
}

func encodeUsage(u *protocol.Tokens) map[string]int {
	m := map[string]int{
		"promptTokenCount": u.Prompt, "candidatesTokenCount": u.Candidates,
		"totalTokenCount": u.Prompt + u.Candidates + u.Thoughts + u.Tools,
	}
	for name, n := range map[string]int{
		"cachedContentTokenCount": u.Cached, "thoughtsTokenCount": u.Thoughts, "toolUsePromptTokenCount": u.Tools,
	} {
		if n > 0 {
			m[name] = n
		}
	}
	return m
}

// EncodeError implements [protocol.Wire].
func (Wire) EncodeError(f *protocol.Error) []byte {
	code := f.Code
	if code == "" || code != strings.ToUpper(code) { // no code, or the code of another vendor
		code = cmp.Or(map[int]string{
			400: "INVALID_ARGUMENT", 401: "UNAUTHENTICATED", 403: "PERMISSION_DENIED", 404: "NOT_FOUND", 413: "INVALID_ARGUMENT",
			429: "RESOURCE_EXHAUSTED", 499: "CANCELLED", 500: "INTERNAL", 503: "UNAVAILABLE", 504: "DEADLINE_EXCEEDED", 529: "UNAVAILABLE",
		}[f.Status], "UNKNOWN")
	}
	e := map[string]any{"code": f.Status, "message": message(f), "status": code}
	if len(f.Details) > 0 {
		e["details"] = f.Details
	}
	return protocol.MustJSON(map[string]any{"error": e})
}

// message returns the text of an error, the vendor's usual one if the script has none.
func message(f *protocol.Error) string {
	return f.Text(map[string]string{
		"context_length_exceeded": "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
		"insufficient_quota":      "You exceeded your current quota, please check your plan and billing details.",
	}, map[int]string{
		429: "Resource has been exhausted (e.g. check quota).",
		500: "An internal error has occurred. Please retry or report in https://developers.generativeai.google/guide/troubleshooting",
		503: "The model is overloaded. Please try again later.",
		504: "Deadline expired before operation could complete.",
	})
}

// Deny implements [protocol.Wire].
func (Wire) Deny(a *protocol.Query, why protocol.Denial) *protocol.Error {
	switch why.Kind {
	case protocol.NoKey:
		return &protocol.Error{
			Status: 403, Code: "PERMISSION_DENIED",
			Message: "Method doesn't allow unregistered callers (callers without established identity). Please use API Key or other form of API consumer identity to call this API.",
		}
	case protocol.WrongKey:
		return &protocol.Error{
			Status: 400, Code: "INVALID_ARGUMENT", Message: "API key not valid. Please pass a valid API key.",
			Details: []json.RawMessage{
				json.RawMessage(`{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"API_KEY_INVALID","domain":"googleapis.com"}`),
			},
		}
	case protocol.TooLong:
		return protocol.Invalid("The input token count (%d) exceeds the maximum number of tokens allowed (%d).", a.Estimate(), why.MaxTokens)
	}
	config, _ := a.Body["generationConfig"].(map[string]any)
	switch {
	case why.Name == "system" && a.System != "":
		return protocol.Invalid("Developer instruction is not enabled for models/%s", a.Model)
	case why.Name == "tools" && len(a.Tools) > 0:
		return protocol.Invalid("Function calling is not enabled for models/%s", a.Model)
	case a.Body[why.Name] != nil || config[why.Name] != nil:
		return protocol.Invalid("Invalid JSON payload received. Unknown name %q: Cannot find field.", why.Name)
	}
	return nil
}

// CheckMemory refuses a conversation with a missing or changed signature of a call.
func (Wire) CheckMemory(a *protocol.Query, m *protocol.Memory) *protocol.Error {
	for i, msg := range a.Messages {
		for _, c := range msg.Calls {
			if given, ours := m.CallRecord(c); ours && given.Signature != "" && given.Signature != c.Signature {
				return protocol.Invalid("contents[%d]: the thought_signature of function call %s is not the one that came with it.", i, c.ID)
			}
		}
	}
	return nil
}

// DirectResponse implements [protocol.Wire].
func (Wire) DirectResponse(a *protocol.Query) []byte {
	switch a.Verb {
	case protocol.CountTokens:
		return protocol.MustJSON(map[string]any{"totalTokens": a.Estimate()})
	case protocol.Embed:
		vectors := []any{}
		for _, text := range a.Inputs {
			vectors = append(vectors, map[string]any{"values": protocol.Vector(text)})
		}
		return protocol.MustJSON(map[string]any{"embeddings": vectors})
	}
	all := []any{}
	for _, name := range a.Models {
		all = append(all, map[string]any{
			"name": "models/" + name, "displayName": name,
			"supportedGenerationMethods": []string{"generateContent", "countTokens"},
		})
	}
	return protocol.MustJSON(map[string]any{"models": all})
}
