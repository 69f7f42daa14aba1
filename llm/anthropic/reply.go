package anthropic

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"pollux/llm"
	"pollux/llm/httpwire"
	"pollux/llm/think"
)

// reply is a response during decoding: it takes events and produces the parts that
// they complete.
type reply struct {
	q     *query
	parts []llm.Part // parts for the next chunk

	id, model string
	citations []llm.Citation
	blocks    []*block
	size      int // total size of the blocks in bytes

	stop        string // stop_reason of the service
	explanation string // of the stop reason
	ended       bool   // the response is complete

	hasUsage bool // the service has sent these token counts:
	input, output, read, created,
	thought int
	outputBeforePause int // output tokens before the service paused the response
}

// block is a content block of the response.
type block struct {
	index     int
	kind      string
	id, name  string
	text      []byte // text, or the JSON of a call's arguments
	input     []byte // arguments that came with the start of a call
	signature []byte // signature of a thought
	raw       []byte // start of the block, for kinds that are only sent back
	done      bool

	splitter *think.Splitter // of a text in which thoughts may be; else nil
}

// The limits of a response.
const (
	maxBlocks = 4096
	maxReply  = httpwire.MaxFrame
)

var errTooMuch = errors.New("the answer is too large")

func (r *reply) addEvent(e *event) error {
	switch e.kind {
	case messageStart:
		return r.start(e.message)
	case blockStart:
		return r.startBlock(e.index, e.block)
	case blockDelta:
		return r.addDelta(e)
	case blockStop:
		if b := r.block(e.index); b != nil {
			r.finishBlock(b)
		}
	case messageDelta:
		if e.stop != "" {
			r.stop = e.stop
		}
		r.setExplanation(e.details)
		return r.addUsage(e.usage)
	case messageStop:
		r.end()
	}
	return nil
}

// addWhole adds a response that was not streamed.
func (r *reply) addWhole(data []byte) error {
	var m struct {
		Content    []json.RawMessage
		StopReason string          `json:"stop_reason"`
		Details    json.RawMessage `json:"stop_details"`
	}
	if err := json.Unmarshal(data, &m); err != nil {
		return err
	}
	if err := r.start(data); err != nil {
		return err
	}
	for i, block := range m.Content {
		if err := r.startBlock(i, block); err != nil {
			return err
		}
		r.finishBlock(r.block(i))
	}
	r.stop = m.StopReason
	r.setExplanation(m.Details)
	r.end()
	return nil
}

// setExplanation decodes the details of a refusal.
func (r *reply) setExplanation(data []byte) {
	var d struct{ Explanation string }
	if len(data) > 0 && json.Unmarshal(data, &d) == nil { // the explanation is optional
		r.explanation = d.Explanation
	}
}

// start decodes the start of a message.
func (r *reply) start(data []byte) error {
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
	return r.addUsage(m.Usage)
}

// addUsage sets the token counts in data. Counts that are missing in data do not
// change.
func (r *reply) addUsage(data []byte) error {
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
	r.hasUsage = true
	for _, n := range []struct {
		to    *int
		value *float64
	}{{&r.input, u.Input}, {&r.output, u.Output}, {&r.read, u.Read}, {&r.created, u.Created}, {&r.thought, u.Details.Thinking}} {
		if n.value != nil {
			*n.to = tokens(*n.value)
		}
	}
	return nil
}

// tokens returns n as a number of tokens, limited to a sensible range.
func tokens(n float64) int { return int(min(max(n, 0), 1<<40)) }

// usage returns the token counts so far, nil if the service has sent none. If the
// service does not count thoughts separately, Candidates includes them.
func (r *reply) usage() *llm.Usage {
	if !r.hasUsage {
		return nil
	}
	u := &llm.Usage{Prompt: r.input + r.read + r.created, CachedContent: r.read, CacheWrite: r.created, Thoughts: min(r.thought, r.output)}
	u.Candidates = r.outputBeforePause + r.output - u.Thoughts
	u.Total = u.Prompt + u.Candidates + u.Thoughts
	return u
}

