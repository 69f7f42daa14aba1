package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"pollux/internal/guard/trust"
)

// Options configure an [Engine].
type Options struct {
	// Rules precede the built-in ones. Among rules with the same priority, the first one has
	// precedence.
	Rules []Rule
	// Checkers precede the built-in ones.
	Checkers    []Checker
	Mode        Mode
	Interactive bool        // a user can answer
	Trust       *trust.Live // of the folder
	// Dir is the session's directory. Inside reports whether an absolute path is in the
	// workspace after links are followed; nil means that no path is.
	Dir    string
	Inside func(path string) bool
	// Resolve makes a path absolute and follows its links in the same way as the tools that
	// get it from a model. If it is nil, links are not followed.
	Resolve func(path string) string
	// Git reports whether git commands that only read, in an absolute directory, run no program
	// that a repository names. If it is nil, they may.
	Git func(dir string) bool
	// GitEver is Git for all git commands.
	GitEver func(dir string) bool
	// Unconfined returns why commands do not run in a sandbox that keeps their changes where they can be taken back, nil if they do.
	// Without it, they do not.
	Unconfined func() error
	// Runs reports whether Pollux itself runs a file, an absolute path without links: the script of a hook or of
	// a server. It is asked in auto_edit mode before files change; nil reports none.
	Runs func(path string) bool
	// BuildFiles determines when build files are protected.
	BuildFiles BuildFiles
	// PlanDir, if set, returns the directory of plans.
	PlanDir func() string
	// DisableYolo forbids yolo mode (security.disableYoloMode).
	DisableYolo bool
	// DisableAlways forbids remembering answers (security.disableAlwaysAllow).
	DisableAlways bool
	// Permanent allows answers to be saved for future sessions in Saved. SaveFirst makes that
	// the default answer. Report, if set, is called with errors of saving.
	Permanent bool
	Saved     *Saved // nil if there is no file that will be read again
	SaveFirst bool
	Report    func(text string)
	// Display, if set, returns the path of a policy file in the form that people read.
	Display func(path string) string
}

// Engine decides about tool calls. It is safe for concurrent use; its mode and rules may
// change at any time.
type Engine struct {
	opts     Options
	checkers []Checker // sorted

	change sync.Mutex // held while creating a new state
	grants int        // number of grants so far
	state  atomic.Pointer[state]
}

// state is immutable; a change replaces it.
type state struct {
	mode  Mode
	rules *ruleset
}

// GitRunsNothing reports whether git commands of any kind run no programs that the repository of a directory names.
func (e *Engine) GitRunsNothing(dir string) bool { return e.opts.GitEver != nil && e.opts.GitEver(dir) }

// New returns an engine.
func New(o Options) *Engine {
	e := &Engine{opts: o, checkers: slices.Concat(o.Checkers, builtinCheckers())}
	slices.SortStableFunc(e.checkers, func(a, b Checker) int { return cmp.Compare(b.Calls.Priority, a.Calls.Priority) })
	var rules []Rule
	for _, r := range slices.Concat(o.Rules, Builtin()) {
		if o.DisableAlways && r.isLastingAnswer() {
			continue
		}
		rules = append(rules, r)
	}
	e.state.Store(&state{mode: o.Mode, rules: newRuleset(rules)})
	if o.Trust != nil {
		o.Trust.Watch(func(trusted bool) {
			if !trusted {
				e.distrust()
			}
		})
	}
	return e
}

func sortRules(rules []Rule) {
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Compare(b.Priority, a.Priority) })
}

// Mode returns the current approval mode.
func (e *Engine) Mode() Mode { return e.state.Load().mode }

// SetMode changes the approval mode. The error is [ErrUntrusted] or [ErrNoYolo] if that is not
// permitted.
func (e *Engine) SetMode(m Mode) error {
	e.change.Lock()
	defer e.change.Unlock()
	s := *e.state.Load()
	switch {
	case !e.IsTrusted() && m > Default:
		return ErrUntrusted
	case e.opts.DisableYolo && m == Yolo:
		return ErrNoYolo
	case m == Sandboxed:
		if err := e.Unconfined(); err != nil {
			//lint:ignore ST1005 people read it
			return fmt.Errorf("Mode sandboxed is not possible here: %w.", err)
		}
	}
	s.mode = m
	e.state.Store(&s)
	return nil
}

// Unconfined returns why commands do not run in a sandbox that keeps their changes where they can be taken back, nil if they do.
func (e *Engine) Unconfined() error {
	if e.opts.Unconfined == nil {
		return errUnconfined
	}
	return e.opts.Unconfined()
}

