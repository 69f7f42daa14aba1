package policy

import (
	"slices"
	"strconv"
	"strings"

	"pollux/internal/shellcmd"
)

// Situation is the context of a decision besides the call and the rules.
type Situation struct {
	Mode        Mode
	Interactive bool // a user can answer
	Trusted     bool // the folder
}

// Explanation is a decision, and how it comes about.
type Explanation struct {
	Situation
	Call    Call
	Command string // of a shell call
	// First is the decision of the rules about the call as a whole. Steps change it to Verdict.
	First   Verdict
	Steps   []Step
	Verdict Verdict
	// Parts are the commands of a command line.
	Parts []Part
	// Overridden are the other rules that match the call or a part of it, in order of precedence.
	Overridden []*Rule
	// Changes would change the decision.
	Changes []Change
	// Hidden reports whether the model does not see the tool, because no call of it is allowed.
	Hidden bool
}

// Step is one change of a decision.
type Step struct {
	From Decision `json:"from"`
	To   Decision `json:"to"`
	Why  string   `json:"why"` // a clause: "the file is a build file"
}

// Part is one command of a command line.
type Part struct {
	Command string
	Depth   int // of nested shells: 1 inside bash -c "..."
	Verdict
}

// Change is something that the user can change, and the decision that results.
type Change struct {
	How      string   `json:"how"` // "approval mode auto_edit", "rule"
	Decision Decision `json:"decision"`
	Rule     string   `json:"rule,omitempty"` // a rule to write, in TOML
}

// log records how a decision comes about. A nil log records nothing.
type log struct {
	first  Verdict
	steps  []Step
	lifted map[string]bool // texts of commands that only read
}

func (l *log) start(v Verdict) {
	if l != nil {
		l.first = v
	}
}

func (l *log) step(from, to Decision, why string) {
	if l != nil && from != to {
		l.steps = append(l.steps, Step{from, to, why})
	}
}

// lift records that a command of a script runs because it only reads.
func (l *log) lift(c shellcmd.Command) {
	if l != nil {
		if l.lifted == nil {
			l.lifted = map[string]bool{}
		}
		l.lifted[c.Text] = true
	}
}

// listParts returns the commands of a command line, each with the decision about it alone.
func (d *decider) listParts(command string, depth int) []Part {
	script, err := shellcmd.Parse(command)
	if err != nil || depth > maxInner || len(script.Commands) > maxCommands {
		return nil
	}
	var list []Part
	for _, c := range script.Commands {
		v, _ := d.part(c)
		if v.Decision == Ask && v.Rule.isBuiltin() && d.log.lifted[c.Text] && c.Text != strings.TrimSpace(d.q.command()) {
			v = Verdict{Decision: Allow, IsLifted: true}
		}
		list = append(list, Part{c.Text, depth, v})
		if c.Inner != "" {
			list = append(list, d.listParts(c.Inner, depth+1)...)
		}
	}
	return list
}

// Situation returns the current situation.
func (e *Engine) Situation() Situation {
	return Situation{e.Mode(), e.opts.Interactive, e.IsTrusted()}
}

// in returns a decider for a call in a situation.
func (e *Engine) in(s Situation, c Call) *decider {
	d := e.decider(c)
	now := *d.state
	now.mode = s.Mode
	d.state, d.interactive, d.trusted = &now, s.Interactive, s.Trusted
	return d
}

// CheckIn decides about a call in a situation.
func (e *Engine) CheckIn(s Situation, c Call) Verdict { return e.in(s, c).verdict() }

// Explain explains the decision about a call in each situation.
func (e *Engine) Explain(c Call, situations ...Situation) []Explanation {
	var list []Explanation
	known := searches{}
	for _, s := range situations {
		list = append(list, e.explain(c, s, known))
	}
	return list
}

func (e *Engine) explain(c Call, s Situation, known searches) Explanation {
	d := e.in(s, c)
	d.log, d.q.searches = &log{}, known
	x := Explanation{Situation: s, Call: c, Verdict: d.verdict(), First: d.log.first, Steps: d.log.steps}
	if d.q.shell() {
		x.Command = d.q.command()
		x.Parts = d.listParts(x.Command, 0)
	}
	x.Overridden = d.overridden(&x)
	x.Hidden, _ = d.hides()
	x.Changes = d.changes(&x)
	return x
}

// overridden returns the rules that match and do not decide.
func (d *decider) overridden(x *Explanation) []*Rule {
	queries := []*query{d.q}
	decides := []*Rule{x.Verdict.Rule, x.First.Rule}
	for _, p := range x.Parts {
		queries = append(queries, d.q.of(p.Command))
		decides = append(decides, p.Rule)
	}
	var list []*Rule
	for _, r := range d.state.rules.about(d.q).rules {
		if !slices.Contains(decides, r) && r.applies(d.q, d.state.mode, d.interactive) && slices.ContainsFunc(queries, r.matchesArgs) {
			list = append(list, r)
		}
	}
	return list
}

