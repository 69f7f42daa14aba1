package gitbase_test

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"pollux/internal/process"
	"pollux/internal/undo/gitbase"
	"pollux/internal/undo/state"
)

// TestStates checks which changes of a file are seen.
func TestStates(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	for _, name := range []string{"a", "added", "assumed", "chmod", "empty", "gone", "later", "link", "moved", "same", "skipped", "time"} {
		u.write("r/"+name, name)
	}
	u.write("r/empty", "")
	if err := os.Remove(u.path("r/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("nowhere", u.path("r/link")); err != nil {
		t.Fatal(err)
	}
	u.must("r", "add", "-A")
	u.must("r", "rm", "-q", "--cached", "added", "later")
	u.settle("r")
	u.want(t, "r", "a assumed chmod empty gone link moved same skipped time")
	u.must("r", "update-index", "--assume-unchanged", "assumed")
	u.must("r", "update-index", "--skip-worktree", "skipped")
	u.must("r", "add", "-N", "later")
	u.settle("r")
	r, reader := u.open(t, "r")
	before, err := state.Read(u.path("r/same"))
	if err != nil {
		t.Fatal(err)
	}
	u.tick()
	for _, err := range []error{
		os.Chmod(u.path("r/chmod"), 0o755), os.Remove(u.path("r/gone")), os.Rename(u.path("r/moved"), u.path("r/new")),
		os.Chtimes(u.path("r/time"), time.Now(), time.Now().Add(-time.Hour)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	u.write("r/same", "emas")
	at := time.Unix(0, before.Modified)
	if err := os.Chtimes(u.path("r/same"), at, at); err != nil { // only its other time has changed
		t.Fatal(err)
	}
	if got := strings.Join(u.known(r, reader, "r"), " "); got != "a empty link" {
		t.Errorf("known are %q", got)
	}
	if !r.IsCurrent() {
		t.Error("the index is said to have changed")
	}
	u.must("r", "add", "same")
	if r.IsCurrent() {
		t.Error("the index has changed")
	}
	if got := strings.Join(u.known(r, reader, "r"), " "); got != "a empty link" {
		t.Errorf("of the old index, known are %q", got)
	}
	u.settle("r")
	u.want(t, "r", "a empty link same time")
}

// TestRacy checks that a file is not known that has changed in the tick in which git has seen it, whatever the time of
// the index is afterwards.
func TestRacy(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	for range 20 {
		u.write("r/a", "one")
		u.must("r", "add", "a")
		u.write("r/a", "two")
		later := time.Now().Add(time.Hour)
		r, reader := u.open(t, "r")
		u.known(r, reader, "r")
		if err := os.Chtimes(u.path("r/.git/index"), later, later); err != nil {
			t.Fatal(err)
		}
		r, reader = u.open(t, "r")
		u.known(r, reader, "r")
	}
	// A file and an index of the same time, made so.
	u.must("r", "rm", "-qf", "--cached", "a")
	u.write("r/a", "one")
	u.must("r", "add", "a")
	u.settle("r")
	u.want(t, "r", "a")
	now, err := state.Read(u.path("r/a"))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Unix(0, max(now.Modified, now.Changed))
	if err := os.Chtimes(u.path("r/.git/index"), at, at); err != nil {
		t.Fatal(err)
	}
	u.want(t, "r", "")
	at = at.Add(1)
	if err := os.Chtimes(u.path("r/.git/index"), at, at); err != nil {
		t.Fatal(err)
	}
	u.want(t, "r", "a")
}

// TestTouchedIndex checks that a later time of the index does not hide that a file may have changed after git has seen it.
func TestTouchedIndex(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	u.write("r/a", "one")
	u.must("r", "add", "a")
	path := u.path("r/.git/index")
	index := u.content(path, state.Regular)
	for {
		// An index that is written in the same tick as the file, and set to a later time.
		u.write("r/a", "one")
		now, err := state.Read(u.path("r/a"))
		if err != nil {
			t.Fatal(err)
		}
		if now.Changed == 0 {
			t.Skip("NOT TESTED: this system has one time only")
		}
		for at, n := range map[int]int64{12: now.Changed / 1e9, 16: now.Changed % 1e9, 20: now.Modified / 1e9, 24: now.Modified % 1e9} {
			binary.BigEndian.PutUint32(index[at:], uint32(n))
		}
		u.write("r/.git/index", string(index))
		later := time.Now().Add(time.Hour)
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
		if of, err := state.Read(path); err != nil || of.Changed != now.Changed {
			continue // the clock has ticked
		}
		r, _ := u.open(t, "r")
		if id, ok := u.object(r, "r", "a"); ok {
			t.Errorf("a is %s", id)
		}
		u.tick()
		if err := os.Chtimes(path, later, later); err != nil {
			t.Fatal(err)
		}
		r, _ = u.open(t, "r")
		if _, ok := u.object(r, "r", "a"); !ok {
			t.Error("a is not known, although the index is later")
		}
		return
	}
}

// TestKinds checks kinds of repositories.
func TestKinds(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	u.write("r/a", "content of a")
	u.write("r/d/b", "content of b")
	u.must("r", "add", "-A")
	u.must("r", "commit", "-qm", "first")

	u.must("r", "worktree", "add", "-q", "../tree")
	u.settle("tree")
	u.want(t, "tree", "a d/b")
	r, _ := u.open(t, "tree")
	if gitDir, common := r.Dirs(); gitDir != u.path("r/.git/worktrees/tree") || common != u.path("r/.git") {
		t.Errorf("the directories of a worktree are %q and %q", gitDir, common)
	}

	u.must("", "clone", "-q", "--shared", "r", "shared")
	u.write("shared/c", "content of c")
	u.must("shared", "add", "c")
	u.settle("shared")
	u.want(t, "shared", "a c d/b")
	u.write("shared/.git/objects/info/alternates", "../../../r/.git/objects\n")
	u.want(t, "shared", "a c d/b")
	if err := os.Remove(u.path("shared/.git/objects/info/alternates")); err != nil {
		t.Fatal(err)
	}
	u.want(t, "shared", "c") // the others are not there

	u.must("", "clone", "-q", "r", "super")
	u.must("super", "submodule", "--quiet", "add", u.path("r"), "sub")
	u.settle("super")
	u.settle("super/sub")
	u.want(t, "super", ".gitmodules a d/b")
	u.want(t, "super/sub", "a d/b")

	u.must("", "init", "-q", "--separate-git-dir", "elsewhere", "separate")
	u.write("separate/a", "content of a")
	u.must("separate", "add", "-A")
	u.settle("separate")
	u.want(t, "separate", "a")

	u.must("", "init", "-q", "--object-format=sha256", "long")
	u.write("long/a", "content of a")
	u.must("long", "add", "-A")
	u.settle("long")
	u.want(t, "long", "a")

	u.must("r", "gc", "-q")
	u.settle("r")
	u.want(t, "r", "a d/b")
	u.must("r", "config", "index.version", "4")
	u.must("r", "update-index", "--force-write-index")
	u.want(t, "r", "a d/b")
}

// TestNone checks directories of which nothing is known.
func TestNone(t *testing.T) {
	t.Parallel()
	needGit(t)
	for name, spoil := range map[string]func(u *user){
		"nothing":             func(u *user) { u.must("", "init", "-q", "s"); _ = os.RemoveAll(u.path("r/.git")) },
		"no index":            func(u *user) { _ = os.Remove(u.path("r/.git/index")) },
		"damaged index":       func(u *user) { _ = os.Truncate(u.path("r/.git/index"), 50) },
		"damaged git file":    func(u *user) { _ = os.RemoveAll(u.path("r/.git")); u.write("r/.git", "gitdir\n") },
		"linked git":          func(u *user) { _ = os.Rename(u.path("r/.git"), u.path("x")); _ = os.Symlink("../x", u.path("r/.git")) },
		"split index":         func(u *user) { u.must("r", "update-index", "--split-index") },
		"another work tree":   func(u *user) { u.must("r", "config", "core.worktree", u.base) },
		"damaged config":      func(u *user) { u.write("r/.git/config", "[core\n") },
		"unknown extension":   func(u *user) { u.must("r", "config", "extensions.future", "true") },
		"unknown version":     func(u *user) { u.must("r", "config", "core.repositoryFormatVersion", "2") },
		"attributes of trees": func(u *user) { u.must("r", "config", "attr.tree", "HEAD") },
		"user of another":     func(u *user) { u.must("", "config", "--global", "core.attributesFile", "~other/attributes") },
		"endless includes":    func(u *user) { u.must("", "config", "--global", "include.path", ".gitconfig") },
		"environment": func(u *user) {
			u.git = gitbase.New(process.Launcher{}, append(u.environ, "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=core.attributesFile", "GIT_CONFIG_VALUE_0=/x"))
		},
		"no git": func(u *user) { u.git = gitbase.New(process.Launcher{}, []string{"PATH=" + u.base, "HOME=" + u.home}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t, t.TempDir())
			u.must("", "init", "-q", "r")
			u.write("r/a", "a")
			u.must("r", "add", "a")
			u.settle("r")
			u.want(t, "r", "a")
			spoil(u)
			if r := u.git.Open(u.path("r")); r != nil {
				t.Errorf("it is a repository: %+v", r)
			}
		})
	}
}

// TestUnverified checks that nothing is known before the sizes of blobs are.
func TestUnverified(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	u.write("r/a", "a")
	u.must("r", "add", "a")
	u.settle("r")
	r := u.git.Open(u.path("r"))
	if id, ok := u.object(r, "r", "a"); ok {
		t.Errorf("a is %s", id)
	}
	reader := u.reader(t, r.ObjectDir())
	if err := os.Remove(filepath.Join(r.ObjectDir(), "2e", "65efe2a145dda7ee51d1741299f848e5bf752e")); err != nil {
		t.Fatal(err)
	}
	if err := r.Verify(t.Context(), reader, nil); err != nil {
		t.Fatal(err)
	}
	if id, ok := u.object(r, "r", "a"); ok {
		t.Errorf("the blob %s is not there", id)
	}
}

// TestConversions checks that the blobs of files that git converts are not taken for their contents.
func TestConversions(t *testing.T) {
	t.Parallel()
	needGit(t)
	for name, tt := range map[string]struct {
		attributes, config string // of the repository
		global             string // the attributes of the user
		want               string
	}{
		"none":          {want: ".gitattributes a.bin a.txt d/id.txt d/lf.txt"},
		"text":          {attributes: "* text=auto\n", want: ".gitattributes a.bin d/id.txt d/lf.txt"},
		"eol":           {attributes: "*.txt eol=crlf\n", want: ".gitattributes a.bin d/id.txt d/lf.txt"},
		"autocrlf":      {config: "[core]\n\tautocrlf = input\n", want: ".gitattributes a.bin d/id.txt d/lf.txt"},
		"filter":        {attributes: "*.bin filter=swap -text\n", want: ".gitattributes a.txt d/id.txt d/lf.txt"},
		"all":           {attributes: "* filter=swap\n", want: ""},
		"directory":     {attributes: "/d/** filter=swap\n", want: ".gitattributes a.bin a.txt"},
		"ident":         {attributes: "*.txt ident\n", want: ".gitattributes a.bin"},
		"encoding":      {attributes: "*.txt working-tree-encoding=latin1\n", want: ".gitattributes a.bin"},
		"macro":         {attributes: "*.txt two\n[attr]one ident\n[attr]two one\n", want: ".gitattributes a.bin"},
		"taken away":    {attributes: "*.txt -filter !ident -working-tree-encoding\n", want: ".gitattributes a.bin a.txt d/id.txt d/lf.txt"},
		"user":          {global: "*.bin filter=swap\n", want: ".gitattributes a.txt d/id.txt d/lf.txt"},
		"user's choice": {config: "[core]\n\tattributesFile = ~/mine\n", want: ".gitattributes a.txt"},
		"included":      {config: "[includeIf \"gitdir:/nowhere/\"]\n\tpath = ../../home/more\n", want: ".gitattributes a.txt"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t, t.TempDir())
			u.must("", "init", "-q", "r")
			u.must("", "config", "--global", "filter.swap.clean", "tr a-z b-za")
			u.must("", "config", "--global", "filter.swap.smudge", "tr b-za a-z")
			u.write("home/mine", "d/* filter=swap\n*.bin ident\n")
			u.write("home/more", "[core]\n\tattributesFile = ~/mine\n")
			u.write("home/.config/git/attributes", tt.global)
			config, err := os.ReadFile(u.path("r/.git/config"))
			if err != nil {
				t.Fatal(err)
			}
			u.write("r/.git/config", string(config)+tt.config)
			u.write("r/.gitattributes", tt.attributes)
			u.write("r/a.txt", "one\r\ntwo\n")
			u.write("r/a.bin", "\x00abc\r\n")
			u.write("r/d/lf.txt", "one\n")
			u.write("r/d/id.txt", "$Id$\n")
			u.must("r", "add", "-A")
			u.settle("r")
			if strings.Contains(tt.config, "attributesFile") || strings.Contains(tt.config, "include") {
				// The pattern d/* in mine excludes the files in d.
				tt.want = ".gitattributes a.txt"
			}
			u.want(t, "r", tt.want)
		})
	}
}

