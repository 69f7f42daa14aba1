package policy

import (
	"strconv"
	"strings"

	"pollux/internal/terminal"
)

// short returns a short description of the calls that a rule is about.
func (r *Rule) short() string {
	if len(r.Tools) == 1 && r.Server == "" {
		if server, all := strings.CutSuffix(r.Tools[0], "_*"); all {
			return "all tools of " + strings.TrimPrefix(server, "mcp_")
		}
	}
	text := strings.Join(r.Tools, ", ")
	if r.Server != "" {
		text += " of " + r.Server
	}
	switch {
	case len(r.Prefixes) > 0:
		text += ": " + strings.Join(r.Prefixes, " *, ") + " *"
	case r.only != "":
		text += ": " + r.only
	}
	if r.reads {
		text += ", commands that only read"
	}
	if r.AllowRedirection {
		text += ", also into files"
	}
	return text
}

// String returns the rule in Markdown, as /policies lists it.
func (r *Rule) String() string {
	var b strings.Builder
	b.WriteString("**" + strings.ToUpper(string(r.Decision)) + "** tool: `" + strings.Join(r.qualified(), "`, `") + "`")
	switch {
	case len(r.Prefixes) > 0:
		b.WriteString(" (commands: `" + strings.Join(r.Prefixes, "`, `") + "`)")
	case r.Args != nil:
		b.WriteString(" (args match: `" + r.Args.String() + "`)")
	case r.later:
		b.WriteString(" (" + laterFiles + ")")
	}
	if r.reads {
		b.WriteString(" (commands that only read)")
	}
	b.WriteString([...]string{Always: "", Interactive: " (interactive only)", Headless: " (headless only)"}[r.When])
	if r.Subagent != "" {
		b.WriteString(" (agent: `" + r.Subagent + "`)")
	}
	if len(r.Annotations) > 0 {
		b.WriteString(" (by annotations)")
	}
	b.WriteString(" [Priority: " + strconv.FormatFloat(r.Priority, 'f', -1, 64) + "]")
	if r.Source != "" {
		b.WriteString(" [Source: " + r.Source)
		if r.file != "" {
			b.WriteString(":" + strconv.Itoa(r.line))
		}
		b.WriteString("]")
	}
	return b.String()
}

// FormatRules returns rules in Markdown, by approval mode.
func FormatRules(rules []Rule) string {
	if len(rules) == 0 {
		return "No active policies."
	}
	var b strings.Builder
	b.WriteString("**Active Policies**\n")
	for _, group := range []struct {
		title string
		mode  Mode
	}{
		{"Normal Mode Policies", Default},
		{"Auto Edit Mode Policies (in addition to those of normal mode)", AutoEdit},
		{"Sandboxed Mode Policies (in addition to those of auto edit mode)", Sandboxed},
		{"Yolo Mode Policies (in addition to those of normal mode)", Yolo},
		{"Plan Mode Policies (in addition to those of normal mode)", Plan},
	} {
		n := 0
		for i := range rules {
			r := &rules[i]
			if !r.Modes.Has(group.mode) || group.mode != Default && r.Modes.Has(Default) || group.mode == Sandboxed && r.Modes.Has(AutoEdit) {
				continue
			}
			if n++; n == 1 {
				b.WriteString("\n### " + group.title + "\n\n")
			}
			b.WriteString(strconv.Itoa(n) + ". " + terminal.Line(r.String()) + "\n")
		}
		if n == 0 {
			b.WriteString("\n### " + group.title + "\n\nNone.\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// qualified returns the tools' names including their server.
func (r *Rule) qualified() []string {
	if r.Server == "" {
		return r.Tools
	}
	names := make([]string, len(r.Tools))
	for i, t := range r.Tools {
		names[i] = "mcp_" + plainName(r.Server) + "_" + t
		if r.Server == "*" {
			names[i] = "mcp_*_" + t
			if t == "*" {
				names[i] = "mcp_*"
			}
		}
	}
	return names
}
