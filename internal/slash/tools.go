package slash

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/terminal"
	"pollux/internal/tools/shell"
)

// toolsList lists the tools that the model has.
func toolsList(_ context.Context, s *Runner, _ string) (Result, error) {
	return s.listTools(false)
}

// toolsDescribe lists the tools that the model has, with their descriptions.
func toolsDescribe(_ context.Context, s *Runner, _ string) (Result, error) {
	return s.listTools(true)
}

// listTools lists the tools of the current mode, with their descriptions if descriptions is
// set.
func (s *Runner) listTools(descriptions bool) (Result, error) {
	specs := s.Session.Tools()
	if len(specs) == 0 {
		return textResult("No tools are available.")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Available tools in %s mode:\n", s.Session.Rulebook.Mode())
	for _, spec := range specs {
		fmt.Fprintf(&b, "\n- %s (%s)", spec.DisplayName, spec.Name)
		if descriptions {
			b.WriteString("\n    " + strings.ReplaceAll(strings.TrimSpace(spec.Description), "\n", "\n    ") + "\n")
		}
	}
	return Result{Text: b.String()}, nil
}

// listTasks lists the background commands, both running and ended.
func listTasks(_ context.Context, s *Runner, _ string) (Result, error) {
	list := s.Session.Processes.List()
	if len(list) == 0 {
		return textResult("No background commands.")
	}
	var rows [][]string
	for _, p := range list {
		rows = append(rows, []string{strconv.Itoa(p.PID), taskState(p), terminal.Cut(strings.Join(strings.Fields(p.Command), " "), 100), p.Log})
	}
	return Result{Text: s.formatTable([]string{"PID", "STATE", "COMMAND", "OUTPUT"}, rows...)}, nil
}

// taskState describes whether a background command runs, or how it ended.
func taskState(p shell.Process) string {
	switch {
	case !p.Exited:
		return "running"
	case p.IsOrphan:
		return "ended after Pollux had"
	case p.Signal != 0:
		return "ended by " + p.Signal.String()
	}
	return "exited with " + strconv.Itoa(p.Code)
}
