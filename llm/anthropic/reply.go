package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// reply is an answer while it comes in: events go in, the parts that they
// complete come out.
type reply struct {
	q     *question
	parts []llm.Part // that are not handed out yet

	id, model string
	citations []llm.Citation
	blocks    []*block
	size      int // of all that blocks hold

	stop        string // the service's word for why the answer ended
	explanation string // and what it says of that
	ended       bool   // nothing comes after this

	counted bool // the service has sent counts, of tokens:
	input, output, read, created,
	thought int
	paused int // what was put out before the service paused the answer
}

// block is a piece of an answer that is coming in.
type block struct {
	index    int
	kind     string
	id, name string
	text     []byte // words, or the JSON of a call's arguments
	proof    []byte // of a thought
	raw      []byte // the block as it began, where it is of a kind that is only sent back
	done     bool
}

// The most that an answer may hold.
const (
	maxBlocks = 4096
	maxReply  = httpwire.MaxFrame
)

var errTooMuch = errors.New("the answer is too large")

// take takes in an event.
func (r *reply) take(e *event) error {
	switch e.kind {
	case messageStart:
		return r.begin(e.message)
	case blockStart:
		return r.startBlock(e.index, e.block)
	case blockDelta:
		return r.delta(e)
	case blockStop:
		if b := r.block(e.index); b != nil {
			r.finish(b)
		}
	case messageDelta:
		if e.stop != "" {
			r.stop = e.stop
		}
		r.explain(e.details)
		return r.count(e.usage)
	case messageStop:
		r.end()
	}
	return nil
}

