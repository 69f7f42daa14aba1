package patch

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/unicode"

	"pollux/internal/undo/content"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
)

// TestAsGit checks that a patch is that of git diff, except for the compressed contents.
func TestAsGit(t *testing.T) {
	t.Parallel()
	needGit(t)
	from := tree{
		"a b": {0o644, "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n"}, "bin": {0o644, "\x00"}, "end": {0o644, "x"},
		"gone": {0o644, "gone\n"}, "empty gone": {0o644, ""}, "link": {fs.ModeSymlink, "to"}, "mode": {0o644, "same\n"}, "moved": {0o644, "moved\n"},
		"both": {0o755, "a\n"}, "becomes": {0o644, "text\n"}, "text": {0o644, "was text\n"}, "bare": {0o644, "\x00 was binary"},
	}
	to := tree{
		"a b": {0o644, "1\n2\n3\nfour\n5\n6\n7\n8\n9\n10\neleven\n12\n13\n14\n15\n16\n17\n18\n19\n20\nend\n"}, "bin": {0o644, "\x00\x01"}, "end": {0o644, "x\n"},
		"new": {0o755, "one\n"}, "n\u00e9w": {0o644, "two\nlines"}, "empty": {0o644, ""}, "link": {fs.ModeSymlink, "elsewhere"}, "mode": {0o755, "same\n"}, "re/moved": {0o644, "moved\n"},
		"both": {0o644, "b\n"}, "tab\t\"\\": {0o644, "x\n"}, "becomes": {fs.ModeSymlink, "text\n"}, "text": {0o644, "\x00"}, "bare": {0o644, "text\n"},
	}
	dir := t.TempDir()
	before, after := filepath.Join(dir, "before"), filepath.Join(dir, "after")
	from.write(t, before)
	to.write(t, after)
	var b bytes.Buffer
	summary, err := Write(&b, changes(t, before, after, from, to), below(after))
	if err != nil {
		t.Fatal(err)
	}
	run := func(args ...string) string {
		out, err := git(t, after, nil, append([]string{"--git-dir=" + filepath.Join(dir, "git"), "--work-tree=."}, args...)...)
		if err != nil {
			t.Fatal(err, out)
		}
		return out
	}
	run("init", "-q")
	run("--work-tree="+before, "-C", before, "add", "-A")
	want := run("write-tree")
	run("add", "-A")
	want = run("-c", "core.quotepath=false", "diff", "--cached", "--binary", "--full-index", "--no-renames", strings.TrimSpace(want))
	lines := regexp.MustCompile(`(?m)^[A-Za-z][0-9A-Za-z!-~]{5,65}$`) // of a binary patch: all others have a space
	if diff := cmp.Diff(lines.ReplaceAllString(want, "..."), lines.ReplaceAllString(b.String(), "...")); diff != "" {
		t.Errorf("(-git +got):\n%s", diff)
	}
	if added, removed := summary.Lines(); len(summary.Files) != 17 || added != 12 || removed != 8 {
		t.Errorf("%d files, %d lines added, %d removed", len(summary.Files), added, removed)
	}
}

