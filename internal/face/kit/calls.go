package kit

import (
	"time"

	"pollux/agent"
	"pollux/internal/terminal"
	"pollux/tool"
)

// Calls holds the tool calls of one run, in the order in which the model made them. The zero value is empty.
type Calls struct {
	byID  map[string]*Call
	order []*Call
}

// Call is a tool call as far as it is known.
type Call struct {
	*agent.ToolCall
	Summary    string              // one clean line
	HasBegun   bool                // to run
	Began      time.Time           // zero before that
	IsBeside   bool                // another call has run at the same time
	IsFinished bool                // or refused
	WasAsked   bool                // there was a question about the call, whose details the person has seen
	IsQuestion bool                // the call itself is a question to the person
	Continued  *agent.PreparedCall // the call with which a hook continues this one, if it runs
	Output     tool.Display        // the newest live output, nil if there is none
}

// Get returns a call, and adds it if it is new.
func (c *Calls) Get(t *agent.ToolCall) *Call {
	if known := c.byID[t.ID]; known != nil {
		return known
	}
	if c.byID == nil {
		c.byID = map[string]*Call{}
	}
	added := &Call{ToolCall: t}
	c.byID[t.ID] = added
	c.order = append(c.order, added)
	return added
}

// Observe takes an event of the run. It reports whether a call has begun, or a call with which a hook continues it.
func (c *Calls) Observe(e agent.Event) (hasBegun bool) {
	switch e := e.(type) {
	case agent.ToolRequested:
		c.Get(e.Call)
	case agent.ToolUpdated:
		call := c.Get(e.Call)
		if hasBegun = call.update(e); hasBegun {
			for running := c.Running(); len(running) > 1; running = running[1:] {
				running[0].IsBeside, running[1].IsBeside = true, true
			}
		}
		return hasBegun
	case agent.ToolAsked:
		if len(e.Within) == 0 {
			call := c.Get(e.Call)
			call.WasAsked = true
			_, call.IsQuestion = e.Question.Details().(*tool.QuestionConfirmation)
		}
	case agent.ToolFinished:
		call := c.Get(e.Call)
		call.IsFinished = true
		if n := len(e.Executions); call.Summary == "" && n > 0 {
			call.Summary = Brief(e.Executions[0].Summary)
		}
	}
	return false
}

// update takes the progress of the call, and reports whether it has begun, or the call with which a hook continues it.
func (c *Call) update(e agent.ToolUpdated) (hasBegun bool) {
	if e.Output != nil {
		c.Output = e.Output
	}
	if e.Running != nil && e.Running.Call().Requested != "" {
		hasBegun = c.Continued != e.Running
		c.Continued = e.Running
		return hasBegun
	}
	if e.Summary != "" {
		c.Summary = Brief(e.Summary)
	}
	hasBegun = e.Status == agent.Executing && !c.HasBegun && !c.IsQuestion
	if hasBegun {
		c.HasBegun, c.Began = true, time.Now()
	}
	return hasBegun
}

// Running returns the calls that run.
func (c *Calls) Running() (list []*Call) {
	for _, call := range c.order {
		if call.HasBegun && !call.IsFinished {
			list = append(list, call)
		}
	}
	return list
}

// Label returns the title of the tool and the summary of the call.
func (c *Call) Label(names Names) string { return Label(names, c.Name, c.Summary) }

// Label returns the title of a tool and the summary of a call, on one clean line.
func Label(names Names, tool, summary string) string {
	if names != nil {
		if title := names.ToolTitle(tool); title != "" {
			tool = title
		}
	}
	if tool = terminal.Line(tool); summary != "" {
		tool += ": " + Brief(summary)
	}
	return tool
}
