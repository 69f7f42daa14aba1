package policy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/guard/policy"
	"pollux/internal/guard/policy/foreign"
	"pollux/internal/manage"
	"pollux/internal/outcome"
	"pollux/internal/project"
	"pollux/internal/terminal"
	"pollux/internal/wording"
)

// importCommand returns the command that translates permissions of other agents.
func importCommand() *manage.Command {
	return &manage.Command{
		Name: "import", Summary: "Translate permissions of another agent to policy rules", Run: manage.With(manage.Open, importRules),
		Example: "  pollux policy import                   # show the rules, and write nothing\n  pollux policy import --apply",
		Flags: []manage.Flag{
			{Name: "from", Default: "claude", Usage: "`agent` Agent to import from", Choices: []string{"claude", "antigravity"}},
			{Name: "scope", Short: "s", Default: "user", Usage: "Permissions to import: your own (`user`), or those of the project", Choices: []string{"user", "project"}},
			{Name: "apply", Default: false, Usage: "Write the rules"},
			manage.JSON,
		},
	}
}

// source is where permissions come from, and where their rules go.
type source struct {
	foreign.Permissions
	files  []string // that exist
	others []string // other settings about permissions, each with the reason or the way to have the same
	target string
}

func importRules(_ context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
	read := readPermissions
	if c.Value("from") == "antigravity" {
		read = readAntigravity
	}
	src, err := read(p, c.Value("scope") == "project")
	if err != nil {
		return o, err
	}
	rules, reports := foreign.Translate(src.Permissions)
	text := foreign.TOML(src.Agent, rules, askPriority(p, src.target))
	var b strings.Builder
	fmt.Fprintf(&b, "Permissions in %s:\n\n", displayAll(p, src.files))
	lost := 0
	for i := range reports {
		r := &reports[i]
		line := fmt.Sprintf("%-8s  %s", r.Result, terminal.Brief(terminal.Line(r.Permission)))
		if r.Note != "" {
			line += " (" + r.Note + ")"
		}
		b.WriteString(line + "\n")
		if r.IsLost() {
			lost++
		}
	}
	for _, other := range src.others {
		fmt.Fprintf(&b, "%-8s  %s\n", foreign.LeftOut, terminal.Line(other))
	}
	state, err := writeRules(p, src.target, text, rules, c.Is("apply"))
	if err != nil {
		return o, err
	}
	b.WriteString("\n" + state)
	if lost > 0 {
		fmt.Fprintf(&b, "\nNOT TAKEN: %s that may have refused calls, see above. Nothing checks in their place: write rules yourself, see /docs policies.", wording.Count(lost, "permission"))
	}
	o = outcome.New(outcome.Text(b.String())).WithValue(struct {
		Files       []string         `json:"files"`
		Target      string           `json:"target"`
		Rules       int              `json:"rules"`
		Permissions []foreign.Report `json:"permissions"`
		LeftOut     []string         `json:"leftOut"`
	}{src.files, src.target, len(rules), append([]foreign.Report{}, reports...), append([]string{}, src.others...)})
	if c.Is("apply") && len(rules) > 0 {
		err = countRules(p, &o, src.target)
	}
	return o, err
}

func displayAll(p *project.Project, files []string) string {
	var names []string
	for _, file := range files {
		names = append(names, p.DisplayFile(file))
	}
	return strings.Join(names, " and ")
}

