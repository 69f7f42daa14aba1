package policy

import (
	"cmp"
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
// its commands may be denied, and all must be allowed.
func (d *decider) shell(v Verdict) Verdict {
	script, err := shellcmd.Parse(d.q.command())
	if v.Rule == nil || !v.Rule.isConditional() {
		d.heuristics(&v, script)
	}
	return d.parts(d.q.command(), script, err, v, 0)
}

// parts decides about each command of a script. Parse finds the commands at any depth, so only
// scripts of other shells need recursion.
func (d *decider) parts(command string, script *shellcmd.Script, err error, v Verdict, depth int) Verdict {
	if v.Decision == Deny {
		return v
	}
	if err != nil || len(script.Commands) > maxCommands || depth > maxInner {
		d.change(&v, d.unreadable(v.Rule), "the command cannot be parsed")
		return v
	}
	d.moved = d.moved || moves(script)
	if d.redirects(&v, script.Redirections); v.Decision == Deny {
		return v
	}
	if v.Decision == Allow && script.Evaluates != "" && d.state.mode != Yolo && v.Rule != nil && v.Rule.isConditional() {
		d.change(&v, Ask, "bash evaluates a text in it for a second time")
		v.Evaluates = script.Evaluates
	}
	for _, c := range script.Commands {
		part, why := d.part(c)
		if c.Text == strings.TrimSpace(command) && part.Decision == Ask && part.Rule.isBuiltin() {
			part.Decision = Allow // the decision about the whole command applies
		}
		if part.Decision == Allow && c.Inner != "" {
			part, why = d.inner(c.Inner, depth+1), ""
		}
		switch part.Decision {
		case Deny:
			d.log.step(v.Decision, Deny, "a command in it is denied")
			return part
		case Ask:
			if v.Decision == Allow {
				d.change(&v, Ask, cmp.Or(why, "a command in it needs approval"))
				v.Rule = part.Rule
			}
			v.Evaluates = cmp.Or(v.Evaluates, part.Evaluates)
		}
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
	case d.state.mode != Yolo && r.isUsers() && r.isConditional() && d.runsOthers(c, r):
		v.Decision, why = Ask, "a command in it runs others, deletes or writes with a flag that the rule does not name"
	}
	return v, why
}

// inner decides about a script that a command passes to another shell.
func (d *decider) inner(command string, depth int) Verdict {
	script, err := shellcmd.Parse(command)
	return d.parts(command, script, err, d.decide(d.q.of(command)), depth)
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
	return d.state.mode < Yolo && (r == nil || !r.AllowRedirection)
}
