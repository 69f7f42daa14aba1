package session

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pollux/internal/config"
	"pollux/internal/project/projecttest"
)

func TestSecretsOfASession(t *testing.T) {
	t.Parallel()
	p := projecttest.New(t, `{}`,
		"GEMINI_API_KEY=key-of-gemini", "MY_SERVICE_TOKEN=token-of-mine", "NOTE=ghp_0123456789abcdefghijABCDEFGHIJ012345",
		"PLAIN=nothing-special", "SSH_AUTH_SOCK=/tmp/agent.sock", "API_KEY=short", "GITHUB_SHA=0123456789",
	)
	got := (&Session{Project: p}).secrets()
	slices.Sort(got)
	want := []string{"ghp_0123456789abcdefghijABCDEFGHIJ012345", "key-of-gemini", "token-of-mine"}
	if got = slices.Compact(got); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInstallation(t *testing.T) {
	t.Parallel()
	place := func() (*config.Paths, string) {
		p := config.NewPaths(config.NewEnv("HOME="+t.TempDir()), "/")
		return p, filepath.Join(p.RuntimeDir(), "installation_id")
	}
	p, file := place()
	id := installation(p)
	written, err := os.ReadFile(file)
	if len(id) != 36 || err != nil || string(written) != id || installation(p) != id {
		t.Errorf("the id is %q, the file has %q, %v", id, written, err)
	}
	if err := os.WriteFile(file, []byte("of-gemini-cli\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got := installation(p); got != "of-gemini-cli" {
		t.Errorf("the id that is there is not used, but %q", got)
	}

	p, file = place()
	if err := os.MkdirAll(file, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := installation(p); got != "123456789" {
		t.Errorf("where none can be read, the id is %q", got)
	}
}

func BenchmarkSecrets(b *testing.B) {
	s := &Session{Project: projecttest.New(b, `{}`, os.Environ()...)}
	for b.Loop() {
		s.secrets()
	}
}
