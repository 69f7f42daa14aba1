package gitbase_test

import (
	"os"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"

	"pgregory.net/rapid"

	"pollux/internal/process/processtest"
)

// TestKnownContents changes repositories at random. Whenever a blob is said to be the content of a file, it must be.
func TestKnownContents(t *testing.T) {
	t.Parallel()
	needGit(t)
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: other systems do not have files with any name")
	}
	const few = 15 // checks, each of which runs git some thirty times
	var known, files, checks atomic.Int64
	var hasFailed atomic.Bool
	base := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		if checks.Add(1) > few && !processtest.IsLong() && !hasFailed.Load() {
			return
		}
		defer func() { hasFailed.Store(hasFailed.Load() || t.Failed()) }()
		dir, err := os.MkdirTemp(base, "")
		if err != nil {
			t.Fatal(err)
		}
		defer os.RemoveAll(dir)
		w := &world{user: newUser(t, dir), t: t}
		w.begin(rapid.SampledFrom([]string{"plain", "sha256", "linked", "shared", "submodule"}).Draw(t, "kind"))
		for range rapid.IntRange(1, 4).Draw(t, "rounds") {
			for range rapid.IntRange(1, 5).Draw(t, "steps") {
				w.step()
			}
			r := w.git.Open(w.path(w.dir))
			if r == nil {
				t.Fatal("it is no repository")
			}
			reader := w.git.NewReader(r.ObjectDir())
			if err := r.Verify(t.Context(), reader, nil); err != nil {
				t.Fatal(err)
			}
			for range 2 { // the second time, files have changed since the index was read
				known.Add(int64(len(w.known(r, reader, w.dir))))
				files.Add(int64(len(contentNames)))
				w.change()
			}
			if err := reader.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	t.Logf("the blobs of %d of some %d files were known", known.Load(), files.Load())
	if known.Load() < files.Load()/10 {
		t.Error("almost no blob was known: the test proves nothing")
	}
}

// world is a repository that changes at random, in the directory dir.
type world struct {
	*user
	t   *rapid.T
	dir string
}

var (
	contentNames = []string{"a.txt", "b.bin", "s/c.txt", "s/d", "line\nbreak.txt", "\xff\xfe", "swap/x", "ident/x", "utf16/x"}
	// contents have sizes that are the same before and after conversions, too.
	contents = []string{"", "a\n", "b\n", "ab", "a\r\n", "a\nb\n", "a\r\nb\n", "\x00\r\n", "$Id$\n", "$Id: 1 $\n", "\xff\xfea\x00"}
)

func (w *world) name() string { return rapid.SampledFrom(contentNames).Draw(w.t, "name") }

func (w *world) content() string { return rapid.SampledFrom(contents).Draw(w.t, "content") }

// change writes a file, maybe through a link. It fails for a link that leads nowhere.
func (w *world) change() {
	_ = os.WriteFile(w.path(w.dir+"/"+w.name()), []byte(w.content()), 0o644)
}

// begin makes the repository. Conversions that keep the size have their attributes from the beginning.
func (w *world) begin(kind string) {
	args := []string{"init", "-q", "first"}
	if kind == "sha256" {
		args = append(args, "--object-format=sha256")
	}
	w.must("", args...)
	w.must("", "config", "--global", "filter.swap.clean", "tr ab ba")
	w.must("", "config", "--global", "filter.swap.smudge", "tr ab ba")
	w.write("home/.config/git/attributes", "swap/* filter=swap\n")
	w.write("first/ident/.gitattributes", "* ident\n")
	w.write("first/.git/info/attributes", "[attr]wide working-tree-encoding=UTF-16LE-BOM\n/utf16/** wide\n")
	for i, name := range contentNames {
		if i%2 == 0 {
			w.write("first/"+name, contents[1+i%2])
		}
	}
	w.dir = "first"
	_, _ = w.run(w.dir, "add", "-A") // a content may not have the encoding
	w.must(w.dir, "commit", "-qm", "first")
	w.must(w.dir, "branch", "other")
	switch kind {
	case "linked":
		w.must(w.dir, "worktree", "add", "-q", "../second", "-b", "second")
		w.dir = "second"
	case "shared":
		w.must("", "clone", "-q", "--shared", "first", "second")
		w.write("second/.git/info/attributes", "/utf16/** working-tree-encoding=UTF-16LE-BOM\n")
		w.dir = "second"
	case "submodule":
		w.must("", "init", "-q", "second")
		w.must("second", "submodule", "--quiet", "add", w.path("first"), "sub")
		w.write("second/.git/modules/sub/info/attributes", "/utf16/** working-tree-encoding=UTF-16LE-BOM\n")
		w.dir = "second/sub"
	}
}

