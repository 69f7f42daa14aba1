package policy

import (
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
	"pollux/internal/shellcmd/readonly"
)

// heuristics adjusts the decision of a rule without conditions about a shell command. script is
// nil if the command cannot be parsed. A question that the user wants stays a question, and so
// does everything in an untrusted folder.
func (d *decider) heuristics(v *Verdict, script *shellcmd.Script) {
	if v.Decision == Deny {
		return
	}
	dir := d.dir()
	switch {
	case !d.free() && d.q.text("dir_path") != "" && !d.inside(d.opts.Dir, dir):
		d.change(v, Ask, "dir_path is outside the workspace")
	case !d.trusted && runsGit(d.q.command(), script):
		d.change(v, Ask, "git runs programs that a repository names, and the folder is not trusted")
	case !d.free() && mayBeDangerous(d.q.command(), script):
		d.change(v, Ask, dangerous)
	case v.Decision == Ask && (d.interactive || d.state.mode == Plan) && d.trusted && v.Rule.isBuiltin() && d.isSafe(dir, script):
		d.change(v, Allow, "the command is known to only read inside the workspace")
		v.IsLifted = true
	}
}

// dangerous is the reason for a question about a command of which [mayBeDangerous] is true.
const dangerous = "the command deletes or writes files, or runs other programs"

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
	return script.Commands[0].Args()
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

// mayBeDangerous reports whether the first command is dangerous, or may be with some output of a substitution in it.
func mayBeDangerous(command string, script *shellcmd.Script) bool {
	words := firstWords(command, script)
	if isDangerous(words) || script == nil {
		return isDangerous(words)
	}
	c := script.Commands[0]
	return mayGetFlags(c) || len(c.Words) > 1 && (words[0] == "rm" || words[0] == "sudo") && c.Words[1].Computed
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
	case "find", "rg", "base64":
		return !readonly.Program(words[0], args)
	case "git":
		if slices.ContainsFunc(args, gitConfigures) {
			return true
		}
		switch gitSubcommand(args) {
		case "status", "log", "diff", "show", "branch":
			return readonly.HasFlags(args, readonly.GitRuns...)
		}
	}
	return false
}

// runsOthers reports whether a command runs other programs, deletes or writes with flags that the
// user may not have thought of when they allowed the program: r does not name the flags.
func (d *decider) runsOthers(c shellcmd.Command, r *Rule) bool {
	list := c.Args()
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
			name == "sort" && !readonly.Program(name, list[i+1:]),
			slices.Contains(hidesFlags, name) && slices.ContainsFunc(c.Words, makesFlag):
			return true
		case !isWrapped:
			return false
		}
	}
	return false
}

// hidesFlags are programs whose flags run others, delete or write.
var hidesFlags = []string{"find", "rg", "base64", "git", "sort"}

// makesFlag reports whether the shell may make a flag that a word contains of the word: {-delete,} or ${x:--delete}.
func makesFlag(w shellcmd.Word) bool {
	begin := strings.TrimLeft(w.Text, `"'`)
	return !w.Static && w.Variables == nil && strings.Contains(w.Text, "-") && (strings.HasPrefix(begin, "{") || strings.HasPrefix(begin, "$") && !w.Computed)
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
		if i == 0 || !isNamed || !readonly.IsFlag(word) && !strings.Contains(word, "=") {
			left = append(left, word)
		}
	}
	return left
}

func gitConfigures(arg string) bool {
	return strings.HasPrefix(arg, "-c") || readonly.HasFlag(arg, "--config-env")
}

// gitSubcommand returns the first argument that is not a flag.
func gitSubcommand(args []string) string {
	if i := slices.IndexFunc(args, isOperand); i >= 0 {
		return args[i]
	}
	return ""
}

func isOperand(arg string) bool { return !readonly.IsFlag(arg) }
