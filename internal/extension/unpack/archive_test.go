package unpack

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// member is an entry of an archive in a test.
type member struct {
	name, content, target string
	kind                  byte // of tar, 0 for a file
	mode                  int64
	size                  int64 // as announced, if it is not that of content
}

func tarball(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	gz := gzip.NewWriter(&b)
	w := tar.NewWriter(gz)
	for _, m := range members {
		h := &tar.Header{Name: m.name, Typeflag: m.kind, Mode: m.mode, Linkname: m.target, Size: int64(len(m.content)), Format: tar.FormatPAX}
		if m.kind == 0 {
			h.Typeflag = tar.TypeReg
		}
		if m.size > 0 {
			h.Size = m.size
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if m.size > 0 {
			if _, err := io.CopyN(w, zeros{}, m.size); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if _, err := io.WriteString(w, m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := gz.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func zipped(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: zip.Deflate}
		mode := fs.FileMode(0o644)
		content := m.content
		switch m.kind {
		case tar.TypeSymlink:
			mode, content = fs.ModeSymlink|0o777, m.target
		case tar.TypeChar:
			mode = fs.ModeDevice | fs.ModeCharDevice
		}
		if m.mode != 0 {
			mode = mode.Type() | fs.FileMode(m.mode) //nolint:gosec // of this test
		}
		h.SetMode(mode)
		f, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.CopyN(f, zeros{}, m.size); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(f, content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { clear(p); return len(p), nil }

// unpackTo unpacks an archive into the directory "in" of a temporary directory, and returns both.
func unpackTo(t testing.TB, archive []byte, l Limits) (outer, dir string, err error) {
	t.Helper()
	outer = t.TempDir()
	dir = filepath.Join(outer, "in")
	src := filepath.Join(outer, "archive")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(src, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	return outer, dir, Archive(t.Context(), src, dir, l)
}

// list returns the files below a directory, with their modes and contents.
func list(t testing.TB, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(at string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, _ := filepath.Rel(dir, at)
		info, err := d.Info()
		if err != nil {
			return err
		}
		if info.Mode().Type() == fs.ModeSymlink {
			target, err := os.Readlink(at)
			found[name] = "-> " + target
			return err
		}
		data, err := os.ReadFile(at)
		found[name] = info.Mode().String() + " " + string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestArchive(t *testing.T) {
	t.Parallel()
	members := []member{
		{name: "./"},
		{name: "gemini-extension.json", content: "{}", mode: 0o600},
		{name: "bin/run", content: "#!/bin/sh", mode: 0o4755},
		{name: "bin/link", target: "run", kind: tar.TypeSymlink},
		{name: "docs/up", target: "../bin/run", kind: tar.TypeSymlink},
		{name: ".git/config", content: "[core] fsmonitor = evil"},
	}
	want := map[string]string{
		"gemini-extension.json": "-rw-r--r-- {}", "bin/run": "-rwxr-xr-x #!/bin/sh", "bin/link": "-> run", "docs/up": "-> ../bin/run",
	}
	hard := member{name: "bin/copy", target: "bin/run", kind: tar.TypeLink}
	withHard := map[string]string{"bin/copy": "-rwxr-xr-x #!/bin/sh"}
	for name, s := range want {
		withHard[name] = s
	}
	for name, test := range map[string]struct {
		archive []byte
		want    map[string]string
	}{
		"tar.gz": {tarball(t, append(members[1:len(members):len(members)], hard)...), withHard},
		"zip":    {zipped(t, members[1:]...), want},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, dir, err := unpackTo(t, test.archive, Usual)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, list(t, dir)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// hostile are archives that must be refused, and a part of the error.
var hostile = []struct {
	name    string
	members []member
	limits  Limits
	want    string
	tarOnly bool
}{
	{name: "parent", members: []member{{name: "../x", content: "x"}}, want: `"../x" leads out`},
	{name: "parent inside", members: []member{{name: "a/../../x", content: "x"}}, want: "leads out"},
	{name: "absolute", members: []member{{name: "/tmp/x", content: "x"}}, want: "is absolute"},
	{name: "drive", members: []member{{name: "C:/x", content: "x"}}, want: "is absolute"},
	{name: "backslash", members: []member{{name: `..\x`, content: "x"}}, want: "not allowed"},
	{name: "escape", members: []member{{name: "a\x1b[31mb", content: "x"}}, want: `"a\x1b[31mb" is not allowed`},
	{name: "long", members: []member{{name: strings.Repeat("a/", 600) + "x", content: "x"}}, want: "longer than 1024"},
	{name: "link out", members: []member{{name: "a", target: "../../etc/passwd", kind: tar.TypeSymlink}}, want: `the link "a" leads out`},
	{name: "absolute link", members: []member{{name: "a", target: "/etc/passwd", kind: tar.TypeSymlink}}, want: `the link "a" leads out`},
	{name: "through a link", members: []member{
		{name: "a", target: "..", kind: tar.TypeSymlink}, {name: "a/x", content: "x"},
	}, want: "leads out"},
	{name: "chain of links", members: []member{
		{name: "d/e/f", content: "x"},
		{name: "a", target: "d/e", kind: tar.TypeSymlink},
		{name: "b", target: "a/../../..", kind: tar.TypeSymlink},
	}, want: `the link "b" leads out`},
	{name: "link replaced", members: []member{
		{name: "a", target: "b", kind: tar.TypeSymlink}, {name: "a", content: "x"},
	}, want: `"a" is in it twice`},
	{name: "hard link out", members: []member{{name: "a", target: "../outside", kind: tar.TypeLink}}, want: "leads out", tarOnly: true},
	{name: "absolute hard link", members: []member{{name: "a", target: "/etc/passwd", kind: tar.TypeLink}}, want: "leads out", tarOnly: true},
	{name: "hard link through a link", members: []member{
		{name: "l", target: "../outside", kind: tar.TypeSymlink}, {name: "a", target: "l", kind: tar.TypeLink},
	}, want: "not in the archive", tarOnly: true},
	{name: "device", members: []member{{name: "a", kind: tar.TypeChar}}, want: `"a" is not a file`},
	{name: "pipe", members: []member{{name: "a", kind: tar.TypeFifo}}, want: `"a" is not a file`, tarOnly: true},
	{name: "zeros", members: []member{{name: "a", size: 10 << 20}}, limits: Limits{1 << 20, 100}, want: "larger than 1 MB"},
	{name: "many zeros", members: []member{{name: "a", size: 1 << 19}, {name: "b", size: 1 << 19}, {name: "c", size: 1}}, limits: Limits{1 << 20, 100}, want: "larger than 1 MB"},
	{name: "case", members: []member{{name: "README", content: "x"}, {name: "readme", content: "y"}}, want: `"README" and "readme" differ only in case`},
	{name: "case of a directory", members: []member{{name: "a/x", content: "x"}, {name: "A/y", content: "y"}}, want: "differ only in case"},
	{name: "many", members: manyMembers(200), limits: Limits{1 << 20, 100}, want: "more than 100 files"},
	{name: "many directories", members: []member{{name: strings.Repeat("a/", 120) + "x", content: "x"}}, limits: Limits{1 << 20, 100}, want: "more than 100 files"},
	{name: "twice", members: []member{{name: "a", content: "x"}, {name: "a", content: "y"}}, want: `"a" is in it twice`},
	{name: "file and directory", members: []member{{name: "a", content: "x"}, {name: "a/b", content: "y"}}, want: `"a/b"`},
}

func manyMembers(n int) (list []member) {
	for i := range n {
		list = append(list, member{name: fmt.Sprintf("f%d", i)})
	}
	return list
}

func TestHostileArchives(t *testing.T) {
	t.Parallel()
	for _, test := range hostile {
		limits := test.limits
		if limits.Files == 0 {
			limits = Usual
		}
		archives := map[string][]byte{"tar.gz": tarball(t, test.members...)}
		if !test.tarOnly {
			archives["zip"] = zipped(t, test.members...)
		}
		for kind, archive := range archives {
			t.Run(test.name+" "+kind, func(t *testing.T) {
				t.Parallel()
				outer, _, err := unpackTo(t, archive, limits)
				if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
					t.Errorf("error %v, want one line with %q", err, test.want)
				}
				entries, _ := os.ReadDir(outer)
				if len(entries) != 2 {
					t.Errorf("something was written outside: %v", entries)
				}
			})
		}
	}
}

// An archive that announces little and contains much is refused while it is read.
func TestEndlessArchive(t *testing.T) {
	t.Parallel()
	headers := make([]member, 0, 3000)
	for range 3000 {
		headers = append(headers, member{name: "pax", kind: tar.TypeXGlobalHeader})
	}
	for name, archive := range map[string][]byte{
		"not an archive": []byte("<!DOCTYPE html>"), "empty": nil, "short": []byte("\x1f\x8b\x08\x00"),
		"cut":     tarball(t, member{name: "a", size: 1 << 20})[:500],
		"zip cut": zipped(t, member{name: "a", content: "x"})[:60],
		"global":  tarball(t, headers...),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, _, err := unpackTo(t, archive, Limits{1 << 10, 10}); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("error %v, want one line", err)
			}
		})
	}
}

func TestArchiveCancelled(t *testing.T) {
	t.Parallel()
	src := filepath.Join(t.TempDir(), "a.zip")
	if err := os.WriteFile(src, zipped(t, member{name: "a", content: "x"}), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := Archive(ctx, src, t.TempDir(), Usual); err == nil || ctx.Err() == nil {
		t.Errorf("error %v", err)
	}
}

func TestDir(t *testing.T) {
	t.Parallel()
	src, dst := t.TempDir(), t.TempDir()
	write := func(name, content string, mode fs.FileMode) {
		t.Helper()
		at := filepath.Join(src, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(content), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("a/b.sh", "x", 0o555)
	write(".git/config", "x", 0o644)
	if err := os.Symlink("a/b.sh", filepath.Join(src, "link")); err != nil {
		t.Fatal(err)
	}
	if err := Dir(t.Context(), src, dst, Usual); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a/b.sh": "-rwxr-xr-x x", "link": "-> a/b.sh"}
	if diff := cmp.Diff(want, list(t, dst)); diff != "" {
		t.Error(diff)
	}
	if err := os.Symlink("/etc/passwd", filepath.Join(src, "out")); err != nil {
		t.Fatal(err)
	}
	if err := Dir(t.Context(), src, t.TempDir(), Usual); err == nil || !strings.Contains(err.Error(), "leads out") {
		t.Errorf("error %v", err)
	}
	if err := Check(t.Context(), src, Usual); err == nil || !strings.Contains(err.Error(), "leads out") {
		t.Errorf("error %v", err)
	}
	if err := Check(t.Context(), src, Limits{1 << 20, 2}); err == nil || !strings.Contains(err.Error(), "more than 2 files") {
		t.Errorf("error %v", err)
	}
}

// Nothing but files of the directory is ever written, whatever the names are.
func FuzzArchivePaths(f *testing.F) {
	for _, test := range hostile {
		if m := test.members[0]; len(m.name) < 100 {
			f.Add(m.name, m.target, "a/b")
		}
	}
	f.Fuzz(func(t *testing.T, first, target, second string) {
		if runtime.GOOS == "windows" || strings.ContainsRune(first+target+second, 0) || len(first)+len(target)+len(second) > 4000 {
			t.Skip()
		}
		var b bytes.Buffer
		gz := gzip.NewWriter(&b)
		w := tar.NewWriter(gz)
		now := time.Unix(0, 0)
		for _, h := range []*tar.Header{
			{Name: first, Typeflag: tar.TypeSymlink, Linkname: target, ModTime: now},
			{Name: second, Typeflag: tar.TypeReg, Size: 1, ModTime: now},
		} {
			if w.WriteHeader(h) != nil {
				t.Skip()
			}
			if h.Size > 0 {
				if _, err := w.Write([]byte("x")); err != nil {
					t.Skip()
				}
			}
		}
		_, _ = w.Close(), gz.Close()
		outer, dir, err := unpackTo(t, b.Bytes(), Usual)
		entries, _ := os.ReadDir(outer)
		if len(entries) != 2 {
			t.Fatalf("written outside: %v", entries)
		}
		if err != nil {
			return
		}
		for name, what := range list(t, dir) {
			if !strings.HasPrefix(what, "-> ") {
				continue
			}
			if real, err := filepath.EvalSymlinks(filepath.Join(dir, name)); err == nil && real != dir && !strings.HasPrefix(real, dir+string(filepath.Separator)) {
				t.Fatalf("%s leads to %s", name, real)
			}
		}
	})
}

// TestCheckNames checks that a repository has no names that an archive could not have.
func TestCheckNames(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"a/B": "differ only in case", "A": "differ only in case", "x\ny": "is not allowed", "x\x1b[2J": "is not allowed", "d/x\u202ey": "is not allowed", "c/.d/E": "",
	} {
		dir := t.TempDir()
		for _, name := range []string{"a/b", name} {
			file := filepath.Join(dir, filepath.FromSlash(name))
			if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
				t.Skip("NOT TESTED: this file system does not have the name", err)
			}
			if err := os.WriteFile(file, nil, 0o644); err != nil {
				t.Skip("NOT TESTED: this file system does not have the name", err)
			}
		}
		got := ""
		if err := Check(t.Context(), dir, Usual); err != nil {
			got = err.Error()
		}
		if (got == "") != (want == "") || !strings.Contains(got, want) || strings.ContainsAny(got, "\n\x1b") {
			t.Errorf("%q: %s", name, got)
		}
	}
}
