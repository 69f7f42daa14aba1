package subagent

import (
	"encoding/json"
	"slices"
	"strconv"

	"pollux/agent"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// Limits of the texts that a progress keeps and shows.
const (
	maxActivities = 100 // the newest
	maxArgs       = 500 // bytes of the arguments of a call
	maxThought    = 500 // bytes
)

// progress is the display of a subagent's work.
type progress struct {
	agent    string
	title    func(tool string) string
	show     func(tool.Display) // nil if not shown
	activity []tool.Activity
	thoughts int
}

func (p *progress) observe(e agent.Event) {
	switch e := e.(type) {
	case agent.Thought:
		if e.Subject == "" {
			return
		}
		p.think(e.Subject, tool.AgentRunning)
	case agent.ToolRequested:
		p.add(tool.Activity{
			ID: e.Call.ID, Type: "tool_call", Content: e.Call.Name, DisplayName: p.title(e.Call.Name), Args: shortArgs(e.Call.Args), Status: tool.AgentRunning,
		})
	case agent.ToolUpdated:
		a := p.find(e.Call.ID)
		if a == nil || e.Summary == "" || a.Description == e.Summary {
			return
		}
		a.Description = e.Summary
	case agent.ToolFinished:
		a := p.find(e.Call.ID)
		if a == nil {
			return
		}
		a.Status = map[agent.Status]tool.AgentState{agent.Success: tool.AgentCompleted, agent.Failed: tool.AgentError}[e.Status]
		if a.Status == "" {
			a.Status = tool.AgentCancelled
		}
	default:
		return
	}
	p.update()
}

// think adds a thought, or a remark of Pollux. It replaces a thought that nothing has followed.
func (p *progress) think(text string, status tool.AgentState) {
	text = ellipsis.Bytes(text, maxThought)
	if last := len(p.activity) - 1; last >= 0 && p.activity[last].Type == "thought" && p.activity[last].Status == tool.AgentRunning {
		p.activity[last].Content, p.activity[last].Status = text, status
		return
	}
	p.thoughts++
	p.add(tool.Activity{ID: "thought-" + strconv.Itoa(p.thoughts), Type: "thought", Content: text, Status: status})
}

func (p *progress) add(a tool.Activity) {
	if len(p.activity) == maxActivities {
		p.activity = slices.Delete(p.activity, 0, 1)
	}
	p.activity = append(p.activity, a)
}

func (p *progress) find(id string) *tool.Activity {
	for i := len(p.activity) - 1; i >= 0; i-- {
		if p.activity[i].ID == id {
			return &p.activity[i]
		}
	}
	return nil
}

func (p *progress) update() {
	if p.show != nil {
		p.show(p.display(tool.AgentRunning))
	}
}

// display returns the progress in a state. Where it is final, nothing runs any more.
func (p *progress) display(state tool.AgentState) *tool.AgentDisplay {
	d := &tool.AgentDisplay{Agent: p.agent, State: state, Activity: slices.Clone(p.activity)}
	for i := range d.Activity {
		if a := &d.Activity[i]; state != tool.AgentRunning && a.Status == tool.AgentRunning {
			a.Status = state
		}
	}
	return d
}

// shortArgs returns the arguments of a call as JSON, with long texts cut.
func shortArgs(args json.RawMessage) string {
	if len(args) <= maxArgs {
		return string(args)
	}
	short, _ := json.Marshal(tool.BriefArgs(args)) // a string
	return string(short)
}
