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
	"pollux/internal/sandbox/private"
	"pollux/internal/secret"
	"pollux/internal/terminal"
	"pollux/llm/adc"
	"pollux/llm/httpwire"
)

// SignInOptions returns how to sign in to MCP servers.
func (p *Project) SignInOptions() *oauth.Options {
	return &oauth.Options{
		Store: oauth.Store{
			File:         filepath.Join(p.Paths.GeminiDir(), "mcp-oauth-tokens.json"),
			KeychainOnly: p.Env().True("GEMINI_FORCE_ENCRYPTED_FILE_STORAGE"),
			Keychain:     p.openKeychain(),
		},
		Transport: p.ServerTransport, UserAgent: ServiceAgent(p),
		Open: p.openPage, Mark: private.Mark,
		CallbackHost: p.Env().User().Get("OAUTH_CALLBACK_HOST"), // a project must not offer the sign-in to its network
		CallbackPort: p.Env().Get("OAUTH_CALLBACK_PORT"),
		Google:       adc.FromEnv(p.Env().Get),
		Warn:         func(text string) { p.Warn("Warning: " + terminal.Line(text)) },
	}
}

// AuthInputs returns the inputs for the accounts of the project, without the keys that the user has typed. Nothing is warned
// of, and a keychain is not unlocked. ctx cancels queries.
func (p *Project) AuthInputs(ctx context.Context) auth.Inputs {
	return auth.Inputs{Settings: p.Settings(), Env: p.Env(), Launcher: p.Launcher, Context: ctx}
}

// openPage opens a page in the user's browser, which gets no secrets of the environment.
func (p *Project) openPage(ctx context.Context, page string) error {
	if open := p.Options.Host.OpenPage; open != nil {
		return open(ctx, page)
	}
	r := userRedaction(p)
	r.Enabled, r.Allowed = true, append([]string{"XAUTHORITY"}, r.Allowed...) // a file name, which X11 needs
	environ := p.Env().User().List()
	if no := p.Env().Get("NO_BROWSER"); no != "" { // a project may have that
		environ = append(environ, "NO_BROWSER="+no)
	}
	b := browser.Browser{Launcher: p.Launcher, Environ: secret.Without(r.Apply(environ), p.keyVariables()), Outside: []string{p.Paths.Dir()}}
	return b.Open(ctx, page)
}

// ServerTransport makes requests to servers, through the proxy and with the certificates that are set for
// models.
func (p *Project) ServerTransport() (http.RoundTripper, error) {
	n, err := auth.Network(p.Env())
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
		flags := map[string]any{}
		maps.Copy(flags, p.Options.Flags)
		flags[string(config.AuthOwnType)] = string(selected)
		p.Options.Flags = flags
	}
	again, err := p.reload()
	if err != nil {
		return err
	}
	p.refusedVariables, p.dotEnv = append(p.refusedVariables, again.refusedVariables...), again.dotEnv
	p.setEnv() // with the warnings of the start
	return nil
}

// KeepKey makes this session use a key that the person has typed.
func (p *Project) KeepKey(done auth.SignIn) {
	if done.Key.Value == "" {
		return
	}
	p.newKeys = maps.Clone(p.newKeys)
	p.newKeys[done.ID] = done.Key
	p.masking.renew()
}

// ForgetKey makes this session stop using the key that the person has typed for a provider. It reports whether there
// was one.
func (p *Project) ForgetKey(id string) bool {
	_, had := p.newKeys[id]
	p.newKeys = maps.Clone(p.newKeys)
	delete(p.newKeys, id)
	return had
}

// NewKeys returns the keys that the person has typed in this session, by the ids of the providers. The caller must not
// change them.
func (p *Project) NewKeys() map[string]auth.Key { return p.newKeys }
