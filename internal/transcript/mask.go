package transcript

import (
	"maps"
	"slices"

	"pollux/agent"
	"pollux/internal/secret"
	"pollux/llm"
	"pollux/tool"
)

// Masked returns a copy of a conversation without the secrets that m finds, for other readers than the
// session's user. A nil m finds none.
func Masked(history []agent.Message, m *secret.Masker) []agent.Message {
	if m == nil {
		return history
	}
	masked := slices.Clone(history)
	for i := range masked {
		one := &masked[i]
		one.Shown = m.Text(one.Shown)
		one.Thoughts = slices.Clone(one.Thoughts)
		for j := range one.Thoughts {
			t := &one.Thoughts[j]
			t.Subject, t.Description = m.Text(t.Subject), m.Text(t.Description)
		}
		parts := slices.Clone(one.Content.Parts)
		for j := range parts {
			maskPart(&parts[j], m)
		}
		one.Content = &llm.Content{Role: one.Content.Role, Parts: parts}
	}
	return masked
}

// MaskedCalls returns a copy of records of calls without the secrets that m finds. A nil m finds none.
func MaskedCalls(calls map[string][]agent.CallRecord, m *secret.Masker) map[string][]agent.CallRecord {
	if m == nil {
		return calls
	}
	masked := map[string][]agent.CallRecord{}
	for id, list := range calls {
		list = slices.Clone(list)
		for i := range list {
			list[i].Executions = slices.Clone(list[i].Executions)
			for j := range list[i].Executions {
				x := &list[i].Executions[j]
				x.Args, x.Summary, x.Decision.Reason = m.JSON(x.Args), m.Text(x.Summary), m.Text(x.Decision.Reason)
				x.Changes = maskedChanges(x.Changes, m)
			}
		}
		masked[id] = list
	}
	return masked
}

func maskedChanges(c *tool.Changes, m *secret.Masker) *tool.Changes {
	if c == nil {
		return nil
	}
	masked := *c
	masked.Files, masked.Beside = slices.Clone(c.Files), slices.Clone(c.Beside)
	for i := range masked.Files {
		masked.Files[i].Path = m.Text(masked.Files[i].Path)
	}
	for i := range masked.Beside {
		masked.Beside[i] = m.Text(masked.Beside[i])
	}
	return &masked
}

func maskPart(p *llm.Part, m *secret.Masker) {
	p.Text = m.Text(p.Text)
	if c := p.FunctionCall; c != nil {
		call := *c
		call.Args = m.JSON(c.Args)
		p.FunctionCall = &call
	}
	if r := p.FunctionResponse; r != nil {
		response := *r
		response.Response = m.JSON(r.Response)
		response.Parts = slices.Clone(r.Parts)
		for i := range response.Parts {
			maskPart(&response.Parts[i], m)
		}
		p.FunctionResponse = &response
	}
	p.Extra = maps.Clone(p.Extra)
	for name, value := range p.Extra {
		p.Extra[name] = m.JSON(value)
	}
}
