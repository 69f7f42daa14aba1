package policy

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
)

// Checker looks at calls that rules let pass, and may deny them after all or
// have a person asked; it permits nothing (spec/safety.md §2.12).
type Checker struct {
	// Calls says which calls it looks at; Decision means nothing here.
	Calls Rule
	// Name is allowed-path or conseca; any other, and any program of the
	// user's, is unknown, and what is unknown denies.
	Name     string
	External bool
	// Included are arguments that allowed-path takes for paths whatever they are
	// called, and Excluded those that it does not, as dotted keys.
	Included, Excluded []string
	// tolerant leaves what is outside of the workspace to the tools, which let
	// the model write its plans and its memory there, and nothing else.
	tolerant bool
}

// builtinCheckers are those that hold where nobody says otherwise.
func builtinCheckers() []Checker {
	return []Checker{{
		Calls: Rule{
			Tools: []string{"write_file", "replace"}, Priority: 1.015, Modes: In(AutoEdit),
			Source: "Default: tools that change something",
		},
		Name: "allowed-path", tolerant: true,
	}}
}

func sortCheckers(list []Checker) {
	slices.SortStableFunc(list, func(a, b Checker) int { return cmp.Compare(b.Calls.Priority, a.Calls.Priority) })
}

// checked lets the checkers correct what the rules decided.
func (d *decider) checked(v Verdict) Verdict {
	for i := range d.checkers {
		if v.Decision == Deny {
			return v
		}
		c := &d.checkers[i]
		if !c.Calls.matches(d.q, d.state.mode, d.opts.Interactive) {
			continue
		}
		switch d.opinion(c) {
		case Deny:
			v = Verdict{Decision: Deny}
		case Ask:
			v.Decision = Ask
		}
	}
	return v
}

func (d *decider) opinion(c *Checker) Decision {
	switch {
	case c.External:
		return Deny
	case c.Name == "conseca": // off, and then it has no objection
		return Allow
	case c.Name == "allowed-path":
		if len(d.q.Args) == 0 {
			return Allow // no path
		}
		var args any
		if json.Unmarshal(d.q.Args, &args) != nil {
			return Deny
		}
		worst := d.paths(c, "", "", args)
		for _, path := range d.q.Paths {
			worst = stricter(worst, d.allowedPath(c, path))
		}
		return worst
	}
	return Deny
}

// paths judges the paths among the arguments below a value, which stands under
// this key and this dotted one.
func (d *decider) paths(c *Checker, key, dotted string, v any) Decision {
	worst := Allow
	switch v := v.(type) {
	case string:
		if !slices.Contains(c.Excluded, dotted) && (looksLikePath(key) || slices.Contains(c.Included, dotted)) {
			return d.allowedPath(c, v)
		}
	case []any:
		for _, item := range v {
			worst = stricter(worst, d.paths(c, key, dotted, item))
		}
	case map[string]any:
		for name, item := range v {
			worst = stricter(worst, d.paths(c, name, strings.TrimPrefix(dotted+"."+name, "."), item))
		}
	}
	return worst
}

// stricter returns the decision that lets less pass.
func stricter(a, b Decision) Decision {
	if b == Deny || a == Allow {
		return b
	}
	return a
}

func looksLikePath(key string) bool {
	key = strings.ToLower(key)
	return strings.Contains(key, "path") || strings.Contains(key, "directory") || strings.Contains(key, "file") ||
		key == "source" || key == "destination"
}

// allowedPath judges a path: outside of the workspace nothing is allowed, nor are
// the places in it that hold secrets, or what runs by itself.
func (d *decider) allowedPath(c *Checker, path string) Decision {
	path = d.abs(d.opts.Dir, path)
	if !d.inside(d.opts.Dir, path) {
		if c.tolerant {
			return Allow
		}
		return Deny
	}
	worst := Allow
	for at := path; at != filepath.Dir(at) && d.inside(d.opts.Dir, filepath.Dir(at)); at = filepath.Dir(at) {
		switch segment(filepath.Base(at)) {
		case ".git", ".env", "node_modules":
			return Deny
		case ".vscode":
			worst = Ask
		}
	}
	return worst
}

// segment is a name as careless file systems take it.
func segment(name string) string {
	name, _, _ = strings.Cut(name, ":")
	return strings.ToLower(strings.TrimRight(name, ". "))
}

// checker makes a checker of a [[safety_checker]].
func (r *fileReader) checker(f fields) {
	r.names(f.s, f.label()+": ", "toolName", "mcpName", "argsPattern", "commandPrefix", "commandRegex", "priority", "modes",
		"toolAnnotations", "checker", "name", "description")
	before := len(r.wrong)
	c := Checker{Calls: Rule{
		Tools:       f.texts("toolName", true),
		Priority:    r.tier.priority(f.priority(false)),
		Server:      f.text("mcpName"),
		Modes:       f.modes(),
		Annotations: f.annotations(),
		Source:      r.tier.String() + ": " + r.source,
	}}
	prefixes, regex, pattern := f.texts("commandPrefix", false), f.text("commandRegex"), f.text("argsPattern")
	f.what(&c)
	if len(r.wrong) > before {
		return
	}
	r.misnamed(f, c.Calls.Tools, c.Calls.Server)
	if r.condition(f, &c.Calls, prefixes, regex, pattern) {
		r.checkers = append(r.checkers, c)
	}
}

// what reads which checker is meant.
func (f fields) what(c *Checker) {
	s, ok := f.s.members["checker"].value.(*section)
	if !ok {
		f.refuse("checker", "must be a table with type and name")
		return
	}
	below := fields{f.r, s, f.array, f.index}
	c.External = below.choice("type", "in-process", "external") == "external"
	if c.Name = below.text("name"); !c.External {
		below.choice("name", "allowed-path", "conseca")
	}
	if config, ok := s.members["config"].value.(*section); ok {
		settings := fields{f.r, config, f.array, f.index}
		c.Included, c.Excluded = settings.texts("included_args", false), settings.texts("excluded_args", false)
	}
}
