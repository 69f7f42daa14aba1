package shell

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/process"
)

func TestChildEnv(t *testing.T) {
	t.Parallel()
	env := childEnv([]string{"A=1", "PWD=/elsewhere", "PAGER=less", "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=x", "DISPLAY=:0", "=C:=x", "B=\x00"})
	for name, want := range map[string]string{
		"A": "1", "PAGER": "cat", "GIT_PAGER": "cat", "TERM": "xterm-256color", "GEMINI_CLI": "1", "GIT_TERMINAL_PROMPT": "0",
		"GIT_CONFIG_COUNT": "9", "GIT_CONFIG_KEY_0": "user.name", "GIT_CONFIG_VALUE_0": "x",
		"GIT_CONFIG_KEY_1": "credential.helper", "GIT_CONFIG_VALUE_1": "",
		"GIT_CONFIG_KEY_8": "core.pager", "GIT_CONFIG_VALUE_8": "cat",
	} {
		if got := process.Getenv(env, name); got != want {
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
		if got := process.Getenv(childEnv([]string{"GIT_CONFIG_COUNT=" + bad}), "GIT_CONFIG_COUNT"); got != "8" {
			t.Errorf("count %s becomes %s", bad, got)
		}
	}
}

// TestGitIsIsolated asks git itself: the settings of a repository must not run programs.
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
		out, _ := cmd.CombinedOutput() // git fails for a setting that is not set
		return strings.TrimSpace(string(out))
	}
	run("init", "-q")
	for _, kv := range isolatedGitConfig {
		run("config", kv[0], "touch "+filepath.Join(dir, "was-run")+";")
	}
	if got := run("config", "user.name"); got != "kept" {
		t.Errorf("user.name is %q", got)
	}
	if got := run("config", "user.email"); got != "" {
		t.Errorf("the global user.email is used: %q", got)
	}
	for _, kv := range isolatedGitConfig {
		if got := run("config", kv[0]); got != kv[1] {
			t.Errorf("%s is %q, want %q", kv[0], got, kv[1])
		}
	}
	run("status")
	if _, err := os.Stat(filepath.Join(dir, "was-run")); err == nil {
		t.Error("git has run the repository's program")
	}
}
