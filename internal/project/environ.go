package project

import (
	"slices"
	"strings"

	"pollux/internal/auth"
	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/secret"
)

// The environments of child processes. Secrets are for Pollux and the user: only commands that
// the user, a rule or the mode has allowed get them, because a test suite may need one, and not even those with
// pollux.childSecrets.

// keyVariables returns the names of the variables that hold keys of providers.
func (p *Project) keyVariables() []string {
	return auth.SecretVariables(p.Settings(), p.Env())
}

// SecretVariables returns the names of the variables that hold secrets: keys of providers, and others.
func (p *Project) SecretVariables() []string {
	names, environ := p.keyVariables(), p.Env().List()
	isSecret := secret.InEnviron(environ)
	for _, v := range environ {
		if name, value, _ := strings.Cut(v, "="); isSecret(name, value) {
			names = append(names, name)
		}
	}
	return names
}

// CommandEnviron returns the environment of commands, before redaction.
func (p *Project) CommandEnviron() []string {
	if config.ChildSecrets.In(p.Settings()) == "none" {
		return secret.Without(p.Env().List(), p.SecretVariables())
	}
	return p.Env().List()
}

// HookEnviron returns the environment of hooks. Those of a project get no variables with keys.
func (p *Project) HookEnviron(ofProject bool, keys func() []string) []string {
	environ := userRedaction(p).Apply(p.CommandEnviron())
	if ofProject {
		return secret.Without(environ, keys())
	}
	return environ
}

// WithOwn returns the environment of a program of this origin: one that the user or the administrator has set up also
// gets the user's own variables that name libraries, certificates and proxies.
func WithOwn(p *Project, environ []string, origin process.Origin) []string {
	if !origin.IsTrusted() {
		return environ
	}
	return userRedaction(p).WithOwn(environ, p.Env().User().List())
}

// userRedaction is the redaction that the user's settings describe.
func userRedaction(p *Project) secret.Redaction {
	return secret.Redaction{
		Enabled: config.RedactionEnabled.In(p.Settings()),
		Allowed: config.RedactionAllowed.In(p.Settings()),
		Blocked: config.RedactionBlocked.In(p.Settings()),
	}
}

// Redaction says which variables commands do not get. Those that the user's own
// providers have their keys from are secrets whatever they are called; the names of
// the others show it.
func Redaction(p *Project) secret.Redaction {
	r := userRedaction(p).WithoutSensitive()
	if _, own := p.Settings().Lookup(string(config.ModelProviders)); own && (r.Enabled || len(r.Allowed) > 0) {
		secrets := auth.SecretVariables(p.Settings(), p.Env())
		r.Blocked = append(slices.Clip(r.Blocked), secrets...)
		r.Allowed = slices.DeleteFunc(r.Allowed, func(name string) bool {
			return slices.ContainsFunc(secrets, func(secret string) bool { return strings.EqualFold(name, secret) })
		})
	}
	return r
}

// ServerEnviron returns the environment of servers: nothing that looks like a secret, whatever
// the settings say about commands, and no keys of model providers.
func (p *Project) ServerEnviron() []string {
	r := userRedaction(p)
	r.Enabled = true
	return secret.Without(r.Apply(p.Env().List()), p.keyVariables())
}

// OpenVariable returns the value of a variable for a text of the project, "" if it is a secret.
func (p *Project) OpenVariable(name string) string {
	if p.Env().Withholds(name) {
		return ""
	}
	return p.Env().Get(name)
}

// gitEnviron returns the environment of git for installations of the user: without secrets but the password of a
// proxy, and with the agent that has the keys of ssh.
func (p *Project) gitEnviron() []string {
	environ := WithOwn(p, p.ServerEnviron(), process.OriginUser)
	if agent := p.Env().User().Get("SSH_AUTH_SOCK"); agent != "" {
		environ = append(environ, "SSH_AUTH_SOCK="+agent)
	}
	return environ
}
