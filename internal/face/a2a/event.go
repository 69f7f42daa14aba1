package a2a

import (
	"strings"
	"time"

	"github.com/google/uuid"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/face/a2a/schema"
	"pollux/internal/face/kit"
	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm"
)

// take takes an event of a driver. It closes opened when the session is open. Events about input at a terminal are left out.
func (t *task) take(w *work, opened chan struct{}, e kit.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e := e.(type) {
	case kit.Opened:
		close(opened)
	case kit.Warning:
		t.server.Log.Warn(terminal.Line(e.Text), "task", t.id)
		if !e.IsNotice {
			t.remark(e.Text)
		}
	case kit.Notice:
		t.say(e.Text)
	case kit.Failed:
		if t.turn != nil && t.turn.aborted == "" {
			t.turn.err = e.Err
		}
	case kit.CommandDone:
		t.say(e.Result.Markdown(0))
	case kit.Asked:
		t.askedBy(w, e.Question)
	case kit.Settled:
		t.settled(e.Calls)
	case kit.Ran:
		t.happened(w, e.Event, nil)
	}
	if t.work == w {
		t.announceWait(false)
		t.finishIfDone(w, e)
	}
}

// say sends a text as a part of the answer. The caller holds t.mu.
func (t *task) say(text string) {
	if text = terminal.Text(text); strings.TrimSpace(text) != "" && t.turn != nil {
		t.flushText()
		t.tell(report{kind: textContent, parts: []schema.Part{schema.TextPart(text)}})
	}
}

// thought is the data of a thought.
type thought struct {
	Subject     string `json:"subject"`
	Description string `json:"description"`
}

// remark sends a text beside the answer. The caller holds t.mu.
func (t *task) remark(text string) { t.think(thought{Description: text}) }

func (t *task) think(n thought) {
	n = thought{terminal.Line(n.Subject), strings.TrimSpace(terminal.Text(n.Description))}
	if n != (thought{}) && t.turn != nil {
		t.flushText()
		t.tell(report{kind: thoughtKind, parts: []schema.Part{schema.DataPart(n)}})
	}
}

// addText sends a piece of the answer. The caller holds t.mu.
func (t *task) addText(text string) {
	if text == "" || t.turn == nil {
		return
	}
	if t.textID == "" {
		t.textID = uuid.NewString()
	}
	t.tell(report{kind: textContent, messageID: t.textID, parts: []schema.Part{schema.TextPart(text)}})
}

// flushText sends the text that the cleaner has held back. The caller holds t.mu.
func (t *task) flushText() { t.addText(t.cleaner.Flush()) }

// endText ends the message with the text of a response. The caller holds t.mu.
func (t *task) endText() {
	t.flushText()
	t.textID = ""
}

// usage are the tokens of a turn, as clients of Gemini CLI know them.
type usage struct {
	Prompt     int `json:"promptTokenCount"`
	Candidates int `json:"candidatesTokenCount"`
	Thoughts   int `json:"thoughtsTokenCount,omitempty"`
	Cached     int `json:"cachedContentTokenCount,omitempty"`
	Total      int `json:"totalTokenCount"`
}

func (u *usage) plus(more *llm.Usage) *usage {
	sum := usage{}
	if u != nil {
		sum = *u
	}
	if more == nil {
		return u
	}
	sum.Prompt += more.Prompt
	sum.Candidates += more.Candidates
	sum.Thoughts += more.Thoughts
	sum.Cached += more.CachedContent
	sum.Total += max(more.Total, more.Prompt+more.Candidates+more.Thoughts)
	return &sum
}

// happened takes an event of the run, or of an agent within calls. The caller holds t.mu.
func (t *task) happened(w *work, e agent.Event, within []*agent.ToolCall) {
	if t.turn == nil {
		return // it was cancelled
	}
	switch e := e.(type) {
	case agent.ToolRequested:
		t.calls.requested(w, within, e)
	case agent.ToolUpdated:
		t.calls.updated(w, within, e)
	case agent.ToolAsked:
		t.calls.asked(w, e)
	case agent.ToolFinished:
		t.calls.finished(w, within, e)
	case agent.Nested:
		t.happened(w, e.Event, append(within[:len(within):len(within)], e.Call))
	default:
		if len(within) == 0 { // an agent in a call answers with its result
			t.answered(w, e)
		}
	}
}

// patience is the wait from which on clients hear of a repeated request.
const patience = 5 * time.Second

// answered sends an event about the answer. Events about requests, such as [agent.Thinking], send nothing. The caller holds t.mu.
func (t *task) answered(w *work, e agent.Event) {
	switch e := e.(type) {
	case agent.TurnStarted:
		t.endText()
	case agent.ModelInfo:
		t.model = e.Model
	case agent.Text:
		t.addText(t.cleaner.Strip(e.Text))
	case agent.Thought:
		t.think(thought{e.Subject, e.Description})
	case agent.Citations:
		if text := terminal.Text(e.Text); config.ShowCitations.In(w.live.Project.Settings()) && strings.TrimSpace(text) != "" {
			t.flushText()
			t.tell(report{kind: citation, parts: []schema.Part{schema.TextPart(text)}})
		}
	case agent.Finished:
		t.endText()
		t.turn.usage = t.turn.usage.plus(e.Usage)
		t.say(e.Reason.Note())
	case agent.Waiting:
		if e.Delay > patience {
			t.remark(wording.Retrying(e))
		}
	case agent.Retried:
		t.endText() // the text so far is void
		t.remark(wording.Retried(e))
	case agent.Silent:
		t.remark(wording.Silent(e))
	case agent.Switched:
		t.model = e.To
		t.remark(wording.Switched(e))
	case agent.EditsLeft:
		t.say(wording.EditsLeft(e))
	case agent.Compressed:
		text, _ := wording.Compressed(e.Compression)
		t.remark(text)
	case agent.Overflow:
		t.say(wording.Overflow(e))
	case agent.InvalidStream:
		t.say(wording.InvalidStream(e))
	case agent.LoopDetected:
		t.say("The work has ended: the model repeats itself. Say what to do in another way.")
	case agent.Exhausted:
		t.say(wording.Exhausted(e))
	case agent.MaxTurns:
		t.say(wording.MaxTurns)
	case agent.Stopped:
		t.say(wording.Stopped(e))
	case agent.Blocked:
		t.say(wording.Blocked(e))
	}
}
