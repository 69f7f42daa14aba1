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
	"pollux/internal/transfer"
)

// importCommand returns the command that translates permissions of other agents.
func importCommand() *manage.Command {
	return &manage.Command{
		Name: "import", Summary: "Translate permissions of another agent to policy rules", Run: manage.With(manage.Open, importRules),
		Example: "  pollux policy import                   # show the rules, and write nothing\n  pollux policy import --apply",
		Flags: []manage.Flag{
			{Name: "from", Default: "claude", Usage: "`agent` Agent to import from", Choices: []string{"claude", "antigravity", "codex", "opencode", "qwen"}},
			{Name: "scope", Short: "s", Default: "user", Usage: "`scope` Permissions to import, your own or those of the project", Choices: []string{"user", "project"}},
			{Name: "apply", Default: false, Usage: "Write the rules"},
			manage.JSON,
		},
	}
}

func importRules(_ context.Context, c *manage.Call, p *project.Project) (o outcome.Outcome, err error) {
	scope, from := config.User, sourceOf(c.Value("from"))
	if c.Value("scope") == "project" {
		scope = config.Workspace
		switch {
		case from.project == nil:
			return o, exit.Errorf(exit.Input, "%s has no permissions in projects. To import your own, leave out --scope.", from.title)
		case p.Paths.AtHome():
			return o, exit.Errorf(exit.Input, "The home directory is no project. To import your own permissions, leave out --scope.")
		case !p.IsTrusted():
			return o, exit.Errorf(exit.Untrusted, "This folder is not trusted: Pollux changes no settings here. To trust it, start pollux here.")
		}
	}
	part, err := Import(p, c.Value("from"), scope)
	switch {
	case err != nil:
		return o, err
	case part.Files == nil:
		place, names := from.place(p, scope)
		return o, exit.Errorf(exit.Input, "There are no settings of %s in %s.", from.title, p.Paths.Display(filepath.Dir(place.Path(names[0]))))
	}
	r := transfer.Report{Agent: c.Value("from"), Scope: c.Value("scope"), Parts: []*transfer.Part{part}, HowToApply: "add --apply"}
	if c.Is("apply") {
		err = r.Apply()
	}
	return r.Outcome(p.DisplayFile), err
}

// source is an agent whose permissions are imported.
type source struct {
	foreign.Agent
	title         string
	user, project []string // its files below the home directory and the project
	// read adds the permissions in a file. It returns other settings about permissions, each with the reason or the way to have the same.
	read func(p *foreign.Permissions, f transfer.File) (others []string, err error)
}

// sourceOf returns the source for an agent, nil for one whose permissions are not imported.
func sourceOf(agent string) *source {
	switch agent {
	case "claude":
		return &source{
			foreign.Claude, "Claude Code",
			[]string{".claude/settings.json"},
			[]string{".claude/settings.json", ".claude/settings.local.json"},
			readClaude,
		}
	case "antigravity":
		return &source{foreign.Antigravity, "Antigravity CLI", []string{".gemini/antigravity-cli/settings.json"}, nil, readAntigravity}
	case "codex":
		rules := []string{".codex/rules/*.rules"}
		return &source{foreign.Codex, "Codex", rules, rules, readCodex}
	case "opencode":
		names := []string{"opencode.json", "opencode.jsonc"}
		return &source{foreign.OpenCode, "OpenCode", []string{".config/opencode/opencode.json", ".config/opencode/opencode.jsonc"}, names, readOpenCode}
	case "qwen":
		return &source{foreign.Qwen, "Qwen Code", []string{".qwen/settings.json"}, []string{".qwen/settings.json", ".qwen/settings.local.json"}, readQwen}
	}
	return nil
}

// place returns the files of a scope.
func (s *source) place(p *project.Project, scope config.Scope) (transfer.Place, []string) {
	if scope == config.User {
		return transfer.Place{Dir: p.Paths.Home()}, s.user
	}
	return transfer.Place{Dir: p.Paths.Dir(), IsProject: true}, s.project
}

