package trust_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/config"
	"pollux/internal/guard/trust"
)

// Files are the scripts that settings of any layer run, and not the data that they read.
func TestFiles(t *testing.T) {
	t.Parallel()
	home, dir := t.TempDir(), t.TempDir()
	for path, text := range map[string]string{
		filepath.Join(home, ".gemini", "settings.json"): `{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "sh guard.sh notes.txt"}]}]}}`,
		filepath.Join(dir, ".gemini", "settings.json"):  `{"mcpServers": {"s": {"command": "python3", "args": ["tools/serve.py"]}}, "tools": {"discoveryCommand": "./none.sh"}}`,
		filepath.Join(dir, "guard.sh"):                  "#!/bin/sh\n",
		filepath.Join(dir, "notes.txt"):                 "words",
		filepath.Join(dir, "tools", "serve.py"):         "pass",
		filepath.Join(dir, "other.sh"):                  "#!/bin/sh\n",
	} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := config.NewEnv("GEMINI_CLI_HOME=" + home)
	s, _, err := config.Load(config.Sources{Paths: config.NewPaths(env, dir), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(dir, "guard.sh"), filepath.Join(dir, "tools", "serve.py")}
	if diff := cmp.Diff(want, trust.Files(s, dir)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestFilesOfLines checks which files of a folder further command lines name.
func TestFilesOfLines(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"proxy.mjs", "tools/proxy.mjs", "conf/allow.txt", "conf/t.conf", "other"} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	env := config.NewEnv("GEMINI_CLI_HOME=" + t.TempDir())
	s, _, err := config.Load(config.Sources{Paths: config.NewPaths(env, dir), Env: env})
	if err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"node proxy.mjs":                              "proxy.mjs",
		"cd tools && node proxy.mjs":                  "proxy.mjs tools/proxy.mjs",
		"node tools/proxy.mjs <conf/allow.txt":        "conf/allow.txt tools/proxy.mjs",
		"node tools/proxy.mjs 'conf/allow.txt'":       "conf/allow.txt tools/proxy.mjs",
		"tinyproxy -d -cconf/t.conf":                  "conf/t.conf",
		`tinyproxy --config=conf/t.conf`:              "conf/t.conf",
		"tinyproxy -c " + filepath.Join(dir, "other"): "other",
		"tinyproxy -c /etc/hosts":                     "",
		"":                                            "",
	} {
		var got []string
		for _, path := range trust.Files(s, dir, line) {
			if rest, err := filepath.Rel(dir, path); err == nil && filepath.IsLocal(rest) && !slices.Contains(got, rest) {
				got = append(got, rest)
			}
		}
		slices.Sort(got)
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
	}
}
