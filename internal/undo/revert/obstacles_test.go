//go:build linux

package revert

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pollux/internal/undo/content"
	"pollux/internal/undo/store"
)

// TestObstacles puts something in the way of an undo. The paths that it meets stay, with the reason, and all others come
// back.
func TestObstacles(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, tree, change, since string
		problems                  []string // of the plan: path and reason
		check                     string   // a script that succeeds after the undo
	}{
		{
			"a directory became a link that leads outside", "mkdir d ../out; echo a >d/a; echo b >b", "echo x >d/a; echo x >b",
			"mv d ../out/d; ln -s ../out/d d; echo x >d/a",
			[]string{"d/a: /d is a link now"},
			"grep -q x ../out/d/a; grep -q b b; test -L d",
		},
		{
			"a file became a link that leads outside", "echo a >a; echo b >b; echo secret >../secret", "rm a; echo x >b", "ln -s ../secret a",
			[]string{"a: it was changed since"},
			"grep -q secret ../secret; test -L a; grep -q b b",
		},
		{
			"a directory is gone", "mkdir d; echo a >d/a; echo b >b", "echo x >d/a; echo x >b", "rm -r d",
			[]string{"d/a: /d is gone"},
			"grep -q b b; test ! -e d",
		},
		{
			"a directory is a file now", "mkdir d; echo a >d/a; echo b >b", "rm d/a; echo x >b", "rmdir d; echo mine >d",
			[]string{"d/a: /d is no directory any more"},
			"grep -q mine d; grep -q b b",
		},
		{
			"a file is a directory now", "echo a >a; echo b >b", "echo x >a; echo x >b", "rm a; mkdir a; echo mine >a/mine",
			[]string{"a: it was changed since"},
			"grep -q mine a/mine; grep -q b b",
		},
		{
			"a person's file in a directory that would go", "echo b >b", "mkdir -p n/m; echo x >n/m/x; echo x >b", "echo mine >n/mine",
			nil, "grep -q mine n/mine; test ! -e n/m; grep -q b b",
		},
		{
			"a FIFO took the place of a file", "echo a >a; echo b >b", "echo x >a; echo x >b", "rm a; mkfifo a",
			[]string{"a: it was changed since"},
			"test -p a; grep -q b b",
		},
		{
			"a path that goes through a file", "mkdir -p d/e; echo a >d/e/a; echo b >b", "rm -r d; echo x >b", "echo mine >d",
			[]string{"d: it was changed since", "d/e: its directory does not come back", "d/e/a: its directory does not come back"},
			"grep -q mine d; grep -q b b",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
			p.sh(t, test.tree)
			o := p.record(t, func() { p.sh(t, test.change) })
			p.sh(t, test.since)
			plan := p.plan(t, o.Number)
			var problems []string
			for _, s := range plan.Problems() {
				problems = append(problems, strings.ReplaceAll(strings.TrimPrefix(s.Path, p.dir+"/")+": "+s.Problem, p.dir, ""))
			}
			if strings.Join(problems, "\n") != strings.Join(test.problems, "\n") {
				t.Errorf("problems %q, want %q", problems, test.problems)
			}
			if _, err := p.apply(t, plan); err != nil {
				t.Error(err)
			}
			p.sh(t, test.check)
			p.sh(t, "test -z \"$(find .. -name '.pollux-undo-*')\"")
		})
	}
}

func mkdir(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestSwapped puts links into the way after the plan was made. No file outside is written or removed.
func TestSwapped(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "mkdir d e ../out; echo a >d/a; echo k >d/k; echo b >b; echo e >e/e")
	o := p.record(t, func() { p.sh(t, "rm d/a; echo new >d/new; echo x >d/k; rm -r e; echo x >b") })
	plan := p.plan(t, o.Number)
	p.sh(t, "cp -a d/. ../out; mv d ../d; ln -s ../out d; ln -s ../out e")
	_, err := p.apply(t, plan)
	if err == nil {
		t.Fatal("no error")
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		path, why, ok := strings.Cut(line, ": ")
		if !ok || why == "" || !strings.HasPrefix(path, filepath.Join(p.dir, "d")) && !strings.HasPrefix(path, filepath.Join(p.dir, "e")) {
			t.Errorf("line %q", line)
		}
	}
	p.sh(t, "grep -q b b; grep -q new ../out/new; grep -q x ../out/k; test ! -e ../out/a; test ! -e ../out/e; test -L d; test -L e")
}

// TestImmutable meets a file that not even root can change: it is named, and the others come back.
func TestImmutable(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "echo a >a; echo b >b; echo c >c")
	o := p.record(t, func() { p.sh(t, "echo x >a; echo x >b; echo x >c") })
	path := filepath.Join(p.dir, "b")
	if out, err := exec.Command("chattr", "+i", path).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no file can be made immutable here: %v: %s", err, out)
	}
	defer func() {
		if out, err := exec.Command("chattr", "-i", path).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}()
	_, err := p.apply(t, p.plan(t, o.Number))
	if err == nil || err.Error() != path+": operation not permitted" {
		t.Errorf("error %v", err)
	}
	p.sh(t, "grep -q a a; grep -q x b; grep -q c c; test -z \"$(find . -name '.pollux-undo-*')\"")
	if err := Finish(t.Context(), p.store); err != nil {
		t.Errorf("it is still being carried out: %v", err)
	}
}

// TestDamagedContent has a content that is not the one that was kept, and one that is cut, in a file of their own and
// among others.
func TestDamagedContent(t *testing.T) {
	t.Parallel()
	for _, size := range []int{content.MaxSmall + 1, content.MaxSmall} {
		t.Run(fmt.Sprint(size), func(t *testing.T) {
			t.Parallel()
			damage(t, size)
		})
	}
}

