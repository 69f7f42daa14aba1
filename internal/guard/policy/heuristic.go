package policy

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
)

// heuristics corrects what a rule without conditions says about a shell
// command (spec/safety.md §2.6.1). script is nil if it can't be read.
func (d *decider) heuristics(v Decision, script *shellcmd.Script) Decision {
	if v == Deny {
		return v
	}
	dir := d.dir()
	if d.state.mode != Yolo && d.q.text("dir_path") != "" && !d.inside(d.opts.Dir, dir) {
		return Ask
	}
	if !d.state.trusted && runsGit(d.q.command(), script) {
		return Ask
	}
	if d.state.mode != Yolo && dangerous(firstWords(d.q.command(), script)) {
		return Ask
	}
	if v == Ask && d.opts.Interactive && d.safe(dir, script) {
		return Allow
	}
	return v
}

// dir returns the directory that the command runs in, as the tool takes it.
func (d *decider) dir() string {
	path := d.q.text("dir_path")
	if path != "" && d.opts.Resolve != nil {
		return d.opts.Resolve(path)
	}
	return d.abs(d.opts.Dir, path)
}

// firstWords returns the words of the first command.
func firstWords(command string, script *shellcmd.Script) []string {
	if script == nil {
		return strings.Fields(command)
	}
	return words(script.Commands[0])
}

// words returns a command's words as a program would get them, and those in
// which the shell expands something as they stand.
func words(c shellcmd.Command) []string {
	var list []string
	for _, w := range c.Words {
		if w.Static {
			list = append(list, w.Value)
		} else {
			list = append(list, w.Text)
		}
	}
	return list
}

// runsGit reports whether one of the commands is git, which runs programs that
// a repository's configuration names.
func runsGit(command string, script *shellcmd.Script) bool {
	if script == nil {
		return strings.Contains(command, "git")
	}
	return slices.ContainsFunc(script.Commands, func(c shellcmd.Command) bool { return program(c) == "git" })
}

// program returns the name of the program that a command is about, its directory and
// what runs it left out.
func program(c shellcmd.Command) string {
	for _, word := range strings.Fields(c.Plain) {
		switch {
		case word == "sudo", word == "env", word == "time", strings.HasPrefix(word, "-"), strings.Contains(word, "="):
		default:
			return filepath.Base(word)
		}
	}
	return ""
}

// dangerous reports whether a command may do what can't be undone or run
// programs under the cover of a harmless name.
func dangerous(words []string) bool {
	if len(words) == 0 {
		return false
	}
	args := words[1:]
	switch words[0] {
	case "rm":
		return len(args) > 0 && (args[0] == "-f" || args[0] == "-rf" || args[0] == "-fr")
	case "sudo":
		return dangerous(args)
	case "find":
		return slices.ContainsFunc(args, findRuns)
	case "rg":
		return slices.ContainsFunc(args, rgRuns)
	case "base64":
		return slices.ContainsFunc(args, base64Writes)
	case "git":
		if slices.ContainsFunc(args, gitConfigures) {
			return true
		}
		switch gitSubcommand(args) {
		case "status", "log", "diff", "show", "branch":
			return slices.ContainsFunc(args, gitRuns)
		}
	}
	return false
}

func findRuns(arg string) bool {
	switch arg {
	case "-exec", "-execdir", "-ok", "-okdir", "-delete", "-fls", "-fprint", "-fprint0", "-fprintf":
		return true
	}
	return false
}

func rgRuns(arg string) bool {
	return hasFlag(arg, "--pre") || hasFlag(arg, "--hostname-bin") || arg == "--search-zip" || shortFlag(arg, 'z')
}

func base64Writes(arg string) bool { return hasFlag(arg, "--output") || shortFlag(arg, 'o') }

func gitConfigures(arg string) bool {
	return strings.HasPrefix(arg, "-c") || hasFlag(arg, "--config-env")
}

func gitRuns(arg string) bool {
	for _, flag := range []string{"--output", "--ext-diff", "--textconv", "--exec", "--paginate"} {
		if hasFlag(arg, flag) {
			return true
		}
	}
	return false
}

// gitSubcommand returns the first argument that is not a flag.
func gitSubcommand(args []string) string {
	for _, a := range args {
		if !strings.HasPrefix(a, "-") {
			return a
		}
	}
	return ""
}

// What follows links that are found on the way may leave the workspace by one that the
// project brings along, as does what reads names of files from a file.

func grepFollows(arg string) bool {
	return hasFlag(arg, "--dereference-recursive") || shortFlag(arg, 'R')
}

func rgFollows(arg string) bool { return hasFlag(arg, "--follow") || shortFlag(arg, 'L') }

func findFollows(arg string) bool { return arg == "-L" || arg == "-follow" || arg == "-files0-from" }

func wcLists(arg string) bool { return hasFlag(arg, "--files0-from") }

// hasFlag reports whether arg is the long flag, with or without a value. Programs take
// its beginning for it, too.
func hasFlag(arg, flag string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return len(name) > 2 && strings.HasPrefix(flag, name)
}

func isFlag(arg string) bool { return strings.HasPrefix(arg, "-") }

