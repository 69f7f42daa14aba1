package project_test

import (
	"slices"
	"strings"
	"testing"

	"pollux/internal/auth"
	"pollux/internal/guard/trust"
	"pollux/internal/process"
	"pollux/internal/project"
	"pollux/internal/project/projecttest"
	"pollux/llm/provider"
)

// TestRedaction checks that commands do not get the variables that hold keys, where they get no secrets.
func TestRedaction(t *testing.T) {
	t.Parallel()
	var vars []string
	for p := range provider.Builtin().All() {
		vars = append(vars, auth.Variables(p)...)
	}
	vars = append(vars, "MINE", "CORP_PASS", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN")
	environ := []string{"PATH=/bin", "TEAM=tools"}
	for _, name := range vars {
		environ = append(environ, name+"=a-secret-of-"+name)
	}
	p := projecttest.New(t, `{
		"modelProviders": {"a": {"baseUrl": "http://h", "keyVars": "MINE", "headers": {"X-Team": "$TEAM", "X-Pass": "$CORP_PASS"}}},
		"security": {"environmentVariableRedaction": {"enabled": true, "allowed": ["mine", "OPENAI_API_KEY", "LD_LIBRARY_PATH"]}}}`, environ...)
	if got := strings.Join(project.Redaction(p).Apply(environ), " "); got != "PATH=/bin TEAM=tools" {
		t.Errorf("a command gets %s", got)
	}
}

// TestEnvirons checks which variables each kind of program gets.
func TestEnvirons(t *testing.T) {
	t.Parallel()
	const names = "GEMINI_API_KEY MY_TOKEN PLAIN SSH_AUTH_SOCK"
	env := []string{"GEMINI_API_KEY=key-of-gemini", "MY_TOKEN=token-of-mine", "PLAIN=nothing-special", "SSH_AUTH_SOCK=/tmp/agent.sock"}
	list := func(environ []string) string {
		var found []string
		for _, name := range strings.Fields(names) {
			if slices.ContainsFunc(environ, func(v string) bool { return strings.HasPrefix(v, name+"=") }) {
				found = append(found, name)
			}
		}
		return strings.Join(found, " ")
	}
	type environs struct{ command, hook, projectHook, server, git string }
	for settings, want := range map[string]environs{
		`{}`:                                   {names, names, "MY_TOKEN PLAIN SSH_AUTH_SOCK", "PLAIN", "PLAIN SSH_AUTH_SOCK"},
		`{"pollux": {"childSecrets": "none"}}`: {"PLAIN", "PLAIN", "PLAIN", "PLAIN", "PLAIN SSH_AUTH_SOCK"},
		`{"security": {"environmentVariableRedaction": {"enabled": true}}}`:               {names, "PLAIN", "PLAIN", "PLAIN", "PLAIN SSH_AUTH_SOCK"},
		`{"security": {"environmentVariableRedaction": {"allowed": ["MY_TOKEN"]}}}`:       {names, names, "MY_TOKEN PLAIN SSH_AUTH_SOCK", "MY_TOKEN PLAIN", "MY_TOKEN PLAIN SSH_AUTH_SOCK"},
		`{"security": {"environmentVariableRedaction": {"blocked": ["PLAIN"]}}}`:          {names, names, "MY_TOKEN PLAIN SSH_AUTH_SOCK", "", "SSH_AUTH_SOCK"},
		`{"security": {"environmentVariableRedaction": {"allowed": ["GEMINI_API_KEY"]}}}`: {names, names, "MY_TOKEN PLAIN SSH_AUTH_SOCK", "PLAIN", "PLAIN SSH_AUTH_SOCK"},
		`{"modelProviders": {"a": {"baseUrl": "http://h", "keyVars": "PLAIN"}}}`:          {names, names, "MY_TOKEN SSH_AUTH_SOCK", "", "SSH_AUTH_SOCK"},
		`{"security": {"environmentVariableRedaction": {"allowed": ["SSH_AUTH_SOCK"]}}}`:  {names, names, "MY_TOKEN PLAIN SSH_AUTH_SOCK", "PLAIN SSH_AUTH_SOCK", "PLAIN SSH_AUTH_SOCK"},
	} {
		p := projecttest.New(t, settings, env...)
		keys := func() []string { return auth.SecretVariables(p.Settings(), p.Env()) }
		got := environs{
			list(p.CommandEnviron()), list(p.HookEnviron(false, nil)), list(p.HookEnviron(true, keys)), list(p.ServerEnviron()), list(p.Fetcher().Environ),
		}
		if got != want {
			t.Errorf("%s:\n%+v, want\n%+v", settings, got, want)
		}
	}
	p := projecttest.New(t, `{}`, env...)
	got := p.SecretVariables()
	slices.Sort(got)
	if got = slices.Compact(got); !slices.Contains(got, "GEMINI_API_KEY") || !slices.Contains(got, "MY_TOKEN") || slices.Contains(got, "PLAIN") {
		t.Errorf("the secret variables are %q", got)
	}
	if p.OpenVariable("PLAIN") != "nothing-special" || p.OpenVariable("MY_TOKEN") != "" || p.OpenVariable("GEMINI_API_KEY") != "" || p.OpenVariable("UNKNOWN") != "" {
		t.Error("a text of the project gets a secret, or not all others")
	}
}

// TestProxyOfGit checks that installations go through the user's proxy, with its password, and not through a project's.
func TestProxyOfGit(t *testing.T) {
	t.Parallel()
	const proxy, authority = "HTTPS_PROXY=http://me:pass@proxy:3128", "GIT_SSL_CAINFO=/etc/corp.pem"
	u := projecttest.NewUser(t, proxy, authority)
	u.Write(".env", "HTTP_PROXY=http://evil:1\n")
	environ := u.Open(trusted).Fetcher().Environ
	if !slices.Contains(environ, proxy) || !slices.Contains(environ, authority) || slices.Contains(environ, "HTTP_PROXY=http://evil:1") {
		t.Errorf("git gets %q", environ)
	}
}

// A project does not choose the agent with the keys of ssh, the token for GitHub, or where a sign-in is received.
func TestVariablesOfTheProject(t *testing.T) {
	t.Parallel()
	const file = "SSH_AUTH_SOCK=/tmp/evil.sock\nGITHUB_TOKEN=of-project\nOAUTH_CALLBACK_HOST=0.0.0.0\n"
	u := projecttest.NewUser(t)
	u.Write(".env", file)
	p := u.Open(trusted)
	if slices.Contains(p.Fetcher().Environ, "SSH_AUTH_SOCK=/tmp/evil.sock") || p.Fetcher().Token != "" || p.SignInOptions().CallbackHost != "" {
		t.Error("the project decides")
	}
	u = projecttest.NewUser(t)
	u.Write("~/.env", file)
	p = u.Open(trusted)
	if !slices.Contains(p.Fetcher().Environ, "SSH_AUTH_SOCK=/tmp/evil.sock") || p.Fetcher().Token != "of-project" || p.SignInOptions().CallbackHost != "0.0.0.0" {
		t.Errorf("the user does not decide: %+v", p.SignInOptions())
	}
}

// TestSignInOptions checks where the tokens of servers are kept.
func TestSignInOptions(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t, "GEMINI_FORCE_ENCRYPTED_FILE_STORAGE=true", "OAUTH_CALLBACK_PORT=1234")
	o := u.Open(trusted).SignInOptions()
	if !strings.HasPrefix(o.UserAgent, "Pollux/") || strings.Contains(o.UserAgent, "{model}") {
		t.Errorf("the User-Agent is %q", o.UserAgent)
	}
	if o.Store.File != u.Path("~/.gemini/mcp-oauth-tokens.json") || !o.Store.KeychainOnly || o.CallbackPort != "1234" {
		t.Errorf("%+v", o)
	}
	o.Warn("bad\x1b[2J\nnews")
	if text := u.TakeWarnings(); text != "Warning: bad news" {
		t.Errorf("warned %q", text)
	}
}