// Import returns the permissions that an agent has in a scope. The part has no files if there are none.
func Import(p *project.Project, agent string, scope config.Scope) (*transfer.Part, error) {
	part := &transfer.Part{Kind: "permission"}
	from := sourceOf(agent)
	if from == nil {
		return part, nil
	}
	place, names := from.place(p, scope)
	files, err := readFiles(place, names)
	if err != nil || files == nil {
		return part, err
	}
	permissions, others := foreign.Permissions{Agent: from.Agent, Home: p.Paths.Home(), IsOfProject: place.IsProject}, []string(nil)
	for _, f := range files {
		more, err := from.read(&permissions, f)
		if err != nil {
			return part, exit.Errorf(exit.Config, "Cannot read %s: %w.", p.DisplayFile(f.Path), err)
		}
		others = append(others, more...)
	}
	rules, items := foreign.Translate(permissions)
	slices.Sort(others)
	for _, other := range slices.Compact(others) {
		name, why, _ := strings.Cut(other, " (")
		item := transfer.New(name)
		item.Leave("%s", strings.TrimSuffix(why, ")"))
		items = append(items, item)
	}
	part.Files, part.Items = transfer.Paths(files), items
	part.Target = filepath.Join(p.Paths.UserPolicies(), agent+".toml")
	if place.IsProject {
		part.Target, part.Settings = place.Path(".gemini/policies/"+agent+".toml"), p.Paths.File(scope)
	}
	text := foreign.TOML(from.Agent, rules, askPriority(p, part.Target))
	part.Write = func() error { return writeRules(p, part, text, place.IsProject) }
	return part, checkTarget(p, part, text)
}

// readFiles reads the files of an agent with permissions: objects, or all texts in a directory with an ending.
func readFiles(place transfer.Place, names []string) (files []transfer.File, err error) {
	dir, suffix, isPattern := strings.Cut(names[0], "/*")
	if !isPattern {
		return place.Objects(names...)
	}
	found, _ := place.Find(dir, suffix)
	for _, name := range found {
		f := transfer.File{Name: name, Path: place.Path(dir + "/" + name)}
		if f.Text, err = place.Read(dir+"/"+name, maxSettings); err != nil {
			return nil, exit.Errorf(exit.Config, "Cannot read %s: %w.", f.Path, durable.Cause(err))
		}
		files = append(files, f)
	}
	return files, nil
}

// checkTarget reports the file at the place of the rules. It marks the permissions as present if the rules are there, and leaves them out if
// other rules are: no file is replaced.
func checkTarget(p *project.Project, part *transfer.Part, text []byte) error {
	there, err := durable.ReadFile(part.Target, maxSettings)
	switch {
	case durable.IsAbsent(err):
		return nil
	case err != nil:
		return exit.Errorf(exit.General, "Cannot read %s: %w.", p.DisplayFile(part.Target), err)
	}
	for _, item := range part.Items {
		switch {
		case !item.IsWritten():
		case bytes.Equal(there, text):
			item.Keep()
		default:
			item.Leave("there are other rules in %s", p.DisplayFile(part.Target))
		}
	}
	if !bytes.Equal(there, text) {
		part.Notes = append(part.Notes, p.DisplayFile(part.Target)+" is there with other rules, and Pollux does not replace it. To import again, move it away first.")
	}
	return nil
}

