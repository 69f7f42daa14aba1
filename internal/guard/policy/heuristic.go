package policy

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/secret"
	"pollux/internal/shellcmd"
)

// heuristics adjusts the decision of a rule without conditions about a shell command. script
// is nil if the command cannot be parsed. What the user wants to be asked about stays a
// question, and so does everything in an untrusted folder.
func (d *decider) heuristics(v *Verdict, script *shellcmd.Script) {
	if v.Decision == Deny {
		return
	}
	dir := d.dir()
	switch {
	case d.state.mode != Yolo && d.q.text("dir_path") != "" && !d.inside(d.opts.Dir, dir):
		d.change(v, Ask, "dir_path is outside the workspace")
	case !d.trusted && runsGit(d.q.command(), script):
		d.change(v, Ask, "git runs programs that a repository names, and the folder is not trusted")
	case d.state.mode != Yolo && isDangerous(firstWords(d.q.command(), script)):
		d.change(v, Ask, "the command deletes or writes files, or runs other programs")
	case v.Decision == Ask && d.interactive && d.trusted && v.Rule.isBuiltin() && d.isSafe(dir, script):
		d.change(v, Allow, "the command is known to only read inside the workspace")
		v.IsLifted = true
	}
}

// Dir returns the absolute directory that the command of a shell call runs in. For other calls it is
// that of the session.
func (e *Engine) Dir(c Call) string {
	d := e.decider(c)
	return d.dir()
}

// Inside reports whether an absolute path is in the workspace after links are followed.
func (e *Engine) Inside(path string) bool { return e.inside(e.opts.Dir, path) }

// dir returns the directory that the command runs in, resolved like the shell tool does.
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

// words returns a command's words as the program gets them. Words that the shell expands are
// returned as written.
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

// runsGit reports whether one of the commands is git, which executes programs from a
// repository's configuration.
func runsGit(command string, script *shellcmd.Script) bool {
	if script == nil {
		return strings.Contains(command, "git")
	}
	return slices.ContainsFunc(script.Commands, func(c shellcmd.Command) bool { return program(c) == "git" })
}

// program returns the base name of the program of a command, skipping prefixes such as sudo
// and env.
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

