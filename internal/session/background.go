package session

import (
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/tools/shell"
	"pollux/llm"
	"pollux/tool"
)

// maxInjected is the number of characters of a background command's output that join the conversation.
const maxInjected = 5000

// commandEnded does what the settings want at the end of a background command: a message joins the next request, and the
// person gets a line.
func (s *Session) commandEnded(p shell.Process) {
	behavior := config.BackgroundCompletion.In(s.Project.Settings())
	if behavior != "inject" && behavior != "notify" {
		return
	}
	how := "completed successfully"
	if p.Code != 0 || p.Signal != 0 {
		how = "completed with error: " + p.Phase()
	}
	command := strings.Join(strings.Fields(p.Command), " ")
	text := fmt.Sprintf("[Background command %s: `%s` (PID %d). Output saved to %s]", how, command, p.PID, p.Log)
	if behavior == "inject" {
		text += "\n<output>\n" + strings.ReplaceAll(lastOutput(p), "</output>", "&lt;/output&gt;") + "\n</output>"
	}
	line := fmt.Sprintf("Background command %s: %s (PID %d)", how, command, p.PID)
	s.agent.Steer(agent.Prompt{Parts: []llm.Part{llm.Text("<background_output>\n" + text + "\n</background_output>")}, Shown: line, IsNotice: true})
	if s.Project.Options.Interactive {
		s.Project.Warn(line + ".")
	}
}

// lastOutput returns the end of the output of a command.
func lastOutput(p shell.Process) string {
	const most = 1000
	lines, err := p.LastLines(most)
	if err != nil || len(lines) == 0 {
		return "(empty)"
	}
	text, _ := tool.Truncate(strings.Join(lines, "\n"), maxInjected, nil)
	return text
}