// TestConvertedEarlier checks that a file is not known that git has converted as an earlier configuration wanted it.
func TestConvertedEarlier(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	u.write("r/a.txt", "one\ntwo\n")
	u.write("r/b.bin", "\x00")
	u.must("r", "add", "-A")
	u.must("r", "commit", "-qm", "first")
	u.must("r", "checkout", "-qb", "crlf")
	u.write("r/.gitattributes", "*.txt eol=crlf\n")
	u.must("r", "add", "-A")
	u.must("r", "commit", "-qm", "second")
	if err := os.Remove(u.path("r/a.txt")); err != nil {
		t.Fatal(err)
	}
	u.must("r", "checkout", "a.txt")
	u.settle("r")
	u.want(t, "r", ".gitattributes b.bin")
	u.must("r", "checkout", "-q", "main")
	u.settle("r")
	if text, err := os.ReadFile(u.path("r/a.txt")); err != nil || string(text) != "one\r\ntwo\r\n" {
		t.Fatalf("git has written %q, %v", text, err)
	}
	u.want(t, "r", "b.bin")
}

// TestUnreadableAttributes checks that nothing is known of files whose attributes are not.
func TestUnreadableAttributes(t *testing.T) {
	t.Parallel()
	needGit(t)
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r")
	for _, name := range []string{"a", "d/b", "d/.gitattributes", "e/c", "e/f/g"} {
		u.write("r/"+name, name+" text\n")
	}
	u.must("r", "add", "-A")
	u.settle("r")
	u.want(t, "r", "a d/.gitattributes d/b e/c e/f/g")
	if err := os.Remove(u.path("r/d/.gitattributes")); err != nil {
		t.Fatal(err)
	}
	u.want(t, "r", "a e/c e/f/g")
	if err := os.Mkdir(u.path("r/e/f/.gitattributes"), 0o755); err != nil {
		t.Fatal(err)
	}
	u.want(t, "r", "a e/c")
	u.write("r/e/.gitattributes", "c filter=x\n") // which is not tracked
	u.want(t, "r", "a")
}

// TestNames checks names of any bytes.
func TestNames(t *testing.T) {
	t.Parallel()
	needGit(t)
	if runtime.GOOS != "linux" {
		t.Skip("NOT TESTED: other systems do not have files with any name")
	}
	u := newUser(t, t.TempDir())
	u.must("", "init", "-q", "r\n\xff:\"\\ü;#")
	dir := "r\n\xff:\"\\ü;#"
	for _, name := range []string{"new\nline", "\xff\xfe", "quo\"te", "back\\slash", "é", " "} {
		u.write(dir+"/"+name, "content of "+name)
	}
	u.must(dir, "add", "-A")
	u.settle(dir)
	r, reader := u.open(t, dir)
	if got := u.known(r, reader, dir); len(got) != 6 {
		t.Errorf("known are %q", got)
	}
}
