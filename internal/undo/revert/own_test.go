//go:build linux

package revert

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/undo/patch"
	"pollux/internal/undo/store"
)

// TestPatchLeavesOutOthers makes a patch of calls between which a person has changed files: git apply turns the tree before them into one
// with the changes of the calls alone.
func TestPatchLeavesOutOthers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, tree, first, between, second string
		want                               string // a script that succeeds in the tree with the patch
		note                               string // in the patch, "" for none
	}{
		{"other lines", "seq 20 >a", "sed -i s/^2$/call/ a", "sed -i s/^8$/mine/ a", "sed -i s/^14$/call/ a", "seq 20 | sed 's/^2$/call/; s/^14$/call/' | cmp - a", ""},
		{"created", "seq 3 >b", "seq 20 >a", "echo mine >>a", "sed -i s/^2$/call/ a", "seq 20 | sed s/^2$/call/ | cmp - a", ""},
		{"deleted", "seq 20 >a", "sed -i s/^2$/call/ a", "echo mine >>a", "rm a", "test ! -e a", ""},
		{"mode", "seq 20 >a", "chmod 755 a", "echo mine >>a", "sed -i s/^2$/call/ a", "seq 20 | sed s/^2$/call/ | cmp - a; test -x a", ""},
		{"canceled", "seq 20 >a", "sed -i s/^2$/call/ a", "echo mine >>a", "sed -i s/^call$/2/ a", "seq 20 | cmp - a", ""},
		{"UTF-16", "seq 20 | iconv -t UTF-16 >a", "seq 20 | sed s/^2$/call/ | iconv -t UTF-16 >a", "seq 20 | sed 's/^2$/call/; s/^8$/mine/' | iconv -t UTF-16 >a", "seq 20 | sed 's/^2$/call/; s/^8$/mine/; s/^14$/call/' | iconv -t UTF-16 >a", "seq 20 | sed 's/^2$/call/; s/^14$/call/' | iconv -t UTF-16 | cmp - a", ""},
		{"the same line", "seq 20 >a", "sed -i s/^2$/call/ a", "sed -i s/call/mine/ a", "sed -i s/mine/again/ a", "seq 20 | sed s/^2$/again/ | cmp - a", "they are in the same lines"},
		{"a person's file", "seq 20 >a", "rm a", "echo mine >a", "echo call >>a", "printf 'mine\\ncall\\n' | cmp - a", "it was not always a file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
			p.sh(t, test.tree+"; cp -a . ../before")
			first := p.record(t, func() { p.sh(t, test.first) })
			p.sh(t, test.between)
			second := p.record(t, func() { p.sh(t, test.second) })
			var b bytes.Buffer
			o := patch.Options{IsExact: true, Name: func(path string) (string, bool) {
				name, err := filepath.Rel(p.dir, path)
				return name, err == nil
			}}
			if _, err := Show(p.store, []*store.Operation{second, first}).Patch(&b, o); err != nil {
				t.Fatal(err)
			}
			if has := strings.Contains(b.String(), "# a: it was changed between the calls, too"); has != (test.note != "") || !strings.Contains(b.String(), test.note) {
				t.Errorf("patch:\n%s", b.String())
			}
			if test.note == "" && strings.Contains(b.String(), "mine") {
				t.Errorf("the patch has a line of the person:\n%s", b.String())
			}
			p.sh(t, "cd ../before; git init -q; git apply --allow-empty - <<'END'\n"+b.String()+"END\n"+test.want)
		})
	}
}
