package session

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"sync"

	"pollux/internal/command"
	"pollux/internal/config"
	"pollux/internal/extension"
	"pollux/internal/guard/hook"
	"pollux/internal/guard/policy"
	"pollux/internal/keychain"
	"pollux/internal/skill"
	"pollux/internal/subagent"
	"pollux/internal/terminal"
)

// extensions are the installed extensions, which are read when they are first needed.
type extensions struct {
	once sync.Once
	all  []*extension.Extension
}

// Extensions returns the extensions that a session with this setup uses, sorted by name. It reads them once.
// Settings and environment must be read.
func (p *Setup) Extensions() []*extension.Extension {
	p.loadExtensions(context.Background())
	return extension.Active(p.extensions.all)
}

// InstalledExtensions returns all installed extensions, active or not, sorted by name. It reads them once.
func (p *Setup) InstalledExtensions(ctx context.Context) []*extension.Extension {
	p.loadExtensions(ctx)
	return p.extensions.all
}

// loadExtensions reads the installed extensions, and warns of broken ones.
func (p *Setup) loadExtensions(ctx context.Context) {
	p.extensions.once.Do(func() {
		list, err := extension.Load(ctx, p.ExtensionOptions())
		if err != nil {
			p.Warn("Warning: " + terminal.Line(err.Error()) + ". Pollux uses no extensions.")
		}
		p.extensions.all = list
	})
}

// ExtensionOptions returns where extensions are, and which of them may be used. Settings and environment must
// be read.
func (p *Setup) ExtensionOptions() extension.Options {
	return extension.Options{
		Dir: p.ExtensionsDir(), Workspace: p.Paths.Dir(), IsTrusted: p.IsTrusted() && !config.IgnoreLocalEnv.In(p.Settings),
		Only:    p.Options.Extensions,
		Off:     config.ExtensionsDisabled.In(withoutProjectChoice(p.Settings)),
		Sources: config.ExtensionSources.In(p.Settings), BlockGit: config.BlockGitExtensions.In(p.Settings),
		NoSettings: !config.ExtensionSettings.In(p.Settings),
		Lookup:     p.Env.Lookup, Refused: slices.Concat(p.refusedVariables, p.refusedSettings), Secrets: p.openKeychain, Warn: p.Warn,
	}
}

// ExtensionsDir returns the directory of the installed extensions, which need not exist.
func (p *Setup) ExtensionsDir() string { return filepath.Join(p.Paths.GeminiDir(), "extensions") }

// openKeychain returns the store of the user's secrets.
func (p *Setup) openKeychain() *keychain.Store {
	return keychain.Open(keychain.Options{
		File:        filepath.Join(p.Paths.GeminiDir(), "gemini-credentials.json"),
		FileOnly:    p.Env.True("GEMINI_FORCE_FILE_STORAGE"),
		Bus:         p.Env.Get("DBUS_SESSION_BUS_ADDRESS"),
		Launcher:    p.Launcher,
		Environ:     p.Env.List,
		Interactive: p.Interactive,
	})
}

// extensionContext returns the context files of extensions, in the order in which the model gets them.
func (p *Setup) extensionContext() []string {
	var files []string
	for _, e := range p.Extensions() {
		files = append(files, e.ContextFiles...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// openExtensionFiles lets the file tools read the directories of extensions, whose context may name files there.
func (s *Session) openExtensionFiles() {
	for _, e := range s.Extensions() {
		path, added, err := s.Workspace.AddReadable(e.Dir)
		switch {
		case err != nil:
			s.Log.Debug("extension", "dir", e.Dir, "error", err)
		case added:
			s.extensionDirs = append(s.extensionDirs, path)
		}
	}
}

// serverRoots returns the directories of which MCP servers know. Those of extensions are not among them: a
// server may write where it knows of a directory, and extensions have hooks.
func (s *Session) serverRoots() []string {
	return slices.DeleteFunc(slices.Clone(s.Workspace.ReadableDirs()), func(dir string) bool { return slices.Contains(s.extensionDirs, dir) })
}

// extensionCommands returns the directories of custom commands of extensions.
func (p *Setup) extensionCommands() (list []command.Source) {
	for _, e := range p.Extensions() {
		if dir, ok := e.Directory("commands"); ok {
			list = append(list, command.Source{Kind: command.Extension, Owner: e.Name, Dir: dir, Root: e.Dir})
		}
	}
	return list
}

// extensionSkills returns the directories of skills of extensions.
func (p *Setup) extensionSkills() (list []skill.Source) {
	for _, e := range p.Extensions() {
		if dir, ok := e.Directory("skills"); ok {
			list = append(list, skill.Source{Tier: skill.Extension, Extension: e.Name, Dir: dir, Expand: e.Expand})
		}
	}
	return list
}

// extensionAgents returns the directories of subagents of extensions.
func (p *Setup) extensionAgents() (list []subagent.Source) {
	for _, e := range p.Extensions() {
		list = append(list, subagent.Source{Kind: subagent.FromExtension, Extension: e.Name, Dir: filepath.Join(e.Dir, "agents"), Root: e.Dir, Expand: e.Expand})
	}
	return list
}

// extensionHooks returns the hooks of extensions, and warns of mistakes in them.
func (p *Setup) extensionHooks() (list []hook.Hook) {
	for _, e := range p.Extensions() {
		hooks, problems := e.Hooks()
		for _, problem := range problems {
			p.Warn(terminal.Line("Warning: Extension " + e.Name + ": " + problem))
		}
		list = append(list, hooks...)
	}
	return list
}

// extensionPolicies returns the directories of policy files of extensions.
func (p *Setup) extensionPolicies() (list []policy.Extension) {
	for _, e := range p.Extensions() {
		if dir, ok := e.Directory("policies"); ok {
			list = append(list, policy.Extension{Name: e.Name, Dir: dir})
		}
	}
	return list
}

// extensionExclusions returns the rules for the tools that extensions exclude.
func (p *Setup) extensionExclusions() (rules []policy.Rule) {
	for _, e := range p.Extensions() {
		rules = append(rules, policy.ExtensionRules(e.Name, e.ExcludeTools)...)
	}
	return rules
}

// planDirectory returns the setting for the directory of plans: the user's, or that of an extension.
func (p *Setup) planDirectory() string {
	dir := config.PlanDirectory.In(p.Settings)
	for _, e := range p.Extensions() {
		dir = cmp.Or(dir, e.PlanDirectory)
	}
	return dir
}

// extensionSecrets returns the values of sensitive settings of extensions.
func (p *Setup) extensionSecrets() (texts []string) {
	for _, e := range p.Extensions() {
		texts = append(texts, e.Secrets()...)
	}
	return texts
}
