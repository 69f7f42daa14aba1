package secret

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestInVariable(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, value string
		want        bool
	}{
		{"GITHUB_TOKEN", "x", true},
		{"my_password", "x", true},
		{"NOTE", "AIzaSy0123456789abcdefghijklmnopqrstuvw", true},
		{"NOTE", "https://me:word@host/", true},
		{"HOME", "/home/me", false},
		{"PYTHONPATH", "/lib", false}, // kept from commands, but no secret
	} {
		if got := InVariable(tt.name, tt.value); got != tt.want {
			t.Errorf("InVariable(%s, %s) = %v", tt.name, tt.value, got)
		}
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	for key, want := range map[string]string{
		"ghp_0123456789abcdefghijklmnopqrstuvwxyz":          "ghp_",
		"glpat-0123456789abcdefghij":                        "glpat-",
		"ghp_short":                                         "",
		"ghp_0123456789abcdefghijklmnopqrstuvwxyz and more": "",
		"a-random-word-of-a-person":                         "",
		"":                                                  "",
	} {
		if got := Prefix(key); got != want {
			t.Errorf("Prefix(%q) = %q, want %q", key, got, want)
		}
	}
}

func TestRedaction(t *testing.T) {
	t.Parallel()
	on := Redaction{Enabled: true}
	a36 := strings.Repeat("a1", 18)
	for _, c := range []struct {
		name string
		r    Redaction
		v    string
		kept bool
	}{
		{"off", Redaction{}, "API_TOKEN=x", true},
		{"plain", on, "EDITOR=vi", true},
		{"word in the name", on, "API_TOKEN=x", false},
		{"word within the name", on, "monkey=x", true},
		{"case", on, "my_secret=x", false},
		{"listed", on, "DATABASE_URL=x", false},
		{"loads code", on, "LD_PRELOAD=x", false},
		{"always allowed", on, "PATH=/bin", true},
		{"ours", on, "GEMINI_CLI_AUTH_TOKEN=" + "ghp_" + a36, true},
		{"git's", on, "GIT_CONFIG_KEY_0=x", true},
		{"git's with a secret value", on, "GIT_CONFIG_VALUE_0=https://u:p@host/", false},
		{"allowed", Redaction{Enabled: true, Allowed: []string{"api_token"}}, "API_TOKEN=x", true},
		{"allowed with a secret value", Redaction{Enabled: true, Allowed: []string{"X"}}, "X=ghp_" + a36, false},
		{"blocked", Redaction{Enabled: true, Blocked: []string{"editor"}}, "EDITOR=vi", false},
		{"allowed before blocked", Redaction{Enabled: true, Allowed: []string{"A"}, Blocked: []string{"A"}}, "A=x", true},
		{"blocked before always allowed", Redaction{Enabled: true, Blocked: []string{"PATH"}}, "PATH=x", false},
		{"allowed, for a command", Redaction{Enabled: true, Allowed: []string{"API_TOKEN", "DATABASE_URL"}}.WithoutSensitive(), "API_TOKEN=x", false},
		{"allowed and harmless, for a command", Redaction{Enabled: true, Allowed: []string{"A"}}.WithoutSensitive(), "A=x", true},

		{"PEM", on, "A=-----BEGIN OPENSSH PRIVATE KEY-----\nx", false},
		{"certificate", on, "A=-----BEGIN CERTIFICATE-----\nx", false},
		{"URL", on, "A=https://user:pass@host/x", false},
		{"URL without password", on, "A=https://user@host/x", true},
		{"GitHub", on, "A=github_pat_" + a36, false},
		{"Google", on, "A=AIzaSy" + a36[:33], false},
		{"AWS", on, "A=AKIA" + a36[:16], false},
		{"JWT", on, "A=eyJhbGciOi.eyJzdWIi.abc_-1", false},
		{"Stripe", on, "A=sk_live_" + a36[:24], false},
		{"Slack", on, "A=xoxb-1-2-abc", false},
		{"no value", on, "A", true},
	} {
		if got := c.r.Apply([]string{c.v}); slices.Contains(got, c.v) != c.kept {
			t.Errorf("%s: %q kept: %v", c.name, c.v, !c.kept)
		}
	}
}

func TestStrictRedaction(t *testing.T) {
	t.Parallel()
	for _, mark := range []string{"GITHUB_SHA=0123", "SURFACE=Github"} {
		got := Redaction{Allowed: []string{"mine"}}.Apply([]string{mark, "PATH=/bin", "EDITOR=vi", "MINE=1", "ISSUE_BODY=text"})
		if diff := cmp.Diff([]string{"PATH=/bin", "MINE=1", "ISSUE_BODY=text"}, got); diff != "" {
			t.Errorf("%s: %s", mark, diff)
		}
	}
}

// A key is one alone, of any of the prefixes of its form.
func TestIsKey(t *testing.T) {
	t.Parallel()
	key := "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6"
	for text, want := range map[string]bool{
		"ghp_" + key: true, "ghr_" + key: true, "xoxp-" + key: true, "dp.st." + key: true,
		"ghp_" + key + " and more": false, "a ghp_" + key: false, "ghp_short": false, "gh": false, "": false, key: false,
	} {
		if got := IsKey(text); got != want {
			t.Errorf("IsKey(%q) = %v", text, got)
		}
	}
}
