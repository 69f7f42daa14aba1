package hook

import (
	"encoding/json"
	"slices"
	"strings"

	"pollux/llm"
)

// The shapes in which hooks see requests and responses. They are stable: they do not change with
// the protocol of the provider.

type llmRequest struct {
	Model    string       `json:"model"`
	Messages []llmMessage `json:"messages"`
	Config   *llmConfig   `json:"config,omitempty"`
}

type llmMessage struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

type llmConfig struct {
	Temperature     *float64 `json:"temperature,omitempty"`
	TopP            *float64 `json:"topP,omitempty"`
	TopK            *float64 `json:"topK,omitempty"`
	MaxOutputTokens *float64 `json:"maxOutputTokens,omitempty"`
}

type llmResponse struct {
	Text       string         `json:"text,omitempty"`
	Candidates []llmCandidate `json:"candidates"`
	Usage      *llmUsage      `json:"usageMetadata,omitempty"`
}

type llmCandidate struct {
	Content       llmContent       `json:"content"`
	FinishReason  llm.FinishReason `json:"finishReason,omitempty"`
	Index         int              `json:"index"`
	SafetyRatings json.RawMessage  `json:"safetyRatings,omitempty"`
}

type llmContent struct {
	Role  string   `json:"role"`
	Parts []string `json:"parts"`
}

type llmUsage struct {
	Prompt     int `json:"promptTokenCount"`
	Candidates int `json:"candidatesTokenCount"`
	Total      int `json:"totalTokenCount"`
}

// encodeRequest returns the shape of a request. It has the text of each message; messages without
// text, the system instruction and the tools are not part of it.
func encodeRequest(req *llm.Request) *llmRequest {
	shape := &llmRequest{Model: req.Model, Messages: []llmMessage{}}
	for _, c := range req.Contents {
		if text, ok := textOf(c); ok {
			role := string(c.Role)
			if role != "model" && role != "system" {
				role = "user"
			}
			shape.Messages = append(shape.Messages, llmMessage{role, text})
		}
	}
	c := &req.Config
	shape.Config = &llmConfig{Temperature: c.Temperature, TopP: c.TopP, TopK: c.TopK}
	if c.MaxOutputTokens > 0 {
		shape.Config.MaxOutputTokens = new(float64(c.MaxOutputTokens))
	}
	return shape
}

// textOf returns the text parts of a message, thoughts included, and whether there is one.
func textOf(c *llm.Content) (text string, ok bool) {
	if c == nil {
		return "", false
	}
	var b strings.Builder
	for i := range c.Parts {
		if p := &c.Parts[i]; p.IsText() {
			b.WriteString(p.Text)
			ok = true
		}
	}
	return b.String(), ok
}

// encodeResponse returns the shape of a chunk of a response. Function calls are not part of it.
func encodeResponse(r *llm.Response) *llmResponse {
	shape := &llmResponse{Text: r.Text(), Candidates: []llmCandidate{}}
	for _, c := range r.Candidates {
		candidate := llmCandidate{
			Content:      llmContent{Role: "model", Parts: []string{}},
			FinishReason: c.FinishReason, Index: c.Index, SafetyRatings: c.SafetyRatings,
		}
		if c.Content != nil {
			for i := range c.Content.Parts {
				if p := &c.Content.Parts[i]; p.IsText() {
					candidate.Content.Parts = append(candidate.Content.Parts, p.Text)
				}
			}
		}
		shape.Candidates = append(shape.Candidates, candidate)
	}
	if u := r.Usage; u != nil {
		shape.Usage = &llmUsage{u.Prompt, u.Candidates, u.Total}
	}
	return shape
}

// applyRequest changes req as a hook's llm_request says. configure sets the model of a request,
// and what depends on it. Members of another type than that of the shape have no effect.
func applyRequest(req *llm.Request, change Output, configure func(req *llm.Request, model string)) {
	if model := change.text("model"); model != "" && model != req.Model && configure != nil {
		configure(req, model)
	}
	var messages []llmMessage
	if raw, ok := change["messages"]; ok && json.Unmarshal(raw, &messages) == nil {
		req.Contents = applyMessages(req.Contents, messages)
	}
	if config := change.object("config"); config != nil {
		c := &req.Config
		c.Temperature, c.TopP, c.TopK = config.number("temperature"), config.number("topP"), config.number("topK")
		c.MaxOutputTokens = 0
		if n := config.number("maxOutputTokens"); n != nil {
			c.MaxOutputTokens = int(max(0, min(*n, 1<<40)))
		}
	}
}

// number returns a member that is a number, else nil.
func (o Output) number(key string) *float64 {
	var n *float64
	if json.Unmarshal(o[key], &n) != nil {
		return nil
	}
	return n
}

// applyMessages gives the messages, in their order, to the contents that have text. The text of
// a content becomes its first part, and its other parts stay. Contents without a message stay as
// they are, and messages without a content are appended.
func applyMessages(contents []*llm.Content, messages []llmMessage) []*llm.Content {
	contents = slices.Clone(contents)
	for i, c := range contents {
		if _, ok := textOf(c); !ok || len(messages) == 0 {
			continue
		}
		message := messages[0]
		messages = messages[1:]
		if old, _ := textOf(c); old == message.Content {
			continue // signatures of its parts stay
		}
		changed := &llm.Content{Role: c.Role, Parts: []llm.Part{llm.Text(message.Content)}}
		for _, p := range c.Parts {
			if !p.IsText() {
				changed.Parts = append(changed.Parts, p)
			}
		}
		contents[i] = changed
	}
	for _, m := range messages {
		role := llm.RoleUser
		if m.Role == "model" {
			role = llm.RoleModel
		}
		contents = append(contents, &llm.Content{Role: role, Parts: []llm.Part{llm.Text(m.Content)}})
	}
	return contents
}

// decodeResponse returns the response that a hook's llm_response describes, nil if it has no text
// parts. The rest is that of the chunk that it replaces, which may be nil.
func decodeResponse(o Output, chunk *llm.Response) *llm.Response {
	var shape struct {
		Candidates []struct {
			Content struct {
				Parts []json.RawMessage `json:"parts"`
			} `json:"content"`
			FinishReason llm.FinishReason `json:"finishReason"`
		} `json:"candidates"`
	}
	if o == nil || json.Unmarshal(o["candidates"], &shape.Candidates) != nil || len(shape.Candidates) == 0 {
		return nil
	}
	first := shape.Candidates[0]
	var parts []llm.Part
	for _, raw := range first.Content.Parts {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			parts = append(parts, llm.Text(text))
		}
	}
	if len(parts) == 0 {
		return nil
	}
	r := &llm.Response{}
	candidate := llm.Candidate{FinishReason: llm.FinishStop}
	if chunk != nil {
		*r = *chunk
		if len(chunk.Candidates) > 0 {
			candidate = chunk.Candidates[0]
		}
	}
	candidate.Content = llm.Model(parts...)
	if first.FinishReason != "" {
		candidate.FinishReason = first.FinishReason
	}
	r.Candidates = []llm.Candidate{candidate}
	return r
}
