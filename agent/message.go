package agent

import (
	"context"

	"pollux/llm"
)

// outgoing is the next message of a run: a prompt, tool results, or a request to continue.
type outgoing struct {
	content  *llm.Content // nil for none
	shown    string       // the text that the person typed, if content is an expansion of it
	isPrompt bool         // the person's prompt of this run
	joined   []Prompt     // waiting prompts in content, which wait again if it gets no response
	results  *llm.Content // tool results that join the history even if content is not sent, nil for none
	records  []CallRecord // of the results

	isSent bool   // it is in the history
	at     int    // its index there
	id     string // of results, and of a prompt that was in the history; "" for a new one
}

// join adds m to the history, unless it is there. If the history ends with tool results and m has
// none, a text stands in for the response that they did not get.
func (c *conversation) join(ctx context.Context, m *outgoing) {
	if m.isSent {
		return
	}
	all := c.history.all
	if !m.content.HasFunctionResponse() && len(all) > 0 && all[len(all)-1].Content.HasFunctionResponse() {
		text := interruptedText
		if c.isAtLimit {
			text = limitText
		}
		c.push(ctx, Message{Content: llm.Model(llm.Text(text))})
	}
	c.isAtLimit = false
	m.isSent, m.at, m.results = true, len(c.history.all), nil
	c.push(ctx, Message{ID: m.id, Content: m.content, Shown: m.shown, IsPrompt: m.isPrompt}, m.records...)
	if m.isPrompt {
		m.id = c.history.all[m.at].ID
	}
}

// leave removes m, the last message, from the history, so that it can be sent again. Tool results
// join the history again at the end of the run if they are not sent.
func (c *conversation) leave(ctx context.Context, m *outgoing) {
	if !m.isSent {
		return
	}
	c.cut(ctx, m.at)
	m.isSent = false
	if m.content.HasFunctionResponse() {
		m.results, m.joined = m.content, nil
	}
}

// settle completes the history when a run ends with m as its last message, so that every call has
// its response. It adds results that were not sent, or a cancelled result for each call without
// one. Prompts that joined a message without a response wait again.
func (r *run) settle(ctx context.Context, m outgoing) {
	if !m.isSent {
		r.conv.returnWaiting(m.joined)
	}
	if m.results != nil {
		r.conv.push(ctx, Message{ID: m.id, Content: m.results}, m.records...)
		return
	}
	isInterrupted := r.isInterrupted(ctx)
	text := beforeBegin.text
	if isInterrupted {
		text = atEnd.text
	}
	r.conv.settle(ctx, text, isInterrupted)
}