// CanSandbox reports whether the mode can be [Sandboxed].
func (e *Engine) CanSandbox() bool { return e.IsTrusted() && e.Unconfined() == nil }

// RunsFreely reports whether the mode lets commands run without a question unless rules of the user's ask.
func (e *Engine) RunsFreely() bool {
	d := &decider{Engine: e, state: e.state.Load()}
	return d.free()
}

// free is [Engine.RunsFreely].
func (d *decider) free() bool {
	if d.state.mode == Sandboxed && d.unconfined == nil {
		why := d.Unconfined()
		d.unconfined = &why
	}
	return d.state.mode == Yolo || d.state.mode == Sandboxed && *d.unconfined == nil
}

// IsTrusted reports whether the folder is trusted.
func (e *Engine) IsTrusted() bool { return e.opts.Trust.IsTrusted() }

// distrust sets the mode to [Default], and removes the rules of the session and the project.
func (e *Engine) distrust() {
	e.change.Lock()
	defer e.change.Unlock()
	s := *e.state.Load()
	s.mode = Default
	s.rules = newRuleset(slices.DeleteFunc(slices.Clone(s.rules.all), func(r Rule) bool { return math.Floor(r.Priority) == float64(TierWorkspace) }))
	e.state.Store(&s)
}

// Rules returns the rules in order of precedence. The caller must not change them.
func (e *Engine) Rules() []Rule { return e.state.Load().rules.all }

// add adds a user's answer after the rules of the same priority. An answer about the same calls
// replaces the earlier one and includes the calls that it permitted.
func (e *Engine) add(r Rule) {
	e.change.Lock()
	defer e.change.Unlock()
	s := *e.state.Load()
	rules := slices.Clone(s.rules.all)
	if i := slices.IndexFunc(rules, r.extends); i >= 0 {
		old := rules[i]
		r.Grant, r.Saved = old.Grant, r.Saved || old.Saved
		r.Modes, r.Priority = r.Modes|old.Modes, max(r.Priority, old.Priority)
		r.AllowRedirection = r.AllowRedirection || old.AllowRedirection
		rules = slices.Delete(rules, i, i+1)
	} else {
		e.grants++
		r.Grant = e.grants
	}
	s.rules = newRuleset(append(rules, r))
	e.state.Store(&s)
}

// extends reports whether other is an answer about the same calls as r.
func (r Rule) extends(other Rule) bool {
	return other.Grant != 0 && other.Server == r.Server && other.owner == r.owner && other.ownerOf == r.ownerOf && slices.Equal(other.Tools, r.Tools) &&
		slices.Equal(other.Prefixes, r.Prefixes) && other.reads == r.reads && other.Args.String() == r.Args.String()
}

// Verdict is the engine's decision about a call.
type Verdict struct {
	Decision Decision
	// Rule is the deciding rule, nil if none matched.
	Rule *Rule
	// Message is the reason for a denial, "" if there is none to give.
	Message string
	// Reason is a sentence about the rule, setting or mode that denies the call or requires
	// approval, and about changes that allow it. It is "" if Message contains it.
	Reason string
	// Evaluates is the part of an allowed shell command with which bash evaluates a text for a
	// second time, so that the command needs approval; see [shellcmd.Script]. "" if there is
	// none.
	Evaluates string
	// IsLifted reports whether the call runs without a question only because the command is known to
	// be harmless: neither a user nor a rule or mode of theirs has allowed it.
	IsLifted bool
}

// Check decides about a call.
func (e *Engine) Check(c Call) Verdict {
	d := e.decider(c)
	return d.verdict()
}

// decider checks one call against one state.
type decider struct {
	*Engine
	state       *state
	interactive bool // a user can answer
	trusted     bool // the folder
	q           *query
	unconfined  *error // see [Engine.Unconfined], nil until needed
	moved       bool   // a part of the command may run in another directory
	mixed       bool   // a part of the command may do more than read
	why         string // the reason of the last change, a clause
	log         *log   // nil records nothing
}

func (e *Engine) decider(c Call) *decider {
	q := newQuery(c)
	q.root, q.runs = e.opts.Dir, e.opts.Runs
	return &decider{Engine: e, state: e.state.Load(), interactive: e.opts.Interactive, trusted: e.IsTrusted(), q: q}
}

