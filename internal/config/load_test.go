package config

import (
	"os"
	"path/filepath"
	"testing"
)

// place is a home and a workspace in a temporary directory.
type place struct {
	home, work string
	env        *Env
}

func newPlace(t testing.TB, env ...string) *place {
	t.Helper()
	dir := t.TempDir()
	p := &place{home: filepath.Join(dir, "home"), work: filepath.Join(dir, "work")}
	for _, d := range []string{p.home, p.work} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	p.env = NewEnv(append([]string{
		"GEMINI_CLI_HOME=" + p.home,
		"GEMINI_CLI_SYSTEM_SETTINGS_PATH=" + filepath.Join(dir, "none", "settings.json"),
	}, env...)...)
	return p
}

func (p *place) paths() *Paths { return NewPaths(p.env, p.work) }

func (p *place) load() (*Settings, []Warning, error) {
	return Load(Sources{Paths: p.paths(), Env: p.env})
}

func (p *place) mustLoad(t testing.TB) (*Settings, []Warning) {
	t.Helper()
	s, warnings, err := p.load()
	if err != nil {
		t.Fatal(err)
	}
	return s, warnings
}

func write(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func (p *place) user(t testing.TB, content string) {
	t.Helper()
	write(t, filepath.Join(p.home, ".gemini", "settings.json"), content)
}

func (p *place) workspace(t testing.TB, content string) {
	t.Helper()
	write(t, filepath.Join(p.work, ".gemini", "settings.json"), content)
}

func BenchmarkLoad(b *testing.B) {
	p := newPlace(b)
	p.user(b, `{
  // what most people have
  "security": {"auth": {"selectedType": "gemini-api-key"}, "folderTrust": {"enabled": false}},
  "ui": {"theme": "Default", "hideBanner": true},
  "general": {"vimMode": true, "enableAutoUpdate": false},
  "model": {"name": "gemini-2.5-pro", "maxSessionTurns": 50},
}`)
	b.ReportAllocs()
	for b.Loop() {
		s, _, err := p.load()
		if err != nil || MaxSessionTurns.In(s) != 50 {
			b.Fatal(err, MaxSessionTurns.In(s))
		}
	}
}