// whole takes in an answer that was not streamed.
func (r *reply) whole(data []byte) error {
	var m struct {
		Content    []json.RawMessage
		StopReason string          `json:"stop_reason"`
		Details    json.RawMessage `json:"stop_details"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	if err := r.begin(data); err != nil {
		return err
	}
	for i, block := range m.Content {
		if err := r.startBlock(i, block); err != nil {
			return err
		}
		r.finish(r.block(i))
	}
	r.stop = m.StopReason
	r.explain(m.Details)
	r.end()
	return nil
}

// explain takes what the service says of a refusal.
func (r *reply) explain(data []byte) {
	var d struct{ Explanation string }
	if len(data) > 0 && json.Unmarshal(data, &d) == nil { // without it there is the reason
		r.explanation = d.Explanation
	}
}

// begin takes what is known of a message before its content.
func (r *reply) begin(data []byte) error {
	var m struct {
		ID, Model string
		Usage     json.RawMessage
	}
	if len(data) == 0 {
		return nil
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	r.id, r.model = m.ID, m.Model
	return r.count(m.Usage)
}

// count takes the counts that data holds; those that it does not hold stay.
func (r *reply) count(data []byte) error {
	if len(data) == 0 || string(data) == "null" {
		return nil
	}
	var u struct {
		Input   *float64 `json:"input_tokens"`
		Output  *float64 `json:"output_tokens"`
		Read    *float64 `json:"cache_read_input_tokens"`
		Created *float64 `json:"cache_creation_input_tokens"`
		Details struct {
			Thinking *float64 `json:"thinking_tokens"`
		} `json:"output_tokens_details"`
	}
	if err := json.Unmarshal(data, &u); err != nil {
		return fmt.Errorf("usage: %w", err)
	}
	r.counted = true
	for _, n := range []struct {
		to   *int
		said *float64
	}{{&r.input, u.Input}, {&r.output, u.Output}, {&r.read, u.Read}, {&r.created, u.Created}, {&r.thought, u.Details.Thinking}} {
		if n.said != nil {
			*n.to = tokens(*n.said)
		}
	}
	return nil
}

// tokens returns a number of tokens that a service names.
func tokens(n float64) int { return int(min(max(n, 0), 1<<40)) }

// usage returns the counts so far, nil if the service sent none. Where it does
// not say how much of an answer were thoughts, they are counted with the rest.
func (r *reply) usage() *llm.Usage {
	if !r.counted {
		return nil
	}
	u := &llm.Usage{Prompt: r.input + r.read + r.created, CachedContent: r.read, CacheWrite: r.created, Thoughts: min(r.thought, r.output)}
	u.Candidates = r.paused + r.output - u.Thoughts
	u.Total = u.Prompt + u.Candidates + u.Thoughts
	return u
}

// block returns the block of this index that is coming in, or nil.
func (r *reply) block(index int) *block {
	for i := len(r.blocks) - 1; i >= 0; i-- {
		if b := r.blocks[i]; b.index == index && !b.done {
			return b
		}
	}
	return nil
}

// startBlock takes what a block begins with: all of it, where nothing is streamed.
func (r *reply) startBlock(index int, data []byte) error {
	var s struct {
		Type, ID, Name                  string
		Text, Thinking, Signature, Data string
		Input                           json.RawMessage
		Citations                       []json.RawMessage
	}
	if err := json.Unmarshal(data, &s); err != nil {
		return fmt.Errorf("block: %w", err)
	}
	if old := r.block(index); old != nil { // it was never stopped
		r.finish(old)
	}
	b, err := r.add(index, s.Type, len(data))
	if err != nil {
		return err
	}
	switch s.Type {
	case "text":
		b.text = []byte(s.Text)
		r.say(llm.Part{Text: s.Text})
	case "thinking":
		b.text, b.proof = []byte(s.Thinking), []byte(s.Signature)
		r.say(llm.Part{Text: s.Thinking, Thought: true})
	case "redacted_thinking":
		b.proof = []byte(s.Data)
	case "tool_use":
		b.id, b.name = s.ID, s.Name
		if in := bytes.TrimSpace(s.Input); string(in) != "{}" && string(in) != "null" {
			b.text = bytes.Clone(in)
		}
	default:
		b.raw = bytes.Clone(data)
	}
	for _, c := range s.Citations {
		r.cite(c)
	}
	return nil
}

// add adds a block whose first bytes are size.
func (r *reply) add(index int, kind string, size int) (*block, error) {
	if err := r.grow(size); err != nil || len(r.blocks) == maxBlocks {
		return nil, errTooMuch
	}
	b := &block{index: index, kind: kind}
	r.blocks = append(r.blocks, b)
	return b, nil
}

func (r *reply) grow(n int) error {
	if r.size += n; r.size > maxReply {
		return errTooMuch
	}
	return nil
}

func (r *reply) delta(e *event) error {
	if len(e.citation) > 0 {
		r.cite(e.citation)
	}
	if e.member == "" {
		return nil
	}
	b := r.block(e.index)
	if b == nil { // some servers do not say that a block begins
		kind := map[string]string{memberText: "text", memberThinking: "thinking"}[e.member]
		if kind == "" {
			return fmt.Errorf("%s for a block that has not begun", e.member)
		}
		var err error
		if b, err = r.add(e.index, kind, 0); err != nil {
			return err
		}
	}
	if err := r.grow(len(e.text)); err != nil {
		return err
	}
	switch {
	case e.member == memberSignature:
		b.proof = append(b.proof, e.text...)
	case e.member == memberJSON:
		b.text = append(b.text, e.text...)
	default:
		b.text = append(b.text, e.text...)
		r.say(llm.Part{Text: string(e.text), Thought: e.member == memberThinking})
	}
	return nil
}

// say hands out words.
func (r *reply) say(p llm.Part) {
	if p.Text != "" {
		r.parts = append(r.parts, p)
	}
}

// finish hands out what is only of use when it is whole.
func (r *reply) finish(b *block) {
	if b.done {
		return
	}
	b.done = true
	switch b.kind {
	case "thinking", "redacted_thinking":
		if p, ok := b.mind().signed(&r.q.Quirks); ok {
			r.parts = append(r.parts, p)
		}
	case "tool_use":
		args := arguments(b.text)
		if r.q.wantsJSON && b.name == answerTool {
			r.say(llm.Part{Text: unwrap(args, r.q.wrapped)})
			return
		}
		r.parts = append(r.parts, llm.Part{FunctionCall: &llm.FunctionCall{
			ID: b.id, Name: declared(r.q.Config.Tools, b.name), Args: args,
		}})
	}
}

func (b *block) mind() *mind {
	if b.kind == "redacted_thinking" {
		return &mind{Type: b.kind, Data: string(b.proof)}
	}
	return &mind{Type: b.kind, Thinking: string(b.text), Signature: string(b.proof)}
}

// arguments returns the arguments of a call. Those that are no object become
// what no tool accepts, a string: the model hears of it, and nothing is run on
// half of what it wrote.
func arguments(text []byte) json.RawMessage {
	text = bytes.TrimSpace(text)
	if len(text) == 0 {
		return json.RawMessage(`{}`)
	}
	var inner string
	if json.Unmarshal(text, &inner) == nil { // an object in a string
		if in := bytes.TrimSpace([]byte(inner)); len(in) > 0 && in[0] == '{' && json.Valid(in) {
			return compact(in)
		}
	}
	if json.Valid(text) {
		return compact(text)
	}
	return llm.AppendString(nil, string(text))
}

// compact returns valid JSON on one line.
func compact(data []byte) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, sound(data)) != nil {
		return bytes.Clone(data)
	}
	return b.Bytes()
}

// cite notes a source that the answer quotes.
func (r *reply) cite(data []byte) {
	var c struct{ URL, Title string }
	if json.Unmarshal(data, &c) == nil && c.URL != "" && r.grow(len(data)) == nil {
		r.citations = append(r.citations, llm.Citation{URI: c.URL, Title: c.Title})
	}
}

// end finishes what is left open.
func (r *reply) end() {
	for _, b := range r.blocks {
		r.finish(b)
	}
	r.ended = true
}

// finishReasons are those that belong to the service's words.
var finishReasons = map[string]llm.FinishReason{
	"end_turn":                      llm.FinishStop,
	"stop_sequence":                 llm.FinishStop,
	"tool_use":                      llm.FinishStop,
	"pause_turn":                    llm.FinishStop,
	"max_tokens":                    llm.FinishMaxTokens,
	"model_context_window_exceeded": llm.FinishMaxTokens,
	"refusal":                       llm.FinishSafety,
}

// chunk returns what is to be handed out, nil where that is nothing.
func (r *reply) chunk() *llm.Response {
	last := r.ended && !r.isPaused()
	if len(r.parts) == 0 && !last {
		return nil
	}
	// One piece of memory for what a chunk nearly always is.
	c := new(struct {
		llm.Response
		candidate [1]llm.Candidate
		content   llm.Content
		part      [1]llm.Part
	})
	c.Response = llm.Response{ResponseID: r.id, ModelVersion: r.model, Candidates: c.candidate[:]}
	c.candidate[0].Content = &c.content
	c.content.Role = llm.RoleModel
	if len(r.parts) == 1 {
		c.part[0] = r.parts[0]
		c.content.Parts = c.part[:]
	} else if len(r.parts) > 1 {
		c.content.Parts = append([]llm.Part(nil), r.parts...)
	}
	clear(r.parts)
	r.parts = r.parts[:0]
	if last {
		c.Usage = r.usage()
		c.candidate[0].Citations = r.citations
		c.candidate[0].FinishReason, c.candidate[0].FinishMessage = r.reason(), r.explanation
	}
	return &c.Response
}

func (r *reply) reason() llm.FinishReason {
	reason, known := finishReasons[r.stop]
	switch {
	case known:
		return reason
	case r.stop != "":
		return llm.FinishOther
	}
	return "" // the service did not say
}
