package slash

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/tools/shell"
)

func toolsList(_ context.Context, s *Session, _ string) (Result, error) {
	return s.listTools(false)
}

func toolsDescribe(_ context.Context, s *Session, _ string) (Result, error) {
	return s.listTools(true)
}

func (s *Session) listTools(descriptions bool) (Result, error) {
	specs := s.App.Tools()
	if len(specs) == 0 {
		return say("The model has no tools.")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Tools that the model has in %s mode:\n", s.App.Mode())
	for _, spec := range specs {
		fmt.Fprintf(&b, "\n- %s (%s)", spec.DisplayName, spec.Name)
		if descriptions {
			b.WriteString("\n    " + strings.ReplaceAll(strings.TrimSpace(spec.Description), "\n", "\n    ") + "\n")
		}
	}
	return Result{Text: b.String()}, nil
}

// tasks lists the commands that run in the background, and those that have ended.
func tasks(_ context.Context, s *Session, _ string) (Result, error) {
	list := s.App.Processes.List()
	if len(list) == 0 {
		return say("No commands run in the background.")
	}
	rows := [][]string{{"PID", "STATE", "COMMAND", "OUTPUT"}}
	for _, p := range list {
		rows = append(rows, []string{strconv.Itoa(p.PID), state(p), cut(strings.Join(strings.Fields(p.Command), " "), 100), p.Log})
	}
	return Result{Text: table(rows...)}, nil
}

func state(p shell.Process) string {
	switch {
	case !p.Exited:
		return "running"
	case p.Signal != 0:
		return "ended by " + p.Signal.String()
	}
	return "exited with " + strconv.Itoa(p.Code)
}
