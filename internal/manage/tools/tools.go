// Package tools lists the tools of a session, and lists and stops its background commands.
package tools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"pollux/internal/exit"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/terminal"
	"pollux/internal/tools/shell"
)

// Commands returns the commands about tools.
func Commands() []*manage.Command {
	return []*manage.Command{
		manage.SessionOnly(&manage.Command{
			Name: "tasks", Aliases: []string{"bg", "background", "shells", "bashes"}, Summary: "List background commands",
			RunsWhileBusy: true, Run: listTasks,
			Subs: []*manage.Command{
				{Name: "list", Summary: "List background commands", RunsWhileBusy: true, Run: listTasks},
				{Name: "stop", Aliases: []string{"kill"}, Args: "<pid>", Summary: "Stop a background command", RunsWhileBusy: true, Run: stopTask},
			},
		}),
		manage.SessionOnly(&manage.Command{
			Name: "tools", Summary: "List available tools", RunsWhileBusy: true, Run: list(false),
			Subs: []*manage.Command{
				{Name: "list", Summary: "List available tools", RunsWhileBusy: true, Run: list(false)},
				{Name: "desc", Aliases: []string{"descriptions"}, Summary: "List available tools with their descriptions", RunsWhileBusy: true, Run: list(true)},
			},
		}),
	}
}

// list returns the command that lists the tools of the current mode, with or without their descriptions.
func list(describes bool) manage.Run {
	return func(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
		specs := c.Live.Tools()
		if len(specs) == 0 {
			return manage.Say("No tools are available.")
		}
		var b strings.Builder
		fmt.Fprintf(&b, "Available tools in %s mode:\n", c.Live.Rulebook.Mode())
		for _, spec := range specs {
			fmt.Fprintf(&b, "\n- %s (%s)", spec.DisplayName, spec.Name)
			if describes {
				b.WriteString("\n    " + strings.ReplaceAll(strings.TrimSpace(spec.Description), "\n", "\n    ") + "\n")
			}
		}
		return manage.Say("%s", b.String())
	}
}

func listTasks(_ context.Context, c *manage.Call) (outcome.Outcome, error) {
	list := c.Live.Processes.List()
	if len(list) == 0 {
		return manage.Say("No background commands.")
	}
	return outcome.New(outcome.NewTable([]string{"PID", "STATE", "COMMAND", "OUTPUT"}, list, func(p shell.Process) []string {
		return []string{strconv.Itoa(p.PID), p.Phase(), terminal.Cut(strings.Join(strings.Fields(p.Command), " "), 100), p.Log}
	})), nil
}

// stopTask ends a background command, or the processes that a command has left running.
func stopTask(ctx context.Context, c *manage.Call) (outcome.Outcome, error) {
	pid, err := strconv.Atoi(c.Name())
	if err != nil || pid <= 0 {
		return outcome.Outcome{}, manage.Usage("/tasks stop <pid>")
	}
	text, err := c.Live.Processes.Stop(ctx, pid)
	if errors.Is(err, shell.ErrNoProcess) {
		return outcome.Outcome{}, exit.Errorf(exit.General, "There is no background command with PID %d. /tasks lists them.", pid)
	}
	if err != nil {
		return outcome.Outcome{}, exit.Errorf(exit.General, "Cannot stop the command: %w.", err)
	}
	return manage.Say("%s", text)
}
