package anthropic

import (
	"bytes"
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// maxUnstreamed limits the tokens of a response that is not streamed, unless the
// caller sets another limit. A connection may not live long enough for a longer
// response.
const maxUnstreamed = 16_384

// query is a request in the dialect of its model.
type query struct {
	*llm.Request
	dialect
	bodyForm     bodyForm
	betas        []string // betas from Options.Header
	stream       bool
	noCacheMarks bool // do not cache this request
	// lastRejected is the last message whose thoughts the service has rejected. The
	// thoughts in all messages up to it are omitted.
	lastRejected *llm.Content
	// noThinking means that the service accepts the conversation only without
	// thinking.
	noThinking bool
	// tokensLeft is the part of the context window that the messages leave free, 0
	// if unknown.
	tokensLeft int
	// partial holds the blocks of the response before it was paused.
	partial []byte

	encodings
	contents      []*llm.Content
	runs          []run
	firstThoughts int  // index of the first message whose thoughts are sent
	wantsJSON     bool // the response is the input of answerTool
	wrapped       bool // see answerSchema
	thinkingMode  Thinking
	interleaved   bool // enable thoughts between calls with a beta
}

func (q *query) body() *httpwire.Body {
	q.prepare()
	b := httpwire.NewBody(2*len(q.contents) + 16)
	settings := q.settings()
	b.Text(`{"messages":[`)
	hasCalls := q.addMessages(b)
	b.Text(`]`)
	q.addSystem(b)
	q.addTools(b, hasCalls)
	b.Add(settings)
	b.Text(`}`)
	return b
}

func (q *query) countBody() *httpwire.Body {
	q.prepare()
	q.noCacheMarks = true // marks do not change the count
	b := httpwire.NewBody(2*len(q.contents) + 8)
	b.Text(`{"messages":[`)
	hasCalls := q.addMessages(b)
	b.Text(`]`)
	if hasCalls {
		b.Text(`,"tools":[` + placeholderTool + `]`)
	}
	o := httpwire.Object{Open: true}
	o.String("model", q.bodyForm.model(q.Model))
	o.String("anthropic_version", q.bodyForm.version)
	b.Add(o.End())
	return b
}

// cacheMark replaces the end of a block. The service caches the prompt up to that
// block.
var cacheMark = []byte(`,"cache_control":{"type":"ephemeral"}}`)

// addMarked adds a list of blocks with a cache mark on the last one. The mark does
// not change the cached encoding.
func (q *query) addMarked(b *httpwire.Body, list []byte) {
	if q.noCacheMarks || q.NoCache {
		b.Add(list)
		return
	}
	b.Add(list[:len(list)-1])
	b.Add(cacheMark)
}

func (q *query) addSystem(b *httpwire.Body) {
	var list []byte
	if s := q.Config.SystemInstruction; s != nil {
		list = s.Encoded(keySystem, appendSystem)
	}
	hint := q.Config.ResponseMIMEType == "application/json" && !q.wantsJSON
	switch {
	case len(list) == 0 && !hint:
		return
	case q.plainSystem:
		b.Text(`,"system":`)
		b.Add(q.systemText(hint))
		return
	}
	b.Text(`,"system":[`)
	if len(list) > 0 {
		q.addMarked(b, list)
	}
	if hint {
		if len(list) > 0 {
			b.Text(`,`)
		}
		b.Text(`{"type":"text","text":"` + jsonHint + `"}`)
	}
	b.Text(`]`)
}

const jsonHint = "Answer with one JSON value and nothing else: no words around it, no code fence."

// systemText returns the system instruction as a JSON string, with a hint if the response is JSON.
func (q *query) systemText(hint bool) []byte {
	var texts []string
	if s := q.Config.SystemInstruction; s != nil {
		for i := range s.Parts {
			if text := s.Parts[i].Text; strings.TrimSpace(text) != "" {
				texts = append(texts, text)
			}
		}
	}
	if hint {
		texts = append(texts, jsonHint)
	}
	return llm.AppendString(nil, strings.Join(texts, "\n\n"))
}

// addTools adds the tools and the tool choice. hasCalls means that the messages
// contain tool calls.
func (q *query) addTools(b *httpwire.Body, hasCalls bool) {
	var sets [][]byte
	for _, t := range q.Config.OfferedTools() {
		if list := t.Encoded(keyBlocks, appendTools); len(list) > 0 {
			sets = append(sets, list)
		}
	}
	choice, isForced := toolChoice(&q.Config)
	if isForced && q.NoForce {
		choice = ""
	}
	switch {
	case q.wantsJSON:
		schema, _ := answerSchema(q.Config.ResponseJSONSchema)
		o := httpwire.Object{}
		o.String("name", answerTool)
		o.String("description", "Takes your answer. Always answer by calling it, once, never in words.")
		o.Raw("input_schema", schema)
		sets = [][]byte{o.End()}
		choice = `{"type":"tool","name":"` + answerTool + `","disable_parallel_tool_use":true}`
		if q.NoForce {
			choice = `{"type":"auto","disable_parallel_tool_use":true}`
		}
	case len(sets) == 0 && hasCalls:
		sets, choice = [][]byte{[]byte(placeholderTool)}, `{"type":"none"}`
	case len(sets) == 0:
		return
	}
	b.Text(`,"tools":[`)
	for i, list := range sets {
		if i > 0 {
			b.Text(`,`)
		}
		if i == len(sets)-1 {
			q.addMarked(b, list)
		} else {
			b.Add(list)
		}
	}
	b.Text(`]`)
	if choice != "" {
		b.Text(`,"tool_choice":` + choice)
	}
}

// settings returns the members other than messages and tools, each after a comma. It
// also sets the thinking mode and whether the response is JSON.
func (q *query) settings() []byte {
	c := &q.Config
	if len(c.ResponseJSONSchema) > 0 {
		q.wantsJSON = true
		_, q.wrapped = answerSchema(c.ResponseJSONSchema)
	}
	o := httpwire.Object{Open: true}
	if !q.bodyForm.modelInURL {
		o.String("model", q.bodyForm.model(q.Model))
	}
	o.String("anthropic_version", q.bodyForm.version)
	tokens := q.maxOutput()
	o.Int("max_tokens", tokens)
	if q.stream && !q.bodyForm.streamInURL {
		o.Raw("stream", []byte(`true`))
	}
	q.addThinking(&o, tokens)
	if q.thinkingMode == ThinkingNone {
		q.addSampling(&o)
	}
	if q.bodyForm.streamInURL {
		o.Strings("anthropic_beta", q.allBetas())
	}
	o.Strings("stop_sequences", slices.DeleteFunc(slices.Clone(c.StopSequences), func(s string) bool { return strings.TrimSpace(s) == "" }))
	return o.B
}

// allBetas returns the betas of the caller and those that q needs.
func (q *query) allBetas() []string {
	if q.interleaved && !slices.Contains(q.betas, interleavedBeta) {
		return append(slices.Clip(q.betas), interleavedBeta)
	}
	return q.betas
}

// maxOutput returns max_tokens, which the service requires.
func (q *query) maxOutput() int {
	n := q.Config.MaxOutputTokens
	if n <= 0 {
		n = cmp.Or(q.MaxTokens, catalog.Lookup(q.Model).Output)
		if !q.stream {
			n = min(n, maxUnstreamed)
		}
	}
	if q.MaxTokens > 0 {
		n = min(n, q.MaxTokens)
	}
	if q.tokensLeft > 0 {
		n = min(n, q.tokensLeft)
	}
	return n
}

// addThinking adds the members that enable thinking and sets q.thinkingMode.
func (q *query) addThinking(o *httpwire.Object, maxTokens int) {
	t := q.Config.Thinking
	q.thinkingMode, q.interleaved = ThinkingNone, false
	if t == nil {
		return
	}
	mode := cmp.Or(q.Thinking, thinkingFor(q.Model))
	off := t.Budget != nil && *t.Budget == 0 && t.Level == ""
	_, isForced := toolChoice(&q.Config)
	shown := ""
	if t.IncludeThoughts && !q.noDisplay && mode == ThinkingAdaptive {
		shown = `,"display":"summarized"` // some models omit the text by default
	}
	switch {
	case mode == ThinkingNone:
	case off || q.wantsJSON || isForced || q.noThinking:
		// Older models think only on request.
		if mode == ThinkingAdaptive && !q.noDisabled {
			o.Raw("thinking", []byte(`{"type":"disabled"}`))
		}
	case mode == ThinkingAdaptive:
		q.thinkingMode = mode
		o.Raw("thinking", []byte(`{"type":"adaptive"`+shown+`}`))
		if e := effort(t); e != "" && !q.noEffort {
			o.Raw("output_config", []byte(`{"effort":"`+e+`"}`))
		}
	default:
		n := budget(t, maxTokens)
		if n == 0 || q.lacksFirstThought() {
			return
		}
		q.thinkingMode = mode
		q.interleaved = len(q.Config.Tools) > 0 && !q.NoBetas && canInterleave(q.Model)
		o.Raw("thinking", []byte(`{"type":"enabled","budget_tokens":`+strconv.Itoa(n)+`}`))
	}
}

// lacksFirstThought reports whether the conversation is inside a loop of tool calls
// that did not start with a thought that can be sent. The service then refuses to
// enable thinking.
func (q *query) lacksFirstThought() bool {
	n := len(q.runs)
	if n < 2 || q.runs[n-1].model || !q.hasResults(q.runs[n-1]) {
		return false
	}
	for i := q.runs[n-2].from; ; i++ {
		if first := q.modelBlocks(i); len(first) > 0 {
			return !bytes.HasPrefix(first, []byte(`{"type":"thinking"`)) && !bytes.HasPrefix(first, []byte(`{"type":"redacted_thinking"`))
		}
	}
}

func (q *query) hasResults(r run) bool {
	for _, c := range q.contents[r.from:r.to] {
		if len(q.userBlocks(c, true)) > 0 {
			return true
		}
	}
	return false
}

// addSampling adds the sampling settings. The service accepts either temperature or
// top_p, and neither with thinking.
func (q *query) addSampling(o *httpwire.Object) {
	c := &q.Config
	switch {
	case c.Temperature != nil:
		// 1 is the default, and the only value that newer models accept.
		if t := min(max(*c.Temperature, 0), 1); t != 1 && !q.noTemperature {
			o.Float("temperature", &t)
		}
	case !q.noTopP:
		o.Float("top_p", c.TopP)
	}
	if c.TopK != nil && !q.noTopK && *c.TopK >= 1 {
		o.Int("top_k", int(math.Min(*c.TopK, 1<<20)))
	}
}
