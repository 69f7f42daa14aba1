package policy

import (
	"cmp"
	"slices"
	"strings"

	"pollux/internal/shellcmd"
)

const (
	// maxCommands is the maximum number of commands in a script that are checked one by one.
	maxCommands = 2000
	// maxInner is the maximum nesting depth of shells.
	maxInner = 8
)

// shell decides about a shell command, given the rules' decision about it as a whole: none of
// its commands may be denied, and all must be allowed, those in substitutions included. If all are, a question
// of the built-in rules is not asked.
func (d *decider) shell(v Verdict) Verdict {
	script, err := shellcmd.Parse(d.q.command())
	if v.Rule == nil || !v.Rule.isConditional() || v.Rule.reads {
		d.heuristics(&v, script)
	}
	return d.parts(d.q.command(), script, err, v, 0)
}

// parts decides about each command of a script, and about the scripts in its substitutions and of other shells.
func (d *decider) parts(command string, script *shellcmd.Script, err error, v Verdict, depth int) Verdict {
	if v.Decision == Deny {
		return v
	}
	if err != nil || len(script.Commands) > maxCommands || depth > maxInner {
		d.change(&v, d.unreadable(v.Rule), "the command cannot be parsed")
		return v
	}
	l := d.lifter(script, v.IsLifted)
	d.moved = d.moved || slices.ContainsFunc(script.Commands, moves)
	if d.redirects(&v, script.Redirections); v.Decision == Deny {
		return v
	}
	if v.Decision == Allow && script.Evaluates != "" && d.state.mode != Yolo && v.Rule != nil && v.Rule.isConditional() {
		d.change(&v, Ask, "bash evaluates a text in it for a second time")
		v.Evaluates = script.Evaluates
	}
	isAllowed := true // each command
	add := func(part Verdict, why string) {
		switch {
		case part.Decision != Ask:
			return
		case v.Decision == Allow:
			d.change(&v, Ask, cmp.Or(why, "a command in it needs approval"))
			v.Rule = part.Rule
		}
		isAllowed = false
		v.Evaluates = cmp.Or(v.Evaluates, part.Evaluates)
	}
	for i, c := range script.Commands {
		part, why := d.part(c)
		switch {
		case c.PrintsText && part.Rule.isBuiltin(), c.IsNested && !c.PrintsText && part.Decision != Deny:
			continue // its own script decides
		case part.Decision != Ask || why != "" || !part.Rule.isBuiltin():
		case l.allows(i, c):
			part.Decision = Allow
			d.log.lift(c)
		case c.Text == strings.TrimSpace(command):
			part.Decision, isAllowed = Allow, false // the decision about the whole command applies
		}
		if part.Decision == Allow && c.Inner != "" {
			part, why = d.inner(c.Inner, depth+1), ""
		}
		if part.Decision == Deny {
			d.log.step(v.Decision, Deny, "a command in it is denied")
			return part
		}
		add(part, why)
	}
	for _, inside := range script.Substitutions {
		part := d.substitution(inside, depth+1)
		if part.Decision == Deny {
			d.log.step(v.Decision, Deny, "a command in a substitution is denied")
			return part
		}
		why := ""
		if part.Rule != nil && part.Rule.Decision == Allow {
			why = d.why
		}
		add(part, why)
	}
	if l != nil && isAllowed && v.Decision == Ask && v.Rule.isBuiltin() {
		d.change(&v, Allow, "each command in it is allowed, or known to only read inside the workspace")
	}
	return v
}

// part decides about one command of a script. why is the reason if the rule allows the command,
// but not this use of it.
func (d *decider) part(c shellcmd.Command) (v Verdict, why string) {
	q := d.q.of(c.Text)
	plain := q
	if c.Plain != c.Text {
		plain = d.q.of(c.Plain)
	}
	v = d.first(q.programs()|plain.programs(), func(r *Rule) bool {
		// A restricted command stays restricted with quotes or assignments.
		return r.matchesArgs(q) || r.Decision != Allow && r.isConditional() && plain != q && r.matchesArgs(plain)
	})
	switch r := v.Rule; {
	case v.Decision != Allow || r == nil:
	case c.Redirected && d.state.mode < AutoEdit && d.stopsRedirection(r):
		v.Decision, why = Ask, "a command in it redirects, and its rule does not allow redirection"
	case r.isUsers() && r.isConditional() && !d.free() && d.runsOthers(c, r):
		v.Decision, why = Ask, "a command in it runs others, deletes or writes with a flag that the rule does not name"
	case r.isConditional() && !d.free() && (outputDecides(c) || c.Computed && r.Args != nil):
		v.Decision, why = Ask, "the output of a substitution in it decides what runs"
	case d.state.mode != Yolo && c.Computed && d.mayBeRestricted(c, r):
		v.Decision, why = Ask, "the output of a substitution in it may make it a command that a rule restricts"
	}
	return v, why
}

// inner decides about a script that a command passes to another shell.
func (d *decider) inner(command string, depth int) Verdict {
	script, err := shellcmd.Parse(command)
	return d.parts(command, script, err, d.decide(d.q.of(command)), depth)
}

// substitution decides about a script whose output bash puts into a command, as it would about a command of its own.
func (d *decider) substitution(command string, depth int) Verdict {
	script, err := shellcmd.Parse(command)
	v := d.decide(d.q.of(command))
	if err == nil && v.Decision == Allow && !d.free() && !v.Rule.isConditional() && mayBeDangerous(command, script) {
		d.change(&v, Ask, dangerous)
	}
	return d.parts(command, script, err, v, depth)
}

// unreadable decides about a command that cannot be parsed.
func (d *decider) unreadable(r *Rule) Decision {
	if d.state.mode == Yolo && r != nil && r.isConditional() {
		return Deny
	}
	return d.fallback()
}

// stopsRedirection reports whether a redirection needs the user's consent if r allows the
// command.
func (d *decider) stopsRedirection(r *Rule) bool {
	return (r == nil || !r.AllowRedirection) && !d.free()
}
