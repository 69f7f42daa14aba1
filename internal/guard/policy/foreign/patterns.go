package foreign

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"regexp"
	"strings"
	"unicode"

	"pollux/internal/guard/policy"
)

// quoted returns a regular expression for a text in the arguments of a call, which are JSON.
func quoted(text string) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(text) != nil { // strings are always valid
		return ""
	}
	in := strings.TrimSpace(b.String())
	return regexp.QuoteMeta(in[1 : len(in)-1])
}

// command translates a pattern of commands. "x:*" and "x *" are commands that begin with x, "*" is any text.
func (t *translation) command(pattern string) {
	rule := Rule{Tools: tools["Bash"]}
	begin, isPrefix := strings.CutSuffix(pattern, ":*")
	if !isPrefix {
		begin, isPrefix = strings.CutSuffix(pattern, " *")
	}
	switch {
	case strings.TrimSpace(begin) == "":
		t.leave("it names no command")
		return
	case hasOperator(pattern):
		t.leave("Pollux decides about each command of a command line by itself")
		return
	case strings.Contains(begin, "*") && t.decision == policy.Allow:
		t.leave("it has a * in a place where it may stand for anything")
		return
	case strings.Contains(begin, "*"):
		var parts []string
		for part := range strings.SplitSeq(begin, "*") {
			parts = append(parts, quoted(part))
		}
		rule.Command = strings.Join(parts, ".*")
		if isPrefix {
			rule.Command += `(?: .*|)`
		}
		rule.Command += `"`
	case isPrefix && strings.ContainsAny(begin, "\"\\"):
		rule.Command = quoted(begin) + `[ "]`
	case isPrefix:
		rule.Prefix = strings.TrimSpace(begin)
	default:
		rule.Command = quoted(begin) + `"`
	}
	t.add(rule)
}

// hasOperator reports whether a pattern joins several commands, or has a substitution or a redirection.
func hasOperator(pattern string) bool {
	return strings.ContainsAny(pattern, ";|&<>`\n") || strings.Contains(pattern, "$(")
}

// host translates the name of a host. Hosts below it count too, and an address in a shell command does not.
func (t *translation) host(name string) {
	if t.decision == policy.Allow {
		t.leave("a rule would allow calls that also name other hosts")
		return
	}
	name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(name), "*"), ".")
	if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r != '.' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		t.add(Rule{Tools: tools["WebFetch"]})
		t.change("the rule is about all calls of the tool")
		return
	}
	var b strings.Builder
	for _, r := range name {
		if lower, upper := unicode.ToLower(r), unicode.ToUpper(r); lower != upper {
			b.WriteString("[" + string(lower) + string(upper) + "]")
		} else {
			b.WriteString(regexp.QuoteMeta(string(r)))
		}
	}
	t.add(Rule{Tools: tools["WebFetch"], Args: `//(?:[^/"\\\s]*[@.]|)` + b.String() + `\.?(?:[^A-Za-z0-9.-]|$)`})
	t.change("hosts below it count too, and shell commands can still reach it")
}

// path translates a pattern of paths, as .gitignore has them, for a tool that reads or changes files. Where the pattern begins, for
// example in the directory of the settings, does not count: all paths with such an end match.
func (t *translation) path(tool, pattern string) {
	begin := `(?:[^"]*[/\\@]|)`
	switch {
	case strings.HasPrefix(pattern, "!"):
		t.leave("it is an exception from other patterns")
		return
	case strings.ContainsAny(pattern, "\"\\\x00"):
		t.leave("it has a quote or a backslash")
		return
	case strings.HasPrefix(pattern, "//"):
		pattern, begin = pattern[1:], ""
	case strings.HasPrefix(pattern, "~/"):
		pattern, begin = filepath.ToSlash(filepath.Join(t.home, pattern[2:])), ""
	}
	if begin != "" {
		for _, cut := range []string{"./", "/", "**/"} {
			pattern = strings.TrimPrefix(pattern, cut)
		}
	}
	if pattern = strings.TrimSuffix(strings.TrimSuffix(pattern, "/"), "/**"); pattern == "" || pattern == "*" || pattern == "**" {
		t.add(Rule{Tools: tools[tool]})
		t.change("the rule is about all calls of the tool")
		return
	}
	names := `file_path|dir_path`
	switch tool {
	case "Read", "Grep":
		names += `|include_pattern`
	case "Glob":
		names += `|pattern`
	}
	t.add(Rule{Tools: tools[tool], Args: `\x00"(?:` + names + `)":"` + begin + glob(pattern) + `(?:/[^"]*|)"\x00`})
	note := "shell commands can still reach these files"
	if begin != "" {
		note = "it matches below any directory, and " + note
	}
	t.change("%s", note)
}

// glob returns a regular expression that matches at least the paths that a pattern matches.
func glob(pattern string) string {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		rest := pattern[i:]
		switch {
		case strings.HasPrefix(rest, "**/"):
			b.WriteString(`(?:[^"]*/|)`)
			i += 3
		case strings.HasPrefix(rest, "**"):
			b.WriteString(`[^"]*`)
			i += 2
		case rest[0] == '*':
			b.WriteString(`[^/"]*`)
			i++
		case rest[0] == '?':
			b.WriteString(`[^/"]`)
			i++
		case rest[0] == '[' && strings.Contains(rest, "]"):
			b.WriteString(`[^/"]`) // any character is stricter than a few
			i += strings.IndexByte(rest, ']') + 1
		default:
			end := strings.IndexAny(rest[1:], "*?[") + 1
			if end == 0 {
				end = len(rest)
			}
			b.WriteString(quoted(rest[:end]))
			i += end
		}
	}
	return b.String()
}
