package transcript

import (
	"slices"
	"strings"
	"time"

	"pollux/agent"
	"pollux/internal/face/kit"
	"pollux/internal/face/tui/styled"
	"pollux/tool"
)

// call is a tool call that has not ended.
type call struct {
	*kit.Call
	kind   tool.Kind
	status agent.Status
	began  time.Time // zero before the call runs
	files  []tool.Location
	pid    int    // of the process that the call has started, 0 for none
	nested []head // the last calls of an agent inside the call that ended

	output  []string // the last lines of the live output, clean
	hidden  int      // lines before them
	isStale bool     // there is newer output
}

// isRunning reports whether the call runs now.
func (c *call) isRunning() bool { return !c.began.IsZero() && c.status == agent.Executing }

// itemOf returns the item of a call, and adds it if it is new.
func (t *Transcript) itemOf(made *agent.ToolCall) *item {
	known := t.calls.Get(made)
	if it := t.open[known]; it != nil {
		return it
	}
	it := &item{group: row, isOpen: true, call: &call{Call: known}}
	if t.open == nil {
		t.open = map[*kit.Call]*item{}
	}
	t.open[known] = it
	t.queue = append(t.queue, it)
	return it
}

// handleCall takes an event of a call.
func (t *Transcript) handleCall(e agent.Event, at time.Time) {
	switch e := e.(type) {
	case agent.ToolRequested:
		t.itemOf(e.Call)
	case agent.ToolUpdated:
		t.itemOf(e.Call).call.update(e, t.calls.Observe(e), at)
	case agent.ToolAsked:
		if len(e.Within) == 0 {
			t.itemOf(e.Call).call.status = agent.AwaitingApproval
			t.calls.Observe(e)
		}
	case agent.ToolFinished:
		it := t.itemOf(e.Call)
		t.calls.Observe(e)
		t.addPictures(it, t.picturesOf(it.call, e.Result))
		t.endCall(it, t.finishedLines(it.call, e))
	case agent.Nested:
		if f, isEnd := e.Event.(agent.ToolFinished); isEnd {
			t.itemOf(e.Call).call.addNested(t, f)
		}
	}
}

// update takes the progress of the call. hasBegun is set if it has begun to run.
func (c *call) update(e agent.ToolUpdated, hasBegun bool, at time.Time) {
	if e.Status != "" {
		c.status = e.Status
	}
	if hasBegun && c.began.IsZero() {
		c.began = at
	}
	if e.Output != nil {
		c.isStale = true
	}
	if e.PID != 0 {
		c.pid = e.PID
	}
	if e.Running != nil && e.Running.Call().Requested != "" {
		return // a hook continues the call with another one
	}
	if e.Kind != "" {
		c.kind = e.Kind
	}
	if len(e.Locations) > 0 {
		c.files = e.Locations
	}
}

// addNested notes the end of a call of an agent inside the call.
func (c *call) addNested(t *Transcript, f agent.ToolFinished) {
	for i := range f.Executions {
		x := &f.Executions[i]
		h := head{glyph: glyphOf(x.Status), isDense: true, name: t.title(x.Name), about: kit.Brief(x.Summary)}
		if x.Result != nil {
			h.remark = arrow(kit.Brief(x.Result.Summary))
		}
		if len(c.nested) == maxActivities {
			c.nested = slices.Delete(c.nested, 0, 1)
		}
		c.nested = append(c.nested, h)
	}
}

// endCall ends a call, which shows these lines.
func (t *Transcript) endCall(it *item, lines []styled.Line) {
	delete(t.open, it.call.Call)
	if len(t.open) == 0 {
		t.calls = kit.Calls{}
	}
	it.isAgent = it.call.isAgent()
	it.isOpen, it.call = false, nil
	if len(styled.Unblocked(lines)) != 1 {
		it.group = apart
	}
	t.put(it, lines)
}

// abandonedLines returns the lines of a call that the end of the work has ended.
func (t *Transcript) abandonedLines(c *call) []styled.Line {
	if c.IsQuestion {
		return nil
	}
	h := t.pendingHead(c)
	h.glyph = cancelled
	return t.headLines(h)
}

// pendingHead returns the head of a call that has not ended, without the time.
func (t *Transcript) pendingHead(c *call) head {
	h := head{
		glyph: glyphOf(c.status), isDense: !t.Options.IsLoose && isListed(c.kind),
		name: t.title(c.Name), about: c.Summary, link: t.linkTo(c.files),
	}
	if p := c.Continued; p != nil {
		h.name, h.about, h.link = t.title(p.Tool().Spec().Name), kit.Brief(p.Summary()), ""
	}
	if d, isAgent := c.Output.(*tool.AgentDisplay); isAgent {
		h.name, h.about = agentHead(d.Agent, c)
	} else if name := agentName(c); name != "" {
		h.name, h.about = agentHead(name, c)
	}
	return h
}

// isListed reports whether calls of a kind are lines of a list, if their results allow that.
func isListed(k tool.Kind) bool {
	return k == tool.KindRead || k == tool.KindEdit || k == tool.KindSearch || k == tool.KindFetch
}

// liveOutput returns the last lines of the live output, and the number of lines before them.
func (c *call) liveOutput() (texts []string, hidden int) {
	if c.isStale {
		c.isStale = false
		text, _ := tool.DisplayText(c.Output)
		c.output, c.hidden = kit.LastLines(text, maxOutput)
		for i, text := range c.output {
			c.output[i] = strings.TrimRight(styled.Text(text), " ")
		}
	}
	return c.output, c.hidden
}

// arrow returns a remark about a result, "" for no text.
func arrow(text string) string {
	if text == "" {
		return ""
	}
	return "→ " + text
}