// logged returns a version of the log, with its content in a file.
func logged(t *testing.T, text string, set func(v *Version)) Version {
	t.Helper()
	place := filepath.Join(t.TempDir(), "1")
	if err := os.WriteFile(place, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	v := version(t, place)
	v.State.Mode, v.State.Inode = 0o644, 0 // that of another file
	if set != nil {
		set(&v)
	}
	return v
}

// TestNotes checks the lines about changes that git cannot have, and which are in no patch.
func TestNotes(t *testing.T) {
	t.Parallel()
	plain := logged(t, "text\n", nil)
	kind := func(k state.Kind) Version { return Version{Version: store.Version{State: state.State{Kind: k}}} }
	inode := func(mode uint16) Version {
		return logged(t, "text\n", func(v *Version) { v.State.Inode, v.State.Mode, v.State.Modified = 7, mode, 1 })
	}
	const none = "none"
	size := func(n int64) Version { return logged(t, "text\n", func(v *Version) { v.State.Size = n }) }
	for _, test := range []struct {
		name          string
		before, after Version
		shown, exact  string // "" for those of the case before
	}{
		{"lost", logged(t, "x", func(v *Version) { v.Lost = "no\nroom" }), plain, "# p/lost: its content was not kept: no room, so the patch does not have it\n", ""},
		{"fifo", kind(state.Absent), kind(state.Special), "# p/fifo: it is a FIFO, a socket or a device, so the patch does not have it\n", ""},
		{"large", Version{}, size(2 << 20), "# p/large: it has more than 1 MB, so the patch does not have it\n", "# p/large: its content in the undo log is damaged, so the patch does not have it\n"},
		{"huge", size(33 << 20), Version{}, "# p/huge: it has more than 1 MB, so the patch does not have it\n", "# p/huge: it has more than 32 MB, so the patch does not have it\n"},
		{"cut", Version{}, size(6), "# p/cut: its content in the undo log is damaged, so the patch does not have it\n", ""},
		{"grown", Version{}, size(4), "# p/grown: its content in the undo log is damaged, so the patch does not have it\n", ""},
		{"sum", Version{}, logged(t, "text\n", func(v *Version) { v.Sum = content.Sum{1} }), "# p/sum: its content in the undo log is damaged, so the patch does not have it\n", ""},
		{"gone", Version{}, logged(t, "text\n", func(v *Version) { v.Place.Path += "x" }), "# p/gone: its content in the undo log is damaged, so the patch does not have it\n", ""},
		{"link", Version{}, logged(t, "text\n", func(v *Version) { v.Way, v.State.Modified = content.Linked, 1 }), "# p/link: a program has written into the file, of which there was no room for a copy, so the patch does not have it\n", ""},
		{"line\nbreak", logged(t, "x", func(v *Version) { v.Lost = "no room" }), plain, `# "p/line\nbreak": its content was not kept: no room, so the patch does not have it` + "\n", ""},
		{"mode", inode(0o600), inode(0o640), "diff --git a/p/mode b/p/mode\nold mode 100600\nnew mode 100640\n", "# p/mode: its mode was 0600 and is 0640, which git does not keep\n"},
		{"x", inode(0o644), inode(0o755), "diff --git a/p/x b/p/x\nold mode 100644\nnew mode 100755\n", ""},
		{"copied", logged(t, "same\n", func(v *Version) { v.State.Mode = 0o600 }), logged(t, "same\n", nil), "diff --git a/p/copied b/p/copied\nold mode 100600\nnew mode 100644\n", "# p/copied: its mode was 0600 and is 0644, which git does not keep\n"},
		{"touched", plain, logged(t, "text\n", nil), "", ""},
		{"directory", kind(state.Absent), kind(state.Directory), "diff --git a/p/directory b/p/directory\nnew file mode 040000\n", none},
		{".git/config", Version{}, plain, "", ""},
		{"sub/.GIT/x", Version{}, plain, "", ""},
		{"../out", Version{}, plain, "", ""},
	} {
		for _, isExact := range []bool{false, true} {
			o := below("/w")
			o.IsExact = isExact
			name := o.Name
			o.Name = func(path string) (string, bool) { n, ok := name(path); return "p/" + n, ok }
			want := test.shown
			if isExact && test.exact != "" {
				want = strings.TrimPrefix(test.exact, none)
			}
			var b bytes.Buffer
			s, err := Write(&b, []Change{{Path: "/w/" + test.name, Before: test.before, After: test.after}}, o)
			if test.name == "../out" {
				s, err = Write(&b, []Change{{Path: "/out", Before: test.before, After: test.after}}, o)
			}
			if err != nil || b.String() != want {
				t.Errorf("%s, exact %v: %q, want %q, error %v", test.name, isExact, b.String(), want, err)
			}
			isLeftOut := strings.Contains(want, "does not have it")
			if (s.LeftOut == 1) != isLeftOut || (s.Outside == 1) != (test.name == "../out") || (len(s.Files) == 1) != strings.Contains(want, "new mode") {
				t.Errorf("%s: %+v", test.name, s)
			}
		}
	}
}

// TestShown checks that a patch for people has no content that they cannot read, and an exact one for a terminal none
// that it would change.
func TestShown(t *testing.T) {
	t.Parallel()
	bell := logged(t, "bell\a\n", nil)
	o := below("/w")
	o.IsText = func(text string) bool { return !strings.Contains(text, "\a") }
	for _, isExact := range []bool{true, false} {
		var b bytes.Buffer
		o.IsExact = isExact
		s, err := Write(&b, []Change{{Path: "/w/b", After: bell}}, o)
		if err != nil || len(s.Files) != 1 || !s.Files[0].IsBinary || strings.Contains(b.String(), "\a") {
			t.Errorf("%+v, %v\n%s", s, err, b.String())
		}
		if got := strings.Contains(b.String(), "\nBinary files /dev/null and b/b differ\n"); got == isExact {
			t.Errorf("exact %v:\n%s", isExact, b.String())
		}
	}
}

// TestRows checks the table of the files.
func TestRows(t *testing.T) {
	t.Parallel()
	s := &Summary{Files: []File{
		{Name: "a", Added: 300, Removed: 1}, {Name: "b", Kind: Created, Added: 1}, {Name: "c", Kind: Deleted, Removed: 30}, {Name: "d", IsBinary: true}, {Name: "e", Kind: Created},
	}}
	want := [][]string{
		{"a", "301", strings.Repeat("+", 29) + "-"}, {"b", "1", "+ new"}, {"c", "30", "-- deleted"}, {"d", "binary", ""}, {"e", "0", "new"},
	}
	added, removed := s.Lines()
	if diff := cmp.Diff(want, s.Rows()); diff != "" || added != 301 || removed != 31 {
		t.Errorf("%d added, %d removed (-want +got):\n%s", added, removed, diff)
	}
	s = &Summary{Files: []File{{Name: "a", Added: 2, Removed: 1}}}
	if diff := cmp.Diff([][]string{{"a", "3", "++-"}}, s.Rows()); diff != "" {
		t.Error(diff)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

// TestWriteFails returns the error of the output.
func TestWriteFails(t *testing.T) {
	t.Parallel()
	if _, err := Write(brokenWriter{}, []Change{{Path: "/w/a", After: logged(t, "x", nil)}}, below("/w")); !errors.Is(err, errBroken) {
		t.Error(err)
	}
}

// TestEncodings shows texts in other encodings than UTF-8 to people as text, and leaves them as they are in an exact patch.
func TestEncodings(t *testing.T) {
	t.Parallel()
	encode := func(e encoding.Encoding, text string) string {
		data, err := e.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	utf16 := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM)
	const before, after = "这是一个用来测试的文件\n第二行\n", "这是一个用来测试的文件\n新的一行\n"
	for name, test := range map[string]struct{ before, after, want string }{
		"gbk":     {encode(simplifiedchinese.GBK, before), encode(simplifiedchinese.GBK, after), " 这是一个用来测试的文件\n-第二行\n+新的一行\n"},
		"utf16":   {encode(utf16, before), encode(utf16, after), " 这是一个用来测试的文件\n-第二行\n+新的一行\n"},
		"changed": {encode(utf16, before), before, "# changed: its encoding has changed, and its text has not\n"},
	} {
		c := Change{Path: "/w/" + name, Before: logged(t, test.before, nil), After: logged(t, test.after, nil)}
		o := below("/w")
		for _, o.IsExact = range []bool{false, true} {
			var b bytes.Buffer
			summary, err := Write(&b, []Change{c}, o)
			if err != nil || len(summary.Files) != 1 {
				t.Fatalf("%s: %+v, error %v", name, summary, err)
			}
			if !o.IsExact && (!strings.HasSuffix(b.String(), test.want) || summary.Files[0].IsBinary) {
				t.Errorf("%s: %s", name, b.String())
			}
			if o.IsExact && name == "gbk" && !strings.Contains(b.String(), "+"+encode(simplifiedchinese.GBK, "新的一行\n")) {
				t.Errorf("%s, exact: %s", name, b.String())
			}
		}
	}
}
