package project

import (
	"path/filepath"

	"pollux/internal/oauth"
	"pollux/internal/terminal"
	"pollux/llm/adc"
)

// signInOptions returns how to sign in to MCP servers.
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
