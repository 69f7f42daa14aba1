package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
	"pollux/internal/shellcmd/readonly"
)

// This file judges commands with words that hold the output of a substitution. A rule with a prefix
// allows any words behind the prefix, but not every program takes its words for data only.

// outputDecides reports whether the output of a substitution decides what a command runs, so that no
// rule about the beginning of the command can allow it.
func outputDecides(c shellcmd.Command) bool {
	if !c.Computed || mayGetFlags(c) {
		return c.Computed
	}
	name := filepath.Base(c.Name)
	if !c.Words[0].Static && name != "[" {
		return true
	}
	if !slices.ContainsFunc(c.Words, func(w shellcmd.Word) bool { return w.Computed && !w.IsNumber }) {
		return false
	}
	return !slices.Contains(hidesFlags, name) && (runsWords(name) || runsWords(strings.TrimRight(name, "0123456789.")))
}

// mayGetFlags reports whether the output of a substitution may be the program of a command, or a flag
// or a subcommand of a program whose flags run others, delete or write.
func mayGetFlags(c shellcmd.Command) bool {
	switch {
	case !c.Computed:
		return false
	case len(c.Words) == 0 || c.Words[0].Computed: // "time $(x)"
		return true
	}
	name := filepath.Base(c.Name)
	if !slices.Contains(hidesFlags, name) {
		return false
	}
	subcommand := name == "git"
	for i, w := range c.Words[1:] {
		isOperand := w.Begins != "" && !readonly.IsFlag(w.Begins) || !w.Splits && isMessage(c.Words[:i+1])
		if w.Computed && !w.IsNumber && (subcommand || !isOperand) {
			return true
		}
		subcommand = subcommand && readonly.IsFlag(w.Value)
	}
	return false
}

// isMessage reports whether the word behind these words of a git command is a message.
func isMessage(before []shellcmd.Word) bool {
	if len(before) < 3 || before[0].Value != "git" || !slices.Contains([]string{"commit", "merge", "tag"}, before[1].Value) {
		return false
	}
	return slices.Contains([]string{"-m", "-am", "--message"}, before[len(before)-1].Value)
}

// runsWords reports whether a program runs its arguments, or code or a file that they name.
func runsWords(name string) bool {
	switch name {
	case ".", "alias", "at", "batch", "builtin", "busybox", "chroot", "chrt", "crontab", "dash", "ed", "emacs", "entr", "flock", "gdb",
		"ionice", "java", "ksh", "less", "lua", "man", "nsenter", "nvim", "osascript", "powershell", "pwsh", "read", "screen", "script",
		"set", "source", "strace", "su", "systemd-run", "taskset", "tclsh", "tmux", "trap", "unset", "unshare", "vi", "vim":
		return true
	}
	return runner(name) != ""
}

// mayBeRestricted reports whether a rule before r, or one that only restricts, denies or asks about a command
// that c may be with some output of its substitutions.
func (d *decider) mayBeRestricted(c shellcmd.Command, r *Rule) bool {
	isBefore := true
	return slices.ContainsFunc(d.state.rules.about(d.q).rules, func(other *Rule) bool {
		isBefore = isBefore && other != r
		return (isBefore || other.restricts) && other.Decision != Allow && other.isConditional() &&
			other.applies(d.q, d.state.mode, d.interactive) && other.mayMatch(c.Known())
	})
}

// mayMatch reports whether a rule may match a command that begins with known.
func (r *Rule) mayMatch(known string) bool {
	next := known
	if known != "" {
		next += " "
	}
	switch {
	case r.later, r.reads:
		return false
	case len(r.Prefixes) > 0:
		return slices.ContainsFunc(r.Prefixes, func(p string) bool { return strings.HasPrefix(p, next) })
	case r.Args.command() == "" || strings.ContainsAny(known, "\"\\\n\t"):
		return true // about other arguments, or about the command in JSON
	}
	start := literalStart(r.Args.command())
	return strings.HasPrefix(start, next) || strings.HasPrefix(next, start)
}

// literalStart returns the text that each match of an ECMAScript expression begins with, which may be shorter than
// possible.
func literalStart(source string) string {
	if strings.Contains(source, "|") {
		return ""
	}
	i := strings.IndexAny(source, `\.*+?()[]{}^$`)
	switch {
	case i < 0:
		return source
	case i > 0 && strings.IndexByte("*?{", source[i]) >= 0: // about the character before it
		i--
	}
	return source[:max(0, i)]
}
