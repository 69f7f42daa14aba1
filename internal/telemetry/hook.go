package telemetry

import (
	"fmt"
	"strings"

	"pollux/internal/guard/hook"
	"pollux/llm/ellipsis"
)

// RecordHook records one run of a hook. Its command, input and output are recorded only together
// with prompts; otherwise the name is the first word of the command, without its directory.
func (t *Telemetry) RecordHook(c hook.Call) {
	if t == nil {
		return
	}
	h, short, success := c.Hook, hookName(c.Hook), !c.Failed()
	name := short
	if t.o.LogPrompts {
		name = h.ID()
	}
	outcome := "succeeded"
	if !success {
		outcome = "failed"
	}
	ms := int(c.Duration.Milliseconds())
	a := attrs{
		{"hook_event_name", string(h.Event)},
		{"hook_type", h.Kind()},
		{"hook_name", name},
		{"duration_ms", ms},
		{"success", success},
		{"exit_code", c.Code},
	}
	if c.Err != nil {
		a.addText("error", ellipsis.Bytes(c.Err.Error(), maxText))
	}
	if t.o.LogPrompts {
		a.add("hook_input", func() string { return ellipsis.Bytes(pretty(c.Input), maxText) })
		if c.Output != nil {
			a.add("hook_output", func() string { return ellipsis.Bytes(pretty(c.Output.JSON()), maxText) })
		}
		a.add("stdout", ellipsis.Bytes(c.Stdout, maxText))
		a.add("stderr", ellipsis.Bytes(c.Stderr, maxText))
	}
	t.event("hook_call", "", fmt.Sprintf("Hook call %s.%s %s in %dms", h.Event, name, outcome, ms), a)
	labels := attrs{{"hook_event_name", string(h.Event)}, {"hook_name", short}, {"success", success}}
	t.meters.add(counter("gemini_cli.hook_call.count", "Runs of hooks."), 1, labels)
	t.meters.add(milliseconds("gemini_cli.hook_call.latency", "How long hooks took."), float64(ms), labels)
}

// hookName returns a name without what may be private: directories and arguments.
func hookName(h *hook.Hook) string {
	words := strings.Fields(h.ID())
	if len(words) == 0 {
		return "unknown-command"
	}
	parts := strings.FieldsFunc(words[0], func(r rune) bool { return r == '/' || r == '\\' })
	if len(parts) == 0 {
		return "unknown-command"
	}
	return parts[len(parts)-1]
}
