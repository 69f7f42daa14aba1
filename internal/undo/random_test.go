package undo_test

import (
	"crypto/sha1"
	"fmt"
	"io"
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

	"pollux/internal/gitstate/index"
	"pollux/internal/undo"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// names are few, so that random operations meet.
var names = []string{"a", "b", "d/x", "d/y", "d/e/z", "d", "d/e", "f f", "-g"}

// script returns a random command line that changes files. It may fail.
func script(t *rapid.T) string {
	name := func() string { return "./" + rapid.SampledFrom(names).Draw(t, "name") }
	text := rapid.SampledFrom([]string{"one", "two", "six", "a longer text", ""}).Draw(t, "text")
	switch rapid.IntRange(0, 14).Draw(t, "what") {
	case 0, 1, 2:
		return fmt.Sprintf("printf %q >%q", text, name())
	case 3:
		return fmt.Sprintf("printf %q >>%q", text, name())
	case 4:
		return fmt.Sprintf("rm -rf %q", name())
	case 5:
		return fmt.Sprintf("mkdir -p %q", name())
	case 6:
		return fmt.Sprintf("mv -T %q %q", name(), name())
	case 7:
		return fmt.Sprintf("cp -rT %q %q", name(), name())
	case 8:
		return fmt.Sprintf("ln -sfT %q %q", rapid.SampledFrom([]string{"a", "../a", "../outside", "."}).Draw(t, "target"), name())
	case 9:
		return fmt.Sprintf("chmod %s %q", rapid.SampledFrom([]string{"600", "755", "644"}).Draw(t, "mode"), name())
	case 10:
		return fmt.Sprintf("touch -d '2002-02-0%d' %q", rapid.IntRange(1, 3).Draw(t, "day"), name())
	case 11:
		return fmt.Sprintf("git add -A; git commit -qm %q", text+".")
	case 12:
		return "git gc -q --prune=now"
	case 13:
		return "rm -rf .git"
	default:
		return "git checkout -q -f HEAD~1 || git checkout -q -f main; git clean -fdq"
	}
}

// try runs a script that may fail.
func (p *place) try(script string) {
	c := exec.Command("/bin/sh", "-c", script)
	c.Dir = p.dir
	c.Env = p.environ()
	_ = c.Run()
}

// commands are those of git that move branches, and change or delete files.
var commands = []string{
	"git add -A; git commit -qm more", "git commit -qam all", "git reset -q --hard", "git reset -q --hard HEAD~1", "git clean -qfdx", "git checkout -q .",
	"git checkout -q -B side HEAD~1", "git checkout -q -f main", "git stash -q", "git stash -q -u", "git stash pop -q", "git stash drop -q",
	"git branch side; git branch -D side -q", "git branch -D side -q", "git rebase -q main side || git rebase --abort", "git tag -f here; git tag -d here",
	"git merge -q side || git merge --abort", "git gc -q --prune=now", "git rm -qrf d", "git mv a moved",
}

// TestRandom checks that an operation has exactly the paths that differ, and that an undo changes exactly those of its operation
// and no one's since, whatever ran and whatever a person does in between. POLLUX_LONG=1 does more than 10,000 operations.
func TestRandom(t *testing.T) {
	t.Parallel()
	for _, isWatched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watched=%v", isWatched), func(t *testing.T) {
			t.Parallel()
			operations := 0
			rapid.Check(t, func(rt *rapid.T) {
				w := newWorld(t, isWatched)
				defer w.recorder.Close()
				rt.Repeat(map[string]func(*rapid.T){
					"shell":  func(rt *rapid.T) { w.shell(rt, script(rt)) },
					"git":    func(rt *rapid.T) { w.shell(rt, rapid.SampledFrom(commands).Draw(rt, "command")) },
					"tool":   w.tool,
					"person": func(rt *rapid.T) { w.try(script(rt)) },
					"undo":   w.undoOne,
					"":       w.check,
				})
				operations += len(w.done)
			})
			t.Logf("%d operations", operations)
		})
	}
}

// world is a place in which random things happen.
type world struct {
	*place
	t    *testing.T
	done []done
}

// done is an operation, with all files before and after it.
type done struct {
	number        int
	before, after undotest.Picture
}

func newWorld(t *testing.T, isWatched bool) *world {
	p := newPlace(t, `git init -q -b main; git config gc.auto 0; git config maintenance.auto false; echo a >a; mkdir d; echo x >d/x; git add -A; git commit -qm 1; echo y >>a; git commit -qam 2; mkdir ../outside`)
	p.recorder.Close()
	o := p.options()
	o.Walked = walked(isWatched)
	p.recorder = undo.New(o)
	return &world{place: p, t: t}
}

func (w *world) shell(rt *rapid.T, script string) {
	w.record(rt, undo.Scope{Anywhere: true}, func() { w.try(script) })
}

// tool changes files as the tools for files do: at once, by a rename, at a path in the workspace without links.
func (w *world) tool(rt *rapid.T) {
	path := filepath.Join(w.dir, rapid.SampledFrom(names).Draw(rt, "name"))
	text := rapid.SampledFrom([]string{"one", "two", "", strings.Repeat("long ", 10_000)}).Draw(rt, "text")
	if dir, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(dir, filepath.Base(path))
	}
	if !strings.HasPrefix(path, w.dir+"/") {
		rt.Skip("outside")
	}
	w.record(rt, undo.Scope{Paths: []string{path}}, func() {
		temporary := filepath.Join(filepath.Dir(w.dir), "temporary")
		_ = os.MkdirAll(filepath.Dir(path), 0o755) // all may fail
		if os.WriteFile(temporary, []byte(text), 0o644) == nil {
			_ = os.Rename(temporary, path)
		}
	})
}

