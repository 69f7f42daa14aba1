package shell

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"pollux/internal/shellcmd"
)

// remedy is advice for a command that has failed because it needs a terminal or a person's input.
type remedy struct {
	programs string // names of programs, separated by spaces; "" is any program
	// output is a regular expression for the end of the output; "" is any output.
	output string
	advice string
}

// remedies are examined in this order; the first that applies counts.
var remedies = []remedy{
	{editors, "", noEditorHere},
	{"sudo doas su", `(?i)password|terminal|tty|authentication|askpass`, "No password can be typed here. Use a command that needs none, or ask the user to run this one."},
	{"ssh scp sftp rsync git ssh-copy-id", `Permission denied \(|Host key verification failed`, "ssh can ask nothing here. The user must add the key or the known host."},
	{"docker podman nerdctl kubectl oc", `(?i)not a tty|tty`, "There is no terminal here. Leave -t out, and -i unless input is piped in: docker run IMAGE COMMAND."},
	{"npm pnpm yarn bun", `(?i)walk you through|package name:|question `, "Nothing can be answered here. Use npm init -y."},
	{"top htop btop", "", "There is no terminal here. Use top -b -n 1, or ps aux."},
	{"ssh-keygen", `(?i)enter |passphrase|overwrite`, "Nothing can be answered here. Use ssh-keygen -N '' -f FILE."},
	{"", `(?i)(\[y/n\]|\(y/n\)|\(yes/no(/\[fingerprint\])?\)|password( for [^\n]*)?|passphrase[^\n]*|continue|proceed)\s*[?:]?\s*$`, "Commands get no input: answer with a flag such as -y, or pipe the answer in."},
	{"", `(?i)not a (tty|terminal)|/dev/tty: No such device|inappropriate ioctl for device|must be (run|started) (from|in) a terminal|requires? an? (interactive )?(terminal|tty)`, "Commands have no terminal. Use the program's flags for scripts."},
}

// editors wait for a person, unless flags tell them what to do.
const editors = "vi vim nvim view vimdiff nano pico emacs micro joe mcedit"

const noEditorHere = "No editor can run here. Change files with replace or write_file, or with sed."

// checkEditor returns an error for a command with an editor that would wait for a person: some wait for ever without a
// terminal.
func checkEditor(command string) error {
	script, err := shellcmd.Parse(command)
	if err != nil || slices.ContainsFunc(script.Redirections, func(r shellcmd.Redirection) bool { return strings.HasPrefix(r.Op, "<") }) {
		return nil //nolint:nilerr // bash reports the syntax error
	}
	for i := range script.Commands {
		c := &script.Commands[i]
		if !isOneOf(c.Name, editors) || c.Pipe > 0 {
			continue
		}
		hasFlags := slices.ContainsFunc(c.Args()[1:], func(arg string) bool { return strings.HasPrefix(arg, "-") || strings.HasPrefix(arg, "+") })
		if !hasFlags {
			return fmt.Errorf("nothing was run, because %s would wait for a person. %s", c.Name, noEditorHere)
		}
	}
	return nil
}

// interpreters read a program from their input if they have no arguments.
const interpreters = "python python2 python3 ipython node deno irb ruby php perl lua R ghci julia psql mysql mariadb sqlite3 mongosh redis-cli bash sh zsh fish bc"

// advise returns advice about a command that needs a terminal or a person's input, "" if there is none. output is the
// end of its output.
func advise(command, output string, hasFailed bool) string {
	script, err := shellcmd.Parse(command)
	if err != nil || len(script.Commands) == 0 {
		return ""
	}
	name := func(c *shellcmd.Command) string { return filepath.Base(c.Name) }
	last := &script.Commands[len(script.Commands)-1]
	hasInput := len(script.Redirections) > 0 || last.Pipe > 0
	switch {
	case hasInput:
	case len(script.Commands) == 1 && len(last.Args()) == 1 && output == "" && isOneOf(name(last), interpreters):
		return name(last) + " gets no input, so it ran nothing. Pass the program with a flag such as -c or -e, as a file, or in a here-document."
	case slices.ContainsFunc(script.Commands, func(c shellcmd.Command) bool { return c.Name == "read" }):
		return "read gets no input here. Set the variable in the command."
	}
	if text := ranAsCommand(script, output); text != "" {
		return "bash ran " + text + " as a command and put nothing in its place: backticks and $(...) in double quotes are substitutions. " +
			"Put such text in single quotes or a heredoc with a quoted delimiter, and check what the command has done without it."
	}
	if asksForEach(script, output) || !hasFailed && askedInVain(output) {
		return "The last question got no answer: commands get no input. Use flags, name the files, or pipe the answers in."
	}
	if !hasFailed {
		return ""
	}
	for _, r := range remedies {
		runs := func(c shellcmd.Command) bool { return isOneOf(name(&c), r.programs) }
		if r.programs != "" && !slices.ContainsFunc(script.Commands, runs) {
			continue
		}
		if found, err := regexp.MatchString(r.output, output); err == nil && found {
			return r.advice
		}
	}
	return ""
}

// inspectors are programs that look into all processes. The sandbox lets a command look into its own only.
const inspectors = "fuser lsof"

