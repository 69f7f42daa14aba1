package texttool

import (
	"slices"
	"strings"
)

const maxName = 128

// isName reports whether s can be the name of a tool.
func isName(s string) bool {
	for i := range len(s) {
		if !isNameByte(s[i]) {
			return false
		}
	}
	return s != "" && len(s) <= maxName
}

// isIntendedCall reports whether text that cannot be parsed was meant as a call: it
// starts like one and names a tool, a declared one unless the start leaves no doubt.
func isIntendedCall(held string, o opening, tools toolSet) bool {
	if o.tool != "" {
		return true
	}
	if o.form == pythonForm || o.form == otherForm {
		return mentionsTool(held[o.at:], tools)
	}
	if o.afterColon > len(held) {
		return false
	}
	rest := held[o.afterColon:]
	isNamed := namesTool(held[o.at:])
	switch {
	case strings.HasPrefix(o.key, "tool_call") || o.key == "function_call":
		return isNamed || mentionsTool(rest, tools)
	case o.isTrained && isNamed:
		return true
	case !slices.Contains(looseKeys[:], o.key):
		return strings.Contains(rest, `"tool_call`) && (isNamed || mentionsTool(rest, tools)) || o.isTrained && mentionsTool(rest, tools)
	}
	rest = strings.TrimLeft(rest, whiteSpace)
	for name := range tools {
		for _, q := range [...]struct{ begin, end string }{{`"`, `"`}, {`'`, `'`}, {}} {
			after, ok := strings.CutPrefix(rest, q.begin+name+q.end)
			if ok && (after == "" || q.end != "" || !isNameByte(after[0])) {
				return true
			}
		}
	}
	return false
}

// namesTool reports whether an object that cannot be parsed has a key for the name of a
// tool.
func namesTool(s string) bool {
	return strings.Contains(s, `"name"`) || strings.Contains(s, `'name'`)
}

// mentionsTool reports whether s contains the name of a tool as a word.
func mentionsTool(s string, tools toolSet) bool {
	for i := 0; i < len(s); {
		n := i
		for n < len(s) && isNameByte(s[n]) {
			n++
		}
		if word := s[i:n]; tools.has(word) || tools.has(strings.TrimRight(word, ".:")) {
			return true
		}
		i = n + 1
	}
	return false
}

// isNameByte reports whether c can be part of a tool's name.
func isNameByte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-' || c == '.' || c == ':'
}