// record records a run, and checks that the operation has the paths that it has changed.
func (w *world) record(rt *rapid.T, may undo.Scope, change func()) {
	before, then := undotest.Take(w.t, w.dir), states(w.t, w.dir)
	run, err := w.recorder.Begin(w.t.Context(), store.Header{Kind: store.Call}, may)
	if err != nil {
		rt.Fatal(err)
	}
	change()
	o, err := run.End(w.t.Context())
	if err != nil {
		rt.Fatal(err)
	}
	now := states(w.t, w.dir)
	recorded := map[string]bool{}
	if o != nil {
		w.done = append(w.done, done{o.Number, before, undotest.Take(w.t, w.dir)})
		for _, c := range o.Changes {
			recorded[c.Path] = true
			if then[c.Path].IsSame(now[c.Path]) {
				rt.Fatalf("the operation has %s, which has not changed", c.Path)
			}
		}
	}
	for path := range paths(then, now) {
		a, b := then[path], now[path]
		if !a.IsSame(b) && !a.HasContent(b) && !recorded[path] {
			rt.Fatalf("the operation lacks %s, which was %+v and is %+v", path, a, b)
		}
	}
}

// undoOne takes an operation back, mostly the last one. That may itself be an undo.
func (w *world) undoOne(rt *rapid.T) {
	if len(w.done) == 0 {
		rt.Skip("nothing to undo")
	}
	last := w.done[max(0, len(w.done)-1-rapid.SampledFrom([]int{0, 0, 0, 1, 2, 5}).Draw(rt, "back"))]
	o, err := w.store.Read(last.number)
	if err != nil {
		rt.Fatal(err)
	}
	plan, err := revert.Make(w.t.Context(), w.store, []*store.Operation{o})
	if err != nil {
		rt.Fatal(err)
	}
	if len(plan.Changes()) == 0 {
		return
	}
	b, err := w.store.Open()
	if err != nil {
		rt.Fatal(err)
	}
	now, then, index := undotest.Take(w.t, w.dir), states(w.t, w.dir), w.index()
	back, err := plan.Apply(w.t.Context(), b, store.Header{})
	b.Close()
	if err != nil {
		rt.Fatal(err)
	}
	got := undotest.Take(w.t, w.dir)
	w.done = append(w.done, done{back.Number, now, got})
	if maps.Equal(now, last.after) {
		if diff := cmp.Diff(last.before, got); diff != "" {
			rt.Fatalf("after undo (-want +got):\n%s", diff)
		}
	}
	for path := range got {
		if got[path] != now[path] && got[path] != last.before[path] {
			rt.Fatalf("undo made %s something new: %s, was %s", path, got[path], now[path])
		}
		if was, isFile := now[path], strings.HasPrefix(now[path], "-"); isFile && was != last.after[path] && was != got[path] && !sameText(was, last.after[path]) && !isIndex(o, path, index) {
			rt.Fatalf("undo took the person's change of %s: %s, was %s", path, got[path], was)
		}
	}
	w.untouched(rt, o, then)
}

// index returns the bytes of git's index.
func (w *world) index() []byte {
	data, _ := os.ReadFile(filepath.Join(w.dir, ".git", "index")) // which need not be there
	return data
}

// isIndex reports whether a path is that of git's index, which had the same files as after the operation: a look by git
// changes the rest.
func isIndex(o *store.Operation, path string, data []byte) bool {
	i := slices.IndexFunc(o.Changes, func(c store.Change) bool { return path == ".git/index" && strings.HasSuffix(c.Path, path) })
	if i < 0 {
		return false
	}
	f, err := o.Place(o.Changes[i].After.Content).Open()
	if err != nil {
		return false
	}
	defer f.Close()
	recorded, err := io.ReadAll(f)
	a, ok := index.Parse(recorded, sha1.Size)
	b, also := index.Parse(data, sha1.Size)
	return err == nil && ok && also && a.IsEqual(b)
}

// untouched checks that an undo has not touched any path but those of the operation: each is the same file, with the same
// times, but for the times of directories with entries that came or went.
func (w *world) untouched(rt *rapid.T, o *store.Operation, then map[string]state.State) {
	now := states(w.t, w.dir)
	may, parents := map[string]bool{}, map[string]bool{}
	for _, c := range o.Changes {
		may[c.Path], parents[filepath.Dir(c.Path)] = true, true
	}
	for path := range paths(then, now) {
		a, b := then[path], now[path]
		if parents[path] {
			a.Modified, a.Changed = b.Modified, b.Changed
		}
		if a != b && !may[path] {
			rt.Fatalf("undo touched %s, which was %+v and is %+v", path, a, b)
		}
	}
}

// check runs after each step.
func (w *world) check(rt *rapid.T) {
	for path := range states(w.t, w.dir) {
		if strings.Contains(path, revert.Temporary) {
			rt.Fatalf("the temporary file %s is left", path)
		}
	}
}

// states returns the state of each path in a directory.
func states(t *testing.T, dir string) map[string]state.State {
	t.Helper()
	all := map[string]state.State{}
	err := filepath.WalkDir(dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		all[path], err = state.Read(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// paths returns the paths in either of two pictures.
func paths(a, b map[string]state.State) map[string]bool {
	all := map[string]bool{}
	for path := range a {
		all[path] = true
	}
	for path := range b {
		all[path] = true
	}
	return all
}

// sameText reports whether two descriptions are those of files with the same content.
func sameText(a, b string) bool {
	x, y := strings.Fields(a), strings.Fields(b)
	return len(x) > 2 && len(y) > 2 && x[2] == y[2]
}
