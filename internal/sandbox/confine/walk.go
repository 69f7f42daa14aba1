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

// fetchers are programs that do little without a network.
var fetchers = []string{
	"apt", "apt-get", "brew", "bun", "bundle", "cargo", "composer", "curl", "gem", "git", "go", "npm", "npx", "pip", "pip3", "pnpm", "poetry", "uv", "wget", "yarn",
}

// downloaders are those that do nothing else, and have an option to print nothing.
var downloaders = []string{"curl", "wget"}

// starts reports whether the command starts one of these programs.
func (r *Run) starts(programs []string) bool {
	return slices.ContainsFunc(shellcmd.Roots(r.Command), isOf(programs))
}

func isOf(list []string) func(string) bool {
	return func(name string) bool { return slices.Contains(list, name) }
}

// IsWalk reports whether the command only looks at many files.
func (r *Run) IsWalk() bool {
	names := shellcmd.Roots(r.Command)
	isOther := func(name string) bool { return !isOf(walkers)(name) && !isOf(filters)(name) }
	return slices.ContainsFunc(names, isOf(walkers)) && !slices.ContainsFunc(names, isOther)
}
