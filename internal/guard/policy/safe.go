package policy

import (
	"slices"
	"strings"
	"unicode/utf8"

	"pollux/internal/secret"
	"pollux/internal/shellcmd"
	"pollux/internal/shellcmd/readonly"
	"pollux/internal/workspace"
)

// IsReadOnly reports whether a call is a shell command that only reads, and only files that the
// model may read anyway.
func (e *Engine) IsReadOnly(c Call) bool {
	d := e.decider(c)
	script, err := shellcmd.Parse(d.q.command())
	return err == nil && d.isSafe(d.dir(), script)
}

// isSafe reports whether the script is a list of commands that only read, and only files that
// the model may read anyway.
func (d *decider) isSafe(dir string, script *shellcmd.Script) bool {
	if script == nil || !script.IsList || opensFiles(script.Redirections) {
		return false
	}
	dirs := d.directories(dir, script)
	return dirs != nil && !slices.ContainsFunc(script.Commands, func(c shellcmd.Command) bool { return !d.isSafeIn(dirs, c) })
}

// directories returns the directories in which the commands of a script may run: dir, and those that cd with a plain name
// leads to. It returns nil if they are not known.
func (d *decider) directories(dir string, script *shellcmd.Script) []string {
	const most = 8
	dirs := []string{dir}
	for _, c := range script.Commands {
		switch {
		case !moves(c):
		case c.Name != "cd" || len(c.Words) != 2 || readonly.IsFlag(c.Words[1].Text) || !d.isSafeIn(dirs, c) || 2*len(dirs) > most:
			return nil
		default:
			for _, from := range slices.Clone(dirs) { // cd may fail
				dirs = append(dirs, workspace.RealPath(d.abs(from, c.Words[1].Value)))
			}
		}
	}
	return dirs
}

// isSafeIn reports whether a command only reads files that the model may read, whichever of the directories it runs in.
// Behind cd, git may find another repository.
func (d *decider) isSafeIn(dirs []string, c shellcmd.Command) bool {
	if len(dirs) > 1 && (c.Name == "git" || c.Name == "bash" || c.Name == "zsh") {
		return false
	}
	return !slices.ContainsFunc(dirs, func(dir string) bool { return !d.safeCommand(dir, c) })
}

func (d *decider) safeCommand(dir string, c shellcmd.Command) bool {
	if !readonly.Command(c) {
		return false
	}
	name := c.Args()[0]
	switch name {
	case "echo", "expr", "false", "id", "nproc", "pwd", "seq", "sleep", "true", "uname", "which", "whoami":
		// bash evaluates most expansions other than $NAME a second time.
		return !slices.ContainsFunc(c.Words, func(w shellcmd.Word) bool {
			return !w.Static && w.Variables == nil || slices.ContainsFunc(w.Variables, secret.InName)
		})
	}
	// The other commands open files: their names must be known. bash evaluates more in those of printf.
	c, list := expandGlobs(dir, c)
	if len(list) == 0 || !readonly.Command(c) {
		return false
	}
	args := list[1:]
	if slices.ContainsFunc(c.Words, func(w shellcmd.Word) bool { return !w.Static }) {
		return false
	}
	// Commands that follow links could leave the workspace through a link of the project, and so
	// could commands that read file names from a file.
	switch name {
	case "basename", "dirname", "printf":
		return true
	case "date": // which could read a file
		return !slices.ContainsFunc(args, func(a string) bool { return a != "-u" && !strings.HasPrefix(a, "+") })
	case "ls":
		return !readonly.HasFlags(args, "--dereference", "-L") && d.staysInside(dir, args)
	case "base64", "cat", "cd", "cut", "head", "nl", "numfmt", "paste", "rev", "sed", "stat", "tac", "tail", "tr", "uniq":
		return d.staysInside(dir, args)
	case "grep":
		return !readonly.HasFlags(args, "--dereference-recursive", "-R") && d.staysInside(dir, args)
	case "sort", "wc":
		return !readonly.HasFlags(args, "--files0-from") && d.staysInside(dir, args)
	case "find":
		return !slices.ContainsFunc(args, findFollows) && d.staysInside(dir, args)
	case "git":
		return safeGit(args) && d.staysInside(dir, args[1:]) && d.opts.Git != nil && d.opts.Git(dir)
	case "bash", "zsh":
		// The profile that -l reads may change the locale, and thus how the shell reads other characters than ASCII.
		return (args[0] == "-c" || isASCII(args[1])) && d.safeScript(dir, args[1])
	case "/bin/rg", "/usr/bin/rg", "/usr/local/bin/rg", "/opt/homebrew/bin/rg":
		return !readonly.HasFlags(args, "--follow", "-L") && d.staysInside(dir, args)
	}
	return false
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r >= utf8.RuneSelf })
}

// safeScript reports whether a script consists only of safe commands, one after the other.
func (d *decider) safeScript(dir, text string) bool {
	if strings.ContainsAny(text, "()<>") {
		return false
	}
	script, err := shellcmd.Parse(text)
	if err != nil || len(script.Substitutions) > 0 || script.Evaluates != "" || len(script.Redirections) > 0 {
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

// findFollows reports whether an argument of find makes it follow links, or read names from a file. Some systems accept several
// options in one argument, as in -EL.
func findFollows(arg string) bool {
	return arg == "-follow" || arg == "-files0-from" || readonly.IsFlag(arg) && strings.Contains(arg, "L") && strings.Trim(arg, "-0123456789DEHLOPXdsx") == ""
}

// safeGit reports whether a git command that only reads is one of those that read nothing but the repository.
func safeGit(args []string) bool {
	switch {
	case len(args) == 0, slices.ContainsFunc(args, gitConfigures), readonly.HasFlags(args, "--no-index", "--stdin"): // which read other files, and flags
		return false
	}
	return slices.Contains([]string{"branch", "diff", "log", "show", "status"}, args[0])
}

// staysInside reports whether everything in the arguments that could be a path is in the
// workspace.
func (d *decider) staysInside(dir string, args []string) bool {
	return !slices.ContainsFunc(args, func(arg string) bool {
		return slices.ContainsFunc(pathsIn(arg), func(path string) bool { return climbs(path) || !d.inside(dir, path) })
	})
}

// pathsIn returns the parts of an argument that a program may take for a path: the argument, also if it begins like a flag, as
// one behind "--" may, the value of a flag, and all that may be the value behind the letters of flags, as in -rfFILE.
func pathsIn(arg string) []string {
	const most = 300
	var paths []string
	switch _, value, isSet := strings.Cut(arg, "="); {
	case arg == "":
		return nil
	case arg[0] != '-':
	case strings.HasPrefix(arg, "--") && isSet:
		paths = append(paths, value)
	case strings.HasPrefix(arg, "--"):
		if i := strings.IndexAny(arg, "/."); i > 0 {
			paths = append(paths, arg[i:])
		}
	case len(arg) > most:
		return []string{"/"}
	default:
		for i := 2; i < len(arg); i++ {
			paths = append(paths, arg[i:])
		}
	}
	return append(paths, arg)
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
