package acp

import (
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/acp/schema"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// answer is the text of the model on its way to the client.
type answer struct {
	chat    *chat
	cleaner terminal.Stripper
}

func (a *answer) add(text string) { a.send(a.cleaner.Strip(text)) }

// flush sends the text that the cleaner has held back.
func (a *answer) flush() { a.send(a.cleaner.Flush()) }

func (a *answer) send(text string) {
	if text != "" {
		a.chat.chunk(schema.AgentChunk, a.chat.messages.ofResponse(schema.AgentChunk), schema.TextOf(text))
	}
}

// say tells the person something as a message of the agent.
func (c *chat) say(text string) {
	if text = terminal.Text(text); strings.TrimSpace(text) != "" {
		c.text.flush()
		c.chunk(schema.AgentChunk, c.messages.ofNote(schema.AgentChunk), schema.TextOf(text))
	}
}

// remark tells the person something beside the answer.
func (c *chat) remark(text string) { c.beside(text, c.messages.ofNote) }

// thought tells the person a thought of the model.
func (c *chat) thought(t agent.Thought) { c.beside(thought(t), c.messages.ofResponse) }

// beside sends a text as a thought.
func (c *chat) beside(text string, id func(schema.Kind) string) {
	if text = strings.TrimSpace(terminal.Text(text)); text != "" {
		c.text.flush()
		c.chunk(schema.ThoughtChunk, id(schema.ThoughtChunk), schema.TextOf(text+"\n"))
	}
}

// note tells the person about a warning: now, or in the next turn, because clients miss updates between turns.
func (c *chat) note(text string) {
	c.server.log(text)
	c.mu.Lock()
	isNow := c.turn != nil && c.turn.isSent
	if !isNow {
		c.notes = append(c.notes, text)
	}
	c.mu.Unlock()
	if isNow {
		c.remark(text)
	}
}

// happened takes an event of the run, or of an agent within calls.
func (c *chat) happened(w *work, e agent.Event, within []*agent.ToolCall) {
	switch e := e.(type) {
	case agent.ToolUpdated:
		c.calls.updated(w, within, e)
		return
	case agent.ToolAsked:
		c.calls.asked(w, e)
		return
	case agent.ToolFinished:
		c.calls.finished(w, within, e)
		return
	case agent.Nested:
		c.happened(w, e.Event, append(within[:len(within):len(within)], e.Call))
		return
	}
	if len(within) > 0 {
		return // an agent in a call answers with its result
	}
	c.answered(w, e)
	if t := c.inTurn(); t != nil {
		t.observe(e)
	}
}

// answered shows an event about the answer. Events about requests, such as [agent.TurnStarted], show nothing.
func (c *chat) answered(w *work, e agent.Event) {
	set := w.live.Project.Settings()
	switch e := e.(type) {
	case agent.Text:
		c.text.add(e.Text)
	case agent.Thought:
		c.thought(e)
	case agent.Citations:
		if config.ShowCitations.In(set) {
			c.say("\n\n" + e.Text)
		}
	case agent.Finished:
		c.text.flush()
		if note := e.Reason.Note(); note != "" {
			c.say("\n\n" + note)
		}
		c.messages.endResponse()
		c.tellUsage(w, e)
	case agent.Waiting:
		if e.Delay > patience {
			c.remark(wording.Retrying(e))
		}
	case agent.Retried:
		if e.Cause.Type != "NO_RESPONSE_TEXT" && e.Cause.Type != "THINKING_ONLY_RESPONSE" {
			c.remark(wording.Retried(e))
		}
	case agent.Silent:
		c.remark(wording.Silent(e))
	case agent.Switched:
		c.remark(wording.Switched(e))
	case agent.EditsLeft:
		c.say("\n\n" + wording.EditsLeft(e))
	case agent.Compressed:
		text, _ := wording.Compressed(e.Compression)
		c.remark(text)
	case agent.Overflow:
		c.say(wording.Overflow(e))
	case agent.InvalidStream:
		c.say(wording.InvalidStream(e))
	case agent.LoopDetected:
		c.say("The work has ended: the model repeats itself. Say what to do in another way.")
	case agent.Exhausted:
		c.say(wording.Exhausted(e))
	case agent.MaxTurns:
		c.say(wording.MaxTurns)
	case agent.Stopped:
		c.say(wording.Stopped(e))
	case agent.Blocked:
		c.say(wording.Blocked(e))
	}
}

// patience is the wait from which on the person hears of a repeated request.
const patience = 5 * time.Second

// thought returns a thought as Gemini CLI writes it.
func thought(t agent.Thought) string {
	if t.Subject == "" {
		return t.Description
	}
	return "**" + t.Subject + "**\n" + t.Description
}

// observe takes an event that decides about the result of the turn.
func (t *turn) observe(e agent.Event) {
	switch e := e.(type) {
	case agent.ModelInfo:
		t.quota.model = e.Model
	case agent.Switched:
		t.quota.model = e.To
	case agent.Finished:
		t.quota.add(e.Usage)
		if e.Reason.IsRefusal() {
			t.reason = schema.Refusal
		}
	case agent.Overflow:
		t.reason = schema.MaxTokens
	case agent.InvalidStream:
		switch {
		case e.Type == "MAX_TOKENS_EXCEEDED":
			t.reason = schema.MaxTokens
		case strings.HasSuffix(e.Type, "_BLOCKED"):
			t.reason = schema.Refusal
		}
	case agent.LoopDetected, agent.Exhausted, agent.MaxTurns:
		t.reason = schema.MaxTurnRequests
	}
}

// tellUsage tells the client how full the context window is after a response.
func (c *chat) tellUsage(w *work, e agent.Finished) {
	t := c.inTurn()
	if e.Usage == nil || t == nil {
		return
	}
	model := t.quota.model
	if model == "" {
		model = w.live.Models.Current().Model
	}
	u := schema.Usage{Kind: schema.UsageChanged, Used: max(e.Usage.Total, e.Usage.Prompt+e.Usage.Candidates+e.Usage.Thoughts), Size: w.live.Window(model)}
	if u.Size <= 0 {
		return
	}
	counts := w.live.Observers.Stats.Snapshot()
	if cost := counts.Cost(); cost != nil {
		u.Cost = &schema.Cost{Amount: *cost, Currency: "USD"}
	}
	c.send(u)
}