// verdict decides about the call.
func (d *decider) verdict() Verdict {
	v := d.decide(d.q)
	d.log.start(v)
	if d.q.shell() && d.q.command() != "" {
		v = d.shell(v)
	}
	if v.Decision == Allow && d.asksForOutside() {
		d.change(&v, Ask, "additional_permissions names files outside the workspace")
	}
	if v.Decision == Allow && d.protectsBuildFile(v.Rule) {
		d.change(&v, Ask, "the file is a build file (pollux.buildFiles)")
		if !d.interactive {
			v.Decision = Deny
			v.Message = "Modifying build configuration files requires explicit user confirmation"
		}
	}
	v = d.check(v)
	if v.Decision == Deny && v.Message == "" && v.Rule != nil {
		v.Message = d.denyMessage(v.Rule)
	}
	if v.Decision == Deny || v.Decision == Ask && !d.interactive {
		v.Reason = d.reason(v)
	}
	return v
}

// denyMessage returns the message of a rule that denies the call.
func (d *decider) denyMessage(r *Rule) string {
	if r.isBuiltin() && r.later {
		return strings.Replace(r.DenyMessage, AutoEdit.Name(), d.state.mode.Name(), 1)
	}
	if r.isBuiltin() && d.opts.PlanDir != nil {
		return strings.Replace(r.DenyMessage, plansDirectory, plansDirectory+" "+d.opts.PlanDir(), 1)
	}
	return r.DenyMessage
}

// change changes a decision. why is the reason, as a clause.
func (d *decider) change(v *Verdict, to Decision, why string) {
	if v.Decision != to {
		d.log.step(v.Decision, to, why)
		v.Decision, v.IsLifted, d.why = to, false, why
	}
}

// decide returns the verdict of the first matching rule.
func (d *decider) decide(q *query) Verdict {
	return d.first(q.programs(), func(r *Rule) bool { return r.matchesArgs(q) })
}

// first returns the verdict of the first rule about the tool whose condition on the arguments is
// met; of the rules with prefixes, only those about these programs can be. Rules that may only restrict do not replace a stricter verdict of later rules.
func (d *decider) first(among programs, matchesArgs func(r *Rule) bool) Verdict {
	var asks *Rule
	v := Verdict{Decision: d.fallback()}
	about := d.state.rules.about(d.q)
	for i, r := range about.rules {
		if set := about.programs[i]; set != anyProgram && set&among == 0 || !r.applies(d.q, d.state.mode, d.interactive) || r.free && !d.free() || !matchesArgs(r) {
			continue
		}
		if r.restricts && r.Decision != Deny {
			if asks == nil && r.Decision == Ask {
				asks = r
			}
			continue
		}
		v = Verdict{Decision: r.Decision, Rule: r}
		break
	}
	if asks != nil && v.Decision == Allow {
		v = Verdict{Decision: Ask, Rule: asks}
	}
	return v
}

// fallback returns the decision for calls that no rule matches.
func (d *decider) fallback() Decision {
	switch {
	case d.state.mode == Yolo:
		return Allow
	case d.interactive:
		return Ask
	}
	return Deny
}

// asksForOutside reports whether the call requests access to files outside of the workspace
// (additional_permissions).
func (d *decider) asksForOutside() bool {
	if !bytes.Contains(d.q.Args, []byte("additional_permissions")) && !bytes.Contains(d.q.Args, []byte(`\u`)) {
		return false // avoid parsing: the arguments may contain a whole file
	}
	raw := d.q.member("additional_permissions")
	if raw == nil {
		return false
	}
	var p struct {
		FileSystem struct {
			Read, Write []string
		}
	}
	if json.Unmarshal(raw, &p) != nil {
		return true
	}
	outside := func(path string) bool { return !d.inside(d.opts.Dir, path) }
	return slices.ContainsFunc(p.FileSystem.Read, outside) || slices.ContainsFunc(p.FileSystem.Write, outside)
}

// inside reports whether a path, relative to dir, is in the workspace.
func (e *Engine) inside(dir, path string) bool {
	return e.opts.Inside != nil && e.opts.Inside(e.abs(dir, path))
}

func (e *Engine) abs(dir, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(dir, path)
}

// Hidden reports whether the tool of a call should be hidden from the model because no call of it could
// be allowed.
func (e *Engine) Hidden(c Call) bool {
	hidden, _ := e.decider(c).hides()
	return hidden
}

// hides reports whether the tool of the call should be hidden from the model, and the rule because
// of which, nil if it is none.
func (d *decider) hides() (bool, *Rule) {
	for _, r := range d.state.rules.about(d.q).rules {
		switch {
		case !r.applies(d.q, d.state.mode, d.interactive), r.restricts && r.Decision != Deny, r.free && !d.free():
		case r.Decision != Deny:
			return false, nil
		case !r.isConditional():
			return true, r
		}
	}
	return d.fallback() == Deny, nil
}
