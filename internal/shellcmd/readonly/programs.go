package readonly

import (
	"slices"
	"strings"

	"pollux/internal/shellcmd"
)

// bashReads checks that bash gets a script on its command line that only reads.
func bashReads(args []string) bool {
	if len(args) != 2 || args[0] != "-c" && args[0] != "-lc" {
		return false
	}
	script, err := shellcmd.Parse(args[1])
	return err == nil && Script(script, nil)
}

// shellReads is bashReads for other shells. They read some characters in another way: for dash "ls &>a rm b" is two commands, and zsh
// computes the numbers that it prints, with the commands in them.
func shellReads(args []string) bool {
	return bashReads(args) && !strings.ContainsAny(args[1], "$`()<>")
}

func dateReads(args []string) bool {
	return !HasFlags(args, "--set", "-s") && !slices.ContainsFunc(args, func(arg string) bool { return !IsFlag(arg) && !strings.HasPrefix(arg, "+") })
}

func findReads(args []string) bool {
	return !slices.ContainsFunc(args, func(arg string) bool {
		switch arg {
		case "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf":
			return true
		}
		return false
	})
}

// uniqReads checks that there is no second operand, which uniq writes to. Behind "--", and in some systems behind the first
// operand, a word that begins like a flag is an operand, too.
func uniqReads(args []string) bool {
	for i, arg := range args {
		switch {
		case arg == "--":
			return len(args) <= i+2
		case !IsFlag(arg) || arg == "-":
			return len(args) == i+1
		}
	}
	return true
}

// sedPrints checks that sed prints lines by their numbers. Flags also count behind the script: -i writes, and -e adds
// a script.
func sedPrints(args []string) bool {
	return len(args) >= 2 && args[0] == "-n" && printsLines(args[1]) && !slices.ContainsFunc(args[2:], IsFlag)
}

// printsLines reports whether a script of sed is like "1,20p" or "5,$p".
func printsLines(script string) bool {
	lines, ok := strings.CutSuffix(script, "p")
	first, last, isRange := strings.Cut(lines, ",")
	isLine := func(n string) bool { return n == "$" || n != "" && strings.Trim(n, "0123456789") == "" }
	return ok && isLine(first) && (!isRange || isLine(last))
}

// timeoutReads checks the program behind the duration.
func timeoutReads(args []string) bool {
	return len(args) >= 2 && !IsFlag(args[0]) && args[1] != "command" && Program(args[1], args[2:])
}

// xargsReads checks the program that xargs runs.
func xargsReads(args []string) bool {
	for len(args) > 0 && IsFlag(args[0]) {
		switch args[0] {
		case "-0", "-r", "-t", "--null", "--no-run-if-empty":
		case "-n", "-L", "-I", "-P", "-d":
			if args = args[1:]; len(args) == 0 {
				return false
			}
		default:
			return false
		}
		args = args[1:]
	}
	if len(args) == 0 {
		return false
	}
	check, known := programCheck(args[0])
	return known && check == nil && args[0] != "command" // others may get flags from the input
}

// goReads checks that the go command only reports. Of its flags, many write files or run programs.
func goReads(args []string) bool {
	if len(args) == 0 {
		return true
	}
	switch args[0] {
	case "doc", "env", "help", "list", "version", "vet":
		return !slices.ContainsFunc(args[1:], func(arg string) bool {
			name, value, _ := strings.Cut(arg, "=")
			if name == "-mod" || name == "--mod" {
				return value != "readonly" && value != "vendor"
			}
			return IsFlag(arg) && !isGoFlag(name, "a", "all", "buildvcs", "c", "changed", "cmd", "compiled", "deps", "e", "ex", "f", "find", "json", "m", "n", "p", "race", "retracted",
				"short", "src", "tags", "test", "trimpath", "v", "versions", "x")
		})
	}
	return false
}

// gofmtReads checks that gofmt only prints.
func gofmtReads(args []string) bool {
	return !slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return IsFlag(arg) && !isGoFlag(name, "d", "e", "l", "r", "s")
	})
}

// isGoFlag reports whether a flag without its value is one of these in a program that is written in Go: with one dash or two.
func isGoFlag(flag string, names ...string) bool {
	return slices.Contains(names, strings.TrimPrefix(strings.TrimPrefix(flag, "-"), "-"))
}

// Git reports whether git with these arguments only reads.
func Git(args []string) bool {
	for len(args) > 0 && IsFlag(args[0]) {
		switch {
		case args[0] == "-C" && len(args) > 1:
			args = args[2:]
		case args[0] == "--no-pager", args[0] == "--no-optional-locks", args[0] == "--version":
			args = args[1:]
		default:
			return false
		}
	}
	if len(args) == 0 {
		return true
	}
	rest := args[1:]
	if HasFlags(rest, GitRuns...) || HasFlags(rest, "--config-env") {
		return false
	}
	only := func(allowed ...string) bool {
		return !slices.ContainsFunc(rest, func(a string) bool { return !slices.Contains(allowed, a) })
	}
	switch args[0] {
	case "blame", "cat-file", "count-objects", "describe", "diff", "for-each-ref", "log", "ls-files", "ls-tree", "merge-base", "name-rev",
		"rev-list", "rev-parse", "shortlog", "show", "status", "version":
		return true
	case "grep":
		return !HasFlags(rest, "--open-files-in-pager", "-O")
	case "branch":
		return only("-a", "--all", "-r", "--remotes", "-l", "--list", "-v", "-vv", "--verbose", "--show-current", "--no-color")
	case "remote":
		return only("-v", "--verbose")
	case "tag":
		return only("-l", "--list")
	case "reflog", "stash", "worktree":
		return len(rest) > 0 && (rest[0] == "list" || rest[0] == "show" && args[0] != "worktree")
	case "config":
		return len(rest) > 0 && (rest[0] == "-l" || strings.HasPrefix(rest[0], "--get") || rest[0] == "--list")
	}
	return false
}

// GitRuns are flags that make git run a program or write a file. With --submodule=diff git runs in the repositories of submodules, also of
// those that only older commits have, and these name programs of their own.
var GitRuns = []string{"--output", "--ext-diff", "--textconv", "--exec", "--paginate", "--submodule"}