// isDangerous reports whether a command may have irreversible effects, or execute programs
// under the name of a harmless one.
func isDangerous(words []string) bool {
	if len(words) == 0 {
		return false
	}
	args := words[1:]
	switch words[0] {
	case "rm":
		return len(args) > 0 && (args[0] == "-f" || args[0] == "-rf" || args[0] == "-fr")
	case "sudo":
		return isDangerous(args)
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

// runsOthers reports whether a command runs other programs, deletes or writes with flags that the
// user may not have thought of when they allowed the program: r does not name the flags.
func (d *decider) runsOthers(c shellcmd.Command, r *Rule) bool {
	list := words(c)
	if c.Words == nil { // "time x"
		list = strings.Fields(c.Plain)
	}
	list = r.withoutNamed(list, c)
	isWrapped := false
	for len(list) > 0 && (strings.Contains(list[0], "=") || isWrapper(list[0])) {
		isWrapped, list = true, list[1:]
	}
	for i := range list {
		name := filepath.Base(list[i])
		switch {
		case !isWrapped && (name == "rm" || name == "base64"):
			return false // the program itself does it
		case isDangerous(append([]string{name}, list[i+1:]...)),
			name == "git" && gitRunsOthers(list[i+1:], func(word string) bool { return r.names(word, c) }),
			name == "sort" && slices.ContainsFunc(list[i+1:], sortWrites),
			hidesFlags(name) && slices.ContainsFunc(c.Words, makesFlag):
			return true
		case !isWrapped:
			return false
		}
	}
	return false
}

// hidesFlags reports whether flags of a program run others, delete or write.
func hidesFlags(name string) bool {
	switch name {
	case "find", "rg", "base64", "git", "sort":
		return true
	}
	return false
}

// makesFlag reports whether the shell may make a flag of a word by brace expansion: {-delete,}.
func makesFlag(w shellcmd.Word) bool {
	return !w.Static && strings.HasPrefix(w.Text, "{") && strings.Contains(w.Text, "-")
}

func sortWrites(arg string) bool {
	return hasFlag(arg, "--output") || hasFlag(arg, "--compress-program") || shortFlag(arg, 'o')
}

// isWrapper reports whether a program runs the one that its arguments name.
func isWrapper(name string) bool {
	switch filepath.Base(name) {
	case "sudo", "doas", "env", "time", "command", "nohup", "nice", "timeout", "setsid", "stdbuf", "xargs":
		return true
	}
	return false
}

// runner returns the program if prefix is only its name and the program can run any code, as
// "python" and "npm" can. For other programs, and for a prefix with a subcommand such as
// "npm test", it returns "".
func runner(prefix string) string {
	fields := strings.Fields(prefix)
	if len(fields) != 1 {
		return ""
	}
	switch name := filepath.Base(fields[0]); name {
	case "git", "find", "rg", "ssh", "scp", "rsync", "make", "gmake", "cmake", "ninja", "npm", "npx", "yarn", "pnpm", "bun", "node", "deno",
		"python", "python3", "pip", "pip3", "uv", "perl", "ruby", "php", "go", "cargo", "mvn", "gradle", "docker", "podman", "kubectl",
		"sh", "bash", "zsh", "fish", "awk", "sed", "tar", "watch", "parallel", "eval", "exec", "just", "task", "rake":
		return name
	default:
		if isWrapper(name) {
			return name
		}
	}
	return ""
}

// names reports whether the rule allows a command by a prefix with this word.
func (r *Rule) names(word string, c shellcmd.Command) bool {
	return slices.ContainsFunc(r.Prefixes, func(p string) bool {
		return hasPrefix(c.Text, p) && slices.Contains(strings.Fields(p), word)
	})
}

// withoutNamed returns the words of a command without the flags that the rule names.
func (r *Rule) withoutNamed(words []string, c shellcmd.Command) []string {
	named := 0 // words of the longest prefix
	for _, p := range r.Prefixes {
		if hasPrefix(c.Text, p) {
			named = max(named, len(strings.Fields(p)))
		}
	}
	var left []string
	for i, word := range words {
		isNamed := i < named
		if r.Args != nil && len(r.Prefixes) == 0 {
			isNamed = strings.Contains(r.Args.String(), word)
		}
		if i == 0 || !isNamed || !isFlag(word) && !strings.Contains(word, "=") {
			left = append(left, word)
		}
	}
	return left
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

// Commands that follow links could leave the workspace through a link of the project, and so
// could commands that read file names from a file.

func grepFollows(arg string) bool {
	return hasFlag(arg, "--dereference-recursive") || shortFlag(arg, 'R')
}

func rgFollows(arg string) bool { return hasFlag(arg, "--follow") || shortFlag(arg, 'L') }

func findFollows(arg string) bool { return arg == "-L" || arg == "-follow" || arg == "-files0-from" }

func wcLists(arg string) bool { return hasFlag(arg, "--files0-from") }

// hasFlag reports whether arg is the long flag, with or without a value. Like most programs,
// it accepts abbreviations.
func hasFlag(arg, flag string) bool {
	name, _, _ := strings.Cut(arg, "=")
	return len(name) > 2 && strings.HasPrefix(flag, name)
}

func isFlag(arg string) bool { return strings.HasPrefix(arg, "-") }

// shortFlag reports whether c is a letter of a short flag.
func shortFlag(arg string, c byte) bool {
	return len(arg) > 1 && arg[0] == '-' && arg[1] != '-' && strings.IndexByte(arg, c) > 0
}

// IsReadOnly reports whether a call is a shell command that is known to only read what the
// model may see anyway.
func (e *Engine) IsReadOnly(c Call) bool {
	d := e.decider(c)
	script, err := shellcmd.Parse(d.q.command())
	return err == nil && d.isSafe(d.dir(), script)
}

// isSafe reports whether the script is a single command that only reads, and only what the
// model may see anyway.
func (d *decider) isSafe(dir string, script *shellcmd.Script) bool {
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
		// bash evaluates most expansions other than $NAME a second time.
		return !slices.ContainsFunc(c.Words, func(w shellcmd.Word) bool {
			return !w.Static && w.Variables == nil || slices.ContainsFunc(w.Variables, secret.InName)
		})
	}
	// The other commands open files: their names must be known.
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
	case "uniq": // writes to its second operand
		return d.staysInside(dir, args) && countOperands(args) < 2
	case "base64":
		return !slices.ContainsFunc(args, base64Writes) && d.staysInside(dir, args)
	case "find":
		return !slices.ContainsFunc(args, findRuns) && !slices.ContainsFunc(args, findFollows) && d.staysInside(dir, args)
	case "sed":
		// Flags also count after the script: -i writes, -e adds a script.
		return len(args) >= 2 && args[0] == "-n" && regexp.MustCompile(`^\d+(,\d+)?p$`).MatchString(args[1]) &&
			!slices.ContainsFunc(args[2:], isFlag) && d.staysInside(dir, args[2:])
	case "git":
		return safeGit(args) && d.staysInside(dir, args[1:]) && d.opts.Git != nil && d.opts.Git(dir)
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

// safeScript reports whether a script consists only of safe commands, one after the other.
func (d *decider) safeScript(dir, text string) bool {
	if strings.ContainsAny(text, "()<>") {
		return false
	}
	script, err := shellcmd.Parse(text)
	if err != nil || script.Substitutes || script.Evaluates != "" || len(script.Redirections) > 0 {
		return false
	}
	for _, c := range script.Commands {
		// After cd, relative paths have another base.
		if c.Name == "cd" || c.Name == "bash" || c.Name == "zsh" || !d.safeCommand(dir, c) {
			return false
		}
	}
	return true
}

// safeGit reports whether a git command only reads.
func safeGit(args []string) bool {
	if len(args) == 0 || slices.ContainsFunc(args, gitRuns) || slices.ContainsFunc(args, gitConfigures) {
		return false
	}
	if slices.ContainsFunc(args, func(a string) bool { return hasFlag(a, "--no-index") }) {
		return false // reads files that are in no repository
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

// staysInside reports whether everything in the arguments that could be a path is in the
// workspace.
func (d *decider) staysInside(dir string, args []string) bool {
	for _, a := range args {
		if strings.HasPrefix(a, "-") {
			// A flag may contain a path: -ffile, -if/etc/x, --file=../x.
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

// climbs reports whether a path contains ".." after a name. If the name is a link, the path
// leads elsewhere than it seems.
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
