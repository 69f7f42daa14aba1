//go:build linux

package revert

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/process/processtest"
	"pollux/internal/undo/state"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// killAfter is the variable with the number of changes after which a test process kills itself, and killIn the one
// with its directory. killBy is "apply", "merge", "finish", or "save" for an editor that saves instead of a kill.
const (
	killAfter = "POLLUX_TEST_KILL_AFTER"
	killIn    = "POLLUX_TEST_KILL_IN"
	killBy    = "POLLUX_TEST_KILL_BY"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(killIn); dir != "" {
		if err := die(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// die takes operation 1 back, or completes that, and kills its process on the way.
func die(dir string) error {
	left, err := strconv.Atoi(os.Getenv(killAfter))
	if err != nil {
		return err
	}
	changed = func() {
		switch left--; {
		case left != 0:
		case os.Getenv(killBy) == "save":
			saveAll(dir)
		default:
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
	}
	ctx := context.Background()
	s := store.Open(filepath.Join(dir, "undo"), store.DefaultLimit)
	if os.Getenv(killBy) == "finish" {
		return Finish(ctx, s)
	}
	o, err := s.Read(1)
	if err != nil {
		return err
	}
	plan, err := Make(ctx, s, []*store.Operation{o})
	if err != nil {
		return err
	}
	if os.Getenv(killBy) == "merge" {
		err = plan.Merge(ctx)
	} else if p := plan.Problems(); len(p) > 0 {
		return fmt.Errorf("problems: %+v", p)
	}
	if err != nil {
		return err
	}
	b, err := s.Open()
	if err != nil {
		return err
	}
	defer b.Close()
	_, err = plan.Apply(ctx, b, store.Header{})
	return err
}

const (
	killedTree = `mkdir -p d/e gone/deep ro/sub kind; echo one >d/one; echo two >d/e/two; echo 1 >gone/a; echo 2 >gone/deep/b
ln -s one d/link; ln -s x kind/link; echo f >kind/file; mkdir kind/dir; echo in >kind/dir/in; echo m >mode; echo r >ro/r; echo s >ro/sub/s
echo time >time; touch -d 2001-02-03 time d/one; echo gone >ro/gone; chmod 555 ro ro/sub gone/deep; echo w >w; mkdir w2; echo q >w2/q; echo both >both`
	killedChanges = `chmod -R u+w gone ro; rm -rf gone; echo changed >d/one; rm d/e/two; ln -sf two d/link; rm kind/link; mkdir kind/link; echo l >kind/link/l
rm kind/file; ln -s y kind/file; rm -r kind/dir; echo was >kind/dir; chmod 600 mode; echo more >>ro/r; echo t >ro/sub/s; rm ro/gone; touch -d 2011-02-03 time both; chmod 600 both
mkdir -p new/deep/er; echo n >new/deep/er/n; echo n >new/n; chmod 555 ro/sub; chmod 500 ro; chmod 555 new/deep; echo v >w; chmod 700 w; rm w2/q; chmod 555 w2`
)

// unprivileged is a user whose permissions count, even if the test is run by root.
const unprivileged = 65534

// TestKilledAtEachStep kills an undo after each of its changes, and its completion, too. It is completed by the next.
func TestKilledAtEachStep(t *testing.T) {
	t.Parallel()
	if processtest.HasRaceDetector() {
		t.Skip("each step is a process of its own, which has no races, and takes long to start")
	}
	if _, err := exec.LookPath("cp"); err != nil {
		t.Skip(err)
	}
	k := newKilled(t, killedTree, killedChanges)
	steps := 0
	for n := 1; ; n++ {
		k.reset(t)
		if !k.run(t, "apply", n) {
			break
		}
		steps = n
		k.run(t, "finish", 1+n%5) // killed, or not
		k.run(t, "finish", 1<<20)
		k.check(t, n)
	}
	k.check(t, 0)
	if steps < 60 {
		t.Errorf("only %d steps", steps)
	}
}

// killed is a project with an operation.
type killed struct {
	dir           string
	before, after undotest.Picture
}

func newKilled(t *testing.T, tree, changes string) *killed {
	t.Helper()
	k := &killed{dir: t.TempDir()}
	for dir := k.dir; dir != "/tmp" && dir != "/"; dir = filepath.Dir(dir) {
		_ = os.Chmod(dir, 0o755)
	}
	k.own(t)
	project := filepath.Join(k.dir, "project")
	k.sh(t, "mkdir project; cd project; "+tree)
	k.before = undotest.Take(t, project)
	p := newProject(t, project, filepath.Join(k.dir, "undo"))
	p.record(t, func() { k.sh(t, "cd project; "+changes) })
	p.recorder.Close()
	k.own(t)
	k.after = undotest.Take(t, project)
	k.sh(t, "cp -a project project.saved; cp -a undo undo.saved")
	return k
}

// own gives all files to the unprivileged user.
func (k *killed) own(t *testing.T) {
	t.Helper()
	if os.Getuid() != 0 {
		return
	}
	if out, err := exec.Command("chown", "-hR", fmt.Sprintf("%d:%d", unprivileged, unprivileged), k.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func (k *killed) command(name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Dir = k.dir
	if os.Getuid() == 0 {
		c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: unprivileged, Gid: unprivileged}}
	}
	return c
}

func (k *killed) sh(t *testing.T, script string) {
	t.Helper()
	if out, err := k.command("/bin/sh", "-ec", script).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

func (k *killed) reset(t *testing.T) {
	t.Helper()
	k.sh(t, "chmod -R u+rwx project undo; rm -rf project undo; cp -a project.saved project; cp -a undo.saved undo")
}

// run runs a process, which is killed after a number of changes, and reports whether it was.
func (k *killed) run(t *testing.T, by string, after int) bool {
	t.Helper()
	out, err := k.process(t, by, after).CombinedOutput()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return false
	case errors.As(err, &exit) && exit.ExitCode() == -1:
		return true
	}
	t.Fatalf("%s, to be killed after %d changes: %v\n%s", by, after, err, out)
	return false
}

// try runs a process that ends by itself, even if it reports paths that it could not change.
func (k *killed) try(t *testing.T, by string, after int) {
	t.Helper()
	c := k.process(t, by, after)
	out, err := c.CombinedOutput()
	for line := range strings.Lines(string(out)) {
		if !strings.HasSuffix(strings.TrimSpace(line), ": "+errChanged.Error()) {
			t.Errorf("%s after %d changes: %v\n%s", by, after, err, out)
		}
	}
}

func (k *killed) process(t *testing.T, by string, after int) *exec.Cmd {
	t.Helper()
	c := k.command(self(t, k.dir))
	c.Env = append(os.Environ(), killIn+"="+k.dir, killBy+"="+by, killAfter+"="+strconv.Itoa(after))
	return c
}

// self returns a copy of the test binary that anyone can run.
func self(t *testing.T, dir string) string {
	t.Helper()
	path := filepath.Join(dir, "self")
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	data, err := os.ReadFile(os.Args[0])
	if err == nil {
		syscall.ForkLock.RLock() // a program that another test starts has the open file until it begins, which keeps this one from being run
		err = os.WriteFile(path, data, 0o755)
		syscall.ForkLock.RUnlock()
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// check checks that all is as before the operation or, if the undo is not in the log, as after it.
func (k *killed) check(t *testing.T, n int) {
	t.Helper()
	s := store.Open(filepath.Join(k.dir, "undo"), store.DefaultLimit)
	numbers, err := s.Numbers()
	if err != nil {
		t.Fatal(err)
	}
	want := k.before
	if len(numbers) == 1 {
		want = k.after
	}
	got := undotest.Take(t, filepath.Join(k.dir, "project"))
	for path := range got {
		if strings.Contains(path, Temporary) {
			t.Errorf("killed after %d changes: %s is left", n, path)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("killed after %d changes (-want +got):\n%s", n, diff)
	}
	for _, number := range numbers {
		if _, err := os.Lstat(s.File(number, applying)); !state.IsAbsent(err) {
			t.Errorf("killed after %d changes: operation %d is not complete: %v", n, number, err)
		}
	}
}
