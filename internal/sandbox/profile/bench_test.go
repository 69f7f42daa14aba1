package profile

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
)

// BenchmarkMake makes the profile of a workspace in a home directory with 200 entries, which is reached directly or by a link.
func BenchmarkMake(b *testing.B) {
	root := b.TempDir()
	home := filepath.Join(root, "me")
	for i := range 200 {
		if err := os.MkdirAll(filepath.Join(home, "entry"+strconv.Itoa(i)), 0o755); err != nil {
			b.Fatal(err)
		}
	}
	if err := os.Symlink(home, filepath.Join(root, "link")); err != nil {
		b.Fatal(err)
	}
	for name, home := range map[string]string{"home": home, "linked home": filepath.Join(root, "link")} {
		for _, readsWork := range []bool{false, true} {
			b.Run(name+"/readsWork="+strconv.FormatBool(readsWork), func(b *testing.B) {
				p := Place{
					Dirs: []string{filepath.Join(root, "me/entry1")}, Homes: []string{home}, Env: func(string) string { return "" },
					HasProgram: func(string) bool { return false }, ReadsWork: readsWork,
				}
				b.ReportAllocs()
				for b.Loop() {
					Make(p)
				}
			})
		}
	}
}