// writeRules writes the rules if it should, and returns a sentence about the file. It replaces no file.
func writeRules(p *project.Project, target string, text []byte, rules []foreign.Rule, apply bool) (string, error) {
	name := p.DisplayFile(target)
	if len(rules) == 0 {
		return "There are no rules to write.", nil
	}
	there, err := durable.ReadFile(target, maxSettings)
	switch {
	case err == nil && bytes.Equal(there, text):
		return name + " has these rules already.", nil
	case err == nil:
		text := name + " is there with other rules, and Pollux does not replace it. To import again, move it away first."
		if apply {
			return "", exit.Errorf(exit.Input, "%s", text)
		}
		return text, nil
	case !durable.IsAbsent(err):
		return "", exit.Errorf(exit.General, "Cannot read %s: %w.", name, err)
	case !apply:
		return fmt.Sprintf("Nothing is written yet. To write %s to %s, add --apply.", wording.Count(len(rules), "rule"), name), nil
	}
	if err := durable.MkdirAll(filepath.Dir(target), 0o700); err != nil {
		return "", exit.Errorf(exit.General, "Cannot write %s: %w.", name, durable.Cause(err))
	}
	if err := durable.WriteFile(target, text, 0o600); err != nil {
		return "", exit.Errorf(exit.General, "Cannot write %s: %w.", name, durable.Cause(err))
	}
	if r := policy.CheckFiles([]policy.File{policy.UserFile(target)}, nil); r.Failed() {
		_ = os.Remove(target) // the error says that nothing is imported
		return "", exit.Errorf(exit.General, "The rules have a mistake, so nothing is imported: %s", r.Problems[0].String(p.DisplayFile))
	}
	return fmt.Sprintf("Wrote %s to %s.", wording.Count(len(rules), "rule"), name), nil
}

// maxSettings is the maximum size in bytes of a settings file of another agent, and of a file of rules.
const maxSettings = 16 << 20

// askPriority returns the priority of rules that ask: the highest below all rules of the user's that deny, which they must not lift.
func askPriority(p *project.Project, target string) int {
	ask := foreign.DenyPriority - 1
	r, err := p.WithWarn(nil).ReadPolicies(p.WithWarn(nil).HasAccepted)
	if err != nil {
		return foreign.AllowPriority + 1
	}
	for i := range r.Rules {
		rule := r.Rules[i].JSON()
		if rule.Decision == policy.Deny && int(rule.Priority) == int(policy.TierUser) && rule.File != target {
			ask = min(ask, int((rule.Priority-float64(policy.TierUser))*1000+0.5)-1)
		}
	}
	return max(ask, foreign.AllowPriority+1)
}

// readAntigravity reads the permissions of Antigravity CLI, which are the user's.
func readAntigravity(p *project.Project, ofProject bool) (source, error) {
	file := filepath.Join(p.Paths.Home(), ".gemini", "antigravity-cli", "settings.json")
	src := source{
		Permissions: foreign.Permissions{Agent: foreign.Antigravity, Home: p.Paths.Home()},
		files:       []string{file}, target: filepath.Join(p.Paths.UserPolicies(), "antigravity.toml"),
	}
	if ofProject {
		return src, exit.Errorf(exit.Input, "Antigravity CLI has no permissions in projects. To import your own, leave out --scope.")
	}
	tree, err := readTree(func() ([]byte, error) { return durable.ReadFile(file, maxSettings) })
	switch {
	case durable.IsAbsent(err):
		return src, exit.Errorf(exit.Input, "There are no settings of Antigravity CLI in %s.", p.DisplayFile(filepath.Dir(file)))
	case err == nil:
		err = src.addLists(tree, func(key string, _ any) string { return config.Printable(key) + " (Pollux does not know it)" })
	}
	if err != nil {
		return src, exit.Errorf(exit.Config, "Cannot read %s: %w.", p.DisplayFile(file), err)
	}
	switch mode := tree["toolPermission"]; mode {
	case nil, "request-review":
	case "strict":
		src.others = append(src.others, "toolPermission: strict (choose the mode default, and write rules that ask)")
	default:
		src.others = append(src.others, "toolPermission (choose a mode with --approval-mode)")
	}
	return src, nil
}

// readTree returns the object in a file.
func readTree(read func() ([]byte, error)) (map[string]any, error) {
	data, err := read()
	if err != nil {
		return nil, err
	}
	return config.ParseObject(data)
}

