package kit

import (
	"fmt"
	"strings"
	"time"

	"pollux/internal/guard/hook"
	"pollux/internal/terminal"
)

// HookPatience is how long a hook runs before faces show it: most of them are done at once.
const HookPatience = 300 * time.Millisecond

// HooksText returns the label of the hooks that have run for a while, "" for none. The names of extensions' hooks are not in it.
func HooksText(running []hook.Running, now time.Time) string {
	var names []string
	hasSome := false
	for _, h := range running {
		if now.Sub(h.Began) < HookPatience {
			continue
		}
		hasSome = true
		if !h.IsUsers {
			continue
		}
		name := terminal.Line(h.Name)
		if h.Count > 1 {
			name = fmt.Sprintf("%s (%d/%d)", name, h.Number, h.Count)
		}
		names = append(names, name)
	}
	switch {
	case !hasSome:
		return ""
	case len(names) == 0:
		return "Working..."
	case len(names) == 1:
		return "Executing Hook: " + names[0]
	}
	return "Executing Hooks: " + Brief(strings.Join(names, ", "))
}
