// Package chatwire contains the common code of chat protocols with a list of
// messages: OpenAI's two protocols and Ollama's. It converts a history into
// messages that services accept, and a response into chunks. Names of members
// and parameters belong to the packages of the protocols.
//
// Each message is encoded once, into a record of pieces (see [Piece]) that is
// cached with the message (see [llm.Content.Encoded]). [Write] decides for each
// request how to arrange the pieces: which calls have results, and which
// messages are merged. It does not change the pieces.
package chatwire

import (
	"bytes"

	"pollux/llm"
)

// Writer writes the messages of a request in protocol form. The slices that its
// methods receive are valid until the method returns; the data of the pieces
// never changes and may be kept.
type Writer interface {
	// CallID returns the wire id of the next call, whose id may equal that of
	// an earlier call.
	CallID(id []byte) []byte
	// Assistant writes a message of the model.
	Assistant(pieces Pieces)
	// Result writes the result of the call id of the function name.
	Result(id, name, text []byte)
	// User writes a user message. afterResults reports whether it follows
	// results.
	User(pieces Pieces, afterResults bool)
}

// Write writes contents to w in an order that services accept: exactly one
// result after each call, no results without a call, and no two consecutive
// messages of the same role. It includes the thoughts only of messages with an
// index greater than thoughtsAfter.
func Write(w Writer, f Form, contents []*llm.Content, thoughtsAfter int) {
	c := conversation{to: w}
	for i, m := range contents {
		record := Record(f, m)
		if m.Role == llm.RoleModel {
			c.addModel(record, i > thoughtsAfter)
		} else {
			c.addUser(record)
		}
	}
	c.flushModel()
	c.flushUser()
}

// missingResult is sent as the result of a call that has none.
const missingResult = "No result: the call was cancelled, or its result was lost."

// conversation holds pieces that are not written yet.
type conversation struct {
	to Writer

	model   Pieces // of the current model message
	user    Pieces // of the current user message
	results []callResult
	calls   []pendingCall // of the last model message
}

// pendingCall is a call of the model. id is its id in the record, wire the id
// that is sent.
type pendingCall struct {
	id, wire, name []byte
	hasResult      bool
}

type callResult struct {
	call *pendingCall
	text []byte
}

func (c *conversation) addModel(record []byte, thoughts bool) {
	start, hasContent := len(c.model), false
	var p Piece
	for len(record) > 0 {
		record = p.read(record)
		if p.Kind != Thought {
			hasContent = true
		} else if !thoughts {
			continue
		}
		c.model = append(c.model, p)
	}
	if !hasContent { // thoughts without text or calls
		c.model = c.model[:start]
		return
	}
	if len(c.user)+len(c.results) > 0 {
		c.flushUser()
	}
	for i := start; i < len(c.model); i++ {
		if p := &c.model[i]; p.Kind == Call {
			o := pendingCall{id: p.ID, wire: c.to.CallID(p.ID), name: p.Name}
			c.calls = append(c.calls, o)
			p.ID = o.wire
		}
	}
}

func (c *conversation) addUser(record []byte) {
	var p Piece
	for len(record) > 0 {
		record = p.read(record)
		if p.Kind != Result {
			c.user = append(c.user, p)
			continue
		}
		if o := c.openCall(p.ID); o != nil {
			o.hasResult = true
			c.results = append(c.results, callResult{o, p.Data})
		}
	}
	if len(c.user)+len(c.results) > 0 {
		c.flushModel()
	}
}

// openCall returns the first call with this id that has no result, or nil.
func (c *conversation) openCall(id []byte) *pendingCall {
	for i := range c.calls {
		if o := &c.calls[i]; !o.hasResult && bytes.Equal(o.id, id) {
			return o
		}
	}
	return nil
}

func (c *conversation) flushModel() {
	if len(c.model) > 0 {
		c.to.Assistant(c.model)
		c.model = c.model[:0]
	}
}

// flushUser writes the results of the last calls, and the user message.
func (c *conversation) flushUser() {
	for _, r := range c.results {
		c.to.Result(r.call.wire, r.call.name, r.text)
	}
	for i := range c.calls {
		if o := &c.calls[i]; !o.hasResult {
			c.to.Result(o.wire, o.name, []byte(missingResult))
		}
	}
	if len(c.user) > 0 {
		c.to.User(c.user, len(c.calls) > 0)
	}
	c.user, c.results, c.calls = c.user[:0], c.results[:0], c.calls[:0]
}
