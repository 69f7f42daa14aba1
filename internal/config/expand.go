package config

import "strings"

// Expander replaces variables in the strings of one file: $NAME, ${NAME} and ${NAME:-default}.
// Names consist of letters, digits and underscores. A variable that is neither set nor has a
// default is not replaced; an empty variable counts as set. Replaced text is not expanded
// again. Call [NewExpander] to make one.
type Expander struct {
	fixed  map[string]string // for ${name}, whatever characters it has; they come first
	lookup func(string) (string, bool)
	budget int                  // number of bytes that may still be inserted
	isCut  bool                 // something was not inserted, because the budget was too small
	known  map[string]expansion // results of lookup and withholds, by name
	// withholds, if set, reports whether a variable must not be inserted. It is then not replaced, and
	// its name is in withheld.
	withholds func(name, value string) bool
	withheld  []string
	// isOther expands as other agents do in their files: only ${NAME} and ${NAME:-default}, and variables that are not set always stay.
	isOther bool
	// dropsUnset replaces variables that are not set, or withheld, by nothing.
	dropsUnset bool
}

// NewExpander returns an expander of variables that lookup returns; nil knows none. fixed are values for
// ${name} that come first, and whose names may have any characters. The expander inserts at most 1 MB.
func NewExpander(fixed map[string]string, lookup func(name string) (string, bool)) *Expander {
	if lookup == nil {
		lookup = func(string) (string, bool) { return "", false }
	}
	return &Expander{fixed: fixed, lookup: lookup, budget: maxInserted}
}

// settings expands all strings of a settings file in place, except in mcpServers: the code that starts
// the servers expands those, because the variables may come from a .env file.
func (e *Expander) settings(tree map[string]any) {
	for name, v := range tree {
		if name != string(MCPServers) {
			tree[name] = e.Value(v)
		}
	}
}

// Value expands all strings of a JSON value in place, and returns it.
func (e *Expander) Value(v any) any {
	switch v := v.(type) {
	case string:
		return e.Text(v)
	case []any:
		for i := range v {
			v[i] = e.Value(v[i])
		}
	case map[string]any:
		for name := range v {
			v[name] = e.Value(v[name])
		}
	}
	return v
}

// Text expands a string.
func (e *Expander) Text(text string) string {
	if !strings.Contains(text, "$") {
		return text
	}
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		if n, value, ok := e.parseFixed(after); ok {
			b.WriteString(value)
			text = after[n:]
			continue
		}
		n, name, fallback, hasFallback := parseReference(after)
		if e.isOther && !strings.HasPrefix(after, "{") {
			n = 0
		}
		value, set, isDropped := "", false, e.dropsUnset && !e.isOther
		if n > 0 {
			v := e.variable(name)
			isDropped = isDropped || e.dropsUnset && v.isWithheld
			value, set = v.value, v.isSet
			if v.isWithheld {
				hasFallback = false
			}
			if !set && hasFallback {
				value, set = fallback, true
			}
		}
		if set && e.spend(len(value)) {
			b.WriteString(value)
		} else if n == 0 || !isDropped {
			b.WriteString("$" + after[:n])
		}
		text = after[n:]
	}
}

// expansion is the cached result for a variable.
type expansion struct {
	value             string
	isSet, isWithheld bool
}

// variable looks up a variable, once: a text may name it a million times.
func (e *Expander) variable(name string) expansion {
	v, isKnown := e.known[name]
	if isKnown {
		return v
	}
	v.value, v.isSet = e.lookup(name)
	if v.isSet && e.withholds != nil && e.withholds(name, v.value) {
		e.withheld = append(e.withheld, name)
		v = expansion{isWithheld: true}
	}
	if e.known == nil {
		e.known = map[string]expansion{}
	}
	e.known[name] = v
	return v
}

// spend reports whether n more bytes may be inserted.
func (e *Expander) spend(n int) bool {
	if n > e.budget {
		e.isCut = true
		return false
	}
	e.budget -= n
	return true
}

// parseFixed parses the text after a dollar sign as a reference to one of the fixed values. It returns the
// length of the reference and the value.
func (e *Expander) parseFixed(s string) (n int, value string, ok bool) {
	if len(e.fixed) == 0 || !strings.HasPrefix(s, "{") {
		return 0, "", false
	}
	end := strings.IndexByte(s, '}')
	if end < 0 {
		return 0, "", false
	}
	value, ok = e.fixed[s[1:end]]
	if !ok || !e.spend(len(value)) {
		return 0, "", false
	}
	return end + 1, value, true
}

// parseReference parses the text after a dollar sign. It returns the length of the reference
// (0 if it is none), the variable and the default.
func parseReference(s string) (n int, name, fallback string, hasFallback bool) {
	braced := strings.HasPrefix(s, "{")
	if braced {
		n++
	}
	start := n
	for n < len(s) && isWord(s[n]) {
		n++
	}
	name = s[start:n]
	switch {
	case name == "":
		return 0, "", "", false
	case !braced:
		return n, name, "", false
	case strings.HasPrefix(s[n:], "}"):
		return n + 1, name, "", false
	case strings.HasPrefix(s[n:], ":-"):
		if end := strings.IndexByte(s[n:], '}'); end >= 0 {
			return n + end + 1, name, s[n+2 : n+end], true
		}
	}
	return 0, "", "", false
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}
