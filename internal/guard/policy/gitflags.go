package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/shellcmd/readonly"
)

// gitRunsOthers reports whether a git command runs programs that its arguments name, changes
// programs that git runs later, or writes files or works in repositories elsewhere. A rule for git
// alone does not mean that. isNamed reports whether the rule names a subcommand.
func gitRunsOthers(args []string, isNamed func(word string) bool) bool {
	at := slices.IndexFunc(args, isOperand)
	for i := 0; i < len(args) && (at < 0 || i <= at); i++ {
		flag, value, joined := strings.Cut(args[i], "=")
		switch {
		case readonly.HasFlag(flag, "--exec-path") && joined:
			return true
		case flag == "-C", readonly.HasFlag(flag, "--git-dir"), readonly.HasFlag(flag, "--work-tree"):
			if !joined && i+1 < len(args) {
				value = args[i+1]
				if at == i+1 { // the value of the flag, not the subcommand
					at = i + 2 + max(0, slices.IndexFunc(args[i+2:], isOperand))
					i++
				}
			}
			if filepath.IsAbs(value) || slices.Contains(strings.Split(value, "/"), "..") || strings.ContainsAny(value, "$~") {
				return true
			}
		}
	}
	if at < 0 || at >= len(args) {
		return false
	}
	name, rest := args[at], args[at+1:]
	has := func(flags ...string) bool { return readonly.HasFlags(rest, flags...) }
	if has("--upload-pack", "--receive-pack", "--exec", "--output", "--ext-diff", "--textconv", "--export-marks", "--output-directory") {
		return true
	}
	switch name {
	case "clone":
		return has("-u", "-c", "--config", "--template")
	case "init":
		return has("--template", "--separate-git-dir")
	case "grep":
		return has("-O", "--open-files-in-pager")
	case "rebase":
		return has("-x")
	case "difftool", "mergetool":
		return has("-x", "--extcmd", "-t", "--tool")
	case "archive", "format-patch":
		return has("-o")
	case "bisect":
		return len(rest) > 0 && rest[0] == "run" && !isNamed("run")
	case "submodule":
		return slices.Contains(rest, "foreach") && !isNamed("foreach")
	case "filter-branch", "daemon", "instaweb", "send-email", "hook":
		return !isNamed(name)
	case "config":
		return !isNamed(name) && configures(rest)
	}
	return false
}

// configures reports whether "git config" with these arguments changes more than the user's name or
// a branch.
func configures(args []string) bool {
	var operands []string
	for _, a := range args {
		switch {
		case a == "-l", readonly.HasFlag(a, "--list"), strings.HasPrefix(a, "--get"):
			return false
		case strings.HasPrefix(a, "-") && a != "--local":
			return true // another file, or an editor
		case !strings.HasPrefix(a, "-"):
			operands = append(operands, a)
		}
	}
	if len(operands) > 0 {
		switch operands[0] {
		case "get", "list":
			return false
		case "set", "unset":
			operands = operands[1:]
		case "edit", "rename-section", "remove-section":
			return true
		default:
			if len(operands) == 1 {
				return false // prints the value
			}
		}
	}
	return len(operands) == 0 || !strings.HasPrefix(operands[0], "user.") && !strings.HasPrefix(operands[0], "branch.")
}