// readPermissions reads the permissions of the user, or those of the project.
func readPermissions(p *project.Project, ofProject bool) (source, error) {
	home := p.Paths.Home()
	src := source{Permissions: foreign.Permissions{Agent: foreign.Claude, Home: home, IsOfProject: ofProject}, target: filepath.Join(p.Paths.UserPolicies(), "claude.toml")}
	dir, names := home, []string{"settings.json"}
	read := func(name string) ([]byte, error) { return durable.ReadFile(filepath.Join(dir, name), maxSettings) }
	if ofProject {
		switch {
		case p.Paths.AtHome():
			return src, exit.Errorf(exit.Input, "The home directory is no project. To import your own permissions, leave out --scope.")
		case !p.IsTrusted():
			return src, exit.Errorf(exit.Untrusted, "This folder is not trusted: Pollux changes no settings here. To trust it, start pollux here.")
		}
		dir, names = p.Paths.Dir(), []string{"settings.json", "settings.local.json"}
		src.target = filepath.Join(dir, ".gemini", "policies", "claude.toml")
		read = func(name string) ([]byte, error) { return durable.ReadInside(dir, name, maxSettings) }
	}
	for _, name := range names {
		name = filepath.Join(".claude", name)
		tree, err := readTree(func() ([]byte, error) { return read(name) })
		if durable.IsAbsent(err) {
			continue
		}
		file := filepath.Join(dir, name)
		if err == nil {
			err = src.add(tree)
		}
		if err != nil {
			return src, exit.Errorf(exit.Config, "Cannot read %s: %w.", p.DisplayFile(file), err)
		}
		src.files = append(src.files, file)
	}
	if src.files == nil {
		return src, exit.Errorf(exit.Input, "There are no settings of Claude Code in %s.", p.Paths.Display(filepath.Join(dir, ".claude")))
	}
	return src, nil
}

// add adds the permissions in a settings file of Claude Code.
func (s *source) add(tree map[string]any) error {
	for key, next := range map[string]string{"disabledMcpjsonServers": "pollux mcp disable", "sandbox": "/docs sandbox"} {
		if tree[key] != nil {
			s.others = append(s.others, key+" (see "+next+")")
		}
	}
	return s.addLists(tree, otherKey)
}

// addLists adds the lists of permissions in a settings file. other describes a key beside them.
func (s *source) addLists(tree map[string]any, other func(key string, v any) string) error {
	permissions, isObject := tree["permissions"].(map[string]any)
	if tree["permissions"] != nil && !isObject {
		return errors.New("permissions is not an object")
	}
	for key, v := range permissions {
		list := map[string]*[]string{"deny": &s.Deny, "ask": &s.Ask, "allow": &s.Allow}[key]
		if list == nil {
			s.others = append(s.others, other(key, v))
			continue
		}
		items, isList := v.([]any)
		texts := config.Texts(items)
		if !isList || len(texts) != len(items) {
			return fmt.Errorf("permissions.%s is not a list of texts", key)
		}
		*list = append(*list, texts...)
	}
	slices.Sort(s.others)
	s.others = slices.Compact(s.others)
	return nil
}

// otherKey describes a key of permissions that is no list of them.
func otherKey(key string, v any) string {
	switch {
	case key == "disableBypassPermissionsMode":
		return key + " (to have the same, run: pollux config set security.disableYoloMode true)"
	case key == "additionalDirectories":
		return key + " (see context.includeDirectories)"
	case key == "defaultMode" && v == "plan":
		return key + ": plan (to have the same, run: pollux config set general.defaultApprovalMode plan)"
	case key == "defaultMode":
		return key + " (choose a mode with --approval-mode)"
	}
	return config.Printable(key) + " (Pollux does not know it)"
}

// countRules makes the rules of a file count: a project names it in its settings. For a file of the user, a note says if the settings name
// other files instead.
func countRules(p *project.Project, o *outcome.Outcome, target string) error {
	if !strings.HasPrefix(target, p.Paths.UserPolicies()+string(filepath.Separator)) {
		const name = ".gemini/policies/claude.toml"
		paths := config.PolicyPaths.In(p.Settings().ForScope(config.Workspace))
		if slices.Contains(paths, name) {
			return nil
		}
		var list []any
		for _, path := range append(slices.Clone(paths), name) {
			list = append(list, path)
		}
		return p.ChangeSettings(config.Workspace, func() error { return p.Paths.Set(config.Workspace, string(config.PolicyPaths), list) })
	}
	files, err := p.PolicyFiles()
	if err == nil && !slices.ContainsFunc(files, func(f policy.File) bool { return f.Path == target }) {
		o.Notes = append(o.Notes, "Warning: The rules do not count yet, because policyPaths in your settings names other files. Add "+p.DisplayFile(target)+" to it.")
	}
	return nil
}
