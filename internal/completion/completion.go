// Package completion reports the end of background commands to the model and to the person, as the settings want.
package completion

import (
	"fmt"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/tools/shell"
	"pollux/llm"
	"pollux/tool"
)

// maxInjected is the number of characters of a background command's output that join the conversation.
const maxInjected = 5000

// Reporter reports the end of background commands of a session.
type Reporter struct {
	Project *project.Project
	// Steer adds a message to the next request, as [agent.Agent.Steer] does.
	Steer func(agent.Prompt)
}

// Ended reports the end of a command, unless the setting is "silent": a message joins the next request, and the person gets a
// line. It may be called on any goroutine.
func (r *Reporter) Ended(p shell.Process) {
	behavior := config.BackgroundCompletion.In(r.Project.Settings())
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
	r.Steer(agent.Prompt{Parts: []llm.Part{llm.Text("<background_output>\n" + text + "\n</background_output>")}, Shown: line, IsNotice: true})
	if r.Project.Options.Interactive {
		r.Project.Warn(line + ".")
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
