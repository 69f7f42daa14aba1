package kit

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/terminal"
	"pollux/internal/wording"
	"pollux/llm/ellipsis"
	"pollux/tool"
)

// warnings returns the lines that a person reads before deciding about a call, beside the text of the call itself: the
// directories and hosts it reaches, the reason for the question, and all warnings. The lines are safe to print. names
// may be nil.
func warnings(c tool.Confirmation, names Names) []string {
	l := &approvalLines{names: names}
	switch c := c.(type) {
	case *tool.EditConfirmation:
		l.approval(&c.Approval)
	case *tool.ExecConfirmation:
		l.commands(&c.Reach)
		if hasRedirection(c.Roots) && !allowsRedirection(names) {
			l.redirects(&c.Approval)
		}
		l.list("Servers: ", hosts(c.Servers))
		for i := range c.Servers {
			l.server(&c.Servers[i])
		}
		l.list("Warning: these words come from tool output, not from you: ", c.UntrustedFlags)
		l.list("Warning: the command runs code from files that changed in this session: ", c.ModifiedBuildFiles)
		l.approval(&c.Approval)
	case *tool.InfoConfirmation:
		if len(c.Servers) > 0 && !c.IsWaiting { // else the question names it
			l.add(map[bool]string{true: "This text is sent to:", false: "URLs to fetch:"}[c.IsSent])
		}
		for i := range c.Servers {
			if !c.IsWaiting {
				l.add(terminal.Line(c.Servers[i].URL))
			}
			l.server(&c.Servers[i])
		}
		l.approval(&c.Approval)
	case *tool.RemoteConfirmation:
		l.approval(&c.Approval)
	}
	return l.lines
}

type approvalLines struct {
	names Names
	lines []string
}

func (l *approvalLines) add(line string) { l.lines = append(l.lines, line) }

// list adds a line with the beginning of a list, unless the list is empty.
func (l *approvalLines) list(label string, items []string) {
	if len(items) > 0 {
		l.add(label + joinBrief(items))
	}
}

// approval adds the directories that the call reaches, and the reason for the question unless it is the usual one.
func (l *approvalLines) approval(a *tool.Approval) {
	if len(a.Writes) > 1 {
		l.list("It writes to: ", a.Writes)
	}
	var outside []string
	for _, path := range a.Outside {
		outside = append(outside, shortPath(l.names, path))
	}
	l.list("Outside the workspace: ", outside)
	if a.Permission != "" {
		l.add(terminal.Line(a.Permission))
	}
	if a.Quoted != "" {
		l.add("Warning: these words stand in " + Brief(a.Quoted) + ". The model may only repeat them.")
	}
	if a.Continues != "" {
		l.add("Warning: a hook makes this call after " + Brief(a.Continues) + ". The model did not make it.")
	}
	if a.IsChanged {
		l.add("Warning: a hook has changed this call. The model did not write it like this.")
	}
	switch {
	case a.IsRetry:
		l.add(strings.TrimSpace("It lacked a permission. " + terminal.Line(a.Reason)))
	case showsReason(a):
		l.add(terminal.Line(a.Reason))
	}
}

// showsReason reports whether a line of the question has the reason for it.
func showsReason(a *tool.Approval) bool {
	return a.IsRetry || a.Reason != "" && !a.IsUsual && !a.IsRequired
}

// redirects adds the line about redirections of a command, with the mode that does not ask about them. It does ask about files outside of the
// workspace, and about a call that needs a person's answer in every mode.
func (l *approvalLines) redirects(a *tool.Approval) {
	line := "The command redirects its input or output."
	if len(a.Outside) == 0 && !a.Once() {
		line += " Mode auto_edit does not ask about that: see /help mode."
	}
	l.add(line)
}

// hookLines returns the words of the hook that requires the question, nil if none does.
func hookLines(a *tool.Approval) []string {
	switch {
	case !a.IsRequired:
		return nil
	case a.Message == "":
		return []string{"A hook requires your approval."}
	}
	l := &approvalLines{lines: []string{"A hook requires your approval:"}}
	l.message(a.Message)
	return l.lines
}