// writeRules writes a file of rules, and makes it count: a project names it in its settings. For a file of the user, a note says if the settings
// name other files instead.
func writeRules(p *project.Project, part *transfer.Part, text []byte, ofProject bool) error {
	target, name := part.Target, p.DisplayFile(part.Target)
	if err := transfer.Write(target, text, ofProject, p.Paths.Dir()); err != nil {
		return exit.Errorf(exit.General, "Cannot write %s: %w.", name, durable.Cause(err))
	}
	if r := policy.CheckFiles([]policy.File{policy.UserFile(target)}, nil); r.Failed() {
		_ = os.Remove(target) // the error says that nothing is imported
		return exit.Errorf(exit.General, "The rules have a mistake, so nothing is imported: %s", r.Problems[0].String(p.DisplayFile))
	}
	if !ofProject {
		files, err := p.PolicyFiles()
		if err == nil && !slices.ContainsFunc(files, func(f policy.File) bool { return f.Path == target }) {
			part.Notes = append(part.Notes, "The rules do not count yet, because policyPaths in your settings names other files. Add "+name+" to it.")
		}
		return nil
	}
	path := ".gemini/policies/" + filepath.Base(target)
	paths := config.PolicyPaths.In(p.Settings().ForScope(config.Workspace))
	if slices.Contains(paths, path) {
		return nil
	}
	var list []any
	for _, path := range append(slices.Clone(paths), path) {
		list = append(list, path)
	}
	return p.ChangeSettings(config.Workspace, func() error { return p.Paths.Set(config.Workspace, string(config.PolicyPaths), list) })
}

// maxSettings is the maximum size in bytes of a file of rules.
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

// readAntigravity adds the permissions in the settings of Antigravity CLI.
func readAntigravity(p *foreign.Permissions, f transfer.File) (others []string, err error) {
	if others, err = addLists(p, f.Object, func(key string, _ any) string { return config.Printable(key) + " (Pollux does not know it)" }); err != nil {
		return nil, err
	}
	switch mode := f.Object["toolPermission"]; mode {
	case nil, "request-review":
	case "strict":
		others = append(others, "toolPermission: strict (choose the mode default, and write rules that ask)")
	default:
		others = append(others, "toolPermission (choose a mode with --approval-mode)")
	}
	return others, nil
}

// readClaude adds the permissions in a settings file of Claude Code.
func readClaude(p *foreign.Permissions, f transfer.File) (others []string, err error) {
	for key, next := range map[string]string{"disabledMcpjsonServers": "pollux mcp disable", "sandbox": "/docs sandbox"} {
		if f.Object[key] != nil {
			others = append(others, key+" (see "+next+")")
		}
	}
	more, err := addLists(p, f.Object, otherKey)
	return append(others, more...), err
}

// readQwen adds the permissions in a settings file of Qwen Code.
func readQwen(p *foreign.Permissions, f transfer.File) (others []string, err error) {
	return addLists(p, f.Object, otherKey)
}

// readCodex adds the rules for commands in a file of Codex.
func readCodex(p *foreign.Permissions, f transfer.File) (others []string, err error) {
	p.ReadCodex(f.Name, strings.ToValidUTF8(string(f.Text), "\ufffd"))
	return nil, nil
}

// readOpenCode adds the permissions in a configuration of OpenCode, which is later than those before it.
func readOpenCode(p *foreign.Permissions, f transfer.File) (others []string, err error) {
	servers, _ := f.Object["mcp"].(map[string]any)
	list, err := foreign.ReadOpenCode(f.Text, servers)
	p.Ordered = append(p.Ordered, list...)
	return nil, err
}

// addLists adds the lists of permissions in a settings file. other describes a key beside them.
func addLists(p *foreign.Permissions, tree map[string]any, other func(key string, v any) string) (others []string, err error) {
	permissions, isObject := tree["permissions"].(map[string]any)
	if tree["permissions"] != nil && !isObject {
		return nil, errors.New("permissions is not an object")
	}
	for key, v := range permissions {
		list := map[string]*[]string{"deny": &p.Deny, "ask": &p.Ask, "allow": &p.Allow}[key]
		if list == nil {
			others = append(others, other(key, v))
			continue
		}
		items, isList := v.([]any)
		texts := config.Texts(items)
		if !isList || len(texts) != len(items) {
			return nil, fmt.Errorf("permissions.%s is not a list of texts", key)
		}
		*list = append(*list, texts...)
	}
	return others, nil
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
