package project

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
	"pollux/internal/subagent"
	"pollux/internal/terminal"
)

// extensions are the installed extensions, which are read when they are first needed.
type extensions struct {
	once sync.Once
	all  []*extension.Extension
}

// Extensions returns the extensions that a session in this project uses, sorted by name. It reads them once.
// Settings and environment must be read.
func (p *Project) Extensions() []*extension.Extension {
	p.LoadExtensions(context.Background())
	return extension.Active(p.extensions.all)
}

// InstalledExtensions returns all installed extensions, active or not, sorted by name. It reads them once.
func (p *Project) InstalledExtensions(ctx context.Context) []*extension.Extension {
	p.LoadExtensions(ctx)
	return p.extensions.all
}

// LoadExtensions reads the installed extensions, and warns of broken ones.
func (p *Project) LoadExtensions(ctx context.Context) {
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
func (p *Project) ExtensionOptions() extension.Options {
	return extension.Options{
		Dir: p.ExtensionsDir(), Workspace: p.Paths.Dir(), IsTrusted: p.IsTrusted() && !config.IgnoreLocalEnv.In(p.Settings()),
		Only:    p.Options.Extensions,
		Off:     config.ExtensionsDisabled.In(withoutProjectChoice(p.Settings())),
		Sources: config.ExtensionSources.In(p.Settings()), BlockGit: config.BlockGitExtensions.In(p.Settings()),
		NoSettings: !config.ExtensionSettings.In(p.Settings()),
		Lookup:     p.Env().Lookup, Refused: slices.Concat(p.refusedVariables, p.refusedSettings), Secrets: p.openKeychain, Warn: p.Warn,
	}
}

// ExtensionsDir returns the directory of the installed extensions, which need not exist.
func (p *Project) ExtensionsDir() string { return filepath.Join(p.Paths.GeminiDir(), "extensions") }

// openKeychain returns the store of the user's secrets.
func (p *Project) openKeychain() *keychain.Store {
	user := p.Env().User()
	return keychain.Open(keychain.Options{
		File:        filepath.Join(p.Paths.GeminiDir(), "gemini-credentials.json"),
		FileOnly:    user.True("GEMINI_FORCE_FILE_STORAGE"),
		Bus:         user.Get("DBUS_SESSION_BUS_ADDRESS"),
		Launcher:    p.Launcher,
		Environ:     user.List,
		Interactive: p.Options.Interactive,
	})
}

// ExtensionContext returns the context files of extensions, in the order in which the model gets them.
func (p *Project) ExtensionContext() []string {
	var files []string
	for _, e := range p.Extensions() {
		files = append(files, e.ContextFiles...)
	}
	slices.Sort(files)
	return slices.Compact(files)
}

// ExtensionCommands returns the directories of custom commands of extensions.
func (p *Project) ExtensionCommands() (list []command.Source) {
	for _, e := range p.Extensions() {
		if dir, ok := e.Directory("commands"); ok {
			list = append(list, command.Source{Kind: command.Extension, Owner: e.Name, Dir: dir, Root: e.Dir})
		}
	}
	return list
}

// ExtensionAgents returns the directories of subagents of extensions.
func (p *Project) ExtensionAgents() (list []subagent.Source) {
	for _, e := range p.Extensions() {
		list = append(list, subagent.Source{Kind: subagent.FromExtension, Extension: e.Name, Dir: filepath.Join(e.Dir, "agents"), Root: e.Dir, Expand: e.Expand})
	}
	return list
}

// extensionHooks returns the hooks of extensions, and warns of mistakes in them.
func (p *Project) extensionHooks() (list []hook.Hook) {
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
func (p *Project) extensionPolicies() (list []policy.Extension) {
	for _, e := range p.Extensions() {
		if dir, ok := e.Directory("policies"); ok {
			list = append(list, policy.Extension{Name: e.Name, Dir: dir})
		}
	}
	return list
}

// ExtensionExclusions returns the rules for the tools that extensions exclude.
func (p *Project) ExtensionExclusions() (rules []policy.Rule) {
	for _, e := range p.Extensions() {
		rules = append(rules, policy.ExtensionRules(e.Name, filepath.Join(e.Dir, extension.ManifestName), e.ExcludeTools)...)
	}
	return rules
}

// PlanDirectory returns the setting for the directory of plans: the user's, or that of an extension.
func (p *Project) PlanDirectory() string {
	dir := config.PlanDirectory.In(p.Settings())
	for _, e := range p.Extensions() {
		dir = cmp.Or(dir, e.PlanDirectory)
	}
	return dir
}
