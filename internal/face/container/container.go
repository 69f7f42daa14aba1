// Package container is the face of a session that runs in a container: it gives the terminal to the session in there.
package container

import (
	"cmp"
	"context"
	"errors"
	"net"
	"net/url"
	"os"
	"os/user"
	"runtime"
	"slices"
	"strings"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/exit"
	"pollux/internal/oauth"
	"pollux/internal/project"
	"pollux/internal/sandbox/confine"
	"pollux/internal/sandbox/container"
	"pollux/internal/sandbox/profile"
	"pollux/internal/sandbox/proxy"
	"pollux/internal/secret"
	"pollux/internal/terminal"
	"pollux/llm/provider"
)

// Options describe the session.
type Options struct {
	Project  *project.Project
	Args     []string // of the program
	Terminal *terminal.Terminal
	Headless bool
}

// Follow returns the error from opening a session, unless that says that it needs a container: then it runs the session there. See
// [container.Run].
func Follow(ctx context.Context, opened error, from Options) error {
	needed, ok := errors.AsType[*container.Needed](opened)
	if !ok {
		return opened
	}
	p, t := from.Project, from.Terminal
	streams, restore := t.Lend()
	defer restore()
	self, err := os.Executable()
	if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot find the file of Pollux: %w.", err)
	}
	env, s := p.Env().User(), p.Settings()
	accounts, _ := auth.Open(p.AuthInputs(ctx)) // the session inside says why one cannot be used
	o := &container.Options{
		Needed: *needed, Image: confine.Image(s), Args: from.Args,
		Dir: p.Paths.Dir(), Temp: "/tmp", Home: p.Paths.Home(), Own: p.Paths.GeminiDir(), Staging: p.Paths.Staging(), Rules: rulesOf(ctx, p), Read: expand(p, config.SandboxPaths(s)), Script: p.IsTrusted(),
		UID: os.Getuid(), GID: os.Getgid(), Env: env.Get, Forward: append(storedKeys(accounts, env.Get), forwarded(accounts.Table(), env.List())...),
		Loopback: loopback(ctx, accounts, env.Get), Program: self, IsLinux: runtime.GOOS == "linux",
		Launcher: p.Launcher, Find: func(name string) string { return p.FindProgram(project.NewWorkspace(p.WithWarn(nil)), name) },
		Environ: secret.Without(env.List(), p.SecretVariables()), In: cmp.Or(streams.In, t.In), Out: streams.Out, Err: streams.Err,
		HasKeyboard: t.InTTY, HasScreen: t.OutTTY && (t.ErrTTY || !from.Headless),
	}
	o.Conceal = concealing(secret.Values(slices.Concat(p.Env().List(), o.Forward), p.SecretVariables()...))
	o.Dirs = project.NewWorkspace(p.WithWarn(nil)).Dirs()
	o.Dirs = append(o.Dirs, (&profile.Place{Dirs: o.Dirs}).Repositories()...)
	o.Host, _ = os.Hostname() // only for keys in a file
	if u, err := user.Current(); err == nil {
		o.User = u.Username
	}
	return container.Run(ctx, o)
}

// concealing returns a function that conceals these secrets in a text, and what else looks like one.
func concealing(values []string) func(string) string {
	erase := secret.NewEraser(values)
	return func(text string) string { return secret.MaskText(erase(text)) }
}

func expand(p *project.Project, paths []string) []string {
	for i := range paths {
		paths[i] = p.Paths.Expand(paths[i])
	}
	return paths
}

// rulesOf returns the files and directories of the system, of settings and of extensions that have rules for a session.
func rulesOf(ctx context.Context, p *project.Project) []string {
	s := p.Settings()
	list := slices.Concat(
		[]string{p.Paths.SystemSettings(), p.Paths.SystemDefaults(), config.SystemPolicies()},
		expand(p, config.PolicyPaths.In(s)), expand(p, config.AdminPolicyPaths.In(s)),
	)
	for _, e := range p.WithWarn(nil).InstalledExtensions(ctx) { // a linked one is elsewhere, and may have policies and hooks
		list = append(list, e.Dir)
	}
	return list
}

// outside are variables that describe the machine, or the container itself: they have another meaning inside.
var outside = []string{
	"HOME", "TMPDIR", "SANDBOX", "GEMINI_SANDBOX", "GEMINI_SANDBOX_IMAGE", "GEMINI_SANDBOX_IMAGE_DEFAULT", proxy.Variable, "SANDBOX_FLAGS",
	"SANDBOX_MOUNTS", "SANDBOX_PORTS", "SANDBOX_ENV", "SANDBOX_SET_UID_GID", "SEATBELT_PROFILE", "VISUAL", "EDITOR", "BROWSER", "XDG_SESSION_TYPE", "WSL_INTEROP", container.Variable,
}

// forwarded returns the variables in an environment that Pollux reads, also inside of a container.
func forwarded(providers *provider.Table, environ []string) (pairs []string) {
	prefixes := []string{"AWS_"} // which Bedrock has many of
	known := map[string]bool{}
	for p := range providers.All() {
		for _, name := range slices.Concat(p.BaseURLVars, p.KeyVars, p.TokenVars, p.ModelVars) {
			known[name] = true
		}
	}
	for _, v := range config.Variables() {
		if v.Support != config.Live || slices.Contains(outside, v.Name) {
			continue
		}
		if prefix, isPattern := strings.CutSuffix(v.Name, "*"); isPattern {
			prefixes = append(prefixes, prefix)
		}
		known[v.Name] = true
	}
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		hasPrefix := func(prefix string) bool { return strings.HasPrefix(name, prefix) }
		if value != "" && (known[name] || slices.ContainsFunc(prefixes, hasPrefix)) {
			pairs = append(pairs, pair)
		}
	}
	return pairs
}

// storedKeys returns variables with the keys that are stored on this machine. A container cannot read its keychain.
func storedKeys(accounts *auth.Accounts, env func(string) string) (pairs []string) {
	for _, a := range accounts.Reachable() {
		isSet := func(name string) bool { return env(name) != "" }
		if a.Profile != nil && a.APIKey != "" && a.Profile.APIKey == "" && len(a.KeyVars) > 0 && !slices.ContainsFunc(a.KeyVars, isSet) {
			pairs = append(pairs, a.KeyVars[0]+"="+a.APIKey)
		}
	}
	return pairs
}

// loopback returns the addresses on this machine, as host:port, of model servers and of a proxy.
func loopback(ctx context.Context, accounts *auth.Accounts, env func(string) string) (list []string) {
	var urls []string
	for _, a := range accounts.Reachable() {
		urls = append(urls, a.BaseURL)
	}
	if accounts.Chosen == "" {
		for _, access := range accounts.Discover(ctx) {
			urls = append(urls, access.BaseURL)
		}
	}
	if env(proxy.Variable) == "" { // else it is that one's address
		for _, name := range [...]string{"HTTPS_PROXY", "https_proxy", "HTTP_PROXY", "http_proxy"} {
			urls = append(urls, env(name))
		}
	}
	for _, address := range urls {
		u, err := url.Parse(address)
		if err != nil || !oauth.IsLoopback(u.Hostname()) {
			continue
		}
		port := u.Port()
		if port == "" {
			port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
		}
		list = append(list, net.JoinHostPort(u.Hostname(), port))
	}
	return list
}