// step changes one thing. Commands of git may fail, as when there is nothing to commit.
func (w *world) step() {
	git := func(args ...string) { _, _ = w.run(w.dir, args...) }
	path := func() string { return w.path(w.dir + "/" + w.name()) }
	steps := map[string]func(){
		"write":      func() { w.change() },
		"remove":     func() { _ = os.Remove(path()) },
		"mode":       func() { _ = os.Chmod(path(), 0o755) },
		"rename":     func() { _ = os.Rename(path(), path()) },
		"link":       func() { at := path(); _ = os.Remove(at); _ = os.Symlink(w.name(), at) },
		"times":      w.keepTime,
		"add":        func() { git("add", "-A") },
		"add one":    func() { git("add", w.name()) },
		"add later":  func() { git("add", "-N", w.name()) },
		"skip":       func() { git("update-index", "--skip-worktree", w.name()) },
		"assume":     func() { git("update-index", "--assume-unchanged", w.name()) },
		"commit":     func() { git("commit", "-qam", "more") },
		"checkout":   func() { git("checkout", "-q", "-f", rapid.SampledFrom([]string{"main", "other"}).Draw(w.t, "branch")) },
		"reset":      func() { git("reset", "-q", "--hard") },
		"merge":      func() { git("merge", "-q", "other") },
		"pack":       func() { git("gc", "-q") },
		"settle":     func() { w.settle(w.dir) },
		"attributes": w.setAttributes,
		"line ends":  w.setLineEnds,
	}
	names := make([]string, 0, len(steps)+2)
	for name := range steps {
		names = append(names, name)
	}
	names = append(names, "settle", "settle", "add", "write")
	slices.Sort(names)
	steps[rapid.SampledFrom(names).Draw(w.t, "step")]()
}

// keepTime changes a file, but not the time of its change.
func (w *world) keepTime() {
	name := w.dir + "/" + w.name()
	before, err := os.Lstat(w.path(name))
	if err != nil || !before.Mode().IsRegular() {
		return
	}
	w.write(name, w.content())
	if err := os.Chtimes(w.path(name), before.ModTime(), before.ModTime()); err != nil {
		w.Fatalf("%v", err)
	}
}

// setAttributes sets attributes for line ends, which may come and go.
func (w *world) setAttributes() {
	at := rapid.SampledFrom([]string{".gitattributes", "s/.gitattributes"}).Draw(w.t, "attributes file")
	text := rapid.SampledFrom([]string{"", "* text=auto\n", "*.txt eol=crlf\n", "* -text\n", "*.txt crlf\n"}).Draw(w.t, "attributes")
	if text == "" {
		_ = os.Remove(w.path(w.dir + "/" + at))
		return
	}
	w.write(w.dir+"/"+at, text)
}

func (w *world) setLineEnds() {
	key := rapid.SampledFrom([]string{"core.autocrlf", "core.eol"}).Draw(w.t, "setting")
	values := map[string][]string{"core.autocrlf": {"true", "false", "input"}, "core.eol": {"crlf", "lf", "native"}}
	w.must(w.dir, "config", key, rapid.SampledFrom(values[key]).Draw(w.t, "value"))
}
