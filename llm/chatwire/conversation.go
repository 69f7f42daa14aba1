// Package chatwire is what the protocols have in common in which a conversation
// is a list of messages with roles, and what a tool says is one of its own:
// OpenAI's two and Ollama's. They name things differently, and that is theirs;
// how a history becomes messages that a service accepts, and an answer chunks, is
// here.
//
// A message is encoded once, to a record of [Piece]s that is kept with it (see
// [llm.Content.Encoded]). What becomes of the pieces depends on the messages
// around them (which calls are answered, what is merged): that is decided for
// each request anew, by [Write], and without touching what is in them.
package chatwire

import (
	"bytes"

	"pollux/llm"
)

// Writer writes the messages of a conversation that is in order. What it is given
// is good until it returns, but for what is in the pieces, which never changes.
type Writer interface {
	// CallID returns what is sent for the id of a call, which may have been that
	// of another one before.
	CallID(id []byte) []byte
	// Assistant writes what the model said.
	Assistant(pieces Pieces)
	// Result writes what came of a call: the name is the function's.
	Result(id, name, text []byte)
	// User writes what the user said, behind results if afterResults is set.
	User(pieces Pieces, afterResults bool)
}

// Write writes contents in the order that services insist on (spec/agent.md §4):
// each call has exactly one result right behind its message, results of nothing
// are left out, and messages of one side that follow each other are one. Of
// thoughts only those of the messages behind the index thoughts are in it.
func Write(w Writer, f Form, contents []*llm.Content, thoughts int) {
	c := conversation{to: w}
	for i, m := range contents {
		record := Record(f, m)
		if m.Role == llm.RoleModel {
			c.addModel(record, i > thoughts)
		} else {
			c.addUser(record)
		}
	}
	c.flushModel()
	c.flushUser()
}

// lost is what a call is answered with whose result is not there.
const lost = "No result: the call was cancelled, or what came of it was lost."

// conversation holds what is not written yet.
type conversation struct {
	to Writer

	model   Pieces // of the model's message
	said    Pieces // of the user's
	results []answered
	calls   []openCall // of the model's last message
}

// openCall is a call that was made; id is what its record says, wire what is sent.
type openCall struct {
	id, wire, name []byte
	done           bool
}

type answered struct {
	call *openCall
	text []byte
}

func (c *conversation) addModel(record []byte, thoughts bool) {
	start, says := len(c.model), false
	var p Piece
	for len(record) > 0 {
		record = p.read(record)
		if p.Kind != Thought {
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
		if p := &c.model[i]; p.Kind == Call {
			o := openCall{id: p.ID, wire: c.to.CallID(p.ID), name: p.Name}
			c.calls = append(c.calls, o)
			p.ID = o.wire
		}
	}
}

func (c *conversation) addUser(record []byte) {
	var p Piece
	for len(record) > 0 {
		record = p.read(record)
		if p.Kind != Output {
			c.said = append(c.said, p)
			continue
		}
		if o := c.open(p.ID); o != nil {
			o.done = true
			c.results = append(c.results, answered{o, p.Data})
		}
	}
	if len(c.said)+len(c.results) > 0 {
		c.flushModel()
	}
}

// open returns the first call of an id that has no result yet, nil for none.
func (c *conversation) open(id []byte) *openCall {
	for i := range c.calls {
		if o := &c.calls[i]; !o.done && bytes.Equal(o.id, id) {
			return o
		}
	}
	return nil
}

// flushModel writes the model's message.
func (c *conversation) flushModel() {
	if len(c.model) > 0 {
		c.to.Assistant(c.model)
		c.model = c.model[:0]
	}
}

// flushUser writes the results of the model's last calls, and what the user said.
func (c *conversation) flushUser() {
	for _, r := range c.results {
		c.to.Result(r.call.wire, r.call.name, r.text)
	}
	for i := range c.calls {
		if o := &c.calls[i]; !o.done {
			c.to.Result(o.wire, o.name, []byte(lost))
		}
	}
	if len(c.said) > 0 {
		c.to.User(c.said, len(c.calls) > 0)
	}
	c.said, c.results, c.calls = c.said[:0], c.results[:0], c.calls[:0]
}
