package process

import (
	"slices"
	"strings"

	"golang.org/x/sys/windows"
)

// environment returns the environment for [os.ProcAttr], where nil has another meaning,
// with the variable without which programs do not start.
func environment(env []string) []string {
	has := func(v string) bool { return len(v) > 11 && strings.EqualFold(v[:11], "SYSTEMROOT=") }
	if slices.ContainsFunc(env, has) {
		return env
	}
	root, err := windows.GetSystemWindowsDirectory()
	if err != nil {
		return append([]string{}, env...)
	}
	return append(slices.Clip(env), "SYSTEMROOT="+root)
}
