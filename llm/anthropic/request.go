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

// maxUnstreamed bounds what is asked for in one piece unless the caller says
// more: a longer answer takes longer than any connection is sure to live.
const maxUnstreamed = 16_384

// A question is a request with how it is written: what the service does not take
// of this model is left out.
type question struct {
	*llm.Request
	manner
	form     form
	betas    []string // that the caller wants
	stream   bool
	unmarked bool // this one request is not to be kept
	// foreign is the last message whose thoughts the service would not see again;
	// those up to it are left out.
	foreign *llm.Content
	// unthinking says that the conversation is in a state in which the service
	// takes it only from a model that does not think.
	unthinking bool
	// room, where set, is what the messages leave of the window.
	room int
	// soFar is what the model has said before it paused, as blocks.
	soFar []byte

	spelling
	contents  []*llm.Content
	runs      []run
	thoughts  int  // the index of the first message whose thoughts are sent
	wantsJSON bool // the answer comes as the input of answerTool
	wrapped   bool // see answerSchema
	thinking  Thinking
	interlace bool // thoughts between calls, with models that need to be asked
}

// body writes the request.
func (q *question) body() *httpwire.Body {
	q.prepare()
	b := httpwire.NewBody(2*len(q.contents) + 16)
	settings := q.settings()
	b.Text(`{"messages":[`)
	called := q.messages(b)
	b.Text(`]`)
	q.system(b)
	q.tools(b, called)
	b.Add(settings)
	b.Text(`}`)
	return b
}

// countBody writes the request for the number of tokens in the messages.
func (q *question) countBody() *httpwire.Body {
	q.prepare()
	q.unmarked = true // marks change no count
	b := httpwire.NewBody(2*len(q.contents) + 8)
	b.Text(`{"messages":[`)
	called := q.messages(b)
	b.Text(`]`)
	if called {
		b.Text(`,"tools":[` + absent + `]`)
	}
	o := httpwire.Object{Open: true}
	o.String("model", q.form.model(q.Model))
	o.String("anthropic_version", q.form.version)
	b.Add(o.End())
	return b
}

// cacheMark ends a block up to which the service keeps what it has read. It
// stands where the end of the block was.
var cacheMark = []byte(`,"cache_control":{"type":"ephemeral"}}`)

// addMarked adds a list of blocks, the last one with a mark. What is kept stays
// as it is: a mark is no part of what the service compares.
func (q *question) addMarked(b *httpwire.Body, list []byte) {
	if q.unmarked || q.NoCache {
		b.Add(list)
		return
	}
	b.Add(list[:len(list)-1])
	b.Add(cacheMark)
}

// system adds the system instruction.
func (q *question) system(b *httpwire.Body) {
	var list []byte
	if s := q.Config.SystemInstruction; s != nil {
		list = s.Encoded(wireSystem, appendSystem)
	}
	hint := q.Config.ResponseMIMEType == "application/json" && !q.wantsJSON
	if len(list) == 0 && !hint {
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
		b.Text(`{"type":"text","text":"Answer with one JSON value and nothing else: no words around it, no code fence."}`)
	}
	b.Text(`]`)
}

// tools adds the tools and the choice among them; called says that messages
// hold calls.
func (q *question) tools(b *httpwire.Body, called bool) {
	var sets [][]byte
	for _, t := range q.Config.Tools {
		if list := t.Encoded(wire, appendTools); len(list) > 0 {
			sets = append(sets, list)
		}
	}
	choice, must := toolChoice(q.Config.ToolConfig)
	if must && q.NoForce {
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
	case len(sets) == 0 && called:
		sets, choice = [][]byte{[]byte(absent)}, `{"type":"none"}`
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

// settings returns the members that are neither messages nor tools, each behind
// a comma, and decides how q is asked.
func (q *question) settings() []byte {
	c := &q.Config
	if len(c.ResponseJSONSchema) > 0 {
		q.wantsJSON = true
		_, q.wrapped = answerSchema(c.ResponseJSONSchema)
	}
	o := httpwire.Object{Open: true}
	if !q.form.addressed {
		o.String("model", q.form.model(q.Model))
	}
	o.String("anthropic_version", q.form.version)
	tokens := q.maxOutput()
	o.Int("max_tokens", tokens)
	if q.stream && !q.form.quiet {
		o.Raw("stream", []byte(`true`))
	}
	q.think(&o, tokens)
	if q.thinking == ThinkingNone {
		q.sampling(&o)
	}
	if q.form.quiet {
		o.Strings("anthropic_beta", q.allBetas())
	}
	o.Strings("stop_sequences", slices.DeleteFunc(slices.Clone(c.StopSequences), func(s string) bool { return strings.TrimSpace(s) == "" }))
	return o.B
}

// allBetas returns what the caller wants of the service's novelties, and what the
// question needs.
func (q *question) allBetas() []string {
	if q.interlace && !slices.Contains(q.betas, interlaced) {
		return append(slices.Clip(q.betas), interlaced)
	}
	return q.betas
}

// maxOutput returns how long the answer may be, which the service must be told.
func (q *question) maxOutput() int {
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
	if q.room > 0 {
		n = min(n, q.room)
	}
	return n
}

// think adds what asks for thoughts. It leaves in q.thinking how it did.
func (q *question) think(o *httpwire.Object, maxTokens int) {
	t := q.Config.Thinking
	q.thinking, q.interlace = ThinkingNone, false
	if t == nil {
		return
	}
	how := cmp.Or(q.Thinking, thinkingOf(q.Model))
	off := t.Budget != nil && *t.Budget == 0 && t.Level == ""
	_, must := toolChoice(q.Config.ToolConfig)
	shown := ""
	if t.IncludeThoughts && !q.noDisplay && how == ThinkingAdaptive {
		shown = `,"display":"summarized"` // some leave the words out by default
	}
	switch {
	case how == ThinkingNone:
	case off || q.wantsJSON || must || q.unthinking:
		// Older models do not think unless they are asked to.
		if how == ThinkingAdaptive && !q.noDisabled {
			o.Raw("thinking", []byte(`{"type":"disabled"}`))
		}
	case how == ThinkingAdaptive:
		q.thinking = how
		o.Raw("thinking", []byte(`{"type":"adaptive"`+shown+`}`))
		if e := effort(t); e != "" && !q.noEffort {
			o.Raw("output_config", []byte(`{"effort":"`+e+`"}`))
		}
	default:
		n := budget(t, maxTokens)
		if n == 0 || q.lostThread() {
			return
		}
		q.thinking = how
		q.interlace = len(q.Config.Tools) > 0 && !q.NoBetas && interlaces(q.Model)
		o.Raw("thinking", []byte(`{"type":"enabled","budget_tokens":`+strconv.Itoa(n)+`}`))
	}
}

// lostThread reports whether the model is in the middle of calling tools and
// began that without a thought which can be sent back. The service then refuses
// a request that asks for thoughts.
func (q *question) lostThread() bool {
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

func (q *question) hasResults(r run) bool {
	for _, c := range q.contents[r.from:r.to] {
		if len(q.userBlocks(c, true)) > 0 {
			return true
		}
	}
	return false
}

// sampling adds how answers are chosen. The service takes one of temperature and
// top_p, and with thoughts neither.
func (q *question) sampling(o *httpwire.Object) {
	c := &q.Config
	switch {
	case c.Temperature != nil:
		// 1 is what it is by default, and newer models take no other.
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
