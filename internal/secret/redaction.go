// Package secret decides which environment variables hold secrets, by their names
// and their values, and removes those from the environment of child processes.
//
// [InVariable] answers for one variable. [Redaction] filters an environment: it
// holds the user's own lists of names, and is always strict on GitHub's runners,
// where only well-known variables pass.
package secret

import (
	"path/filepath"
	"regexp"
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
	var kept []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		name = strings.ToUpper(name)
		if keep(name, value, allowed, blocked, strict) {
			kept = append(kept, v)
		}
	}
	return kept
}

// Without returns environ without the variables of these names, in any case. It does not change
// environ.
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
		return sensitive(strings.ToUpper(name))
	})
	return r
}

// keep reports whether a child may have one variable. The first rule that applies
// decides, in the order that Gemini CLI has; names are in upper case.
func keep(name, value string, allowed, blocked []string, strict bool) bool {
	switch {
	case strings.HasPrefix(name, "GEMINI_CLI_"):
		return true
	case secretValue().MatchString(value):
		return false
	case strings.HasPrefix(name, "GIT_CONFIG_"), slices.Contains(allowed, name):
		return true
	case slices.Contains(blocked, name):
		return false
	case slices.Contains(alwaysAllowed, name):
		return true
	}
	return !sensitive(name) && !strict
}

// InVariable reports whether an environment variable holds a secret: its name
// contains a word such as TOKEN or PASSWORD, or its value has the form of a key, a
// certificate or a URL with a password.
func InVariable(name, value string) bool {
	return hasSecretWord(strings.ToUpper(name)) || secretValue().MatchString(value)
}

// Values returns the values of the environment's variables that hold secrets by [InVariable], or that
// have one of these names. It leaves out values of fewer than 8 bytes, which are words, and absolute
// paths.
func Values(environ []string, names ...string) []string {
	var values []string
	for _, v := range environ {
		name, value, _ := strings.Cut(v, "=")
		isNamed := slices.ContainsFunc(names, func(n string) bool { return strings.EqualFold(n, name) })
		if isNamed || InVariable(name, value) {
			values = append(values, value)
		}
	}
	return Significant(values)
}

// Significant returns the trimmed texts that can be removed from other texts without harm: those of 8
// bytes and more that are no absolute paths.
func Significant(texts []string) []string {
	const shortest = 8
	var kept []string
	for _, text := range texts {
		if text = strings.TrimSpace(text); len(text) >= shortest && !filepath.IsAbs(text) {
			kept = append(kept, text)
		}
	}
	return kept
}

// IsKey reports whether a text is nothing but an API key in the form of a known provider.
func IsKey(text string) bool { return apiKey().MatchString(text) }

// InName reports whether the name of an environment variable says that its value may be a secret.
func InName(name string) bool { return sensitive(strings.ToUpper(name)) }

func sensitive(name string) bool {
	return slices.Contains(neverAllowed, name) || hasSecretWord(name)
}

func hasSecretWord(name string) bool {
	return slices.ContainsFunc(sensitiveWords, func(w string) bool {
		return strings.Contains(name, w)
	})
}

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

var sensitiveWords = []string{
	"TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "AUTH", "CREDENTIAL", "CREDS", "PRIVATE", "CERT",
}

var alwaysAllowed = []string{
	"PATH", "SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "SYSTEMDRIVE",
	"HOME", "LANG", "SHELL", "TMPDIR", "USER", "LOGNAME", "TERM", "COLORTERM",
	// What a GitHub Action hands to its agent.
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

// secretValue matches values that are secrets whatever the name of the variable.
var secretValue = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)(https?|ftp|smtp)://[^:\s]{1,1000}:[^@\s]{1,1000}@|` + secretForms())
})

// secretForms returns the forms of secrets that are recognized in any text.
func secretForms() string {
	return strings.Join([]string{
		`-----BEGIN ((RSA|OPENSSH|EC|DSA|PGP|ENCRYPTED) )?(PRIVATE KEY|CERTIFICATE)`,
		`(ghp|gho|ghu|ghs|ghr|github_pat)_[a-z0-9_]{36}`,
		`AIzaSy[a-z0-9_-]{33}`,
		`AKIA[a-z0-9]{16}`,
		`eyJ[a-z0-9_-]+\.[a-z0-9_-]+\.[a-z0-9_-]+`,
		`[sr]k_(live|test)_[a-z0-9]{24}`,
		`xox[abpr]-[a-z0-9-]+`,
	}, "|")
}

// apiKey matches the API keys of providers of models and of code hosts.
var apiKey = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(` + keyForms + `)$`)
})

const keyForms = `AIza[\w-]{30,}` +
	`|sk-[\w-]{16,}` +
	`|(gsk|xai|hf|csk|pplx|fw|r8)[_-]\w{16,}` +
	`|(ghp|gho|ghu|ghs|ghr|github_pat)_\w{30,}`
