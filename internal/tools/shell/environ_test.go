package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		{"word within the name", on, "monkey=x", false},
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

func TestChildEnv(t *testing.T) {
	t.Parallel()
	env := childEnv([]string{"A=1", "PWD=/elsewhere", "PAGER=less", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=x", "DISPLAY=:0", "=C:=x", "B=\x00"})
	for name, want := range map[string]string{
		"A": "1", "PAGER": "cat", "GIT_PAGER": "cat", "TERM": "xterm-256color", "GEMINI_CLI": "1", "GIT_TERMINAL_PROMPT": "0",
		"GIT_CONFIG_COUNT": "9", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "x",
		"GIT_CONFIG_KEY_1": "credential.helper", "GIT_CONFIG_VALUE_1": "",
		"GIT_CONFIG_KEY_8": "core.pager", "GIT_CONFIG_VALUE_8": "cat",
	} {
		if got := lookup(env, name); got != want {
			t.Errorf("%s=%q, want %q", name, got, want)
		}
	}
	seen := map[string]bool{}
	for _, v := range env {
		name, _, _ := strings.Cut(v, "=")
		if seen[name] || name == "" || name == "PWD" || name == "B" {
			t.Errorf("%q: twice, or should not be", v)
		}
		seen[name] = true
	}
	if !slices.Contains(env, "DISPLAY=") {
		t.Error("DISPLAY is not empty")
	}
	for _, bad := range []string{"-1", "x", "99999999999999999999", "1000000"} {
		if got := lookup(childEnv([]string{"GIT_CONFIG_COUNT=" + bad}), "GIT_CONFIG_COUNT"); got != "8" {
			t.Errorf("count %s becomes %s", bad, got)
		}
	}
}

// Git is the judge of its own variables: a repository's settings do not run programs.
func TestGitIsIsolated(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	dir := t.TempDir()
	env := childEnv([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + dir,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=kept",
	})
	if err := os.WriteFile(filepath.Join(dir, ".gitconfig"), []byte("[user]\n\temail = global@example.org\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		cmd := exec.Command(git, args...)
		cmd.Dir, cmd.Env = dir, env
		out, _ := cmd.CombinedOutput() // a setting that is not there is an error
		return strings.TrimSpace(string(out))
	}
	run("init", "-q")
	for _, kv := range gitConfig {
		run("config", kv[0], "touch "+filepath.Join(dir, "was-run")+";")
	}
	if got := run("config", "user.name"); got != "kept" {
		t.Errorf("user.name is %q", got)
	}
	if got := run("config", "user.email"); got != "" {
		t.Errorf("the global user.email is used: %q", got)
	}
	for _, kv := range gitConfig {
		if got := run("config", kv[0]); got != kv[1] {
			t.Errorf("%s is %q, want %q", kv[0], got, kv[1])
		}
	}
	run("status")
	if _, err := os.Stat(filepath.Join(dir, "was-run")); err == nil {
		t.Error("git has run the repository's program")
	}
}
