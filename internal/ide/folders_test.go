package ide_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pollux/internal/ide"
)

// TestFolders checks which folders of an editor are open together with a directory.
func TestFolders(t *testing.T) {
	t.Parallel()
	real := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(real, link); err != nil {
		t.Skip("NOT TESTED: no links", err)
	}
	for _, tt := range []struct {
		list []string
		dir  string
		want []string
	}{
		{nil, "/w/a", nil},
		{[]string{"/w/a"}, "/w/a", nil},
		{[]string{"/w/a", "/w/b", "/c"}, "/w/a/sub", []string{"/w/b", "/c"}},
		{[]string{"/w/b", "/w/a"}, "/w/a", []string{"/w/b"}},
		{[]string{"/w/b", "/c"}, "/w/a", nil},
		{[]string{"/w/ab", "/c"}, "/w/a", nil},
		{[]string{"/w/a", "b", "", "."}, "/w/a", nil},
		{[]string{link, "/c"}, real, []string{"/c"}},
		{[]string{real, "/c"}, link, []string{"/c"}},
	} {
		if got := ide.Folders(strings.Join(tt.list, string(os.PathListSeparator)), tt.dir); !slices.Equal(got, tt.want) {
			t.Errorf("%q with %s: %q, want %q", tt.list, tt.dir, got, tt.want)
		}
	}
}
