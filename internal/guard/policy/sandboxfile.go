package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// sandboxName is the name of Gemini CLI's file about the sandbox of commands. It lies among the user's policy files, and has no rules.
const sandboxName = "sandbox.toml"

// sandboxLimits returns the values of such a file that restrict commands.
func sandboxLimits(top *section) (limits []string) {
	modes, _ := top.members["modes"].value.(*section)
	if modes == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(modes.members)) {
		mode, _ := modes.members[name].value.(*section)
		if mode == nil {
			continue
		}
		for _, limit := range [...]struct {
			name  string
			value bool
		}{{"network", false}, {"readonly", true}, {"allowOverrides", false}} {
			if mode.members[limit.name].value == limit.value {
				limits = append(limits, fmt.Sprintf("modes.%s.%s = %t", name, limit.name, limit.value))
			}
		}
	}
	return limits
}

// warnOfSandbox warns of values of such a file that restrict commands: Pollux's sandbox has settings of its own.
func (l *loader) warnOfSandbox(path string, limits []string) {
	const most = 3
	if len(limits) == 0 {
		return
	}
	more := ""
	if n := len(limits) - most; n > 0 {
		limits, more = limits[:most], fmt.Sprintf(" and %d more", n)
	}
	l.warn("Warning: Ignoring %s, which restricts commands (%s%s), because Pollux's sandbox does not read it. "+
		"Set tools.sandboxNetworkAccess to false and use plan mode instead, see /docs sandbox. To end this warning, move the file away.", plainly(path), plainly(strings.Join(limits, ", ")), more)
}
