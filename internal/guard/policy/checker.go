package policy

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"pollux/internal/terminal"
)

// Checker checks calls that rules allow. It can deny a call or require a question, but not
// allow a call.
type Checker struct {
	// Calls selects the calls to check. Its Decision is not used.
	Calls Rule
	// Name is allowed-path or conseca. Others are unknown, and an unknown checker denies the
	// call.
	// External reports whether the checker is a program of the user's, which is not supported
	// and denies the call.
	Name     string
	External bool
	// Included are arguments (as dotted keys) that allowed-path treats as paths whatever their
	// names, and Excluded those that it ignores.
	Included, Excluded []string
	// tolerant allows paths outside of the workspace, which the file tools check themselves:
	// they permit only plans and memory there.
	tolerant bool
}

// CheckerJSON is a safety checker in JSON output.
type CheckerJSON struct {
	Tools    []string `json:"tools"`
	Priority float64  `json:"priority"`
	Source   string   `json:"source"`
	File     string   `json:"file,omitempty"`
	Line     int      `json:"line,omitempty"`
	Server   string   `json:"mcpName,omitempty"`
	Modes    []string `json:"modes,omitempty"`
	Type     string   `json:"type"` // in-process or external
	Name     string   `json:"name"`
	Included []string `json:"includedArgs,omitempty"`
	Excluded []string `json:"excludedArgs,omitempty"`
}

// JSON returns the checker in the form of JSON output.
func (c *Checker) JSON() CheckerJSON {
	calls, kind := c.Calls.JSON(), "in-process"
	if c.External {
		kind = "external"
	}
	return CheckerJSON{
		Tools: calls.Tools, Priority: calls.Priority, Source: calls.Source, File: calls.File, Line: calls.Line, Server: calls.Server,
		Modes: calls.Modes, Type: kind, Name: c.Name, Included: c.Included, Excluded: c.Excluded,
	}
}

// builtinCheckers returns the default checkers.
func builtinCheckers() []Checker {
	return []Checker{{
		Calls: Rule{
			Tools: []string{"write_file", "replace"}, Priority: 1.015, Modes: In(AutoEdit),
			Source: "Default: tools that change something",
		},
		Name: "allowed-path", tolerant: true,
	}}
}

// check applies the checkers to the decision of the rules.
func (d *decider) check(v Verdict) Verdict {
	for i := range d.checkers {
		if v.Decision == Deny {
			return v
		}
		c := &d.checkers[i]
		if !c.Calls.matches(d.q, d.state.mode, d.interactive) {
			continue
		}
		switch d.opinion(c) {
		case Deny:
			d.change(&v, Deny, "the checker "+c.Name+" denies it")
			v = Verdict{Decision: Deny}
		case Ask:
			d.change(&v, Ask, "the checker "+c.Name+" asks about it")
		}
	}
	return v
}

func (d *decider) opinion(c *Checker) Decision {
	switch {
	case c.External:
		return Deny
	case c.Name == "conseca": // disabled, so it never objects
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

// paths checks the paths among the arguments below a value. key is the name of the value,
// dotted its full dotted key.
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

// stricter returns the stricter of two decisions.
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

// allowedPath checks a path. It denies paths outside of the workspace and directories that
// contain secrets or code that is executed automatically.
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

// segment returns a name as lenient file systems interpret it: they ignore case, invisible characters, periods
// and spaces at its end, and the name of a stream.
func segment(name string) string {
	name, _, _ = strings.Cut(name, ":")
	name = strings.Map(func(r rune) rune {
		if terminal.IsHidden(r) {
			return -1
		}
		return unicode.ToLower(unicode.ToUpper(r)) // also ſ, which is an s
	}, name)
	return strings.TrimRight(name, ". ")
}

// checker parses a [[safety_checker]].
func (r *fileReader) checker(f fields) {
	misspelt := r.conditions(f)
	r.names(f.s, f.label()+": ", append(misspelt, "toolName", "mcpName", "argsPattern", "commandPrefix", "commandRegex", "priority", "modes",
		"toolAnnotations", "checker", "name", "description")...)
	before := len(r.wrong)
	c := Checker{Calls: Rule{
		Tools:       f.texts("toolName", true),
		Priority:    r.origin.tier.priority(f.priority(false)),
		Server:      f.text("mcpName"),
		Modes:       f.modes(),
		Annotations: f.annotations(),
		Source:      r.origin.source(r.source),
	}}
	prefixes, regex, pattern := f.texts("commandPrefix", false), f.text("commandRegex"), f.text("argsPattern")
	f.parseKind(&c)
	if len(r.wrong) > before {
		return
	}
	if r.origin.restricts && r.permits(f, &Rule{Decision: Ask, Modes: c.Calls.Modes}) {
		return
	}
	if !r.hasTools(f, c.Calls.Tools) {
		return
	}
	r.misnamed(f, c.Calls.Tools, c.Calls.Server)
	r.hasCondition(f, misspelt, Ask)
	if r.condition(f, &c.Calls, prefixes, regex, pattern) {
		r.checkers = append(r.checkers, c)
	}
}

// parseKind parses which checker is used.
func (f fields) parseKind(c *Checker) {
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