// block returns the open block with this index, nil if there is none.
func (r *reply) block(index int) *block {
	for i := len(r.blocks) - 1; i >= 0; i-- {
		if b := r.blocks[i]; b.index == index && !b.done {
			return b
		}
	}
	return nil
}

// startBlock adds a block. In a response that was not streamed data is the whole
// block.
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
	if old := r.block(index); old != nil { // its content_block_stop is missing
		r.finishBlock(old)
	}
	b, err := r.addBlock(index, s.Type, len(data))
	if err != nil {
		return err
	}
	switch s.Type {
	case "text":
		b.text = []byte(s.Text)
		r.emitText(b, s.Text)
	case "thinking":
		b.text, b.signature = []byte(s.Thinking), []byte(s.Signature)
		r.emit(llm.Part{Text: s.Thinking, Thought: true})
	case "redacted_thinking":
		b.signature = []byte(s.Data)
	case "tool_use":
		b.id, b.name = s.ID, httpwire.CalledName(s.Name)
		if in := bytes.TrimSpace(s.Input); string(in) != "{}" && string(in) != "null" {
			b.input = bytes.Clone(in)
		}
	default:
		b.raw = bytes.Clone(data)
	}
	for _, c := range s.Citations {
		r.addCitation(c)
	}
	return nil
}

// addBlock adds an empty block and counts size bytes.
func (r *reply) addBlock(index int, kind string, size int) (*block, error) {
	if err := r.addSize(size); err != nil || len(r.blocks) == maxBlocks {
		return nil, errTooMuch
	}
	b := &block{index: index, kind: kind}
	hasThoughts := slices.ContainsFunc(r.blocks, func(o *block) bool { return o.kind == "thinking" })
	if kind == "text" && r.q.Unsigned && !hasThoughts {
		b.splitter = new(think.Splitter)
	}
	r.blocks = append(r.blocks, b)
	return b, nil
}

// addSize adds n to the size of the reply. It returns an error if the reply is too
// large.
func (r *reply) addSize(n int) error {
	if r.size += n; r.size > maxReply {
		return errTooMuch
	}
	return nil
}

// addDelta adds the text of a delta to its block.
func (r *reply) addDelta(e *event) error {
	if len(e.citation) > 0 {
		r.addCitation(e.citation)
	}
	if e.member == "" {
		return nil
	}
	b := r.block(e.index)
	if b == nil { // some servers send no content_block_start
		kind := map[string]string{memberText: "text", memberThinking: "thinking"}[e.member]
		if kind == "" {
			return fmt.Errorf("%s for a block that has not begun", e.member)
		}
		var err error
		if b, err = r.addBlock(e.index, kind, 0); err != nil {
			return err
		}
	}
	if err := r.addSize(len(e.text)); err != nil {
		return err
	}
	switch {
	case e.member == memberSignature:
		b.signature = append(b.signature, e.text...)
	case e.member == memberJSON:
		b.text = append(b.text, e.text...)
	case e.member == memberThinking:
		b.text = append(b.text, e.text...)
		r.emit(llm.Part{Text: string(e.text), Thought: true})
	default:
		b.text = append(b.text, e.text...)
		r.emitText(b, string(e.text))
	}
	return nil
}

// emitText adds text of b. Servers of other models may not know the thoughts in it.
func (r *reply) emitText(b *block, text string) {
	if b.splitter == nil {
		r.emit(llm.Part{Text: text})
		return
	}
	r.parts = append(r.parts, b.splitter.Add(text)...)
}

func (r *reply) emit(p llm.Part) {
	if p.Text != "" {
		r.parts = append(r.parts, p)
	}
}

