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
	closeMessage  = []byte(`]}`)
	continueUser  = []byte(`{"role":"user","content":[{"type":"text","text":"Continue."}]}`)
)

// messages adds the conversation, and reports whether it holds calls. The last
// two of the user's messages end in a cache mark: at the newest the service
// keeps all of this request, at the one before it finds what it has kept of the
// last one.
func (q *question) messages(b *httpwire.Body) (called bool) {
	foreign := q.foreignEnd()
	runs := q.runs(foreign)
	q.any = len(runs) > 0
	marked := 2
	firstMarked := len(runs)
	for i := len(runs) - 1; i >= 0 && marked > 0; i-- {
		if !runs[i].model {
			firstMarked = i
			marked--
		}
	}
	if len(runs) > 0 && runs[0].model {
		b.Add(continueUser) // the user has the first word
		b.Add(comma)
	}
	for i, r := range runs {
		if i > 0 {
			b.Add(comma)
		}
		if r.model {
			b.Add(openAssistant)
			called = q.addModel(b, r, foreign) || called
		} else {
			b.Add(openUser)
			q.addUser(b, r, i >= firstMarked)
		}
		b.Add(closeMessage)
	}
	switch last := len(runs) - 1; {
	case len(q.soFar) > 0:
		b.Add(comma)
		b.Add(openAssistant)
		b.Add(q.soFar)
		b.Add(closeMessage)
	case last >= 0 && runs[last].model && q.noPrefill:
		b.Add(comma)
		b.Add(continueUser)
	}
	return called
}

// runs groups the messages; those of which nothing is to be sent are in none.
func (q *question) runs(foreign int) []run {
	runs := make([]run, 0, len(q.contents))
	for i, c := range q.contents {
		model := c.Role == llm.RoleModel
		switch {
		case model && len(q.modelBlocks(i, foreign)) == 0:
			continue
		case !model && len(c.Encoded(wireResults, appendResults)) == 0 && len(c.Encoded(wire, appendUser)) == 0:
			continue
		}
		if last := len(runs) - 1; last >= 0 && runs[last].model == model {
			runs[last].to = i + 1
		} else {
			runs = append(runs, run{model, i, i + 1})
		}
	}
	return runs
}

// foreignEnd returns the index behind the messages whose thoughts are left out.
func (q *question) foreignEnd() int {
	if q.foreign == nil {
		return 0
	}
	return slices.Index(q.contents, q.foreign) + 1
}

func (q *question) modelBlocks(i, foreign int) []byte {
	if i < foreign {
		return q.contents[i].Encoded(wireNoMind, appendThoughtless)
	}
	return q.contents[i].Encoded(wire, appendModel)
}

func (q *question) addModel(b *httpwire.Body, r run, foreign int) (called bool) {
	some := false
	for i := r.from; i < r.to; i++ {
		if q.contents[i].Role != llm.RoleModel { // one with nothing to send
			continue
		}
		list := q.modelBlocks(i, foreign)
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
			if c.Role == llm.RoleModel { // one with nothing to send
				continue
			}
			list := c.Encoded(wire, appendUser)
			if results {
				list = c.Encoded(wireResults, appendResults)
			}
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
