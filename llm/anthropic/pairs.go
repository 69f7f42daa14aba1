package anthropic

import (
	"fmt"
	"slices"

	"pollux/llm"
)

// pairCalls returns contents in which a result for each tool call, and nothing else,
// follows directly after the call, and in which ids are unique, as the service
// requires. Histories of the agent are already so and returned unchanged. Those of
// other programs may not be, nor ids from servers that count from 0 in each response.
func pairCalls(contents []*llm.Content) []*llm.Content {
	if arePaired(contents) {
		return contents
	}
	p := pairer{used: map[string]bool{}}
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

// arePaired reports whether contents already fulfill the conditions of pairCalls.
func arePaired(contents []*llm.Content) bool {
	used := make(map[string]struct{}, len(contents)/2+1)
	var open []string // calls without an answer
	hasAnswer := false
	for _, c := range contents {
		model := c.Role == llm.RoleModel
		if model && hasAnswer && len(open) > 0 {
			return false
		}
		hasAnswer = !model
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

// pairer matches the calls and results of a conversation.
type pairer struct {
	out       []*llm.Content
	used      map[string]bool
	open      []openCall
	hasAnswer bool // a user's message follows the open calls
}

// openCall is a call without a result: its original id, the id under which it is
// sent, and the tool's name.
type openCall struct{ id, sent, name string }

// addModel adds a model's message. Calls with an id that was used before get a new
// one.
func (p *pairer) addModel(c *llm.Content) {
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

// addUser adds a user's message. A result without a call becomes text.
func (p *pairer) addUser(c *llm.Content) {
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

// add adds c, with other parts if changed is set.
func (p *pairer) add(c *llm.Content, parts []llm.Part, changed bool) {
	if changed {
		c = &llm.Content{Role: c.Role, Parts: parts}
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
	p.open, p.hasAnswer = nil, false
}
