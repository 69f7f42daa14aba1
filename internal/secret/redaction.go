// Package secret decides which environment variables hold secrets, by their names
// and their values, and removes those from the environment of child processes.
//
// [InVariable] answers for one variable. [Redaction] filters an environment: it
// holds the user's own lists of names, and is always strict on GitHub's runners,
// where only well-known variables pass.
package secret

import (
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Redaction removes secrets from the environment of child processes, as the setting
// security.environmentVariableRedaction describes. Names are compared without regard
// to case. The zero Redaction removes nothing, except on GitHub's runners.
type Redaction struct {
	Enabled bool     // false leaves the environment as it is, except on GitHub's runners
	Allowed []string // names to keep even if they look like secrets
	Blocked []string // names to remove even if they do not
}

// Apply returns the variables of environ ("NAME=value") that a child process may
// have. A variable whose value is recognized as a secret is removed even if its name
// is allowed. Apply does not change environ.
func (r Redaction) Apply(environ []string) []string {
	strict := onGitHub(environ)
	if !r.Enabled && !strict {
		return environ
	}
	allowed, blocked := upper(r.Allowed), upper(r.Blocked)
	isSecret := InEnviron(environ)
	var kept []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		if keep(name, value, allowed, blocked, strict, isSecret) {
			kept = append(kept, v)
		}
	}
	return kept
}

// Without returns environ without the named variables, in any case. It does not change environ.
func Without(environ, names []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(v string) bool {
		name, _, _ := strings.Cut(v, "=")
		return slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
	})
}

// WithoutSensitive returns a copy of r in which sensitive names are not allowed.
// Shell commands never get those, whatever the user has allowed.
func (r Redaction) WithoutSensitive() Redaction {
	r.Allowed = slices.DeleteFunc(slices.Clone(r.Allowed), func(name string) bool {
		return isSensitive(strings.ToUpper(name))
	})
	return r
}

// keep reports whether a child may have one variable. The first rule that applies
// decides, in the order that Gemini CLI has; names are in upper case.
func keep(name, value string, allowed, blocked []string, strict bool, isSecret func(name, value string) bool) bool {
	switch {
	case strings.HasPrefix(name, "GEMINI_CLI_"):
		return true
	case isSecretValue(value):
		return false
	case strings.HasPrefix(name, "GIT_CONFIG_"), slices.Contains(allowed, name):
		return true
	case slices.Contains(blocked, name):
		return false
	case slices.Contains(alwaysAllowed, name):
		return true
	}
	return !isSensitive(name) && !strict && (value == "" || !isSecret(name, value))
}

// InVariable reports whether an environment variable holds a secret: by its name, see [InName], or because
// its value has the form of a key, a certificate or a URL with a password.
func InVariable(name, value string) bool {
	return InName(name) && !isFileOf(name, value) || isSecretValue(value)
}

// isFileOf reports whether a variable names a file of credentials instead of holding them.
func isFileOf(name, value string) bool {
	switch strings.ToUpper(name) {
	case "KUBECONFIG", "NETRC":
		return strings.ContainsAny(value, "/\\") && !strings.ContainsAny(value, "\n{")
	}
	return false
}

// isSecretValue reports whether a value is a secret whatever the name of its variable.
func isSecretValue(value string) bool {
	return strings.Contains(value, "-----BEGIN CERTIFICATE") || EraseForms(value) != value
}

// InEnviron returns a function that reports whether a variable holds a secret by [InVariable], or the value of a
// variable of environ that does: an alias of it, or a text that contains it.
func InEnviron(environ []string) func(name, value string) bool {
	known := sync.OnceValue(func() *Masker { return NewMasker(Values(environ)) })
	return func(name, value string) bool {
		return InVariable(name, value) || known().Text(value) != value
	}
}

// Values returns the values of the environment's variables that hold secrets by [InVariable], or that have
// one of the names, and the passwords in those that are URLs. It omits values as [Significant] does.
func Values(environ []string, names ...string) []string {
	var values []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		isNamed := slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
		if isNamed || InVariable(name, value) {
			values = append(values, value)
			if strings.Contains(value, "://") {
				values = append(values, passwords(value)...)
			}
		}
	}
	return Significant(values)
}

