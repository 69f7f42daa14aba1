package conversation

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/llm"
	"pollux/tool"
)

// Item is a part of a conversation. Its texts are as others have written them: they are not clean.
type Item struct {
	Kind    Kind
	Subject string // of a thought
	Text    string // of items other than calls; the text of an answer is Markdown
	Call    *CallItem
}

// CallItem is a call of the model with its result.
type CallItem struct {
	Name   string
	Args   json.RawMessage
	Status agent.Status // Scheduled while there is no result
	// Description describes the call in one line, "" if that is not known.
	Description string
	// Display is the result for people, nil for none. Result is the result as the model got it. Output is the longer one of
	// Result and the text of Display.
	Display        tool.Display
	Result, Output string
	// Ran are the executions that differ from the call as the model wrote it.
	Ran []agent.Execution
}

// Item returns an item.
func (c *Conversation) Item(i int) Item {
	e := c.entries[i]
	m := &c.messages[e.message]
	item := Item{Kind: e.kind}
	switch e.kind {
	case Thought:
		t := m.Thoughts[e.from]
		item.Subject, item.Text = t.Subject, t.Description
	case Call:
		item.Call = c.call(e.message, m.Content.Parts[e.from].FunctionCall)
	case Prompt:
		item.Text = cmp.Or(m.Shown, joined(m.Content.Parts))
	default:
		item.Text = joined(m.Content.Parts[e.from:e.to])
	}
	return item
}

// joined returns the text of parts, with a line for each file.
func joined(parts []llm.Part) string {
	if len(parts) == 1 && parts[0].InlineData == nil && parts[0].FileData == nil {
		return parts[0].Text
	}
	var b strings.Builder
	for i := range parts {
		p := &parts[i]
		switch {
		case p.Thought:
		case p.InlineData != nil || p.FileData != nil:
			if text := b.String(); text != "" && !strings.HasSuffix(text, "\n") {
				b.WriteString("\n")
			}
			b.WriteString(mediaText(p) + "\n")
		default:
			b.WriteString(p.Text)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// mediaText describes a file in a message.
func mediaText(p *llm.Part) string {
	if d := p.FileData; d != nil {
		return fmt.Sprintf("[%s: %s]", d.MIMEType, d.FileURI)
	}
	return fmt.Sprintf("[%s, %d bytes]", p.InlineData.MIMEType, len(p.InlineData.Data))
}

// call returns a call of a message with its result.
func (c *Conversation) call(message int, call *llm.FunctionCall) *CallItem {
	item := &CallItem{Name: call.Name, Args: call.Args, Status: agent.Scheduled}
	for i := message + 1; i < len(c.messages) && c.messages[i].Content.Role != llm.RoleModel; i++ {
		m := &c.messages[i]
		for j, p := range m.Content.Parts {
			if r := p.FunctionResponse; r != nil && r.ID == call.ID {
				item.take(r, m.Content.Parts[j+1:])
				item.takeRecord(call.ID, c.records(m.ID))
				item.Output = item.Result
				if text, _ := tool.DisplayText(item.Display); len(text) >= len(item.Result) {
					item.Output = text
				}
				return item
			}
		}
	}
	return item
}

// records returns the records of the calls whose results are in a message.
func (c *Conversation) records(id string) []agent.CallRecord {
	if !c.hasCalls {
		c.calls, c.hasCalls = c.source.Calls(), true
	}
	return c.calls[id]
}

// take takes the result for the model, and the media that follow it.
func (item *CallItem) take(r *llm.FunctionResponse, rest []llm.Part) {
	var form struct{ Output, Error json.RawMessage }
	item.Status, item.Result = agent.Success, string(r.Response)
	_ = json.Unmarshal(r.Response, &form) // another form is shown as it is
	var text string
	switch {
	case form.Error != nil:
		item.Status, item.Result = agent.Failed, string(form.Error)
		if json.Unmarshal(form.Error, &text) == nil {
			item.Result = text
		}
	case form.Output != nil && json.Unmarshal(form.Output, &text) == nil:
		item.Result = text
	}
	for _, p := range slices.Concat(r.Parts, rest) {
		if p.InlineData == nil && p.FileData == nil {
			break
		}
		item.Result = strings.TrimLeft(strings.TrimRight(item.Result, "\n")+"\n"+mediaText(&p), "\n")
	}
}

// takeRecord takes what the records of finished calls have about the call with an id.
func (item *CallItem) takeRecord(id string, records []agent.CallRecord) {
	i := slices.IndexFunc(records, func(r agent.CallRecord) bool { return r.ID == id })
	if i < 0 {
		return
	}
	r := &records[i]
	item.Status, item.Description, item.Display = cmp.Or(r.Status, item.Status), r.Description, r.Display
	for _, x := range r.Executions {
		if !x.IsAsWritten() {
			item.Ran = append(item.Ran, x)
		}
	}
}
