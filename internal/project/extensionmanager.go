package project

import (
	"path/filepath"

	"pollux/internal/config"
	"pollux/internal/extension/fetch"
	"pollux/internal/extension/install"
	"pollux/internal/extension/integrity"
	"pollux/internal/extension/unpack"
	"pollux/internal/guard/trust"
	"pollux/internal/process"
)

// ExtensionManager returns the manager that installs, updates and configures extensions. It reads them
// again with each call. user answers its questions, and note shows the user a line. Settings and
// environment must be read.
func (p *Project) ExtensionManager(user install.User, note func(text string)) *install.Manager {
	o := p.ExtensionOptions()
	o.Only, o.WithInactive = nil, true
	secrets := p.openKeychain()
	m := &install.Manager{
		Dir: o.Dir, Home: p.Paths.Home(), Workspace: p.Paths.Dir(), Options: o, Keychain: secrets,
		Integrity: integrity.New(p.Paths.GeminiDir(), secrets), HasSettings: !o.NoSettings, User: user, Note: note,
		TrustSource:     p.trustSource,
		ChangeWorkspace: func(edit func() error) error { return p.ChangeSettings(config.Workspace, edit) },
		Fetcher:         p.Fetcher(),
	}
	if !p.IsTrusted() {
		m.TrustWorkspace = func() error { return trust.Set(p.TrustOptions().File, p.Paths.Dir(), trust.TrustFolder) }
	}
	return m
}

// Fetcher returns the fetcher of extensions and skills from directories, repositories and GitHub.
func (p *Project) Fetcher() *fetch.Fetcher {
	return &fetch.Fetcher{
		Launcher:  p.Launcher,
		Finder:    process.Finder{Path: p.Env().User().Get("PATH"), Outside: []string{p.Paths.Dir()}},
		Environ:   p.gitEnviron(),
		Transport: p.ServerTransport,
		Limits:    unpack.Usual,
		Token:     p.Env().User().Get("GITHUB_TOKEN"),
	}
}

// trustSource lists the files of a directory that is not trusted, and returns a function that trusts it; the
// function is nil for a trusted directory.
func (p *Project) trustSource(dir string) (text string, accept func() error, err error) {
	if real, err := filepath.EvalSymlinks(dir); err == nil {
		dir = real
	}
	if rel, err := filepath.Rel(p.Paths.Dir(), dir); err == nil && filepath.IsLocal(rel) && p.IsTrusted() {
		return "", nil, nil
	}
	o := p.TrustOptions()
	o.Dir = dir
	state, err := trust.Decide(o)
	if err != nil || state == trust.Trusted {
		return "", nil, err
	}
	text = contents(dir, p.Options.Env, p.MemoryNames(), nil)
	return text, func() error { return trust.Set(o.File, dir, trust.TrustFolder) }, nil
}
