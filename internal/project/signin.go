package project

import (
	"context"
	"maps"
	"net/http"
	"path/filepath"

	"pollux/internal/auth"
	"pollux/internal/browser"
	"pollux/internal/config"
	"pollux/internal/oauth"
	"pollux/internal/secret"
	"pollux/internal/terminal"
	"pollux/llm/adc"
	"pollux/llm/httpwire"
)

// SignInOptions returns how to sign in to MCP servers.
func (p *Project) SignInOptions() *oauth.Options {
	o := &oauth.Options{
		Store: oauth.Store{
			File:         filepath.Join(p.Paths.GeminiDir(), "mcp-oauth-tokens.json"),
			KeychainOnly: p.Env.True("GEMINI_FORCE_ENCRYPTED_FILE_STORAGE"),
			Keychain:     p.openKeychain(),
		},
		Transport:    p.ServerTransport,
		Open:         p.openPage,
		CallbackPort: p.Env.Get("OAUTH_CALLBACK_PORT"),
		Google:       adc.FromEnv(p.Env.Get),
		Warn:         func(text string) { p.Warn("Warning: " + terminal.Line(text)) },
	}
	if !p.Env.IsSetByProject("OAUTH_CALLBACK_HOST") { // a project must not offer the sign-in to its network
		o.CallbackHost = p.Env.Get("OAUTH_CALLBACK_HOST")
	}
	return o
}

// openPage opens a page in the user's browser, which gets no secrets of the environment.
func (p *Project) openPage(ctx context.Context, page string) error {
	r := userRedaction(p)
	r.Enabled, r.Allowed = true, append([]string{"XAUTHORITY"}, r.Allowed...) // a file name, which X11 needs
	b := browser.Browser{Launcher: p.Launcher, Environ: secret.Without(r.Apply(p.Env.List()), p.keyVariables()), Outside: []string{p.Paths.Dir()}}
	return b.Open(ctx, page)
}

// ServerTransport makes requests to servers, through the proxy and with the certificates that are set for
// models.
func (p *Project) ServerTransport() (http.RoundTripper, error) {
	n, err := auth.Network(p.Env)
	if err != nil {
		return nil, err
	}
	return httpwire.NewTransport(httpwire.Options{Proxy: n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs, Secure: true})
}

// UseModel makes the session begin with a model that the person has chosen.
func (p *Project) UseModel(name string) { p.Options.Model, p.Model, p.Named = name, name, true }

// Renew reads settings and the .env file again after the person has stored a key.
// selected, if not "", overrides the provider that they select.
func (p *Project) Renew(selected auth.Type) error {
	if selected != "" {
		p.Options.Flags = maps.Clone(p.Options.Flags)
		if p.Options.Flags == nil {
			p.Options.Flags = map[string]any{}
		}
		p.Options.Flags[string(config.AuthSelectedType)] = string(selected)
	}
	refused, err := p.reload()
	if err != nil {
		return err
	}
	p.refusedVariables = append(p.refusedVariables, refused...)
	p.setEnv() // with the warnings of the start
	return nil
}

// KeepKey makes this session use a key that the person has typed.
func (p *Project) KeepKey(done auth.SignIn) {
	if done.Key.Value == "" {
		return
	}
	p.NewKeys = maps.Clone(p.NewKeys)
	if p.NewKeys == nil {
		p.NewKeys = map[string]auth.Key{}
	}
	p.NewKeys[done.ID] = done.Key
	p.masking.renew()
}
