package confine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/exit"
)

// TestReadBase checks which profile SEATBELT_PROFILE names. None that restricts is left out.
func TestReadBase(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	work := filepath.Join(home, "work")
	for path, text := range map[string]string{
		".gemini/sandbox-macos-mine.sb": "(version 1)\n(deny default)", ".gemini/sandbox-macos-empty.sb": " \n", "work/.gemini/sandbox-macos-theirs.sb": "(version 1)",
	} {
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	paths := config.NewPaths(config.NewEnv("HOME="+home), work)
	for name, want := range map[string]struct{ text, problem string }{
		"mine":    {text: "(version 1)\n(deny default)"},
		"strict":  {problem: "~/.gemini/sandbox-macos-strict.sb"},
		"theirs":  {problem: "copy it to ~/.gemini"},
		"missing": {problem: "~/.gemini/sandbox-macos-missing.sb"},
		"empty":   {problem: "sandbox-macos-empty.sb is empty"},
		"../work": {problem: `not "../work"`},
		"/etc/x":  {problem: "the name of a profile"},
		"..":      {problem: "the name of a profile"},
	} {
		text, err := readBase(paths, name)
		if text != want.text || (err == nil) != (want.problem == "") || err != nil && !strings.Contains(err.Error(), want.problem) {
			t.Errorf("%q: %q, %v", name, text, err)
		}
		if err != nil && exit.CodeOf(err) != exit.Sandbox {
			t.Errorf("%q: exit code %d", name, exit.CodeOf(err))
		}
	}
}

// TestOwnProfile checks the rules that names of profiles stand for.
func TestOwnProfile(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		says named
		isIt bool
	}{
		"":                    {named{}, true},
		"permissive-open":     {named{}, true},
		"restrictive-open":    {named{}, true},
		"permissive-closed":   {named{isOffline: true}, true},
		"restrictive-proxied": {named{isOffline: true}, true},
		"strict-open":         {named{readsWork: true}, true},
		"strict-proxied":      {named{isOffline: true, readsWork: true}, true},
		"strict":              {},
		"mine-open":           {},
		"permissive-some":     {},
	} {
		if says, isIt := ownProfile(name); says != want.says || isIt != want.isIt {
			t.Errorf("%q: %+v, %v", name, says, isIt)
		}
	}
}

func TestBaseParameters(t *testing.T) {
	t.Parallel()
	got := baseParameters("/Users/me", "/var/folders/ab/cd/T/", []string{"/w", "/w2"})
	want := map[string]string{
		"TARGET_DIR": "/w", "TMP_DIR": "/var/folders/ab/cd/T/", "HOME_DIR": "/Users/me", "CACHE_DIR": "/var/folders/ab/cd/C",
		"INCLUDE_DIR_0": "/w2", "INCLUDE_DIR_1": os.DevNull, "INCLUDE_DIR_2": os.DevNull, "INCLUDE_DIR_3": os.DevNull, "INCLUDE_DIR_4": os.DevNull,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
