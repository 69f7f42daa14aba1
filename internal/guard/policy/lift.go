package policy

import (
	"slices"

	"pollux/internal/shellcmd"
	"pollux/internal/shellcmd/readonly"
)

// lifter knows the commands of a script that only read, and may run although no rule allows them. A nil lifter knows none.
type lifter struct {
	safe []bool // by the place of the command
	// early is the number of commands that have ended before the first one begins that may do more than read, such as
	// create links. Beside and after that one, names of files may mean others.
	early int
}

// lifter returns the lifter for a script. isSafe is set if all of its commands are known to be safe.
func (d *decider) lifter(script *shellcmd.Script, isSafe bool) *lifter {
	n := len(script.Commands)
	if isSafe {
		return &lifter{safe: slices.Repeat([]bool{true}, n), early: n}
	}
	around := d.mixed
	d.mixed = true
	dir := d.dir()
	if !d.interactive || !d.trusted || d.state.mode == Yolo || !script.IsListOutside || opensFiles(script.Redirections) || !d.inside(d.opts.Dir, dir) {
		return nil
	}
	dirs := d.directories(dir, script)
	if dirs == nil {
		return nil
	}
	l := &lifter{}
	for _, c := range script.Commands {
		isSafe := d.isSafeIn(dirs, c)
		if l.safe = append(l.safe, isSafe); c.IsNested && !c.PrintsText && !(isSafe && opensNothing(c)) {
			return nil // the output of the substitution may be anything
		}
	}
	i := slices.Index(l.safe, false)
	d.mixed = around || i >= 0
	switch {
	case around:
	case i < 0:
		l.early = n
	default:
		pipe := script.Commands[i].Pipe
		for l.early < i && (pipe == 0 || script.Commands[l.early].Pipe != pipe) {
			l.early++
		}
	}
	return l
}

// allows reports whether the ith command of the script, c, runs without a question.
func (l *lifter) allows(i int, c shellcmd.Command) bool {
	return l != nil && l.safe[i] && (i < l.early || opensNothing(c))
}

// opensNothing reports whether a safe command opens no file whose content it prints, except its input.
func opensNothing(c shellcmd.Command) bool {
	list := c.Args()
	name, args := list[0], list[1:]
	switch name {
	case "basename", "cd", "date", "dirname", "echo", "expr", "false", "id", "nproc", "printf", "pwd", "seq", "sleep", "true", "uname", "whoami":
		return true
	}
	if slices.Contains(args, "--") { // flags after it are files
		return false
	}
	switch name {
	case "cat", "nl", "rev", "tac", "wc":
		return operands(args) == 0
	case "cut":
		return operands(args, "-b", "-c", "-d", "-f") == 0
	case "grep":
		return operands(args, "-A", "-B", "-C", "-m") <= 1 && !readonly.HasFlags(args, "-e", "--regexp", "-f", "--file", "-r", "--recursive", "--exclude-from", "--directories", "-d")
	case "head", "tail":
		return operands(args, "-c", "-n") == 0
	case "sed":
		return len(args) == 2
	case "sort":
		return operands(args, "-k", "-t") == 0 && !readonly.HasFlags(args, "--random-source", "--temporary-directory", "-T")
	case "tr":
		return true
	case "uniq":
		return operands(args, "-f", "-s", "-w") == 0
	}
	return false
}

// operands counts the arguments that are neither flags nor the values of these flags.
func operands(args []string, withValue ...string) int {
	n := 0
	for i, arg := range args {
		if !readonly.IsFlag(arg) && (i == 0 || !slices.Contains(withValue, args[i-1])) {
			n++
		}
	}
	return n
}
