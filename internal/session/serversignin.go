package session

import (
	"context"
	"path/filepath"

	"pollux/internal/browser"
	"pollux/internal/oauth"
	"pollux/internal/secret"
	"pollux/internal/terminal"
	"pollux/llm/adc"
)

// signInOptions returns how to sign in to MCP servers.
func (p *Setup) signInOptions() *oauth.Options {
	o := &oauth.Options{
		Store: oauth.Store{
			File:         filepath.Join(p.Paths.GeminiDir(), "mcp-oauth-tokens.json"),
			KeychainOnly: p.Env.True("GEMINI_FORCE_ENCRYPTED_FILE_STORAGE"),
			Keychain:     p.openKeychain(),
		},
		Transport:    p.serverTransport,
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
func (p *Setup) openPage(ctx context.Context, page string) error {
	r := userRedaction(p)
	r.Enabled, r.Allowed = true, append([]string{"XAUTHORITY"}, r.Allowed...) // a file name, which X11 needs
	b := browser.Browser{Launcher: p.Launcher, Environ: secret.Without(r.Apply(p.Env.List()), p.keyVariables()), Outside: []string{p.Paths.Dir()}}
	return b.Open(ctx, page)
}