// shortFlag reports whether c is among the letters of a short flag.
func shortFlag(arg string, c byte) bool {
	return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.IndexByte(arg, c) > 0
}

// OnlyLooks reports whether a call is a shell command that is known to do nothing but
// look at what the model may see anyway.
func (e *Engine) OnlyLooks(c Call) bool {
	q := newQuery(c)
	script, err := shellcmd.Parse(q.command())
	d := decider{Engine: e, state: e.state.Load(), q: q}
	return err == nil && d.safe(d.dir(), script)
}

// safe reports whether the script is one command that only looks, and only at
// what the model may see anyway.
func (d *decider) safe(dir string, script *shellcmd.Script) bool {
	if script == nil || !script.Plain {
		return false
	}
	return d.safeCommand(dir, script.Commands[0])
}

func (d *decider) safeCommand(dir string, c shellcmd.Command) bool {
	if c.Assigns || len(c.Words) == 0 || !c.Words[0].Static {
		return false
	}
	list := words(c)
	name, args := list[0], list[1:]
	switch name {
	case "echo", "expr", "false", "id", "pwd", "seq", "true", "uname", "which", "whoami":
		return true
	}
	// The others open what they are told to: it must be known what that is.
	if slices.ContainsFunc(c.Words, func(w shellcmd.Word) bool { return !w.Static }) {
		return false
	}
	switch name {
	case "cd", "cat", "cut", "head", "ls", "nl", "numfmt", "paste", "rev", "stat", "tac", "tail", "tr":
		return d.staysInside(dir, args)
	case "grep":
		return !slices.ContainsFunc(args, grepFollows) && d.staysInside(dir, args)
	case "wc":
		return !slices.ContainsFunc(args, wcLists) && d.staysInside(dir, args)
	case "uniq": // its second operand is where it writes
		return d.staysInside(dir, args) && countOperands(args) < 2
	case "base64":
		return !slices.ContainsFunc(args, base64Writes) && d.staysInside(dir, args)
	case "find":
		return !slices.ContainsFunc(args, findRuns) && !slices.ContainsFunc(args, findFollows) && d.staysInside(dir, args)
	case "sed":
		// Behind the script flags still count: -i writes, -e is one more script.
		return len(args) >= 2 && args[0] == "-n" && regexp.MustCompile(`^\d+(,\d+)?p$`).MatchString(args[1]) &&
			!slices.ContainsFunc(args[2:], isFlag) && d.staysInside(dir, args[2:])
	case "git":
		return safeGit(args) && d.staysInside(dir, args[1:])
	case "bash", "zsh":
		return len(args) == 2 && (args[0] == "-c" || args[0] == "-lc") && d.safeScript(dir, args[1])
	}
	if filepath.Base(name) == "rg" {
		switch filepath.Dir(name) {
		case "/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin":
			return !slices.ContainsFunc(args, rgRuns) && !slices.ContainsFunc(args, rgFollows) && d.staysInside(dir, args)
		}
	}
	return false
}

// safeScript reports whether a script consists of safe commands, one after
// the other.
func (d *decider) safeScript(dir, text string) bool {
	if strings.ContainsAny(text, "()<>") {
		return false
	}
	script, err := shellcmd.Parse(text)
	if err != nil || script.Substitutes || len(script.Redirections) > 0 {
		return false
	}
	for _, c := range script.Commands {
		// After cd, relative paths are relative to something else.
		if c.Name == "cd" || c.Name == "bash" || c.Name == "zsh" || !d.safeCommand(dir, c) {
			return false
		}
	}
	return true
}

// safeGit reports whether git is asked for something that only looks.
func safeGit(args []string) bool {
	if len(args) == 0 || slices.ContainsFunc(args, gitRuns) || slices.ContainsFunc(args, gitConfigures) {
		return false
	}
	switch args[0] {
	case "status", "log", "diff", "show":
		return true
	case "branch":
		for _, a := range args[1:] {
			switch a {
			case "-a", "--all", "-r", "--remotes", "-l", "--list", "-v", "-vv", "--verbose", "--show-current", "--no-color":
			default:
				return false
			}
		}
		return true
	}
	return false
}

// staysInside reports whether whatever in the arguments could be a path is in
// the workspace.
func (d *decider) staysInside(dir string, args []string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			// A flag may carry a path: -ffile, -if/etc/x, --file=../x.
			if _, value, ok := strings.Cut(a, "="); ok {
				a = value
			} else if i := strings.IndexAny(a, "/."); i > 0 {
				a = a[i:]
			} else if len(a) > 2 && a[1] != '-' {
				a = a[2:]
			} else {
				continue
			}
		}
		if a != "" && (climbs(a) || !d.inside(dir, a)) {
			return false
		}
	}
	return true
}

// climbs reports whether a path goes up again after it has gone down: it may have gone
// down by a link, and is then elsewhere than it seems.
func climbs(path string) bool {
	down := false
	for name := range strings.SplitSeq(path, "/") {
		switch name {
		case "..":
			if down {
				return true
			}
		case "", ".":
		default:
			down = true
		}
	}
	return false
}

func countOperands(args []string) int {
	n := 0
	for _, a := range args {
		if !strings.HasPrefix(a, "-") || a == "-" {
			n++
		}
	}
	return n
}