// changes returns changes that lead to another decision: another approval mode, trust in the
// folder, a rule.
func (d *decider) changes(x *Explanation) []Change {
	var list []Change
	try := func(how string, s Situation) {
		other := d.in(s, x.Call)
		other.q.searches = d.q.searches
		if got := other.verdict().Decision; got != x.Verdict.Decision {
			list = append(list, Change{How: how, Decision: got})
		}
	}
	for _, m := range modes {
		if m == x.Mode || !x.Trusted && m > Default || m == Yolo && d.opts.DisableYolo || m == Sandboxed && d.Unconfined() != nil {
			continue
		}
		s := x.Situation
		s.Mode = m
		try("approval mode "+m.Name(), s)
	}
	if s := x.Situation; !s.Trusted {
		s.Trusted = true
		try("trust in this folder", s)
	}
	if r, ok := d.permit(x); ok {
		list = append(list, Change{How: "rule", Decision: Allow, Rule: r})
	}
	return list
}

// permit returns a rule in TOML that would allow the call. It returns false if a rule of the
// user's forbids it, which is then the one to change, or if no rule would.
func (d *decider) permit(x *Explanation) (string, bool) {
	if x.Verdict.Decision == Allow || x.Verdict.Rule.forbids() || slices.ContainsFunc(x.Parts, func(p Part) bool { return p.Rule.forbids() }) {
		return "", false
	}
	r := Rule{Tools: []string{d.q.Name}, Decision: Allow, Priority: TierUser.priority(100)}
	if old := x.Verdict.Rule; !old.isBuiltin() { // allows the tool, but not this use
		r.Priority = min(max(r.Priority, old.Priority+0.001), TierUser.priority(999))
	}
	if x.Mode == Plan {
		r.Modes = In(Plan)
	}
	var found bool
	switch {
	case d.q.Server != "":
		r.Tools, r.Server = []string{shortName(d.q)}, d.q.Server
		found = d.permits(x, r)
	case d.q.shell():
		r.Tools = []string{shellTool}
		for _, whole := range []bool{false, true} {
			if r.Prefixes, r.AllowRedirection = permitted(x, whole); len(r.Prefixes) > 0 && d.permits(x, r) {
				found = true
				break
			}
		}
	default:
		found = narrow(&r, d.q) && d.permits(x, r)
	}
	const most = 2000 // bytes that a person reads
	text := ruleTOML(r)
	return text, found && len(text) <= most
}

// permits reports whether the call would be allowed with one more rule.
func (d *decider) permits(x *Explanation, r Rule) bool {
	now := *d.state
	now.rules = newRuleset(append(slices.Clone(now.rules.all), r))
	again := d.in(x.Situation, x.Call)
	again.state, again.q.searches = &now, d.q.searches
	return again.verdict().Decision == Allow
}

// forbids reports whether the rule is not Pollux's own, and denies or asks.
func (r *Rule) forbids() bool { return !r.isBuiltin() && r.Decision != Allow }

// permitted returns the prefixes of the commands that no rule of the user's allows yet; if there are
// redirections, of all commands. A prefix is the program, of a program that runs others with the
// first argument, or if whole is set, the whole command.
func permitted(x *Explanation, whole bool) (list []string, redirects bool) {
	script, err := shellcmd.Parse(x.Command)
	if err != nil {
		return nil, false
	}
	redirects = opensFiles(script.Redirections)
	for _, p := range x.Parts {
		if p.Decision == Allow && (p.IsLifted || !p.Rule.isBuiltin()) && !redirects {
			continue
		}
		fields := strings.Fields(p.Command)
		prefix := fields[0]
		if whole {
			prefix = p.Command
		} else if len(fields) > 1 && runner(prefix) != "" {
			prefix += " " + fields[1]
		}
		if !slices.Contains(list, prefix) {
			list = append(list, prefix)
		}
	}
	return list, redirects
}

// Place is where a rule comes from: "~/.gemini/policies/ci.toml:12", "the setting tools.exclude",
// "built in (read-only tools)". display returns a path in the form that people read.
func (r *Rule) Place(display func(path string) string) string {
	switch key, isSetting := strings.CutPrefix(r.Source, "Settings ("); {
	case r.file != "":
		return display(r.file) + ":" + strconv.Itoa(r.line)
	case isSetting:
		key, note, _ := strings.Cut(strings.TrimSuffix(key, ")"), ", ")
		if key == noUser {
			return "built in (" + key + ")"
		}
		return strings.TrimSuffix("the setting "+key+", "+note, ", ")
	case r.Grant != 0:
		return "your answer in this session"
	}
	if name, ok := strings.CutPrefix(r.Source, "Default: "); ok {
		return "built in (" + name + ")"
	}
	return r.Source
}

// File returns the policy file of a rule and the line where it begins, "" if it is in no file.
func (r *Rule) File() (path string, line int) { return r.file, r.line }
