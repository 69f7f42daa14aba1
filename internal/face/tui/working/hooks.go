package working

import (
	"fmt"
	"strings"
)

// Hook is a hook that runs.
type Hook struct {
	Name string
	// Number and Count are the position among the hooks of an event that run one after the other; Count is 1 for a
	// single one.
	Number, Count int
	// IsUsers is set for a hook of the settings of the user or the project, and for one made in the session. The names
	// of other hooks are not shown.
	IsUsers bool
}

// SetHooks shows the hooks that run, none to end this.
func (r *Row) SetHooks(running ...Hook) {
	r.hooks = ""
	if len(running) == 0 {
		return
	}
	var names []string
	for _, h := range running {
		if !h.IsUsers {
			continue
		}
		name := clean(h.Name)
		if h.Count > 1 {
			name = fmt.Sprintf("%s (%d/%d)", name, h.Number, h.Count)
		}
		names = append(names, name)
	}
	switch len(names) {
	case 0:
		r.hooks = generic
	case 1:
		r.hooks = "Executing Hook: " + names[0]
	default:
		r.hooks = clean("Executing Hooks: " + strings.Join(names, ", "))
	}
}
