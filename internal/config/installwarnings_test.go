package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestInstallWarnings(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		make func(t *testing.T, path string)
		want string
		kept bool
	}{
		"none":   {func(*testing.T, string) {}, "", false},
		"lines":  {func(t *testing.T, path string) { write(t, path, "one\r\n\n two\xff") }, "one|two\uFFFD", false},
		"a link": {func(t *testing.T, path string) { write(t, path+".txt", "evil"); link(t, path+".txt", path) }, "", true},
		"a pipe": {mkfifo, "", true},
		"huge":   {func(t *testing.T, path string) { write(t, path, strings.Repeat("x", 1<<17)) }, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			temp := t.TempDir()
			path := filepath.Join(temp, "gemini-cli-warnings.txt")
			tt.make(t, path)
			if got := strings.Join(InstallWarnings(NewEnv("TMPDIR="+temp)), "|"); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			if _, err := os.Lstat(path); (err == nil) != tt.kept {
				t.Errorf("afterwards: %v", err)
			}
		})
	}
}
