package install

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/extension/plugin"
	"pollux/internal/guard/policy"
	"pollux/internal/skill"
)

// Describe returns the description of an installed extension for people, in the layout of Gemini CLI.
func (m *Manager) Describe(e *extension.Extension) (string, error) {
	rules, err := extension.OpenEnablement(m.Dir)
	if err != nil {
		return "", err
	}
	d := &consent{} // for its lines
	mark, inWorkspace := "✗", rules.IsEnabled(e.Name, m.Workspace)
	if inWorkspace {
		mark = "✓"
	}
	d.line("%s %s (%s)", mark, e.Name, e.Version)
	d.line(" ID: %s", e.ID)
	d.line(" name: %x", sha256.Sum256([]byte(e.Name)))
	d.line(" Path: %s", e.Dir)
	if e.Install != nil {
		d.line(" Source: %s (Type: %s)", MaskText(e.Install.Source), string(e.Install.Type))
		if e.Install.Plugin != "" {
			d.line(" Plugin: %s", e.Install.Plugin)
		}
		if e.Plugin != "" {
			d.line(" Converted from: a plugin of %s", plugin.Title(e.Plugin))
		}
		if e.Install.Ref != "" {
			d.line(" Ref: %s", e.Install.Ref)
		}
		if e.Install.ReleaseTag != "" {
			d.line(" Release tag: %s", e.Install.ReleaseTag)
		}
	}
	d.line(" Enabled (User): %t", rules.IsEnabled(e.Name, m.Home))
	d.line(" Enabled (Workspace): %t", inWorkspace)
	list(d, " Context files:", e.ContextFiles, func(file *string) { d.line("  %s", *file) })
	list(d, " MCP servers:", slices.Sorted(maps.Keys(e.MCPServers)), func(name *string) { d.line("  %s", *name) })
	list(d, " Excluded tools:", e.ExcludeTools, func(tool *string) { d.line("  %s", *tool) })
	list(d, " Agent skills:", readContent(e.Dir, &e.Manifest).Skills, func(s *skill.Skill) { d.line("  %s: %s", s.Name, s.Description) })
	list(d, " Settings:", e.Values, func(v *extension.Value) { d.line("  %s: %s %s", v.Name, FormatValue(v), formatPlace(v)) })
	return strings.Join(d.lines, "\n"), nil
}

// FormatValue returns the value of a setting for people.
func FormatValue(v *extension.Value) string {
	switch {
	case v.Value == "":
		return "[not set]"
	case v.IsSensitive:
		return "***"
	}
	return oneLine(v.Value)
}

// formatPlace returns where the value of a setting is.
func formatPlace(v *extension.Value) string {
	if !v.IsSet {
		return ""
	}
	scope := "User"
	if v.Scope == extension.Workspace {
		scope = "Workspace"
	}
	return fmt.Sprintf("(%s - %s)", scope, v.Source)
}

// JSON is an installed extension in JSON output, with the keys of Gemini CLI. Secrets are masked.
type JSON struct {
	Name             string               `json:"name"`
	Version          string               `json:"version"`
	Path             string               `json:"path"`
	ContextFiles     []string             `json:"contextFiles"`
	Install          *extension.Install   `json:"installMetadata,omitempty"`
	MigratedTo       string               `json:"migratedTo,omitempty"`
	MCPServers       any                  `json:"mcpServers,omitempty"`
	ExcludeTools     []string             `json:"excludeTools,omitempty"`
	Hooks            any                  `json:"hooks,omitempty"`
	IsActive         bool                 `json:"isActive"`
	ID               string               `json:"id"`
	Settings         []extension.Setting  `json:"settings,omitempty"`
	ResolvedSettings []settingJSON        `json:"resolvedSettings"`
	Skills           []skillJSON          `json:"skills"`
	Agents           []agentJSON          `json:"agents"`
	Themes           []any                `json:"themes,omitempty"`
	Rules            []*policy.RuleJSON   `json:"rules,omitempty"`
	Checkers         []policy.CheckerJSON `json:"checkers,omitempty"`
	Plan             *planJSON            `json:"plan,omitempty"`
}

type settingJSON struct {
	Name      string `json:"name"`
	EnvVar    string `json:"envVar"`
	Value     string `json:"value,omitempty"`
	Sensitive bool   `json:"sensitive"`
	Scope     string `json:"scope,omitempty"`
	Source    string `json:"source,omitempty"`
}

type skillJSON struct {
	Name          string `json:"name"`
	Description   string `json:"description"`
	Location      string `json:"location"`
	Body          string `json:"body"`
	ExtensionName string `json:"extensionName"`
}

type agentJSON struct {
	Name          string `json:"name"`
	Description   string `json:"description"`
	ExtensionName string `json:"extensionName"`
}

type planJSON struct {
	Directory string `json:"directory"`
}

// DescribeJSON returns an installed extension for JSON output.
func (m *Manager) DescribeJSON(e *extension.Extension) JSON {
	content := readContent(e.Dir, &e.Manifest)
	separator := string(filepath.Separator)
	expander := config.NewExpander(map[string]string{
		"extensionPath": e.Dir, "workspacePath": m.Workspace, "/": separator, "pathSeparator": separator,
	}, nil)
	j := JSON{
		Name: e.Name, Version: e.Version, Path: e.Dir, ContextFiles: append([]string{}, e.ContextFiles...), Install: e.Install,
		MigratedTo: e.MigratedTo, ExcludeTools: e.ExcludeTools, IsActive: e.IsActive, ID: e.ID, Settings: e.Settings,
		ResolvedSettings: []settingJSON{}, Skills: []skillJSON{}, Agents: []agentJSON{}, Themes: e.Themes,
	}
	if len(e.MCPServers) > 0 {
		servers := map[string]any{}
		for name, entry := range e.MCPServers {
			if fields, ok := entry.(map[string]any); ok {
				fields = maps.Clone(fields)
				delete(fields, "trust") // it has no effect
				entry = maskServer(fields)
			}
			servers[name] = expander.Value(entry)
		}
		j.MCPServers = servers
	}
	if hooks, err := e.HookTree(); err == nil && hooks != nil {
		j.Hooks = expander.Value(maskValue(hooks))
	}
	if e.Install != nil {
		record := *e.Install
		record.Source = MaskText(record.Source)
		j.Install = &record
	}
	for i := range e.Values {
		v := &e.Values[i]
		one := settingJSON{Name: v.Name, EnvVar: v.EnvVar, Value: v.Value, Sensitive: v.IsSensitive, Scope: string(v.Scope), Source: v.Source}
		if v.IsSensitive && v.Value != "" {
			one.Value = "***"
		}
		j.ResolvedSettings = append(j.ResolvedSettings, one)
	}
	for i := range content.Skills {
		s := &content.Skills[i]
		body, _ := s.Instructions() // the file was read before
		j.Skills = append(j.Skills, skillJSON{s.Name, s.Description, s.Path, body, e.Name})
	}
	for _, a := range content.Agents {
		j.Agents = append(j.Agents, agentJSON{a.Name, a.Description, e.Name})
	}
	for i := range content.Rules {
		j.Rules = append(j.Rules, content.Rules[i].JSON())
	}
	for i := range content.Checkers {
		j.Checkers = append(j.Checkers, content.Checkers[i].JSON())
	}
	if e.PlanDirectory != "" {
		j.Plan = &planJSON{e.PlanDirectory}
	}
	return j
}