// message adds the lines of a text of others, indented, so that they cannot pass for lines of Pollux.
func (l *approvalLines) message(text string) {
	lines, _ := FirstLines(text, 200)
	for _, line := range lines {
		l.add("  " + line)
	}
	if IsAltered(text) {
		l.add(Altered)
	}
}

// commands lists the commands of a command line, so that a long line hides no program.
func (l *approvalLines) commands(r *tool.Reach) {
	const most = 20
	list := r.Commands
	if len(list) == 0 {
		return
	}
	l.add(fmt.Sprintf("The line runs %d commands:", r.Total))
	for i, c := range list[:min(len(list), most)] {
		times := ""
		if c.Times > 1 {
			times = fmt.Sprintf(" (%d times)", c.Times)
		}
		l.add(fmt.Sprintf("Command %d: %s%s", i+1, Brief(c.Text), times))
	}
	if more := list[min(len(list), most):]; len(more) > 0 {
		l.add(fmt.Sprintf("and %d more: %s", len(more), joinBrief(programs(more))))
	}
}

// server warns about deceptive parts of a URL.
func (l *approvalLines) server(s *tool.Server) {
	if s.IsLookalike {
		l.add("Warning: this host name can deceive: " + terminal.Line(s.Readable) + " is " + terminal.Line(s.Host))
	}
	if s.HasUser {
		l.add("Warning: the text before the @ is not the host. The host is " + terminal.Line(s.Host))
	}
}

// programs returns the names of the programs of commands, each once.
func programs(list []tool.ShellCommand) []string {
	var names []string
	for _, c := range list {
		if !slices.Contains(names, c.Program) {
			names = append(names, c.Program)
		}
	}
	return names
}

// hosts returns the hosts of servers, each once; the whole URL where there is no host.
func hosts(servers []tool.Server) []string {
	var list []string
	for _, s := range servers {
		if name := cmp.Or(s.Readable, s.URL); !slices.Contains(list, name) {
			list = append(list, name)
		}
	}
	return list
}

// allowsRedirection reports whether the approval mode allows redirections without a question.
func allowsRedirection(names Names) bool {
	return names != nil && slices.Contains([]string{"auto_edit", "sandboxed", "yolo"}, names.ModeName())
}

// hasRedirection reports whether the roots of a command contain a redirection.
func hasRedirection(roots []string) bool {
	return slices.ContainsFunc(roots, func(root string) bool { return strings.HasPrefix(root, "redirection") })
}

// joinBrief joins up to 20 items of a list that the model wrote, each of them shortened.
func joinBrief(list []string) string {
	const most = 20
	var text []string
	for _, item := range list[:min(len(list), most)] {
		text = append(text, Brief(item))
	}
	if len(list) > most {
		text = append(text, fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(text, ", ")
}

// Brief returns the beginning of a text on one clean line.
func Brief(text string) string {
	const most = 200
	return ellipsis.Runes(terminal.Line(text[:min(len(text), 8*most)]), most)
}

// FirstLines returns the first lines of a text, cleaned, at most so many, 0 for all; and the number of the others, which
// one more line then states.
func FirstLines(text string, most int) (lines []string, hidden int) {
	lines = strings.Split(strings.TrimRight(terminal.Text(text), "\n"), "\n")
	if most > 0 && len(lines) > most {
		hidden = len(lines) - most
		lines = append(lines[:most], "("+wording.Count(hidden, "more line")+")")
	}
	return lines, hidden
}

// Altered is the warning below a text for which [IsAltered] returns true.
const Altered = "Warning: the text above has characters that cannot be shown."

// IsAltered reports whether a text has characters that cannot be shown, which [terminal.Text] removes.
func IsAltered(text string) bool {
	return terminal.Text(text) != strings.ReplaceAll(text, "\r\n", "\n")
}
