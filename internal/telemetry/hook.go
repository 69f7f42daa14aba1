package telemetry

import (
	"fmt"
	"strings"

	"pollux/internal/records"
	"pollux/llm/ellipsis"
)

// hookRun records one run of a hook. Its command, input and output are recorded only together with
// prompts; otherwise the name is the first word of the command, without its directory.
func (t *Telemetry) hookRun(r records.HookRun) {
	name, short := r.Name, hookName(r.Name)
	if !t.o.LogPrompts {
		name = short
	}
	outcome := "succeeded"
	if r.Failed {
		outcome = "failed"
	}
	ms := int(r.Took.Milliseconds())
	a := attrs{
		{"hook_event_name", r.Event},
		{"hook_type", r.Kind},
		{"hook_name", name},
		{"duration_ms", ms},
		{"success", !r.Failed},
		{"exit_code", r.Code},
	}
	if r.Err != nil {
		a.addText("error", ellipsis.Bytes(r.Err.Error(), maxText))
	}
	if t.o.LogPrompts {
		a.add("hook_input", func() string { return ellipsis.Bytes(pretty(r.Input), maxText) })
		if r.Output != nil {
			a.add("hook_output", func() string { return ellipsis.Bytes(pretty(r.Output()), maxText) })
		}
		a.add("stdout", ellipsis.Bytes(r.Stdout, maxText))
		a.add("stderr", ellipsis.Bytes(r.Stderr, maxText))
	}
	t.event("hook_call", "", fmt.Sprintf("Hook call %s.%s %s in %dms", r.Event, name, outcome, ms), a)
	labels := attrs{{"hook_event_name", r.Event}, {"hook_name", short}, {"success", !r.Failed}}
	t.meters.add(counter("gemini_cli.hook_call.count", "Runs of hooks."), 1, labels)
	t.meters.add(milliseconds("gemini_cli.hook_call.latency", "How long hooks took."), float64(ms), labels)
}

// hookName returns a name without what may be private: directories and arguments.
func hookName(name string) string {
	words := strings.Fields(name)
	if len(words) == 0 {
		return "unknown-command"
	}
	parts := strings.FieldsFunc(words[0], func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) == 0 {
		return "unknown-command"
	}
	return parts[len(parts)-1]
}
