package confine

import (
	"slices"

	"pollux/internal/shellcmd"
)

// walkers are programs that look at many files, and go on without one that they cannot read. filters stand behind them in a pipe.
var (
	walkers = []string{"ag", "du", "fd", "find", "grep", "ls", "rg", "tree"}
	filters = []string{"cd", "cut", "head", "sort", "tail", "uniq", "wc"}
)

// IsWalk reports whether the command only looks at many files.
func (r *Run) IsWalk() bool {
	names := shellcmd.Roots(r.Command)
	isOf := func(list []string) func(string) bool {
		return func(name string) bool { return slices.Contains(list, name) }
	}
	isOther := func(name string) bool { return !isOf(walkers)(name) && !isOf(filters)(name) }
	return slices.ContainsFunc(names, isOf(walkers)) && !slices.ContainsFunc(names, isOther)
}