// TestServerTransport checks that a proxy that cannot be used is an error.
func TestServerTransport(t *testing.T) {
	t.Parallel()
	if _, err := projecttest.NewUser(t).Open(trusted).ServerTransport(); err != nil {
		t.Error(err)
	}
	if _, err := projecttest.NewUser(t, "HTTPS_PROXY=::bad::").Open(trusted).ServerTransport(); err == nil {
		t.Error("there is a transport through a bad proxy")
	}
}

// TestRenew checks that settings and the .env file count as they are after a sign-in.
func TestRenew(t *testing.T) {
	t.Parallel()
	u := projecttest.NewUser(t)
	p := u.Open(trusted, func(o *project.Options) { o.Folder = trust.Trusted })
	u.Write(".env", "DATABASE_URL=new\n")
	u.Write("~/.gemini/settings.json", `{"security": {"auth": {"selectedType": "gemini-api-key"}}}`)
	if err := p.Renew("openai"); err != nil {
		t.Fatal(err)
	}
	selected, _ := p.Settings().Lookup("pollux.auth.selectedType")
	if p.Env().Get("DATABASE_URL") != "new" || selected != "openai" {
		t.Errorf("%q, selected %v", p.Env().Get("DATABASE_URL"), selected)
	}
	u.Write("~/.gemini/settings.json", `{`)
	if err := p.Renew(""); err == nil {
		t.Error("broken settings can be read")
	}
	p.UseModel("mine")
	if p.Model != "mine" || !p.Named || p.NamedBy() != "--model" {
		t.Errorf("%s, named %v by %s", p.Model, p.Named, p.NamedBy())
	}
}

// Programs that the user has set up get the user's own libraries, certificates and proxies; those of projects, extensions and
// models do not.
func TestWithOwn(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{"security": {"environmentVariableRedaction": {"blocked": ["curl_ca_bundle"]}}}`,
		"PYTHONPATH=/own", "HTTPS_PROXY=http://u:secret-word-1@proxy", "NODE_OPTIONS=--token=ghp_0123456789abcdefghijABCDEFGHIJ012345", "CURL_CA_BUNDLE=/ca", "MY_TOKEN=x", "PLAIN=y")
	for origin, want := range map[process.Origin]string{
		process.OriginUser: "PYTHONPATH=/base HTTPS_PROXY=http://u:secret-word-1@proxy", process.OriginSystem: "PYTHONPATH=/base HTTPS_PROXY=http://u:secret-word-1@proxy",
		process.OriginProject: "PYTHONPATH=/base", process.OriginExtension: "PYTHONPATH=/base", process.OriginModel: "PYTHONPATH=/base", "": "PYTHONPATH=/base",
	} {
		if got := strings.Join(project.WithOwn(p, []string{"PYTHONPATH=/base"}, origin), " "); got != want {
			t.Errorf("%q gets %s, want %s", origin, got, want)
		}
	}
	p = projecttest.New(t, `{}`, "PYTHONPATH=/own", "GITHUB_SHA=1")
	if got := project.WithOwn(p, nil, process.OriginUser); len(got) > 0 {
		t.Errorf("on a runner: %q", got)
	}
	u := projecttest.NewUser(t)
	u.Write(".env", "PYTHONPATH=/theirs\nREQUESTS_CA_BUNDLE=/theirs\n")
	if got := project.WithOwn(u.Open(trusted), nil, process.OriginUser); len(got) > 0 {
		t.Errorf("of the project: %q", got)
	}
}
