// Package hooks describes the hooks of a session as items of an inventory.
package hooks

import (
	"cmp"
	"fmt"
	"time"

	"pollux/internal/face/tui/pane/inventory"
	"pollux/internal/guard/hook"
	"pollux/internal/hooks"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// List returns hooks, each with the result of its last run, which last returns if there is one.
func List(all []hook.Hook, last func(*hook.Hook) (hooks.LastRun, bool)) (l inventory.Listing) {
	widest := 0
	for i := range all {
		widest = max(widest, len(all[i].Event))
	}
	for i := range all {
		h := &all[i]
		it := inventory.Item{Name: fmt.Sprintf("%-*s  %s", widest, h.Event, terminal.Line(h.ID())), State: "enabled, " + h.Source.String()}
		toggle := inventory.Run("Disable", "/hooks disable", h.ID())
		if h.IsDisabled {
			it.State = "disabled, " + h.Source.String()
			toggle = inventory.Run("Enable", "/hooks enable", h.ID())
		}
		if h.Description != "" {
			it.About = append(it.About, h.Description)
		}
		it.About = append(it.About,
			"Command: "+cmp.Or(h.CommandLine(), "a function of the program"), "Matcher: "+cmp.Or(h.Matcher, "*"), lastText(h, last))
		it.Actions = []inventory.Action{
			toggle, {Label: "Enable all hooks", Command: "/hooks enable-all"}, {Label: "Disable all hooks", Command: "/hooks disable-all"},
		}
		l.Items = append(l.Items, it)
	}
	return l
}

// lastText describes the last run of a hook.
func lastText(h *hook.Hook, last func(*hook.Hook) (hooks.LastRun, bool)) string {
	r, ok := last(h)
	if !ok {
		return "Last run: not in this session"
	}
	text := fmt.Sprintf("Last run: %s, exit code %d, took %s", r.At.Format("15:04:05"), r.Code, wording.Duration(r.Took.Round(time.Millisecond)))
	if r.Failed {
		text += ", failed"
	}
	if r.Cause != "" {
		text += ": " + terminal.Line(r.Cause)
	}
	return text
}
