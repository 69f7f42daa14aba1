package anthropic

import (
	"fmt"
	"slices"

	"pollux/llm"
)

// pairCalls returns contents in which a result for each tool call, and nothing else,
// follows directly after the call, and in which ids are unique, as the service
// requires. Histories of the agent are already so, and their messages stay as they are.
// Those of other programs may not be, nor ids from servers that count from 0 in each
// response.
func pairCalls(contents []*llm.Content) []*llm.Content {
	p := pairer{used: make(map[string]struct{}, len(contents)/2+1), out: make([]*llm.Content, 0, len(contents))}
	for _, c := range contents {
		if c.Role == llm.RoleModel {
			if p.hasAnswer {
				p.closeCalls()
			}
			p.addModel(c)
		} else {
			p.hasAnswer = true
			p.addUser(c)
		}
	}
	p.closeCalls()
	return p.out
}

// pairer matches the calls and results of a conversation.
type pairer struct {
	out       []*llm.Content
	used      map[string]struct{}
	open      []openCall
	hasAnswer bool // a user's message follows the open calls
}

// openCall is a call without a result: its original id, the id under which it is
// sent, and the tool's name.
type openCall struct{ id, sent, name string }

// edit replaces a part of a message.
type edit struct {
	at   int
	part llm.Part
}

// addModel adds a model's message. Calls with an id that was used before get a new
// one.
func (p *pairer) addModel(c *llm.Content) {
	var edits []edit
	for i := range c.Parts {
		call := c.Parts[i].FunctionCall
		if call == nil {
			continue
		}
		id := callID(call.ID, call.Name)
		sent := id
		for n := 2; p.isUsed(sent); n++ {
			sent = callID(fmt.Sprintf("%s_%d", id, n), "")
		}
		p.used[sent] = struct{}{}
		p.open = append(p.open, openCall{id, sent, call.Name})
		if sent != id {
			renamed := *call
			renamed.ID = call.Name + "__" + sent
			part := c.Parts[i]
			part.FunctionCall = &renamed
			edits = append(edits, edit{i, part})
		}
	}
	p.add(c, edits)
}

// addUser adds a user's message. A result without a call becomes text.
func (p *pairer) addUser(c *llm.Content) {
	var edits []edit
	for i := range c.Parts {
		r := c.Parts[i].FunctionResponse
		if r == nil {
			continue
		}
		id := callID(r.ID, r.Name)
		at := slices.IndexFunc(p.open, func(o openCall) bool { return o.id == id })
		if at < 0 {
			text := fmt.Sprintf("[Result of an earlier call of %s]\n%s", r.Name, resultText(r.Response))
			edits = append(edits, edit{i, llm.Text(text)})
			continue
		}
		if sent := p.open[at].sent; sent != id {
			renamed := *r
			renamed.ID = r.Name + "__" + sent
			part := c.Parts[i]
			part.FunctionResponse = &renamed
			edits = append(edits, edit{i, part})
		}
		p.open = slices.Delete(p.open, at, at+1)
	}
	p.add(c, edits)
}

func (p *pairer) isUsed(id string) bool {
	_, ok := p.used[id]
	return ok
}

// add adds c, or an edited copy.
func (p *pairer) add(c *llm.Content, edits []edit) {
	if len(edits) > 0 {
		c = &llm.Content{Role: c.Role, Parts: slices.Clone(c.Parts)}
	}
	for _, e := range edits {
		c.Parts[e.at] = e.part
	}
	p.out = append(p.out, c)
}

// closeCalls adds error results for all calls without a result.
func (p *pairer) closeCalls() {
	var parts []llm.Part
	for _, o := range p.open {
		parts = append(parts, llm.Part{FunctionResponse: llm.Failure(o.name+"__"+o.sent, o.name, "The call was not run, or its result is lost.")})
	}
	if len(parts) > 0 {
		p.out = append(p.out, llm.User(parts...))
	}
	p.open, p.hasAnswer = p.open[:0], false
}
