package anthropic

import (
	"slices"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// run is a number of messages of one side that follow each other: one to the
// service, which wants the two to take turns.
type run struct {
	model    bool
	from, to int // in contents
}

// What goes between messages, which every body shares.
var (
	comma         = []byte(`,`)
	openUser      = []byte(`{"role":"user","content":[`)
	openAssistant = []byte(`{"role":"assistant","content":[`)
	nextUser      = []byte(`]},{"role":"user","content":[`)
	nextAssistant = []byte(`]},{"role":"assistant","content":[`)
	closeMessage  = []byte(`]}`)
	continueUser  = []byte(`{"role":"user","content":[{"type":"text","text":"Continue."}]}`)
)

// prepare finds out what is to be sent of the conversation.
func (q *question) prepare() {
	q.spelling = spelled(&q.Quirks)
	q.contents = paired(q.Contents)
	q.thoughts = 0
	if q.foreign != nil {
		q.thoughts = slices.Index(q.contents, q.foreign) + 1
	}
	q.runs = make([]run, 0, len(q.contents))
	for i, c := range q.contents {
		model := c.Role == llm.RoleModel
		if len(q.modelBlocks(i)) == 0 && len(q.userBlocks(c, true)) == 0 && len(q.userBlocks(c, false)) == 0 {
			continue
		}
		if last := len(q.runs) - 1; last >= 0 && q.runs[last].model == model {
			q.runs[last].to = i + 1
		} else {
			q.runs = append(q.runs, run{model, i, i + 1})
		}
	}
}

// modelBlocks returns the blocks of a message, none if it is not the model's.
func (q *question) modelBlocks(i int) []byte {
	c := q.contents[i]
	switch {
	case c.Role != llm.RoleModel:
		return nil
	case i < q.thoughts:
		return c.Encoded(wireNoMind, appendThoughtless)
	}
	return c.Encoded(q.modelKey, q.model)
}

// userBlocks returns the results or the other blocks of a message, none if it is
// the model's.
func (q *question) userBlocks(c *llm.Content, results bool) []byte {
	switch {
	case c.Role == llm.RoleModel:
		return nil
	case results:
		return c.Encoded(q.resultsKey, q.results)
	}
	return c.Encoded(q.userKey, q.user)
}

// messages adds the conversation, and reports whether it holds calls. The last
// two of the user's messages end in a cache mark: at the newest the service
// keeps all of this request, at the one before it finds what it has kept of the
// last one.
func (q *question) messages(b *httpwire.Body) (called bool) {
	marked := len(q.runs) // the first that is
	for i, n := len(q.runs)-1, 0; i >= 0 && n < 2; i-- {
		if !q.runs[i].model {
			marked = i
			n++
		}
	}
	if len(q.runs) > 0 && q.runs[0].model {
		b.Add(continueUser) // the user has the first word
		b.Add(comma)
	}
	for i, r := range q.runs {
		switch {
		case i == 0 && r.model:
			b.Add(openAssistant)
		case i == 0:
			b.Add(openUser)
		case r.model:
			b.Add(nextAssistant)
		default:
			b.Add(nextUser)
		}
		if r.model {
			called = q.addModel(b, r) || called
		} else {
			q.addUser(b, r, i >= marked)
		}
	}
	if len(q.runs) > 0 {
		b.Add(closeMessage)
	}
	switch last := len(q.runs) - 1; {
	case len(q.soFar) > 0:
		b.Add(comma)
		b.Add(openAssistant)
		b.Add(q.soFar)
		b.Add(closeMessage)
	case last >= 0 && q.runs[last].model && q.noPrefill:
		b.Add(comma)
		b.Add(continueUser)
	}
	return called
}

func (q *question) addModel(b *httpwire.Body, r run) (called bool) {
	some := false
	for i := r.from; i < r.to; i++ {
		list := q.modelBlocks(i)
		if len(list) == 0 {
			continue
		}
		if some {
			b.Add(comma)
		}
		some = true
		b.Add(list)
		called = called || hasCall(q.contents[i])
	}
	return called
}

func hasCall(c *llm.Content) bool {
	for i := range c.Parts {
		if c.Parts[i].FunctionCall != nil {
			return true
		}
	}
	return false
}

// addUser adds the blocks of the user's side: results first, as they come.
func (q *question) addUser(b *httpwire.Body, r run, mark bool) {
	var last []byte
	for _, results := range []bool{true, false} {
		for _, c := range q.contents[r.from:r.to] {
			list := q.userBlocks(c, results)
			if len(list) == 0 {
				continue
			}
			if last != nil {
				b.Add(last)
				b.Add(comma)
			}
			last = list
		}
	}
	if mark {
		q.addMarked(b, last)
	} else {
		b.Add(last)
	}
}
