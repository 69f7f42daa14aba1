package policy

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pollux/tool/spelling"
)

// conditionFields are the fields of a rule without which it is about more calls, and words by which a field is known to be meant as
// one of them.
var conditionFields = [...]struct{ name, words string }{
	{"commandPrefix", "prefix prefixes"},
	{"commandRegex", "command commands regex regexp"},
	{"argsPattern", "arg args argument arguments condition conditions pattern patterns path paths"},
	{"mcpName", "mcp server servers"},
	{"modes", "mode"},
	{"interactive", "headless"},
	{"subagent", "agent agents"},
	{"toolAnnotations", "annotation annotations"},
}

// conditions returns the unknown keys of a rule that are probably meant as conditions.
func (r *fileReader) conditions(f fields) (keys []string) {
	for _, key := range slices.Sorted(maps.Keys(f.s.members)) {
		if !slices.Contains(ruleFields, key) && meantCondition(key) != "" {
			keys = append(keys, key)
		}
	}
	return keys
}

// meantCondition returns the condition that an unknown key of a rule is probably meant as, "" for none.
func meantCondition(key string) string {
	near := spelling.Closest(key, slices.Values(ruleFields))
	words := wordsOf(key)
	for _, c := range conditionFields {
		if near == c.name || near == "" && slices.ContainsFunc(strings.Fields(c.words), func(word string) bool { return slices.Contains(words, word) }) {
			return c.name
		}
	}
	return ""
}

// wordsOf returns the words of a name such as commandPrefix or command_prefix, in lower case.
func wordsOf(name string) []string {
	var b strings.Builder
	for _, c := range name {
		if c >= 'A' && c <= 'Z' {
			b.WriteByte(' ')
		}
		b.WriteRune(c)
	}
	return strings.FieldsFunc(strings.ToLower(b.String()), func(c rune) bool { return c == ' ' || c == '_' || c == '-' })
}

// hasCondition reports the conditions of a rule that are misspelled. Without them a rule that allows would be about too many calls, so
// that it must be ignored: then the result is false. A rule that restricts stays, although the user meant another one.
func (r *fileReader) hasCondition(f fields, misspelt []string, decision Decision) bool {
	effect := "the rule is ignored without its condition"
	if decision != Allow {
		effect = "the rule is about more calls without its condition"
	}
	for _, key := range misspelt {
		line := f.s.members[key].line
		r.problems = append(r.problems, problem{
			message: fmt.Sprintf("Unknown key %q", key), details: fmt.Sprintf("  %s: %q (line %d) has no effect: %s", f.label(), key, line, effect),
			suggestion: fmt.Sprintf("did you mean %q?", meantCondition(key)), places: []place{{line, "it is no condition: " + effect}},
		})
		if decision != Allow {
			r.lost = append(r.lost, fmt.Sprintf("%s: unknown key %q (line %d)", f.label(), key, line))
		}
	}
	return decision != Allow
}
