package foreign

import (
	"encoding/json"
	"fmt"
	"strings"

	"pollux/internal/guard/policy"
)

// DenyPriority and AllowPriority are the priorities of rules that deny and allow: the highest and the lowest, so that no other rule of
// the user lifts the former, and any of them overrides the latter.
const (
	DenyPriority  = 999
	AllowPriority = 1
)

// TOML returns rules as a policy file. ask is the priority of rules that ask.
func TOML(from Agent, rules []Rule, ask int) []byte {
	var b strings.Builder
	b.WriteString("# Permissions of " + string(from) + ", translated by: pollux policy import\n")
	for _, r := range rules {
		fmt.Fprintf(&b, "\n# %s\n[[rule]]\n", printable(r.Permission))
		if len(r.Tools) == 1 {
			fmt.Fprintf(&b, "toolName = %s\n", text(r.Tools[0]))
		} else {
			fmt.Fprintf(&b, "toolName = [%s]\n", texts(r.Tools))
		}
		for _, field := range []struct{ name, value string }{
			{"mcpName", r.Server}, {"commandPrefix", r.Prefix}, {"commandRegex", r.Command}, {"argsPattern", r.Args},
		} {
			if field.value != "" {
				fmt.Fprintf(&b, "%s = %s\n", field.name, text(field.value))
			}
		}
		priority := map[policy.Decision]int{policy.Deny: DenyPriority, policy.Ask: ask, policy.Allow: AllowPriority}[r.Decision]
		if r.rank > 0 {
			priority = AllowPriority + r.rank - 1
		}
		fmt.Fprintf(&b, "decision = %s\npriority = %d\n", text(string(r.Decision)), priority)
		if r.Decision != policy.Deny && !onlyReads(r.Tools) {
			b.WriteString(`modes = ["default", "autoEdit", "yolo"]` + "\n") // the mode plan forbids changes
		}
	}
	return []byte(b.String())
}

// onlyReads reports whether tools only read, and are allowed in the mode plan.
func onlyReads(names []string) bool {
	for _, name := range names {
		switch name {
		case "read_file", "grep_search", "glob", "list_directory", "web_fetch", "google_web_search":
		default:
			return false
		}
	}
	return true
}

func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return ' '
		}
		return r
	}, s)
}

// text returns a string of TOML.
func text(s string) string {
	if s == printable(s) && !strings.ContainsRune(s, '\'') {
		return "'" + s + "'"
	}
	data, _ := json.Marshal(s) // strings are always valid, and TOML has the escapes of JSON
	return strings.ReplaceAll(string(data), "\x7f", `\u007f`)
}

func texts(list []string) string {
	var b []string
	for _, s := range list {
		b = append(b, text(s))
	}
	return strings.Join(b, ", ")
}
