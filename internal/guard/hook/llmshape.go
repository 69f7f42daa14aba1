package hook

import (
	"encoding/json"
	"errors"
	"fmt"
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
	Text       *string        `json:"text,omitempty"` // nil for a chunk without parts
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

// encodeRequest returns the shape of a request. It has the text of each turn; turns without text, the system
// instruction and the tools are not part of it.
func encodeRequest(req *llm.Request) *llmRequest {
	shape := &llmRequest{Model: req.Model, Messages: []llmMessage{}}
	for _, t := range turnsOf(req.Contents) {
		if t.text != "" {
			shape.Messages = append(shape.Messages, llmMessage{t.role(), t.text})
		}
	}
	c := &req.Config
	shape.Config = &llmConfig{Temperature: c.Temperature, TopP: c.TopP, TopK: c.TopK}
	if c.MaxOutputTokens > 0 {
		shape.Config.MaxOutputTokens = new(float64(c.MaxOutputTokens))
	}
	return shape
}

// turn is consecutive contents of one role. On the wire, and for hooks, they are one message, as in Gemini CLI.
type turn struct {
	contents []*llm.Content
	text     string // of the text parts, thoughts included
}

func turnsOf(contents []*llm.Content) []*turn {
	var turns []*turn
	var texts strings.Builder
	for _, c := range contents {
		if c == nil || len(c.Parts) == 0 {
			continue
		}
		if n := len(turns); n == 0 || (turns[n-1].contents[0].Role == llm.RoleModel) != (c.Role == llm.RoleModel) {
			turns = append(turns, &turn{})
			texts.Reset()
		}
		t := turns[len(turns)-1]
		t.contents = append(t.contents, c)
		for i := range c.Parts {
			if p := &c.Parts[i]; p.IsText() {
				texts.WriteString(p.Text)
			}
		}
		t.text = texts.String()
	}
	return turns
}

// role returns the role of the turn's message for hooks.
func (t *turn) role() string {
	if role := string(t.contents[0].Role); role == "model" || role == "system" {
		return role
	}
	return "user"
}

// with returns the contents of the turn with another text and role. The text takes the place of the first
// text; other texts go, other parts stay.
func (t *turn) with(text string, role llm.Role) (contents []*llm.Content) {
	isPlaced := false
	for _, c := range t.contents {
		changed := &llm.Content{Role: role}
		if !isPlaced && slices.ContainsFunc(c.Parts, func(p llm.Part) bool { return p.IsText() }) {
			isPlaced = true
			if text != "" || !t.hasOthers() { // an empty part is invalid
				changed.Parts = append(changed.Parts, llm.Text(text))
			}
		}
		for _, p := range c.Parts {
			if !p.IsText() {
				changed.Parts = append(changed.Parts, p)
			}
		}
		if len(changed.Parts) > 0 {
			contents = append(contents, changed)
		}
	}
	return contents
}

// hasOthers reports whether the turn has parts that are no text.
func (t *turn) hasOthers() bool {
	return slices.ContainsFunc(t.contents, func(c *llm.Content) bool {
		return slices.ContainsFunc(c.Parts, func(p llm.Part) bool { return !p.IsText() && !p.IsEmpty() })
	})
}

// hasCalls reports whether the turn has calls of tools, or their results, which belong to its role.
func (t *turn) hasCalls() bool {
	return slices.ContainsFunc(t.contents, func(c *llm.Content) bool {
		return slices.ContainsFunc(c.Parts, func(p llm.Part) bool { return p.FunctionCall != nil || p.FunctionResponse != nil })
	})
}

// encodeResponse returns the shape of a chunk of a response. Function calls are not part of it.
func encodeResponse(r *llm.Response) *llmResponse {
	shape := &llmResponse{Candidates: []llmCandidate{}}
	if len(r.Parts()) > 0 {
		shape.Text = new(r.Text())
	}
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

// applyRequest applies a hook's llm_request, which mustBeRequest has checked, to req. configure sets the model of
// a request, and its dependent settings. After an error, req must not be sent.
func applyRequest(req *llm.Request, change Output, configure func(req *llm.Request, model string) error) error {
	if model := change.text("model"); model != "" && model != req.Model {
		if configure == nil {
			return errors.New("the model cannot be changed here")
		}
		if err := configure(req, model); err != nil {
			return fmt.Errorf("the model %q is not available: %w", model, err)
		}
	}
	var messages []llmMessage
	if change.has("messages") {
		if err := json.Unmarshal(change["messages"], &messages); err != nil {
			return errors.New("llm_request has messages that are not a list of texts")
		}
		contents, err := applyMessages(req.Contents, messages)
		if err != nil {
			return err
		}
		if problem := findDefect(contents); problem != "" && findDefect(req.Contents) == "" {
			return errors.New(problem)
		}
		req.Contents = contents
	}
	if config := change.object("config"); config != nil {
		c := &req.Config
		c.Temperature, c.TopP, c.TopK = config.number("temperature"), config.number("topP"), config.number("topK")
		c.MaxOutputTokens = 0
		if n := config.number("maxOutputTokens"); n != nil {
			c.MaxOutputTokens = int(max(0, min(*n, 1<<40)))
		}
	}
	return nil
}

// number returns a member that is a number, else nil.
func (o Output) number(key string) *float64 {
	var n *float64
	if json.Unmarshal(o[key], &n) != nil {
		return nil
	}
	return n
}

// applyMessages gives the messages, in their order, to the turns that have text. The text of a turn becomes its
// first part, and its other parts stay. Turns without a message stay as they are, and messages without a
// turn are appended.
//
// If there are fewer messages than turns with text, and one has another role than its turn, a message was
// taken out: the texts would go to other turns than they are meant for, and the last ones would stay.
func applyMessages(contents []*llm.Content, messages []llmMessage) ([]*llm.Content, error) {
	turns := turnsOf(contents)
	count := 0
	for _, t := range turns {
		if t.text != "" {
			count++
		}
	}
	var changed []*llm.Content
	if len(messages) == 0 && count > 0 {
		return nil, errors.New("no message is left. Messages can be changed and added, but not removed")
	}
	next := 0
	for _, t := range turns {
		if t.text == "" || next == len(messages) {
			changed = append(changed, t.contents...)
			continue
		}
		message := messages[next]
		next++
		role := t.contents[0].Role
		if other := roleOf(message.Role); message.Role != "" && (other == llm.RoleModel) != (role == llm.RoleModel) {
			if len(messages) < count || t.hasCalls() {
				return nil, fmt.Errorf("messages[%d] has the role %s, and the message in its place %s. Messages can be changed and added, but not removed", next-1, message.Role, t.role())
			}
			role = other
		}
		if t.text == message.Content && role == t.contents[0].Role {
			changed = append(changed, t.contents...) // signatures of its parts stay
			continue
		}
		changed = append(changed, t.with(message.Content, role)...)
	}
	for _, m := range messages[next:] {
		changed = append(changed, &llm.Content{Role: roleOf(m.Role), Parts: []llm.Part{llm.Text(m.Content)}})
	}
	return changed, nil
}

// findDefect returns why services would refuse contents, "" if there is no reason.
func findDefect(contents []*llm.Content) string {
	turns := turnsOf(contents)
	if len(turns) == 0 {
		return "no message is left"
	}
	for i, t := range turns {
		if !slices.ContainsFunc(t.contents, hasPayload) {
			return fmt.Sprintf("the message of turn %d, of the role %s, is empty", i+1, t.role())
		}
		if results := t.countResults(); results > 0 && (i == 0 || turns[i-1].countCalls() < results) {
			return fmt.Sprintf("turn %d has the result of a call that is missing", i+1)
		}
	}
	if turns[0].role() == "model" {
		return "the first message has the role model. It must be of the user"
	}
	if turns[len(turns)-1].role() == "model" {
		return "the last message has the role model. It must be of the user"
	}
	return ""
}

// hasPayload reports whether c has anything that is sent.
func hasPayload(c *llm.Content) bool {
	return slices.ContainsFunc(c.Parts, func(p llm.Part) bool {
		return strings.TrimSpace(p.Text) != "" || !p.IsText() && !p.IsEmpty()
	})
}

func (t *turn) countCalls() int {
	n := 0
	for _, c := range t.contents {
		n += len(c.FunctionCalls())
	}
	return n
}

func (t *turn) countResults() int {
	n := 0
	for _, c := range t.contents {
		for i := range c.Parts {
			if c.Parts[i].FunctionResponse != nil {
				n++
			}
		}
	}
	return n
}

func roleOf(name string) llm.Role {
	if name == "model" || name == "assistant" {
		return llm.RoleModel
	}
	return llm.RoleUser
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
