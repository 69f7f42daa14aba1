package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestDisplay(t *testing.T) {
	t.Parallel()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	home, link := filepath.Join(base, "me"), filepath.Join(base, "link")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(home, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, tt := range []struct{ env, path, want string }{
		{"HOME=" + home, home, "~"},
		{"HOME=" + home, filepath.Join(home, "a", "b"), filepath.Join("~", "a", "b")},
		{"HOME=" + home, home + "2", home + "2"},
		{"HOME=" + home, base, base},
		{"HOME=" + home, "relative", "relative"},
		{"HOME=" + link, filepath.Join(link, "a"), filepath.Join("~", "a")},
		{"HOME=" + link, filepath.Join(home, "a"), filepath.Join("~", "a")},
		{"HOME=/", "/etc", "/etc"},
	} {
		p := NewPaths(NewEnv(tt.env), base)
		if got := p.Display(tt.path); got != tt.want {
			t.Errorf("%s: Display(%q) = %q, want %q", tt.env, tt.path, got, tt.want)
		}
	}
	texts := NewPaths(NewEnv("HOME=/home/me"), "/w")
	for text, want := range map[string]string{
		"":                                   "",
		"nothing":                            "nothing",
		"/home/me":                           "/home/me",
		"/home/me/a b":                       "~/a b",
		"see /home/me/a:1, '/home/me/b c'.":  "see ~/a:1, '~/b c'.",
		"(/home/me) \"/home/me2\"":           "(/home/me) \"/home/me2\"",
		"x=/home/me/a http://host/home/me/a": "x=/home/me/a http://host/home/me/a",
		"KEY in /home/me/.env\n/home/me/b":   "KEY in ~/.env\n~/b",
	} {
		if got := texts.DisplayText(text); got != want {
			t.Errorf("DisplayText(%q) = %q, want %q", text, got, want)
		}
	}
	p := NewPaths(NewEnv("HOME="+home, "GEMINI_CLI_HOME="+link), base)
	if path := filepath.Join(link, "a"); p.Display(path) != path {
		t.Errorf("with GEMINI_CLI_HOME: Display(%q) = %q", path, p.Display(path))
	}
}
