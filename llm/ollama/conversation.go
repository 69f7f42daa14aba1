package ollama

import (
	"bytes"
	"slices"

	"pollux/llm"
	"pollux/llm/catalog"
	"pollux/llm/httpwire"
)

// lost is what a call is answered with whose result is not there.
const lost = "No result: the call was cancelled, or what came of it was lost."

// conversation writes messages in the order that models were taught: each call
// has exactly one result right behind its message, results of nothing are left
// out, and messages of one side that follow each other are one.
type conversation struct {
	b     *httpwire.Body
	begun bool

	model   []piece // of the model's message that is not written yet
	said    []piece // of the user's
	results []answered
	calls   []openCall // of the model's last message
	images  int        // so far
	pixels  int        // bytes of them
}

// openCall is a call that was made.
type openCall struct {
	id, name []byte
	done     bool
}

type answered struct {
	call *openCall
	text []byte
}

// converse writes contents. Of thoughts only those of the running tool loop go
// back: they are the reasons for its calls.
func (c *conversation) converse(m *model, contents []*llm.Content) {
	loop := loopStart(contents)
	for i, content := range contents {
		record := content.Encoded(m.key, m.appendMessage)
		if content.Role == llm.RoleModel {
			c.addModel(record, i > loop && m.thinks != catalog.No)
		} else {
			c.addUser(record)
		}
	}
	c.flushModel()
	c.flushUser()
}

// loopStart is the index of the last prompt: the running tool loop is behind it.
func loopStart(contents []*llm.Content) int {
	for i, c := range slices.Backward(contents) {
		if c.Role == llm.RoleModel || c.HasFunctionResponse() {
			continue
		}
		return i
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
	for _, p := range c.model[start:] {
		if p.kind == call {
			c.calls = append(c.calls, openCall{id: p.id, name: p.name})
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
	if len(c.model) == 0 {
		return
	}
	c.message(assistant)
	c.join(c.model, text, ``)
	c.b.Text(`"`)
	if has(c.model, thought) {
		c.b.Text(`,"thinking":"`)
		c.join(c.model, thought, ``)
		c.b.Text(`"`)
	}
	first := true
	for i := range c.model {
		p := &c.model[i]
		if p.kind != call {
			continue
		}
		if first {
			c.b.Text(`,"tool_calls":[{"id":"`)
		} else {
			c.b.Text(`,{"id":"`)
		}
		first = false
		c.b.Add(p.id)
		c.b.Text(`","function":{"name":"`)
		c.b.Add(p.name)
		c.b.Text(`","arguments":`)
		c.b.Add(p.data)
		c.b.Text(`}}`)
	}
	if !first {
		c.b.Text(`]`)
	}
	c.b.Text(`}`)
	c.model = c.model[:0]
}

// flushUser writes the results of the model's last calls, and what the user said.
func (c *conversation) flushUser() {
	for _, r := range c.results {
		c.result(r.call, r.text)
	}
	for i := range c.calls {
		if !c.calls[i].done {
			c.result(&c.calls[i], []byte(lost))
		}
	}
	if len(c.said) > 0 {
		c.message(user)
		c.join(c.said, text, `\n`)
		c.b.Text(`"`)
		if has(c.said, image) {
			c.b.Text(`,"images":[`)
			c.join(c.said, image, `,`)
			c.b.Text(`]`)
		}
		c.b.Text(`}`)
	}
	c.said, c.results, c.calls = c.said[:0], c.results[:0], c.calls[:0]
}

func (c *conversation) result(o *openCall, said []byte) {
	c.message(tool)
	c.b.Add(said)
	c.b.Text(`","tool_name":"`)
	c.b.Add(o.name)
	c.b.Text(`","tool_call_id":"`)
	c.b.Add(o.id)
	c.b.Text(`"}`)
}

// The beginnings of messages, up to the inside of their content.
const (
	system    = `{"role":"system","content":"`
	user      = `{"role":"user","content":"`
	assistant = `{"role":"assistant","content":"`
	tool      = `{"role":"tool","content":"`
)

// message begins a message.
func (c *conversation) message(head string) {
	if c.begun {
		c.b.Text(`,`)
	}
	c.begun = true
	c.b.Text(head)
}

// join writes the pieces of a kind.
func (c *conversation) join(pieces []piece, k kind, between string) {
	first := true
	for i := range pieces {
		if pieces[i].kind != k {
			continue
		}
		if !first {
			c.b.Text(between)
		}
		first = false
		c.b.Add(pieces[i].data)
		if k == image {
			c.images++
			c.pixels += len(pieces[i].data)
		}
	}
}

func has(pieces []piece, k kind) bool {
	return slices.ContainsFunc(pieces, func(p piece) bool { return p.kind == k })
}