// othersAreListed follows the advice about inspectors where the model has the tools.
const othersAreListed = " list_background_processes and stop_background_process know the others."

// These follow the advice about pkill: the first where the model has the tool.
const (
	canBeStopped = " End a background command with stop_background_process."
	isNarrower   = " Search for other processes in a call of its own, with a pattern that does not match itself: '[s]erver' for server."
)

// adviseOnInspection returns advice about a command in the sandbox that looks into all processes, "" for others.
func adviseOnInspection(command string) string {
	if !slices.ContainsFunc(shellcmd.Roots(command), func(root string) bool { return isOneOf(filepath.Base(root), inspectors) }) {
		return ""
	}
	return "In the sandbox, fuser and lsof see only the processes of this command."
}

// adviseOnOwnEnd returns advice about a command that has found its own shell among the processes to end, "" for others. The command is
// in the command line of its shell, unlike at a terminal.
func adviseOnOwnEnd(command string, signal syscall.Signal) string {
	if signal == 0 {
		return ""
	}
	script, err := shellcmd.Parse(command)
	if err != nil {
		return ""
	}
	for i := range script.Commands {
		c := &script.Commands[i]
		name := filepath.Base(c.Name)
		if isOneOf(name, "pkill pgrep") && searchesFor(c.Args()[1:], command) {
			return name + " -f has found the shell of this command, too, and ended it: the rest did not run. The pattern matches the command line of the shell, " +
				"which is the whole command."
		}
	}
	return ""
}

// searchesFor reports whether arguments of pkill have an option to search command lines, -f alone or as in -9f, or --full, and a pattern that
// matches a command.
func searchesFor(args []string, command string) bool {
	isFull, pattern := false, ""
	for _, arg := range args {
		switch {
		case strings.HasPrefix(arg, "--"):
			isFull = isFull || arg == "--full"
		case strings.HasPrefix(arg, "-"):
			isFull = isFull || strings.Contains(arg, "f")
		default:
			pattern = arg // the words before it are values of options
		}
	}
	found, err := regexp.MatchString(pattern, command)
	return isFull && pattern != "" && found && err == nil
}

// adviseOnAuthor returns advice about a commit for which git knows no author, "" for others. git's own advice is to make one up, for
// all repositories.
func adviseOnAuthor(output string, hasFailed bool) string {
	if !hasFailed || !strings.Contains(output, "*** Please tell me who you are.") {
		return ""
	}
	return "The user has told git no name and address. Do not make them up. If the user can answer, ask for them and set them with git config in this repository. Else leave the changes uncommitted, and say so."
}

// ranAsCommand returns the text of a substitution whose program was not found: probably it was meant as text.
func ranAsCommand(script *shellcmd.Script, output string) string {
	for _, text := range script.Substitutions {
		if words := strings.Fields(text); len(words) > 0 && strings.Contains(output, words[0]+": command not found") {
			return "`" + text + "`"
		}
	}
	return ""
}

// askedInVain reports whether the output ends with a choice of keys, as that of "git add -p" does.
func askedInVain(output string) bool {
	line := strings.TrimSpace(output[strings.LastIndexByte(strings.TrimRight(output, "\n"), '\n')+1:])
	choice, isQuestion := strings.CutSuffix(line, "?")
	at := strings.LastIndexByte(choice, '[')
	return isQuestion && at >= 0 && strings.HasSuffix(choice, "]") && strings.HasPrefix(choice[at:], "[y,n")
}

// asksForEach reports whether a script without input runs a program that is to ask about each file, such as rm -i, and the output has a question of
// it.
func asksForEach(script *shellcmd.Script, output string) bool {
	if slices.ContainsFunc(script.Redirections, func(r shellcmd.Redirection) bool { return strings.HasPrefix(r.Op, "<") }) {
		return false
	}
	last := output[strings.LastIndexByte(output, '\n')+1:]
	isQuestion := strings.HasSuffix(strings.TrimRight(last, ". "), "?")
	for i := range script.Commands {
		c := &script.Commands[i]
		name := filepath.Base(c.Name)
		switch {
		case name == "xargs": // it asks at a terminal, whatever its input is
			if isQuestion && hasOption(c, "p", "--interactive") {
				return true
			}
		case name == "find":
			if isQuestion && (hasOption(c, "", "-ok") || hasOption(c, "", "-okdir")) {
				return true
			}
		case isOneOf(name, "rm mv cp ln") && c.Pipe == 0 && hasOption(c, "iI", "--interactive"):
			if found, err := regexp.MatchString(`(?m)^(\S*/)?`+name+`: .*\?( |$)`, output); isQuestion || found && err == nil {
				return true
			}
		}
	}
	return false
}

// hasOption reports whether a command has one of the short options, alone or among others, or the long one.
func hasOption(c *shellcmd.Command, short, long string) bool {
	return slices.ContainsFunc(c.Args()[min(1, len(c.Args())):], func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		isShort := strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--")
		return name == long || isShort && short != "" && strings.ContainsAny(arg, short)
	})
}

func isOneOf(name, names string) bool {
	for n := range strings.FieldsSeq(names) {
		if n == name {
			return true
		}
	}
	return false
}