// finishBlock adds thoughts and calls, which are useful only when complete, to the
// next chunk.
func (r *reply) finishBlock(b *block) {
	if b.done {
		return
	}
	b.done = true
	switch b.kind {
	case "text":
		if b.splitter != nil {
			r.parts = append(r.parts, b.splitter.Flush()...)
		}
	case "thinking", "redacted_thinking":
		if p, ok := b.thinkingBlock().signedPart(&r.q.Quirks); ok {
			r.parts = append(r.parts, p)
		}
	case "tool_use":
		// Some servers send the arguments at the start and then once more in deltas.
		if text := bytes.TrimSpace(b.text); len(text) == 0 || len(b.input) > 0 && string(text) == "{}" {
			b.text = b.input
		}
		args := arguments(b.text)
		if r.q.wantsJSON && b.name == answerTool {
			r.emit(llm.Part{Text: unwrap(args, r.q.wrapped)})
			return
		}
		if r.hasCall(b) { // some servers send it once more
			return
		}
		if isCut(b.text) {
			r.parts = append(r.parts, llm.Part{FunctionCall: llm.CutCall(b.id, declaredName(r.q.Config.Tools, b.name), string(b.text))})
			return
		}
		r.parts = append(r.parts, llm.Part{FunctionCall: &llm.FunctionCall{
			ID: b.id, Name: declaredName(r.q.Config.Tools, b.name), Args: args,
		}})
	}
}

// thinkingBlock returns the content of a thinking block.
func (b *block) thinkingBlock() *thinkingBlock {
	if b.kind == "redacted_thinking" {
		return &thinkingBlock{Type: b.kind, Data: string(b.signature)}
	}
	return &thinkingBlock{Type: b.kind, Thinking: string(b.text), Signature: string(b.signature)}
}

// arguments returns the arguments of a call. Arguments that are not valid JSON become
// a string, which no tool accepts: the model gets an error, and no tool runs with
// half of its arguments.
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

// hasCall reports whether an earlier block is the same call as b.
func (r *reply) hasCall(b *block) bool {
	return b.id != "" && slices.ContainsFunc(r.blocks, func(o *block) bool {
		return o != b && o.done && o.id == b.id && o.name == b.name && bytes.Equal(o.text, b.text)
	})
}

// isCut reports whether text is the beginning of a JSON value that ends later.
func isCut(text []byte) bool {
	var value json.RawMessage
	return json.NewDecoder(bytes.NewReader(text)).Decode(&value) == io.ErrUnexpectedEOF
}

func compact(data []byte) json.RawMessage {
	var b bytes.Buffer
	if json.Compact(&b, fixSurrogates(data)) != nil {
		return bytes.Clone(data)
	}
	return b.Bytes()
}

// addCitation adds a source that the response cites.
func (r *reply) addCitation(data []byte) {
	var c struct{ URL, Title string }
	if json.Unmarshal(data, &c) == nil && c.URL != "" && r.addSize(len(data)) == nil {
		r.citations = append(r.citations, llm.Citation{URI: c.URL, Title: c.Title})
	}
}

func (r *reply) end() {
	for _, b := range r.blocks {
		r.finishBlock(b)
	}
	r.ended = true
}

// finishReasons maps stop reasons of the protocol to finish reasons.
var finishReasons = map[string]llm.FinishReason{
	"end_turn":                      llm.FinishStop,
	"stop_sequence":                 llm.FinishStop,
	"tool_use":                      llm.FinishStop,
	"pause_turn":                    llm.FinishStop,
	"max_tokens":                    llm.FinishMaxTokens,
	"model_context_window_exceeded": llm.FinishMaxTokens,
	"refusal":                       llm.FinishSafety,
}

// takeChunk returns the chunk with the new parts, nil if there is nothing new.
func (r *reply) takeChunk() *llm.Response {
	last := r.ended && !r.isPaused()
	if len(r.parts) == 0 && !last {
		return nil
	}
	// One allocation for chunks with a single part.
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
		c.candidate[0].FinishReason, c.candidate[0].FinishMessage = r.finishReason(), r.explanation
	}
	return &c.Response
}

// finishReason returns the reason for the end of the response, "" if the service sent
// none.
func (r *reply) finishReason() llm.FinishReason {
	reason, isKnown := finishReasons[r.stop]
	switch {
	case isKnown:
		return reason
	case r.stop != "":
		return llm.FinishOther
	}
	return "" // the service did not say
}
