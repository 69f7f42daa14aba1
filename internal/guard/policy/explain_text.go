package policy

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pollux/internal/terminal"
)

// FormatExplanations returns explanations of the same call in sessions and in scripts as text.
// display returns the path of a policy file in the form that people read.
func FormatExplanations(list []Explanation, display func(path string) string) string {
	x := &list[0]
	trust := "trusted"
	if !x.Trusted {
		trust = "not trusted"
	}
	call := x.Command
	if call == "" {
		call = string(x.Call.Args)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s\nApproval mode: %s. The folder is %s.\n", brief(x.Call.Name), brief(call), x.Mode.Name(), trust)
	for i := range list {
		x := &list[i]
		if i > 0 && x.isLike(&list[i-1]) {
			continue
		}
		where := "In sessions"
		switch {
		case i+1 < len(list) && list[i+1].isLike(x):
			where = "In sessions and scripts"
		case !x.Interactive:
			where = "In scripts"
		}
		b.WriteString("\n" + where + ": " + x.outcome() + "\n")
		for _, line := range x.lines(display) {
			b.WriteString("  " + line + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// isLike reports whether two explanations differ only in their situation.
func (x *Explanation) isLike(y *Explanation) bool {
	sameParts := slices.EqualFunc(x.Parts, y.Parts, func(a, b Part) bool { return a.Decision == b.Decision && a.Rule == b.Rule })
	return x.Verdict.Decision == y.Verdict.Decision && x.Verdict.Rule == y.Verdict.Rule && sameParts &&
		slices.Equal(x.Steps, y.Steps) && slices.Equal(x.Changes, y.Changes)
}

// outcome describes the outcome of the call.
func (x *Explanation) outcome() string {
	switch {
	case x.Verdict.Decision == Allow:
		return "allowed"
	case x.Verdict.Decision == Deny && x.Hidden:
		return "denied, and the model does not see the tool"
	case x.Verdict.Decision == Deny:
		return "denied"
	case x.Interactive:
		return "Pollux asks"
	}
	return "fails, because no user can be asked"
}

// lines returns the parts of the decision.
func (x *Explanation) lines(display func(string) string) []string {
	var list []string
	add := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	first, last := x.First, x.Verdict
	add("Rule: %s", first.describe(x, display))
	for _, s := range x.Steps {
		add("Then: %s, because %s.", s.To, s.Why)
	}
	if last.Rule != nil && last.Rule != first.Rule {
		add("Decided by: %s", last.Rule.describe(display))
	}
	if len(x.Parts) > 1 || len(x.Parts) == 1 && (x.Parts[0].Rule != first.Rule || x.Parts[0].Decision != first.Decision) {
		add("Commands:")
		for i, p := range x.Parts {
			const most = 50
			if i == most {
				add("  %d more", len(x.Parts)-most)
				break
			}
			add("  %s%s: %s, %s", strings.Repeat("  ", p.Depth), brief(p.Command), p.Decision, p.place(display))
		}
	}
	for i, r := range x.Overridden {
		const most = 10
		if i == most {
			add("Also matching: %d more", len(x.Overridden)-most)
			break
		}
		add("Also matching: %s", r.describe(display))
	}
	if text := strings.TrimSpace(last.Message + " " + last.Reason); text != "" {
		add("Message: %s", text)
	}
	if r := last.Rule; r.forbids() {
		add("To change this: change %s.", r.Place(display))
	}
	for _, c := range x.Changes {
		if c.Rule == "" {
			add("With %s: %s.", c.How, c.Decision)
		}
	}
	for _, c := range x.Changes {
		if c.Rule == "" {
			continue
		}
		add("With this rule: %s.", c.Decision)
		for line := range strings.Lines(c.Rule) {
			add("  %s", strings.TrimRight(line, "\n"))
		}
	}
	return list
}

// brief returns a text on one line, cut if it is long.
func brief(text string) string { return terminal.Cut(terminal.Line(text), 500) }

// describe describes the rule of a verdict, or that there is none.
func (v Verdict) describe(x *Explanation, display func(string) string) string {
	switch {
	case v.Rule != nil:
		return v.Rule.describe(display)
	case x.Mode == Yolo:
		return "none; yolo mode allows"
	case x.Interactive:
		return "none; sessions ask"
	}
	return "none; scripts deny"
}

func (v Verdict) place(display func(string) string) string {
	switch {
	case v.Rule == nil && v.IsLifted:
		return "it only reads"
	case v.Rule == nil:
		return "no rule"
	case v.Decision != v.Rule.Decision && v.Rule.Decision == Allow:
		return v.Rule.Place(display) + " allows it, but not this use"
	}
	return v.Rule.Place(display)
}

// describe describes a rule on one line: its place, its decision, its calls and its priority.
func (r *Rule) describe(display func(string) string) string {
	text := fmt.Sprintf("%s: %s", r.Place(display), r.Decision)
	if !r.isBuiltin() || len(r.Tools) <= 2 {
		text += " " + r.short()
	}
	switch {
	case r.Args.command() != "":
		text += " with commands that match " + r.Args.command()
	case r.Args != nil && r.only == "":
		text += " with arguments that match " + r.Args.String()
	case r.later:
		text += " for " + laterFiles
	case r.reads:
		text += " that only read"
	}
	if names := r.Modes.names(); names != nil {
		text += " in " + strings.Join(names, ", ")
	}
	return brief(text) + " (priority " + strconv.FormatFloat(r.Priority, 'f', -1, 64) + ")"
}

// names returns the names of the modes, nil for all.
func (s Modes) names() []string {
	if s == 0 || s.list()[0] == Plan.String() && len(s.list()) == len(Modes(0).list()) {
		return nil
	}
	return s.list()
}

// RuleJSON is a rule in JSON output.
type RuleJSON struct {
	Decision    Decision       `json:"decision"`
	Tools       []string       `json:"tools"`
	Priority    float64        `json:"priority"`
	Tier        string         `json:"tier"`
	Source      string         `json:"source"`
	File        string         `json:"file,omitempty"`
	Line        int            `json:"line,omitempty"`
	Prefixes    []string       `json:"commandPrefix,omitempty"`
	Args        string         `json:"argsPattern,omitempty"`
	Server      string         `json:"mcpName,omitempty"`
	Modes       []string       `json:"modes,omitempty"`
	Interactive *bool          `json:"interactive,omitempty"`
	Subagent    string         `json:"subagent,omitempty"`
	Annotations map[string]any `json:"toolAnnotations,omitempty"`
	Redirection bool           `json:"allowRedirection,omitempty"`
	DenyMessage string         `json:"denyMessage,omitempty"`
}

// JSON returns the rule in the form of JSON output.
func (r *Rule) JSON() *RuleJSON {
	if r == nil {
		return nil
	}
	j := &RuleJSON{
		Decision: r.Decision, Tools: r.Tools, Priority: r.Priority, Tier: strings.ToLower(Tier(max(1, int(r.Priority))).String()), Source: r.Source,
		File: r.file, Line: r.line, Prefixes: r.Prefixes, Args: r.Args.String(), Server: r.Server, Modes: r.Modes.names(),
		Subagent: r.Subagent, Annotations: r.Annotations, Redirection: r.AllowRedirection, DenyMessage: r.DenyMessage,
	}
	if r.When != Always {
		interactive := r.When == Interactive
		j.Interactive = &interactive
	}
	return j
}

// ExplanationJSON is an explanation in JSON output.
type ExplanationJSON struct {
	Tool        string      `json:"tool"`
	Command     string      `json:"command,omitempty"`
	Mode        string      `json:"mode"`
	Interactive bool        `json:"interactive"`
	Trusted     bool        `json:"trusted"`
	Decision    Decision    `json:"decision"`
	Hidden      bool        `json:"hidden"`
	Message     string      `json:"message,omitempty"`
	Rule        *RuleJSON   `json:"rule"`
	Steps       []Step      `json:"steps"`
	Commands    []partJSON  `json:"commands"`
	Overridden  []*RuleJSON `json:"overridden"`
	Changes     []Change    `json:"changes"`
}

type partJSON struct {
	Command  string    `json:"command"`
	Depth    int       `json:"depth"`
	Decision Decision  `json:"decision"`
	Rule     *RuleJSON `json:"rule"`
}

// JSON returns the explanation in the form of JSON output.
func (x *Explanation) JSON() ExplanationJSON {
	j := ExplanationJSON{
		Tool: x.Call.Name, Command: x.Command, Mode: x.Mode.Name(), Interactive: x.Interactive, Trusted: x.Trusted,
		Decision: x.Verdict.Decision, Hidden: x.Hidden, Message: strings.TrimSpace(x.Verdict.Message + " " + x.Verdict.Reason), Rule: x.Verdict.Rule.JSON(),
		Steps: append([]Step{}, x.Steps...), Commands: []partJSON{}, Overridden: []*RuleJSON{}, Changes: append([]Change{}, x.Changes...),
	}
	for _, p := range x.Parts {
		j.Commands = append(j.Commands, partJSON{p.Command, p.Depth, p.Decision, p.Rule.JSON()})
	}
	for _, r := range x.Overridden {
		j.Overridden = append(j.Overridden, r.JSON())
	}
	return j
}

// compact returns a value as JSON on one line.
func compact(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return "" // cannot happen: v has only JSON types
	}
	return string(data)
}
