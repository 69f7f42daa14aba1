package anthropic

import (
	"slices"

	"pollux/llm"
	"pollux/llm/httpwire"
)

// run is a range of consecutive messages of one side. They are sent as one message,
// because the service requires that the sides alternate.
type run struct {
	model    bool
	from, to int // indexes in contents
}

// JSON between messages, shared by all bodies.
var (
	comma         = []byte(`,`)
	openUser      = []byte(`{"role":"user","content":[`)
	openAssistant = []byte(`{"role":"assistant","content":[`)
	nextUser      = []byte(`]},{"role":"user","content":[`)
	nextAssistant = []byte(`]},{"role":"assistant","content":[`)
	closeMessage  = []byte(`]}`)
	continueUser  = []byte(`{"role":"user","content":[{"type":"text","text":"Continue."}]}`)
)

// prepare selects the messages to send and groups them into runs.
func (q *query) prepare() {
	q.encodings = encodingsFor(&q.Quirks)
	q.contents = pairCalls(q.Contents)
	q.firstThoughts = 0
	if q.lastRejected != nil {
		q.firstThoughts = slices.Index(q.contents, q.lastRejected) + 1
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

// modelBlocks returns the blocks of message i, nil if it is not the model's.
func (q *query) modelBlocks(i int) []byte {
	c := q.contents[i]
	switch {
	case c.Role != llm.RoleModel:
		return nil
	case i < q.firstThoughts:
		return c.Encoded(keyNoThoughts, appendThoughtless)
	}
	return c.Encoded(q.modelKey, q.model)
}

// userBlocks returns the tool results or the other blocks of a message, nil if it is
// the model's.
func (q *query) userBlocks(c *llm.Content, results bool) []byte {
	switch {
	case c.Role == llm.RoleModel:
		return nil
	case results:
		return c.Encoded(q.resultsKey, q.results)
	}
	return c.Encoded(q.userKey, q.user)
}

// addMessages adds the conversation and reports whether it contains tool calls. The
// last two user messages end in a cache mark: the service caches this request up to
// the last mark, and finds the previous request in its cache by the other one.
func (q *query) addMessages(b *httpwire.Body) (hasCalls bool) {
	marked := len(q.runs) // index of the first run with a mark
	for i, n := len(q.runs)-1, 0; i >= 0 && n < 2; i-- {
		if !q.runs[i].model {
			marked = i
			n++
		}
	}
	if len(q.runs) > 0 && q.runs[0].model {
		b.Add(continueUser) // the first message must be the user's
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
			hasCalls = q.addModel(b, r) || hasCalls
		} else {
			q.addUser(b, r, i >= marked)
		}
	}
	if len(q.runs) > 0 {
		b.Add(closeMessage)
	}
	switch last := len(q.runs) - 1; {
	case len(q.partial) > 0:
		b.Add(comma)
		b.Add(openAssistant)
		b.Add(q.partial)
		b.Add(closeMessage)
	case last >= 0 && q.runs[last].model && q.noPrefill:
		b.Add(comma)
		b.Add(continueUser)
	}
	return hasCalls
}

// addModel adds the blocks of the model's messages in r and reports whether they
// contain tool calls.
func (q *query) addModel(b *httpwire.Body, r run) (hasCalls bool) {
	hasBlocks := false
	for i := r.from; i < r.to; i++ {
		list := q.modelBlocks(i)
		if len(list) == 0 {
			continue
		}
		if hasBlocks {
			b.Add(comma)
		}
		hasBlocks = true
		b.Add(list)
		hasCalls = hasCalls || hasCall(q.contents[i])
	}
	return hasCalls
}

func hasCall(c *llm.Content) bool {
	return slices.ContainsFunc(c.Parts, func(p llm.Part) bool { return p.FunctionCall != nil })
}

// addUser adds the blocks of the user's messages in r, tool results first.
func (q *query) addUser(b *httpwire.Body, r run, mark bool) {
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
