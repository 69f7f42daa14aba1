package gitbase_test

import (
	"fmt"
	"path/filepath"
	"testing"

	"pollux/internal/process/processtest"
	"pollux/internal/undo/state"
)

// BenchmarkRepository opens a repository of files in directories of ten, verifies its blobs, and looks all files up. There are
// 2,000 files, or with POLLUX_LONG=1 50,000.
func BenchmarkRepository(b *testing.B) {
	needGit(b)
	count := 2000
	if processtest.IsLong() {
		count = 50_000
	}
	u := newUser(b, b.TempDir())
	u.must("", "init", "-q", "r")
	u.write("r/.gitattributes", "* text=auto\n*.psd filter=lfs\n*.[zZ][iI][pP] filter=lfs\n/media/** filter=lfs\n")
	var names []string
	for i := range count {
		names = append(names, fmt.Sprintf("source/package%04d/file_with_a_name%d.go", i/10, i))
		u.write("r/"+names[i], fmt.Sprintf("package source // %d\n", i))
	}
	u.must("r", "add", "-A")
	u.must("r", "commit", "-qm", "first")
	u.must("r", "gc", "-q")
	u.settle("r")
	states := make([]state.State, len(names))
	for i, name := range names {
		var err error
		if states[i], err = state.Read(filepath.Join(u.path("r"), name)); err != nil {
			b.Fatal(err)
		}
	}
	r := u.git.Open(u.path("r"))
	reader := u.git.NewReader(r.ObjectDir())
	defer reader.Close()
	if err := r.Verify(b.Context(), reader, nil); err != nil {
		b.Fatal(err)
	}
	b.Run("Open", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			u.git.Open(u.path("r"))
		}
	})
	b.Run("Verify", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if err := r.Verify(b.Context(), reader, nil); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("Object", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			known := 0
			for i, name := range names {
				if _, ok := r.Object(name, states[i]); ok {
					known++
				}
			}
			if known < len(names)/2 {
				b.Fatalf("%d known", known)
			}
		}
	})
}
