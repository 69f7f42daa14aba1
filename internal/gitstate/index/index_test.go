package index_test

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pollux/internal/gitstate/index"
)

// repository is a repository that git itself has made.
type repository struct {
	t   testing.TB
	dir string
}

func newRepository(t testing.TB, args ...string) *repository {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
	r := &repository{t, t.TempDir()}
	r.git(append([]string{"init", "-q", "-b", "main"}, args...)...)
	return r
}

func (r *repository) git(args ...string) string {
	r.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@b.c"}, args...)...)
	cmd.Dir, cmd.Env = r.dir, append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
	out, err := cmd.Output()
	if err != nil {
		r.t.Fatalf("git %q: %v", args, err)
	}
	return string(out)
}

func (r *repository) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		r.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repository) index() []byte {
	r.t.Helper()
	data, err := os.ReadFile(filepath.Join(r.dir, ".git", "index"))
	if err != nil {
		r.t.Fatal(err)
	}
	return data
}

// names are such as git knows on Unix.
var names = []string{
	"a", "a.txt", "a-/b", "b/c", "b/cd", "b/long/name/of/a/file.txt", "line\nbreak", "not\xffutf-8\xfe/\x01", `quo"te\`, "é/ü",
	strings.Repeat("long", 50) + "/" + strings.Repeat("name", 60),
}

// TestFormats compares the entries of each version and hash with those that git lists.
func TestFormats(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: other systems do not have files with any name")
	}
	for _, version := range []string{"2", "3", "4"} {
		for format, hash := range map[string]int{"sha1": 20, "sha256": 32} {
			t.Run(version+" "+format, func(t *testing.T) {
				t.Parallel()
				r := newRepository(t, "--object-format="+format)
				r.git("config", "index.version", version)
				for i, name := range names {
					r.write(name, strings.Repeat("x", i*100))
				}
				r.git("add", "-A")
				r.git("update-index", "--assume-unchanged", "a")
				if version != "2" {
					r.write("later", "x")
					r.git("add", "-N", "later")
					r.git("update-index", "--skip-worktree", "b/c")
				}
				compare(t, r, hash)
			})
		}
	}
}

func compare(t *testing.T, r *repository, hash int) {
	t.Helper()
	x, ok := index.Parse(r.index(), hash)
	if !ok {
		t.Fatal("the index of git is not accepted")
	}
	var got strings.Builder
	for i := range x.Len() {
		e := x.Entry(i)
		stage := 0
		fmt.Fprintf(&got, "%06o %x %d\t%s\x00", e.Mode, e.Hash, stage, e.Name)
		fmt.Fprintf(&got, "  ctime: %d:%d\n  mtime: %d:%d\n  ino: %d\n  size: %d\n",
			e.Changed.Seconds, e.Changed.Nanoseconds, e.Modified.Seconds, e.Modified.Nanoseconds, e.Inode, e.Size)
		if at, ok := x.Find(e.Name); !ok || at != i {
			t.Errorf("%q is found at %d, %v", e.Name, at, ok)
		}
		isLater, isSkipped := e.Name == "later", e.Name == "a" || e.Name == "b/c" && x.Len() > len(names)
		if e.IsOpen != isLater || e.IsSkipped != isSkipped {
			t.Errorf("%q: open %v, skipped %v", e.Name, e.IsOpen, e.IsSkipped)
		}
	}
	var want strings.Builder
	for line := range strings.Lines(r.git("ls-files", "--stage", "--debug", "-z")) {
		dev, ino, hasInode := strings.Cut(line, "\tino:")
		size, _, hasSize := strings.Cut(line, "\tflags:")
		switch {
		case hasInode && strings.HasPrefix(dev, "  dev:"):
			want.WriteString("  ino:" + ino)
		case hasSize && strings.HasPrefix(size, "  size:"):
			want.WriteString(size + "\n")
		case strings.HasPrefix(line, "  uid:"):
		default:
			want.WriteString(line)
		}
	}
	if got.String() != want.String() {
		t.Errorf("entries:\n%s\nwant\n%s", got.String(), want.String())
	}
	for _, name := range []string{"", "A", "a.tx", "b", "zz"} {
		if i, ok := x.Find(name); ok {
			t.Errorf("%q is found at %d", name, i)
		}
	}
}

// TestConflict checks that a file in conflict is open.
func TestConflict(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	id := strings.TrimSpace(r.git("hash-object", "-w", "--stdin"))
	for stage := 1; stage <= 3; stage++ {
		cmd := exec.Command("git", "update-index", "--index-info")
		cmd.Dir, cmd.Stdin = r.dir, strings.NewReader(fmt.Sprintf("100644 %s %d\tfile\n", id, stage))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	x, ok := index.Parse(r.index(), 20)
	if !ok || x.Len() != 3 {
		t.Fatalf("%v, %v", x, ok)
	}
	for i := range 3 {
		if e := x.Entry(i); !e.IsOpen || hex.EncodeToString([]byte(e.Hash)) != id {
			t.Errorf("%+v", e)
		}
	}
	if i, ok := x.Find("file"); i != 0 || !ok {
		t.Errorf("found at %d, %v", i, ok)
	}
}

// TestParts checks an index that has directories in place of files, which is accepted, and one whose files are partly in
// another one, which is not.
func TestParts(t *testing.T) {
	t.Parallel()
	r := newRepository(t)
	for _, name := range []string{"in/a", "out/b", "out/c", "top"} {
		r.write(name, name)
	}
	r.git("add", "-A")
	r.git("commit", "-qm", "first")
	r.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
	x, ok := index.Parse(r.index(), 20)
	if !ok || x.Len() != 3 || x.Name(1) != "out/" || x.Entry(1).Mode != 0o40000 {
		t.Errorf("a sparse index: %+v, %v", x, ok)
	}
	r.git("sparse-checkout", "disable")
	if _, ok := index.Parse(r.index(), 20); !ok {
		t.Error("a whole index is not accepted")
	}
	r.git("update-index", "--split-index")
	r.write("new", "new")
	r.git("add", "new")
	if x, ok := index.Parse(r.index(), 20); ok {
		t.Errorf("a split index: %+v", x)
	}
}

// record is an entry as a test writes it.
func record(version int, name string) []byte {
	b := make([]byte, 62)
	b = append(b, name...)
	b = append(b, 0)
	for version < 4 && len(b)%8 != 0 {
		b = append(b, 0)
	}
	return b
}

func file(version uint32, entries ...[]byte) []byte {
	b := append([]byte("DIRC"), binary.BigEndian.AppendUint32(nil, version)...)
	b = binary.BigEndian.AppendUint32(b, uint32(len(entries)))
	return append(append(b, bytes.Join(entries, nil)...), make([]byte, 20)...)
}

func TestDamaged(t *testing.T) {
	t.Parallel()
	whole := file(2, record(2, "a"), record(2, "b/c"))
	if x, ok := index.Parse(whole, 20); !ok || x.Len() != 2 || x.Name(1) != "b/c" {
		t.Fatalf("%+v, %v", x, ok)
	}
	for n := range whole {
		if _, ok := index.Parse(whole[:n], 20); ok {
			t.Errorf("the first %d bytes are accepted", n)
		}
	}
	extension := func(name string, size uint32, more ...byte) []byte {
		b := append([]byte(name), binary.BigEndian.AppendUint32(nil, size)...)
		return slices.Concat(whole[:len(whole)-20], b, more, make([]byte, 20))
	}
	for name, data := range map[string][]byte{
		"another hash":       file(2, record(2, "a"))[:80],
		"version 1":          file(1, record(2, "a")),
		"version 5":          file(5, record(2, "a")),
		"outside":            file(2, record(2, "../a")),
		"absolute":           file(2, record(2, "/a")),
		"without a name":     file(2, record(2, "")),
		"unsorted":           file(2, record(2, "b"), record(2, "a")),
		"twice":              file(2, record(2, "a"), record(2, "a")),
		"drops too much":     file(4, record(4, "\x00a"), record(4, "\x02b")),
		"link":               extension("link", 0),
		"unknown":            extension("abcd", 0),
		"extension too long": extension("TREE", 1000),
		"half an extension":  extension("TREE", 4, 1, 2),
	} {
		if x, ok := index.Parse(data, 20); ok {
			t.Errorf("%s: %+v", name, x)
		}
	}
	for name, data := range map[string][]byte{"optional": extension("TREE", 2, 1, 2), "sparse": extension("sdir", 0)} {
		if _, ok := index.Parse(data, 20); !ok {
			t.Errorf("%s is not accepted", name)
		}
	}
	// Each name is the previous one and a letter, so that all together are much larger than the file.
	entries := [][]byte{record(4, "\x00"+strings.Repeat("a", 100_000))}
	for range 5000 {
		entries = append(entries, record(4, "\x00a"))
	}
	if _, ok := index.Parse(file(4, entries...), 20); ok {
		t.Error("names that are 1,000 times larger than the file are accepted")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(file(2, record(2, "a"), record(2, "b/c")), false)
	f.Add(file(4, record(4, "\x00a"), record(4, "\x00b"), record(4, "\x01c")), false)
	f.Add(file(4, record(4, "\x80\x00a")), true)
	f.Fuzz(func(t *testing.T, data []byte, isLong bool) {
		hash := 20
		if isLong {
			hash = 32
		}
		x, ok := index.Parse(data, hash)
		if !ok {
			return
		}
		for i := range x.Len() {
			e := x.Entry(i)
			if len(e.Hash) != hash || !filepath.IsLocal(e.Name) {
				t.Errorf("%+v", e)
			}
			if at, ok := x.Find(e.Name); !ok || at > i || x.Name(at) != e.Name {
				t.Errorf("%q is found at %d, not %d", e.Name, at, i)
			}
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var padded [][]byte
	for i := range 50_000 {
		padded = append(padded, record(2, benchName(i)))
	}
	for version, data := range map[string][]byte{"2": file(2, padded...), "4": shortened(50_000)} {
		b.Run(version, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if x, ok := index.Parse(data, 20); !ok || x.Len() != 50_000 {
					b.Fatal("not accepted")
				}
			}
		})
	}
}

func benchName(i int) string {
	return fmt.Sprintf("source/package%05d/part/file_with_a_name%d.go", i/10, i%10)
}

// shortened returns an index of version 4 whose names share their beginnings.
func shortened(count int) []byte {
	var entries [][]byte
	previous := ""
	for i := range count {
		name := benchName(i)
		same := 0
		for same < len(previous) && previous[same] == name[same] {
			same++
		}
		entries = append(entries, record(4, string([]byte{byte(len(previous) - same)})+name[same:]))
		previous = name
	}
	return file(4, entries...)
}
