package policy

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"pollux/tool"
)

// Options say what an [Engine] decides by.
type Options struct {
	// Rules are those that come before the built-in ones, in the order in
	// which they were loaded: among equal priorities the first counts.
	Rules []Rule
	// Checkers come before the built-in ones.
	Checkers    []Checker
	Mode        Mode
	Interactive bool // a person is there to answer
	Trusted     bool // the folder is trusted, to begin with
	// Dir is the session's directory. Inside reports whether an absolute path,
	// links followed, is in the workspace; nil is a workspace of nothing.
	Dir    string
	Inside func(path string) bool
	// Resolve makes a path absolute, and follows its links, as the tools do that take it
	// from a model; nil does no more than the first.
	Resolve func(path string) string
	// BuildFiles says when build files are protected.
	BuildFiles BuildFiles
	// DisableYolo forbids switching to yolo (security.disableYoloMode).
	DisableYolo bool
	// DisableAlways forbids remembering answers (security.disableAlwaysAllow).
	DisableAlways bool
	// Permanent lets answers be remembered for all future sessions, in Saved;
	// SaveFirst makes that the answer that is chosen already. Report is told what
	// could not be saved.
	Permanent bool
	Saved     *Saved // nil where there is no file that would be read again
	SaveFirst bool
	Report    func(text string)
}

// Engine decides about tool calls. It may be used from several goroutines at
// once; its mode and its rules may change while it is used.
type Engine struct {
	opts     Options
	checkers []Checker // sorted

	change sync.Mutex // held while making a new state
	grants int        // so far
	state  atomic.Pointer[state]
}

// state does not change; a change puts another in its place.
type state struct {
	mode    Mode
	trusted bool   // the folder
	rules   []Rule // sorted
}

// New returns an engine.
func New(o Options) *Engine {
	e := &Engine{opts: o, checkers: slices.Concat(o.Checkers, builtinCheckers())}
	sortCheckers(e.checkers)
	s := &state{mode: o.Mode, trusted: o.Trusted}
	for _, r := range slices.Concat(o.Rules, Builtin()) {
		// Saved answers all have a priority of tier + 0.950, and so has every
		// rule that is written by hand with that priority.
		if o.DisableAlways && math.Round((r.Priority-math.Floor(r.Priority))*1000) == 950 {
			continue
		}
		s.rules = append(s.rules, r)
	}
	sortRules(s.rules)
	e.state.Store(s)
	return e
}

func sortRules(rules []Rule) {
	slices.SortStableFunc(rules, func(a, b Rule) int { return cmp.Compare(b.Priority, a.Priority) })
}

// Mode returns the current approval mode.
func (e *Engine) Mode() Mode { return e.state.Load().mode }

// SetMode switches the approval mode, or says why it can't.
func (e *Engine) SetMode(m Mode) error {
	e.change.Lock()
	defer e.change.Unlock()
	s := *e.state.Load()
	switch {
	case !s.trusted && m > Default:
		return ErrUntrusted
	case e.opts.DisableYolo && m == Yolo:
		return ErrNoYolo
	}
	s.mode = m
	e.state.Store(&s)
	return nil
}

// Trusted reports whether the folder is trusted.
func (e *Engine) Trusted() bool { return e.state.Load().trusted }

// SetTrusted says that the folder is trusted now, or no longer. In one that is not
// the mode is the default one, and neither what was allowed for the session nor the
// project's own rules count.
func (e *Engine) SetTrusted(trusted bool) {
	e.change.Lock()
	defer e.change.Unlock()
	s := *e.state.Load()
	s.trusted = trusted
	if !trusted {
		s.mode = Default
		s.rules = slices.DeleteFunc(slices.Clone(s.rules), func(r Rule) bool { return math.Floor(r.Priority) == float64(TierWorkspace) })
	}
	e.state.Store(&s)
}

// Rules returns the rules in the order in which they are tried. The caller
// must not change them.
func (e *Engine) Rules() []Rule { return e.state.Load().rules }

