package policy

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
	"pollux/internal/shellcmd/readonly"
	"pollux/llm/ellipsis"
)

// HiddenReason returns why the tool of a call is hidden from the model, and the way to allow it.
func (e *Engine) HiddenReason(c Call) string {
	d := e.decider(c)
	_, r := d.hides()
	reason := d.reason(Verdict{Decision: Deny, Rule: r})
	if r == nil || r.DenyMessage == "" {
		return reason
	}
	return strings.TrimSuffix(r.DenyMessage+" "+reason, " ")
}

// Question returns which rule, setting or mode requires the user's approval for a call, as a sentence.
// isUsual reports whether it is only the approval mode. The sentence is "" if the call needs no
// approval.
func (e *Engine) Question(c Call) (reason string, isUsual bool) {
	d := e.decider(c)
	v := d.verdict()
	r := v.Rule
	switch {
	case v.Decision != Ask:
		return "", false
	case r != nil && r.Decision == Allow && v.Evaluates != "":
		return fmt.Sprintf("bash evaluates a text in %s a second time, so a rule for the command does not allow it.", v.Evaluates), false
	case r != nil && r.Decision == Allow:
		return "Approval is needed because " + cmp.Or(d.why, "a part of it is not allowed") + ".", false
	case slices.ContainsFunc(d.state.rules.about(d.q).rules, func(r *Rule) bool { return r.isOutdated(d.q) }):
		return "You have allowed this tool before, but its server has described it differently since.", false
	case r.isAboutRemoteAgent():
		return "Each call of a remote agent requires approval.", false
	case r.isBuiltin():
		return fmt.Sprintf("Approval mode %q requires approval.", d.state.mode.Name()), true
	case r.file != "":
		return fmt.Sprintf("The policy rule in %s, line %d, requires approval.", d.display(r.file), r.line), false
	}
	if key, ok := r.setting(); ok {
		return fmt.Sprintf("The setting %s requires approval.", key), false
	}
	return "A policy rule requires approval.", false
}

// setting returns the key of the setting that is the source of a rule. ok is false if none is.
func (r *Rule) setting() (key string, ok bool) {
	source, ok := strings.CutPrefix(r.Source, "Settings (")
	key, _, _ = strings.Cut(strings.TrimSuffix(source, ")"), ",")
	return key, ok
}

// reason returns which rule, setting or mode refuses a call that is denied, or that needs an
// approval which no user can give, and the way to allow it. It returns "" if the rule's own
// message contains it.
func (d *decider) reason(v Verdict) string {
	r, mode := v.Rule, d.state.mode
	verb := "denies it"
	if v.Decision == Ask {
		verb = "requires approval"
	}
	if r != nil {
		if key, ok := r.setting(); ok && r.Decision != Allow && r.file == "" {
			if key == noUser {
				return "A headless run has no user who could answer."
			}
			return fmt.Sprintf("The setting %s %s. A user can change that setting.", key, verb)
		}
	}
	switch {
	case r != nil && r.Decision == Allow: // a part of the call needs approval
		switch {
		case d.interactive || v.Message != "":
			return ""
		case v.Evaluates != "":
			return fmt.Sprintf("bash evaluates a text in %s a second time, so a rule for the command does not allow it. Headless runs cannot ask for approval.", v.Evaluates)
		}
		if d.why == "" {
			return "Headless runs cannot ask for approval."
		}
		return "Headless runs cannot ask for approval. It is needed because " + d.why + "."
	case r != nil && r.file != "":
		return fmt.Sprintf("The policy rule in %s, line %d, %s. A user can change that rule.", d.display(r.file), r.line, verb)
	case r != nil && r.manifest != "":
		return fmt.Sprintf("The extension %s %s: excludeTools in %s. A user can disable that extension.", r.extension, verb, d.display(r.manifest))
	case r != nil && r.DenyMessage != "":
		return ""
	case r != nil && strings.HasPrefix(r.Source, "Default: ") && d.interactive:
		return fmt.Sprintf("Approval mode %q %s.", mode.Name(), verb)
	case r != nil && !strings.HasPrefix(r.Source, "Default: "):
		return fmt.Sprintf("A policy rule %s.", verb)
	case d.interactive:
		return ""
	}
	if mode == Plan {
		if why := d.notRead(); why != "" {
			return "Headless runs cannot ask for approval, and approval mode \"plan\" does not allow it. " + why
		}
	}
	allow := "a policy rule, or all tools with --yolo"
	if mode == Default && slices.Contains(autoEdited[:], d.q.Name) {
		allow = "--approval-mode auto_edit"
	}
	return fmt.Sprintf("Headless runs cannot ask for approval, and approval mode %q does not allow it. A user can allow it with %s.", mode.Name(), allow)
}

// notRead returns why a command line is not known to only read in the workspace, "" for calls of other tools.
func (d *decider) notRead() string {
	const (
		most    = 80 // characters
		unknown = "It is not known that `%s` only reads. Commands that do, such as ls, cat, grep, find and git log, run."
		nowhere = "It is not known in which directory `%s` reads."
		git     = "`%s` only reads, but git could run programs that the settings of its repository name."
		outside = "`%s` only reads, but not only files in the workspace that it names itself. If it names others, a user can add their directory with --include-directories."
	)
	line := d.q.command()
	if line == "" {
		return ""
	}
	script, err := shellcmd.Parse(line)
	if err != nil {
		return fmt.Sprintf(unknown, ellipsis.Runes(line, most))
	}
	dirs := d.directories(d.dir(), script)
	for _, c := range script.Commands {
		switch {
		case !readonly.Command(c):
			return fmt.Sprintf(unknown, ellipsis.Runes(c.Text, most))
		case dirs == nil:
			return fmt.Sprintf(nowhere, ellipsis.Runes(line, most))
		case d.isSafeIn(dirs, c):
		case c.Name == "git" && d.staysInside(d.dir(), c.Args()[1:]):
			return fmt.Sprintf(git, ellipsis.Runes(c.Text, most))
		default:
			return fmt.Sprintf(outside, ellipsis.Runes(c.Text, most))
		}
	}
	return fmt.Sprintf(unknown, ellipsis.Runes(line, most))
}

// autoEdited are the tools that approval mode auto_edit allows.
var autoEdited = [...]string{"replace", "write_file", "web_fetch"}

// display returns the path of a policy file in the form that people read.
func (e *Engine) display(path string) string {
	if e.opts.Display == nil {
		return path
	}
	return e.opts.Display(path)
}

// Name returns the name of a mode in flags and settings.
func (m Mode) Name() string {
	if m == AutoEdit {
		return "auto_edit"
	}
	return m.String()
}
