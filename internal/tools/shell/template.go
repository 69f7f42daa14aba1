//go:build unix

package shell

import (
	"fmt"

	"pollux/internal/process"
	"pollux/tool"
)

// NewForTemplate returns the tool that runs the shell commands in the prompts of custom commands, which origin
// has written. It is not offered to models: it allows command substitution, because no model has written the command,
// and its result is the output alone, with a line about a command that has failed.
func NewForTemplate(o Options, origin process.Origin) tool.Tool {
	t := New(o).(*shellTool)
	t.caller, t.origin = template, origin
	return t
}

// templateEnding returns the line about a command that has failed or was stopped, "" if it worked.
func (r *runningCall) templateEnding(end outcome) string {
	how := ""
	switch status := r.Status(); {
	case end != exited:
		how = "aborted"
	case status.Signal != 0:
		how = fmt.Sprintf("terminated by signal %d", int(status.Signal))
	case status.Code != 0:
		how = fmt.Sprintf("exited with code %d", status.Code)
	}
	if how == "" {
		return ""
	}
	return fmt.Sprintf("\n[Shell command '%s' %s]", r.args.Command, how)
}
