package transcript

import (
	"fmt"

	"pollux/internal/face/tui/styled"
	"pollux/internal/face/tui/theme"
	"pollux/tool"
)

// agentCount counts the calls of agents that are not printed.
type agentCount struct {
	running, ended int
	isHeaded       bool // their heading is drawn
}

// isAgent reports whether the call runs an agent. c may be nil.
func (c *call) isAgent() bool {
	if c == nil {
		return false
	}
	_, shows := c.Output.(*tool.AgentDisplay)
	return shows || agentName(c) != ""
}

func (t *Transcript) countAgents() (n agentCount) {
	for _, it := range t.queue {
		switch {
		case it.call.isAgent():
			n.running++
		case it.isAgent:
			n.ended++
		}
	}
	return n
}

// areShared reports whether there are several agents, so that each has few lines below a heading.
func (n agentCount) areShared() bool { return n.running > 0 && n.running+n.ended > 1 }

// line returns the heading.
func (n agentCount) line(width int, t theme.Theme) styled.Line {
	text := fmt.Sprintf("Running %d Agents...", n.running)
	if n.ended > 0 {
		text = fmt.Sprintf("%d Agents (%d running, %d completed)...", n.running+n.ended, n.running, n.ended)
	}
	return styled.Line{{Text: "≡ ", Style: t.Active()}, {Text: text}, {Text: " (ctrl+o to expand)", Style: t.Secondary()}}.Cut(width)
}
