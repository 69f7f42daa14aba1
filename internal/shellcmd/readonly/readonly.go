// Package readonly knows the shell commands that only read: they change no file, no process and nothing on another
// computer. Two of them may run at the same time, and in any order.
//
// A command is trusted to read only if its program and all of its arguments that matter are known. What it reads, and
// whether the model may see that, is decided elsewhere: see the package policy.
package readonly

import (
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
)

// Script reports whether all commands of a script only read, those in substitutions included. The commands that begin with the words of an
// entry of others count as ones that do.
func Script(s *shellcmd.Script, others []string) bool {
	if s.Evaluates != "" || len(s.Commands) == 0 {
		return false
	}
	return !slices.ContainsFunc(s.Redirections, acts) && !slices.ContainsFunc(s.Commands, func(c shellcmd.Command) bool {
		return !Command(c) && !isAmong(c, others)
	})
}

// Command reports whether one command only reads.
func Command(c shellcmd.Command) bool {
	if c.Assigns || len(c.Words) == 0 || !c.Words[0].Static && c.Name != "[" { // which is a pattern, too
		return false
	}
	words := c.Args()
	if check, known := programCheck(words[0]); known && check == nil {
		return true
	}
	// A word that the shell expands may become flags.
	return !slices.ContainsFunc(c.Words, func(w shellcmd.Word) bool { return !w.Static }) && Program(words[0], words[1:])
}

// Program reports whether a program with these arguments only reads.
func Program(name string, args []string) bool {
	if check, known := programCheck(name); known {
		return check == nil || check(args)
	}
	return len(args) == 1 && args[0] == "--version" && name == filepath.Base(name)
}

// base returns the name of a program in one of the directories of a system, and other names as they are.
func base(name string) string {
	switch filepath.Dir(name) {
	case "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin":
		return filepath.Base(name)
	}
	return name
}

// programCheck returns the check of the arguments of a program that can do more than read, nil for one that cannot.
// It returns false for other programs.
func programCheck(name string) (check func(args []string) bool, known bool) {
	switch base(name) {
	case ":", "[", "basename", "cat", "cd", "cksum", "cmp", "column", "comm", "command", "cut", "df", "diff", "dirname", "du", "echo", "egrep", "exit", "expand",
		"expr", "false", "fgrep", "fold", "free", "grep", "head", "hexdump", "id", "join", "jq", "ls", "md5sum", "nl", "nproc", "numfmt", "od",
		"paste", "pgrep", "printenv", "ps", "pwd", "readlink", "realpath", "rev", "seq", "sha1sum", "sha256sum", "sha512sum", "sleep", "stat",
		"strings", "tac", "tail", "test", "tr", "true", "uname", "unexpand", "uptime", "wc", "which", "whoami":
		return nil, true
	case "base64":
		return without("--output", "-o"), true
	case "bash":
		return bashReads, true
	case "sh", "zsh":
		return shellReads, true
	case "date":
		return dateReads, true
	case "fd", "fdfind":
		return without("--exec", "--exec-batch", "-x", "-X"), true
	case "file":
		return without("--compile", "-C"), true
	case "find":
		return findReads, true
	case "git":
		return Git, true
	case "go":
		return goReads, true
	case "gofmt":
		return gofmtReads, true
	case "printf":
		return without("-v"), true
	case "rg":
		return without("--pre", "--hostname-bin", "--search-zip", "-z"), true
	case "sed":
		return sedPrints, true
	case "sort":
		return without("--output", "--compress-program", "-o"), true
	case "timeout":
		return timeoutReads, true
	case "tree":
		return without("-R", "-o"), true
	case "uniq":
		return uniqReads, true
	case "xargs":
		return xargsReads, true
	}
	return nil, false
}

// acts reports whether a redirection may change a file or connect to a server.
func acts(r shellcmd.Redirection) bool {
	switch r.Op {
	case "<", "<<", "<<-", "<<<", "<&":
		return r.MayConnect()
	}
	return !r.IsNeutral()
}

// isAmong reports whether a command begins with the words of an entry.
func isAmong(c shellcmd.Command, entries []string) bool {
	return slices.ContainsFunc(entries, func(entry string) bool {
		words := strings.Fields(entry)
		return len(words) > 0 && len(words) <= len(c.Words) && !c.Computed && !slices.ContainsFunc(c.Words[:len(words)], func(w shellcmd.Word) bool { return !w.Static }) &&
			slices.EqualFunc(words, c.Words[:len(words)], func(word string, w shellcmd.Word) bool { return word == w.Value })
	})
}
