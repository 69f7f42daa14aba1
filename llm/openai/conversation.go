package openai

import (
	"bytes"
	"slices"

	"pollux/llm"
)

// writer writes a conversation that is in order, in one protocol's form.
type writer interface {
	assistant(pieces []piece)
	result(id, text []byte)
	// user writes what the user said, behind results if afterResults is set.
	user(pieces []piece, afterResults bool)
}

// lost is what a call is answered with whose result is not there.
const lost = "No result: the call was cancelled, or what came of it was lost."

// conversation puts messages in the order that services insist on (spec/agent.md
// §4): each call has exactly one result right behind its message, results of
// nothing are left out, messages of one side that follow each other are one, and
// no two calls share an id.
type conversation struct {
	*traits
	to writer

	model   []piece // of the model's message that is not written yet
	said    []piece // of the user's
	results []answered
	calls   []openCall // of the model's last message
	used    idSet
}

// openCall is a call that was made; id is what its record says, wire what is sent.
type openCall struct {
	id   []byte
	wire []byte
	done bool
}

type answered struct {
	call *openCall
	text []byte
}

// converse writes contents.
func (t *traits) converse(contents []*llm.Content, to writer) {
	c := conversation{traits: t, to: to}
	loop := loopStart(contents)
	keep := t.ReasoningKeep || t.Protocol == Responses
	for i, m := range contents {
		record := m.Encoded(t.key, t.encode)
		if m.Role == llm.RoleModel {
			c.addModel(record, keep || i > loop)
		} else {
			c.addUser(record)
		}
	}
	c.flushModel()
	c.flushUser()
}

// loopStart is the index of the last prompt: the running tool loop is behind it.
// What the user adds to results, before the model has answered them, is none.
func loopStart(contents []*llm.Content) int {
	said := func(i int) bool { return contents[i].Role != llm.RoleModel && !contents[i].HasFunctionResponse() }
	for i := len(contents) - 1; i >= 0; i-- {
		if !said(i) {
			continue
		}
		first := i
		for first > 0 && said(first-1) {
			first--
		}
		if first == 0 || contents[first-1].Role == llm.RoleModel {
			return i
		}
		i = first
	}
	return -1
}

func (c *conversation) addModel(record []byte, thoughts bool) {
	start, says := len(c.model), false
	for len(record) > 0 {
		var p piece
		p, record = nextPiece(record)
		if p.kind != thought {
			says = true
		} else if !thoughts {
			continue
		}
		c.model = append(c.model, p)
	}
	if !says { // a thought that led to nothing
		c.model = c.model[:start]
		return
	}
	if len(c.said)+len(c.results) > 0 {
		c.flushUser()
	}
	for i := start; i < len(c.model); i++ {
		if p := &c.model[i]; p.kind == call {
			o := openCall{id: p.id, wire: c.used.add(c.traits, p.id)}
			c.calls = append(c.calls, o)
			p.id = o.wire
		}
	}
}

func (c *conversation) addUser(record []byte) {
	for len(record) > 0 {
		var p piece
		p, record = nextPiece(record)
		if p.kind != output {
			c.said = append(c.said, p)
			continue
		}
		i := slices.IndexFunc(c.calls, func(o openCall) bool { return !o.done && bytes.Equal(o.id, p.id) })
		if i >= 0 {
			c.calls[i].done = true
			c.results = append(c.results, answered{&c.calls[i], p.data})
		}
	}
	if len(c.said)+len(c.results) > 0 {
		c.flushModel()
	}
}

// flushModel writes the model's message.
func (c *conversation) flushModel() {
	if len(c.model) > 0 {
		c.to.assistant(c.model)
		c.model = c.model[:0]
	}
}

// flushUser writes the results of the model's last calls, and what the user said.
func (c *conversation) flushUser() {
	for _, r := range c.results {
		c.to.result(r.call.wire, r.text)
	}
	for _, o := range c.calls {
		if !o.done {
			c.to.result(o.wire, []byte(lost))
		}
	}
	if len(c.said) > 0 {
		c.to.user(c.said, len(c.calls) > 0)
	}
	c.said, c.results, c.calls = c.said[:0], c.results[:0], c.calls[:0]
}