// passwords returns the passwords of URLs in a text, as they are written and as they are meant.
func passwords(text string) (found []string) {
	for {
		_, rest, ok := strings.Cut(text, "://")
		if !ok {
			return found
		}
		if start, end := findUser(text, 0, len(text)-len(rest)-3); end > start {
			if _, password, ok := strings.Cut(text[start:end], ":"); ok {
				found = append(found, password)
				if plain, err := url.PathUnescape(password); err == nil && plain != password {
					found = append(found, plain)
				}
			}
		}
		text = rest
	}
}

// Significant returns the trimmed texts that can be removed from other texts without harm: not those that are
// absolute paths or references, and not those that can be words: of fewer than 8 bytes, or 6 if they have
// letters and digits, and those that people use where no secret is needed.
func Significant(texts []string) []string {
	var kept []string
	for _, text := range texts {
		text = strings.TrimSpace(text)
		if least := 8; len(text) < least && (len(text) < shortest || !looksRandom(text)) {
			continue
		}
		if !filepath.IsAbs(text) && !isPlaceholder(text) {
			kept = append(kept, text)
		}
	}
	return kept
}

// isPlaceholder reports whether a value is a word that documents and programs contain anyway.
func isPlaceholder(text string) bool {
	switch strings.ToLower(text) {
	case "password", "postgres", "changeme", "localhost", "required", "disabled", "optional", "development", "production", "undefined", "username",
		"anonymous", "testtest", "example", "redacted", "placeholder", "postgresql", "mongodb", "default":
		return true
	}
	return strings.Contains(Redacted, text)
}

// IsKey reports whether a text is nothing but an API key in the form of a known provider.
func IsKey(text string) bool {
	if len(text) < shortest {
		return false
	}
	return slices.ContainsFunc(formTable().of(headOf(text)), func(f form) bool {
		if f.key == nil || !strings.HasPrefix(text, f.begin) {
			return false
		}
		_, end := f.find(text, 0, 0)
		return end == len(text)
	})
}

// isSensitive reports whether commands do not get a variable with this name in upper case, even if the user
// allows it: it is a secret, or one of those that Gemini CLI keeps from commands.
func isSensitive(name string) bool { return slices.Contains(neverAllowed, name) || InName(name) }

func onGitHub(environ []string) bool {
	return slices.ContainsFunc(environ, func(v string) bool {
		sha, ok := strings.CutPrefix(v, "GITHUB_SHA=")
		return ok && sha != "" || v == "SURFACE=Github"
	})
}

func upper(names []string) []string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = strings.ToUpper(n)
	}
	return out
}

var alwaysAllowed = []string{
	"PATH", "SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "SYSTEMDRIVE",
	"HOME", "LANG", "SHELL", "TMPDIR", "USER", "LOGNAME", "TERM", "COLORTERM",
	// Variables that a GitHub Action sets for its agent.
	"ADDITIONAL_CONTEXT", "AVAILABLE_LABELS", "BRANCH_NAME", "DESCRIPTION", "EVENT_NAME", "GITHUB_ENV",
	"IS_PULL_REQUEST", "ISSUES_TO_TRIAGE", "ISSUE_BODY", "ISSUE_NUMBER", "ISSUE_TITLE",
	"PULL_REQUEST_NUMBER", "REPOSITORY", "TITLE", "TRIGGERING_ACTOR",
}

var neverAllowed = []string{
	"CLIENT_ID", "DB_URI", "CONNECTION_STRING", "AWS_DEFAULT_REGION", "AZURE_CLIENT_ID", "AZURE_TENANT_ID",
	"SLACK_WEBHOOK_URL", "TWILIO_ACCOUNT_SID", "DATABASE_URL", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_ACCOUNT",
	"FIREBASE_PROJECT_ID",
	// Variables that make programs load code from elsewhere.
	"NODE_OPTIONS", "LD_PRELOAD", "LD_AUDIT", "DYLD_INSERT_LIBRARIES", "BASH_ENV", "PYTHONPATH", "CLASSPATH",
}