func damage(t *testing.T, size int) {
	t.Helper()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, fmt.Sprintf("for f in a b c; do yes $f$f$f$f | head -c %d >$f; done", size))
	o := p.record(t, func() { p.sh(t, "echo xxxx >a; echo xxxx >b; echo xxxx >c") })
	if o.Changes[0].Before.Sum == ([32]byte{}) {
		t.Skip("SKIPPED: the file system shares blocks, so no sum is known")
	}
	isAlone := size > content.MaxSmall
	a, c := o.Place(o.Changes[0].Before.Content), o.Place(o.Changes[2].Before.Content)
	if a.IsFile() != isAlone || (a.Path == c.Path) == isAlone {
		t.Fatalf("places %+v, %+v", a, c)
	}
	f, err := os.OpenFile(a.Path, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte("b"), a.At+int64(size)-1)
	if err := errors.Join(err, f.Close(), os.Truncate(c.Path, c.At+2)); err != nil {
		t.Fatal(err)
	}
	plan := p.plan(t, o.Number)
	if list := plan.Problems(); len(list) != 1 || list[0].Path != filepath.Join(p.dir, "c") || !strings.Contains(list[0].Problem, "damaged") {
		t.Errorf("problems %+v", list)
	}
	if _, err := p.apply(t, plan); err == nil || err.Error() != filepath.Join(p.dir, "a")+": its content in the undo log is damaged" {
		t.Errorf("error %v", err)
	}
	p.sh(t, "grep -q xxxx a; grep -q xxxx c; grep -q bbbb b; test -z \"$(find . -name '.pollux-undo-*')\"")
}

// TestOneAtATime refuses an undo while another one is at work, and does not complete that one.
func TestOneAtATime(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "head -c 40000 /dev/zero >a") // so that the operation has a directory
	o := p.record(t, func() { p.sh(t, "echo x >a") })
	release, err := p.store.Lock()
	if err != nil || release == nil {
		t.Fatal(err)
	}
	journal := p.store.File(o.Number, applying)
	if err := createJournal(journal); err != nil {
		t.Fatal(err)
	}
	plan := p.plan(t, o.Number)
	if _, err := p.apply(t, plan); err == nil || !strings.Contains(err.Error(), "another undo is at work") {
		t.Errorf("error %v", err)
	}
	if err := Finish(t.Context(), p.store); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(journal); err != nil {
		t.Errorf("the undo at work was completed: %v", err)
	}
	release()
	if err := Finish(t.Context(), p.store); err != nil {
		t.Error(err)
	}
	if _, err := os.Lstat(journal); !os.IsNotExist(err) {
		t.Errorf("journal: %v", err)
	}
}

// TestLinked restores a file that was kept by a second name, with the mode and the time that it had.
func TestLinked(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "mkdir node_modules; echo a >node_modules/a; chmod 640 node_modules/a; cp -p node_modules/a node_modules/b")
	o := p.record(t, func() { p.sh(t, "chmod 600 node_modules/a; rm node_modules/a; printf x >>node_modules/b") })
	plan := p.plan(t, o.Number)
	list := plan.Problems()
	if len(list) != 1 || !strings.Contains(list[0].Problem, "no room for a copy") {
		t.Skipf("SKIPPED: files are not kept by a second name here: %+v", list)
	}
	if _, err := p.apply(t, plan); err != nil {
		t.Error(err)
	}
	p.sh(t, "grep -q a node_modules/a; test \"$(stat -c %a node_modules/a)\" = 640; grep -q ax node_modules/b || grep -q x node_modules/b")
}

// TestSweepSpares leaves files of a person whose names only look like those of temporary files.
func TestSweepSpares(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"", "{", `{"Temporary":"a"}`, `{"Temporary":".pollux-undo-mine"}`, `{"Temporary":"../x"}`} {
		p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
		p.sh(t, "echo a >a; echo mine >.pollux-undo-mine; echo x >../x; head -c 40000 /dev/zero >large")
		o := p.record(t, func() { p.sh(t, "echo x >b; rm large") })
		if err := os.WriteFile(p.store.File(o.Number, applying), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Finish(t.Context(), p.store); err != nil {
			t.Errorf("%q: %v", data, err)
		}
		p.sh(t, "grep -q a a; grep -q mine .pollux-undo-mine; grep -q x ../x; grep -q x b")
	}
}

// TestDiff shows an operation that is no longer the newest, and a binary file.
func TestDiff(t *testing.T) {
	t.Parallel()
	p := newProject(t, mkdir(t), filepath.Join(t.TempDir(), "undo"))
	p.sh(t, "printf 'one\\ntwo\\n' >a; printf '\\0' >bin; ln -s x link")
	o := p.record(t, func() { p.sh(t, "printf 'one\\n2\\n' >a; printf '\\0\\0' >bin; chmod 600 bin; rm link; mkdir d") })
	p.sh(t, "echo later >a")
	got := Show(p.store, []*store.Operation{o}).Diff(func(path string) string { return strings.TrimPrefix(path, p.dir+"/") })
	for _, want := range []string{"-two\n+2\n", "Binary files a/bin and b/bin differ", "old mode 100644\nnew mode 100600", "deleted file mode 120000", "new file mode 040000"} {
		if !bytes.Contains([]byte(got), []byte(want)) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if strings.Contains(got, "later") {
		t.Errorf("it shows what was changed since:\n%s", got)
	}
}
