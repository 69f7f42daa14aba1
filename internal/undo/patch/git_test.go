package patch

import (
	"bytes"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// entry is a file or a link in a tree of a test, by its path.
type entry struct {
	mode fs.FileMode // os.ModeSymlink for a link, whose target is data
	data string
}

type tree map[string]entry

// write writes the tree below a directory.
func (tr tree) write(t testing.TB, dir string) {
	t.Helper()
	for name, e := range tr {
		path := filepath.Join(dir, name)
		err := os.MkdirAll(filepath.Dir(path), 0o755)
		switch {
		case err != nil:
		case e.mode == fs.ModeSymlink:
			err = os.Symlink(e.data, path)
		default:
			err = os.WriteFile(path, []byte(e.data), e.mode)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// readTree reads the tree below a directory, without empty directories and with the modes that git knows.
func readTree(t testing.TB, dir string) tree {
	t.Helper()
	tr := tree{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if err == nil && d.Name() == ".git" {
				return fs.SkipDir
			}
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(path)
			tr[name] = entry{fs.ModeSymlink, target}
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 {
			mode = 0o755
		}
		tr[name] = entry{mode, string(data)}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// version returns the version at a path.
func version(t testing.TB, path string) Version {
	t.Helper()
	s, err := state.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	v := Version{Version: store.Version{State: s}, Place: content.Place{Path: path}}
	if s.Kind == state.Link {
		v.Target, err = os.Readlink(path)
		if err != nil {
			t.Fatal(err)
		}
	}
	return v
}

// changes returns the changes from the tree below one directory to the one below another.
func changes(t testing.TB, before, after string, trees ...tree) (list []Change) {
	t.Helper()
	names := map[string]bool{}
	for _, tr := range trees {
		for name := range tr {
			for ; name != "."; name = filepath.Dir(name) {
				names[name] = true
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		list = append(list, Change{Path: filepath.Join(after, name), Before: version(t, filepath.Join(before, name)), After: version(t, filepath.Join(after, name))})
	}
	return list
}

// git runs git in a directory, with a file as its input.
func git(t testing.TB, dir string, input []byte, args ...string) (string, error) {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
	c.Stdin = bytes.NewReader(input)
	out, err := c.CombinedOutput()
	return string(out), err
}

func needGit(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("NOT TESTED: git is not installed")
	}
}

// below returns options that name paths below a directory.
func below(dir string) Options {
	return Options{IsExact: true, Name: func(path string) (string, bool) {
		name, err := filepath.Rel(dir, path)
		return name, err == nil && filepath.IsLocal(name)
	}}
}

// check applies the patch between two trees with git, in both directions.
func check(t testing.TB, base string, from, to tree, format string, isText func(string) bool) {
	t.Helper()
	dir, err := os.MkdirTemp(base, "")
	if err != nil {
		t.Fatal(err)
	}
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	for place, tr := range map[string]tree{before: from, after: to} {
		if err := os.MkdirAll(place, 0o755); err != nil {
			t.Fatal(err)
		}
		tr.write(t, place)
	}
	o := below(after)
	o.IsSHA256, o.IsText = format == "sha256", isText
	var b bytes.Buffer
	summary, err := Write(&b, changes(t, before, after, from, to), o)
	if err != nil || summary.LeftOut > 0 || summary.Outside > 0 {
		t.Fatal(summary, err)
	}
	if out, err := git(t, before, nil, "init", "-q", "--object-format="+format); err != nil {
		t.Fatal(err, out)
	}
	for _, step := range []struct {
		want tree
		args []string
	}{{to, nil}, {from, []string{"-R"}}} {
		if b.Len() == 0 {
			break // git calls it an error
		}
		out, err := git(t, before, b.Bytes(), append([]string{"apply", "--whitespace=nowarn"}, step.args...)...)
		if err != nil || out != "" {
			t.Fatalf("git apply %v: %v\n%s\n%s", step.args, err, out, b.String())
		}
		if diff := cmp.Diff(step.want, readTree(t, before), cmp.AllowUnexported(entry{})); diff != "" {
			t.Fatalf("git apply %v (-want +got):\n%s\n%s", step.args, diff, b.String())
		}
	}
	if b.Len() == 0 && !maps.Equal(from, to) {
		t.Fatalf("no patch from %v to %v", from, to)
	}
}

// odd are names that git quotes, or that look like something else.
var odd = []string{
	"a", "b c", " lead", "trail ", "tab\there", "line\nbreak", `quote"d`, `back\slash`, "na\u00efve", "raw\xff\xfe", "bidi\u202egpj", "esc\x1b[31m",
	"d/x", "d/y z", "d/e/deep", "d", "b/a/b", "-rf", "a b/a b", "--- a", "/dev/null"[1:], "# note", "\u4e2d\u6587 \u00a0",
}

func genEntry(t *rapid.T) entry {
	word := func() string {
		return rapid.SampledFrom([]string{"", "x", "x", "y", "longer line", "cr\r", "\ttab ", "@@ -1 +1 @@", "-- a", "++ b", "\xe9t\xe9", "diff --git a/q b/q"}).Draw(t, "word")
	}
	switch rapid.IntRange(0, 9).Draw(t, "kind") {
	case 0:
		return entry{0o644, ""}
	case 1:
		return entry{fs.ModeSymlink, rapid.SampledFrom([]string{"a", "../x", "/etc/none", "line\nbreak", "no end"}).Draw(t, "target")}
	case 2:
		return entry{0o644, string(rapid.SliceOfN(rapid.Byte(), 1, 300).Draw(t, "bytes"))}
	case 3:
		return entry{0o755, "\x00" + word()}
	}
	n := rapid.IntRange(0, 40).Draw(t, "lines")
	list := make([]string, n)
	for i := range list {
		list[i] = word()
	}
	text := strings.Join(list, "\n") + rapid.SampledFrom([]string{"\n", "\n", ""}).Draw(t, "end")
	return entry{rapid.SampledFrom([]fs.FileMode{0o644, 0o755}).Draw(t, "mode"), text}
}

// edit changes some lines of a text.
func edit(t *rapid.T, e entry) entry {
	list := strings.SplitAfter(e.data, "\n")
	for range rapid.IntRange(1, 4).Draw(t, "edits") {
		at := rapid.IntRange(0, len(list)-1).Draw(t, "at")
		switch rapid.IntRange(0, 2).Draw(t, "what") {
		case 0:
			list[at] = ""
		case 1:
			list[at] += "x\n"
		default:
			list[at] = "changed\n" + list[at]
		}
	}
	e.data = strings.Join(list, "")
	return e
}

// add adds a path, unless another one needs a directory or a file there.
func (tr tree) add(name string, e entry) {
	for dir := filepath.Dir(name); dir != "."; dir = filepath.Dir(dir) {
		delete(tr, dir)
	}
	for other := range tr {
		if strings.HasPrefix(other, name+"/") {
			delete(tr, other)
		}
	}
	tr[name] = e
}

// TestGitApplies checks that git makes the same tree of a patch, for any changes.
func TestGitApplies(t *testing.T) {
	t.Parallel()
	needGit(t)
	base := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		from := tree{}
		for range rapid.IntRange(0, 8).Draw(rt, "files") {
			from.add(rapid.SampledFrom(odd).Draw(rt, "name"), genEntry(rt))
		}
		to := maps.Clone(from)
		for range rapid.IntRange(1, 6).Draw(rt, "changes") {
			name := rapid.SampledFrom(odd).Draw(rt, "name")
			if names := slices.Sorted(maps.Keys(to)); len(names) > 0 && rapid.Bool().Draw(rt, "there") {
				name = rapid.SampledFrom(names).Draw(rt, "old name")
			}
			old, found := to[name]
			switch rapid.IntRange(0, 3).Draw(rt, "change") {
			case 0:
				delete(to, name)
			case 1:
				to.add(name, genEntry(rt))
			default:
				if found && old.mode != fs.ModeSymlink {
					to[name] = edit(rt, old)
				}
			}
		}
		var isText func(string) bool
		if rapid.Bool().Draw(rt, "clean") {
			isText = func(text string) bool { return !strings.Contains(text, "\xe9") }
		}
		check(t, base, from, to, rapid.SampledFrom([]string{"sha1", "sha256"}).Draw(rt, "format"), isText)
	})
}

// TestNear applies hunks to a file whose lines are much alike: a wrong line number would change other ones.
func TestNear(t *testing.T) {
	t.Parallel()
	needGit(t)
	text := func(changed ...int) string {
		var b strings.Builder
		for i := range 400 {
			line := fmt.Sprint(i % 4)
			if slices.Contains(changed, i) {
				line = "new\nnew"
			}
			b.WriteString(line + "\n")
		}
		return b.String()
	}
	for _, changed := range [][]int{{0}, {5, 10, 15, 100, 107, 114, 300}, {3, 4, 9, 16, 23, 399}, {0, 399}} {
		check(t, t.TempDir(), tree{"f": {0o644, text()}}, tree{"f": {0o644, text(changed...)}}, "sha1", nil)
	}
}

// TestBinary applies contents whose compressed form ends within a line, and within four bytes.
func TestBinary(t *testing.T) {
	t.Parallel()
	needGit(t)
	base := t.TempDir()
	random := make([]byte, 0, 200)
	for i := range 200 {
		random = append(random, byte(i*i*31+i*7))
	}
	for n := range 130 {
		check(t, base, tree{"f": {0o644, "\x00"}}, tree{"f": {0o644, "\x00\x01" + string(random[:n])}}, "sha1", nil)
		if n%13 == 0 {
			check(t, base, tree{}, tree{"new": {0o755, "\x00" + string(random[:n])}}, "sha1", nil)
		}
	}
}
