package project

import (
	"context"
	"net/http"

	"pollux/internal/auth"
	"pollux/internal/browser"
	"pollux/internal/secret"
	"pollux/llm/httpwire"
)

// serverEnviron returns what servers get of the environment: nothing that looks like a secret, whatever
// the settings say about commands, and no keys of model providers.
func (p *Project) ServerEnviron() []string {
	r := userRedaction(p)
	r.Enabled = true
	return secret.Without(r.Apply(p.Env.List()), p.keyVariables())
}

// serverTransport makes requests to servers, through the proxy and with the certificates that are set for
// models.
func (p *Project) ServerTransport() (http.RoundTripper, error) {
	n, err := auth.Network(p.Env)
	if err != nil {
		return nil, err
	}
	return httpwire.NewTransport(httpwire.Options{Proxy: n.Proxy, NoProxy: n.NoProxy, RootCAs: n.RootCAs, Secure: true})
}

// openPage opens a page in the user's browser, which gets no secrets of the environment.
func (p *Project) openPage(ctx context.Context, page string) error {
	r := userRedaction(p)
	r.Enabled, r.Allowed = true, append([]string{"XAUTHORITY"}, r.Allowed...) // a file name, which X11 needs
	b := browser.Browser{Launcher: p.Launcher, Environ: secret.Without(r.Apply(p.Env.List()), p.keyVariables()), Outside: []string{p.Paths.Dir()}}
	return b.Open(ctx, page)
}

// openVariable returns the value of a variable for a text of the project, "" if it is a secret.
func (p *Project) OpenVariable(name string) string {
	if p.Env.Withholds(name) {
		return ""
	}
	return p.Env.Get(name)
}