// add adds a person's answer behind the rules of the same priority. One to the same
// calls is put in the place of the earlier one, which it extends.
func (e *Engine) add(r Rule) {
	e.change.Lock()
	defer e.change.Unlock()
	s := *e.state.Load()
	s.rules = slices.Clone(s.rules)
	if i := slices.IndexFunc(s.rules, r.extends); i >= 0 {
		old := s.rules[i]
		r.Grant, r.Saved = old.Grant, r.Saved || old.Saved
		r.Modes, r.Priority = r.Modes|old.Modes, max(r.Priority, old.Priority)
		r.AllowRedirection = r.AllowRedirection || old.AllowRedirection
		s.rules = slices.Delete(s.rules, i, i+1)
	} else {
		e.grants++
		r.Grant = e.grants
	}
	s.rules = append(s.rules, r)
	sortRules(s.rules)
	e.state.Store(&s)
}

// extends reports whether another rule is an answer to the same calls as r.
func (r Rule) extends(other Rule) bool {
	return other.Grant != 0 && other.Server == r.Server && slices.Equal(other.Tools, r.Tools) &&
		slices.Equal(other.Prefixes, r.Prefixes) && other.Args.String() == r.Args.String()
}

// Verdict is what the engine decided about a call.
type Verdict struct {
	Decision Decision
	// Rule is the rule that decided, nil if none matched.
	Rule *Rule
	// Message is why a call is denied, "" if there is nothing to add.
	Message string
}

// Check decides about a call (spec/safety.md §2.6).
func (e *Engine) Check(c Call) Verdict {
	q := newQuery(c)
	q.root = e.opts.Dir
	d := decider{Engine: e, state: e.state.Load(), q: q}
	v := d.decide(q)
	if q.shell() && q.command() != "" {
		v = d.shell(v)
	}
	if v.Decision == Allow && d.asksForOutside() {
		v.Decision = Ask
	}
	if v.Decision == Allow && d.protectsBuildFile() {
		v.Decision = Ask
		if !e.opts.Interactive {
			v.Decision = Deny
			v.Message = "Modifying build configuration files requires explicit user confirmation"
		}
	}
	v = d.checked(v)
	if v.Decision == Deny && v.Message == "" && v.Rule != nil {
		v.Message = v.Rule.DenyMessage
	}
	return v
}

// decider is one check: it sees one state from beginning to end.
type decider struct {
	*Engine
	state *state
	q     *query
}

// decide finds the rule for a call.
func (d *decider) decide(q *query) Verdict {
	for i := range d.state.rules {
		r := &d.state.rules[i]
		if r.matches(q, d.state.mode, d.opts.Interactive) {
			return Verdict{Decision: r.Decision, Rule: r}
		}
	}
	return Verdict{Decision: d.fallback()}
}

// fallback decides where no rule does.
func (d *decider) fallback() Decision {
	switch {
	case d.state.mode == Yolo:
		return Allow
	case d.opts.Interactive:
		return Ask
	}
	return Deny
}

// asksForOutside reports whether the call asks for access to files outside of
// the workspace (additional_permissions, spec/safety.md §8).
func (d *decider) asksForOutside() bool {
	if !bytes.Contains(d.q.Args, []byte("additional_permissions")) && !bytes.Contains(d.q.Args, []byte(`\u`)) {
		return false // nothing to decode, and the arguments may be a whole file
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

// Hidden reports whether the model should not hear of a tool, because no call
// of it could pass (spec/safety.md §2.9). For tool.Registry.Hide.
func (e *Engine) Hidden(s *tool.Spec) bool {
	q := newQuery(Call{Name: s.Name, Aliases: s.Aliases})
	d := decider{Engine: e, state: e.state.Load(), q: q}
	for i := range d.state.rules {
		r := &d.state.rules[i]
		if !r.matchesTool(q, d.state.mode, d.opts.Interactive) {
			continue
		}
		if r.Decision != Deny {
			return false
		}
		if !r.conditional() {
			return true
		}
	}
	return d.fallback() == Deny
}
