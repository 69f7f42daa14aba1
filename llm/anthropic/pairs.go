package anthropic

import (
	"fmt"
	"slices"

	"pollux/llm"
)

// paired returns contents such that each call is answered in the message right
// after it, nothing else is, and no id stands for two calls: the service refuses
// everything else. The agent's histories are so already, and are returned as
// they are; those of other programs, and ids of servers that count from 0 in
// each answer, are not.
func paired(contents []*llm.Content) []*llm.Content {
	if arePaired(contents) {
		return contents
	}
	p := pairer{used: map[string]bool{}}
	for _, c := range contents {
		if c.Role == llm.RoleModel {
			if p.answering {
				p.close()
			}
			p.model(c)
		} else {
			p.answering = true
			p.user(c)
		}
	}
	p.close()
	return p.out
}

// arePaired goes over the ids alone.
func arePaired(contents []*llm.Content) bool {
	used := make(map[string]struct{}, len(contents)/2+1)
	var open []string // calls without an answer
	answering := false
	for _, c := range contents {
		model := c.Role == llm.RoleModel
		if model && answering && len(open) > 0 {
			return false
		}
		answering = !model
		for i := range c.Parts {
			switch p := &c.Parts[i]; {
			case p.FunctionCall != nil && model:
				id := callID(p.FunctionCall.ID, p.FunctionCall.Name)
				if _, twice := used[id]; twice {
					return false
				}
				used[id] = struct{}{}
				open = append(open, id)
			case p.FunctionResponse != nil && !model:
				at := slices.Index(open, callID(p.FunctionResponse.ID, p.FunctionResponse.Name))
				if at < 0 {
					return false
				}
				open = slices.Delete(open, at, at+1)
			}
		}
	}
	return len(open) == 0
}

// pairer makes a conversation's calls and results fit each other.
type pairer struct {
	out       []*llm.Content
	used      map[string]bool
	open      []openCall
	answering bool // the user's side has spoken after the calls
}

type openCall struct{ id, sent, name string }

// model takes a model's message; calls whose id was there before get another.
func (p *pairer) model(c *llm.Content) {
	parts := slices.Clone(c.Parts)
	changed := false
	for i := range parts {
		call := parts[i].FunctionCall
		if call == nil {
			continue
		}
		id := callID(call.ID, call.Name)
		sent := id
		for n := 2; p.used[sent]; n++ {
			sent = callID(fmt.Sprintf("%s_%d", id, n), "")
		}
		p.used[sent] = true
		p.open = append(p.open, openCall{id, sent, call.Name})
		if sent != id {
			renamed := *call
			renamed.ID = call.Name + "__" + sent
			parts[i].FunctionCall, changed = &renamed, true
		}
	}
	p.add(c, parts, changed)
}

// user takes a message of the user's side; a result without a call becomes text.
func (p *pairer) user(c *llm.Content) {
	parts := slices.Clone(c.Parts)
	changed := false
	for i := range parts {
		r := parts[i].FunctionResponse
		if r == nil {
			continue
		}
		id := callID(r.ID, r.Name)
		at := slices.IndexFunc(p.open, func(o openCall) bool { return o.id == id })
		if at < 0 {
			parts[i], changed = llm.Text(fmt.Sprintf("[Result of an earlier call of %s]\n%s", r.Name, resultText(r.Response))), true
			continue
		}
		if sent := p.open[at].sent; sent != id {
			renamed := *r
			renamed.ID = r.Name + "__" + sent
			parts[i].FunctionResponse, changed = &renamed, true
		}
		p.open = slices.Delete(p.open, at, at+1)
	}
	p.add(c, parts, changed)
}

func (p *pairer) add(c *llm.Content, parts []llm.Part, changed bool) {
	if changed {
		c = &llm.Content{Role: c.Role, Parts: parts}
	}
	p.out = append(p.out, c)
}

// close answers the calls that nothing has answered.
func (p *pairer) close() {
	var parts []llm.Part
	for _, o := range p.open {
		parts = append(parts, llm.Part{FunctionResponse: llm.Failure(o.name+"__"+o.sent, o.name, "The call was not run, or its result is lost.")})
	}
	if len(parts) > 0 {
		p.out = append(p.out, llm.User(parts...))
	}
	p.open, p.answering = nil, false
}
