// Package completion reports the end of background commands to the model and to the person, as the settings want.
package completion

import (
	"fmt"
	"slices"
	"strings"

	"pollux/agent"
	"pollux/internal/config"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/tools/shell"
	"pollux/llm"
	"pollux/tool"
)

// maxInjected is the number of characters of a background command's output that join the conversation.
const maxInjected = 5000

// Reporter reports the end of background commands of a session.
type Reporter struct {
	Project   *project.Project
	Processes *shell.Processes
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
	how, command := ending(&p), strings.Join(strings.Fields(p.Command), " ")
	text := describe(&p, command)
	if behavior == "inject" {
		text += "\n<output>\n" + strings.ReplaceAll(lastOutput(p), "</output>", "&lt;/output&gt;") + "\n</output>"
	}
	line := fmt.Sprintf("Background command %s: %s (PID %d)", how, command, p.PID)
	r.Steer(agent.Prompt{Parts: []llm.Part{llm.Text("<background_output>\n" + text + "\n</background_output>")}, Shown: line, IsNotice: true})
	if r.Project.Options.Interactive {
		r.Project.Warn(line + ".")
	}
}

// ending returns how a command has ended.
func ending(p *shell.Process) string {
	if !p.HasWorked() {
		return "completed with error: " + p.Phase()
	}
	return "completed successfully"
}

// describe returns the message for the model about a command.
func describe(p *shell.Process, command string) string {
	return fmt.Sprintf("[Background command %s: `%s` (PID %d). Output saved to %s]", ending(p), command, p.PID, p.Log)
}

// line returns the line for the model about a command in [Reporter.News].
func line(p *shell.Process) string {
	command, how := terminal.Cut(terminal.Line(p.Command), maxCommand), "has ended, its exit code is not known"
	switch {
	case p.IsLeft:
		return fmt.Sprintf("[What `%s` left running has ended (PGID %d). Its output was not kept]", command, p.PID)
	case p.IsGone:
		return fmt.Sprintf("[Background command `%s` (PID %d) no longer runs: it ended with the earlier session. Its output until then: %s]", command, p.PID, p.Log)
	case !p.IsOrphan:
		how = p.Ended()
	}
	return fmt.Sprintf("[Background command `%s` (PID %d) %s. Its output: read_background_output, or %s]", command, p.PID, how, p.Log)
}

// Limits of [Reporter.News]: lines, and bytes of a command.
const maxNews, maxCommand = 5, 120

// News returns the lines for the model about the commands that have ended since the last call, "" for none. If the user has chosen
// another report, or silence, it has those that ended with an earlier session only.
func (r *Reporter) News() string {
	ended := r.Processes.TakeEnded()
	if _, isChosen := r.Project.Settings().Lookup(string(config.BackgroundCompletion)); isChosen {
		ended = slices.DeleteFunc(ended, func(p shell.Process) bool { return !p.IsGone })
	}
	if len(ended) == 0 {
		return ""
	}
	var lines []string
	for i := range ended[:min(len(ended), maxNews)] {
		lines = append(lines, line(&ended[i]))
	}
	if more := len(ended) - maxNews; more > 0 {
		lines = append(lines, fmt.Sprintf("[%d more background commands have ended: list_background_processes has them]", more))
	}
	return strings.Join(lines, "\n")
}

// AddNews adds the lines of [Reporter.News] to a prompt. People see the prompt without them.
func (r *Reporter) AddNews(p *agent.Prompt) {
	if news := r.News(); news != "" {
		p.Shown = p.Text()
		p.Parts = append(p.Parts, llm.Text(news))
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
