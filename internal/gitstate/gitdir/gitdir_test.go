package gitdir_test

import (
	"os"
	"path/filepath"
	"testing"

	"pollux/internal/gitstate/gitdir"
)

func TestDirs(t *testing.T) {
	t.Parallel()
	top := t.TempDir()
	elsewhere := filepath.Join(top, "elsewhere")
	for _, tt := range []struct {
		file, commondir string // contents; "" for no file
		dir, common     string
		ok              bool
	}{
		{"", "", "", "", false},
		{"gitdir: elsewhere\n", "", elsewhere, elsewhere, true},
		{"gitdir: " + elsewhere + "\r\n", "../common\n", elsewhere, filepath.Join(top, "common"), true},
		{"gitdir: ./x/../elsewhere", "/common", elsewhere, "/common", true},
		{"gitdir: ", "", "", "", true},
		{"elsewhere", "", "", "", true},
	} {
		dir := filepath.Join(top, "elsewhere")
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(top, ".git"), tt.file)
		write(t, filepath.Join(dir, "commondir"), tt.commondir)
		got, ok := gitdir.Of(top)
		if got != tt.dir || ok != tt.ok {
			t.Errorf("%q: %q, %v", tt.file, got, ok)
		}
		if common := gitdir.Common(got); got != "" && common != tt.common {
			t.Errorf("%q, %q: the common directory is %q", tt.file, tt.commondir, common)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if text == "" {
		return
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
