//go:build linux

package undo_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/process/processtest"
	"pollux/internal/undo"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// TestSpecial has FIFOs, sockets and devices in the workspace: none is opened or waited for.
func TestSpecial(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "mkfifo fifo; echo a >a")
	l, err := net.Listen("unix", filepath.Join(p.dir, "socket"))
	if err != nil {
		t.Skipf("SKIPPED: the path of a socket is too long here: %v", err)
	}
	defer l.Close()
	if err := syscall.Mknod(filepath.Join(p.dir, "device"), syscall.S_IFCHR|0o600, 1<<8|5); err != nil {
		t.Logf("without a device: %v", err)
	}
	o := p.run(t, "echo x >a; mkfifo b; rm fifo; mv socket s")
	var lost []string
	for _, c := range o.Changes {
		if c.Before.IsLost() {
			lost = append(lost, filepath.Base(c.Path)+": "+c.Before.Lost)
		}
	}
	if diff := cmp.Diff([]string{"fifo: it is a FIFO, a socket or a device", "socket: it is a FIFO, a socket or a device"}, lost); diff != "" {
		t.Errorf("lost (-want +got):\n%s", diff)
	}
	plan := p.plan(t, o.Number)
	if list := plan.Problems(); len(list) != 2 {
		t.Errorf("problems %+v", list)
	}
	if _, err := p.apply(t, plan); err != nil {
		t.Error(err)
	}
	p.sh(t, "grep -q a a; test ! -e b")
}

// TestLinksOutside changes files through links that lead out of the workspace: only the links are the workspace's.
func TestLinksOutside(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "mkdir ../out; echo secret >../out/s; ln -s ../out dir; ln -s ../out/s file; ln -s loop loop; ln -s /proc/self/mem mem")
	before := undotest.Take(t, p.dir)
	o := p.run(t, "echo x >dir/s; echo y >dir/new; rm dir file loop mem")
	if len(o.Changes) != 4 {
		t.Errorf("changes %+v", o.Changes)
	}
	p.undo(t, o.Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
	p.sh(t, "grep -q x ../out/s; grep -q y ../out/new")
}

// TestSparse brings large sparse files back, without a copy of their holes where they are deleted.
func TestSparse(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "truncate -s 100G huge; truncate -s 8M small; printf end >>small")
	o := p.run(t, "rm huge; printf x >small")
	plan := p.plan(t, o.Number)
	for _, s := range plan.Problems() {
		t.Errorf("%s: %s", s.Path, s.Problem)
	}
	if _, err := p.apply(t, plan); err != nil {
		t.Error(err)
	}
	p.sh(t, "test $(stat -c %s huge) = 107374182400; test $(stat -c %s small) = 8388611; tail -c 3 small | grep -q end")
}

// TestTimes sets the clock of files back and forth: a file has changed if it is another one.
func TestTimes(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "echo one >future; touch -d '2100-01-01' future; echo one >past; touch -d '1960-01-01' past; echo one >same")
	before := undotest.Take(t, p.dir)
	o := p.run(t, "for f in future past same; do cp -p $f ../stamp; echo two >$f; touch -r ../stamp $f; done")
	if len(o.Changes) != 3 {
		t.Errorf("changes %+v", o.Changes)
	}
	p.undo(t, o.Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
}

// TestRenamed takes a command back that renames the workspace, or removes it, itself.
func TestRenamed(t *testing.T) {
	t.Parallel()
	for _, script := range []string{"mv ../project ../elsewhere", "rm -rf ../project", "mv ../project ../elsewhere; mkdir ../project; echo new >../project/new", "rm -r ../project; echo file >../project"} {
		for _, isWatched := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s watched=%v", strings.ReplaceAll(script, "/", "_"), isWatched), func(t *testing.T) {
				t.Parallel()
				p := newPlace(t, repository)
				p.restart(undo.Options{Walked: walked(isWatched)})
				before := undotest.Take(t, p.dir)
				o := p.run(t, script)
				if o == nil {
					t.Fatal("no operation")
				}
				p.undo(t, o.Number)
				if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
					t.Errorf("after undo (-want +got):\n%s", diff)
				}
				o = p.run(t, "echo x >a/one; rm exec") // the watch goes on
				p.undo(t, o.Number)
				if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
					t.Errorf("after the next undo (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// TestHardLinks changes one of two names of a file: the other one has changed with it.
func TestHardLinks(t *testing.T) {
	t.Parallel()
	for _, isWatched := range []bool{true, false} {
		t.Run(fmt.Sprintf("watched=%v", isWatched), func(t *testing.T) {
			t.Parallel()
			p := newPlace(t, "mkdir d; echo one >a; ln a d/b; echo c >c; ln c d/c; echo e >e; ln e d/e")
			p.restart(undo.Options{Walked: walked(isWatched)})
			before := undotest.Take(t, p.dir)
			o := p.run(t, "echo two >a; chmod 600 c; rm e")
			p.undo(t, o.Number)
			if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
				t.Errorf("after undo (-want +got):\n%s", diff)
			}
		})
	}
}

// TestChangesWhileRead changes files and directories all the time while they are read.
func TestChangesWhileRead(t *testing.T) {
	t.Parallel()
	p := newPlace(t, "mkdir d; for i in 1 2 3 4 5 6 7 8 9; do mkdir -p d/$i/x; echo $i >d/$i/x/f; done; echo a >a")
	ctx, cancel := context.WithCancel(t.Context())
	c := exec.CommandContext(ctx, "/bin/sh", "-c", "while :; do echo grows >>grows; rm -r d/3 d/4; mkdir -p d/3/x d/4/x; echo n >d/3/x/f; mv d/5 d/6/y; mv d/6/y d/5; done")
	c.Dir = p.dir
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Stdout = io.Discard // so that Wait waits for the programs that the shell has started, too
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		p.recorder.Close()
		p.restart(undo.Options{})
		o := p.run(t, "echo x >a; echo y >d/1/x/f")
		if o == nil {
			t.Fatal("no operation")
		}
		have := map[string]bool{}
		for _, c := range o.Changes {
			have[strings.TrimPrefix(c.Path, p.dir+"/")] = true
		}
		if !have["a"] || !have["d/1/x/f"] {
			t.Fatalf("changes %v", have)
		}
		p.sh(t, "echo a >a; echo 1 >d/1/x/f")
	}
	cancel()
	_ = c.Wait()
}

// TestFull has no room left on the disk: the call is refused in one sentence, and it leaves nothing on the disk.
func TestFull(t *testing.T) {
	t.Parallel()
	disk := tmpfs(t, "1m")
	p := newPlace(t, "head -c 3000000 /dev/urandom >large; head -c 500000 /dev/urandom >before; echo a >a")
	p.store = store.Open(filepath.Join(disk, "undo"), store.DefaultLimit)
	p.restart(undo.Options{})
	_, err := p.recorder.Begin(t.Context(), store.Header{}, undo.Scope{Anywhere: true})
	if !errors.Is(err, syscall.ENOSPC) || strings.Contains(err.Error(), "\n") || !strings.Contains(err.Error(), "keep files for undo: ") {
		t.Fatalf("error %v", err)
	}
	if numbers, err := p.store.Numbers(); err != nil || len(numbers) != 0 {
		t.Errorf("operations %v, error %v", numbers, err)
	}
	waitForRoom(t, disk, 900<<10)
	p.sh(t, "rm large")
	p.undo(t, p.run(t, "echo b >a").Number) // the same recorder works when there is room
	p.sh(t, "grep -q a a")
	p.sh(t, "head -c 3000000 /dev/urandom >large")
	_, err = p.recorder.Begin(t.Context(), store.Header{}, undo.Scope{Paths: []string{filepath.Join(p.dir, "large")}})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error %v", err)
	}
	waitForRoom(t, disk, 300<<10)
	if numbers, err := p.store.Numbers(); err != nil || len(numbers) != 2 {
		t.Errorf("operations %v, error %v", numbers, err)
	}
}

// TestWorkspaceOnTmpfs has a workspace on another file system than the log, which has names of the files that are too large for a copy.
func TestWorkspaceOnTmpfs(t *testing.T) {
	t.Parallel()
	disk := tmpfs(t, "64m")
	p := newPlace(t, "true")
	p.dir = filepath.Join(disk, "project")
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	p.sh(t, "echo a >a; mkdir node_modules; echo m >node_modules/m; head -c 20000000 /dev/zero >large; ln -s a l")
	p.restart(undo.Options{})
	o := p.run(t, "rm -r a node_modules large l")
	p.undo(t, o.Number)
	p.sh(t, "grep -q a a; grep -q m node_modules/m; test $(stat -c %s large) = 20000000; grep -q a l")
	if out, err := exec.Command("mount", "-o", "remount,ro", disk).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED the read-only part: %v: %s", err, out)
	}
	p.restart(undo.Options{})
	if o := p.run(t, "! rm a 2>/dev/null"); o != nil {
		t.Errorf("operation %+v in a read-only workspace", o)
	}
}

// tmpfs mounts a file system in memory.
func tmpfs(t *testing.T, size string) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size, "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no file system can be mounted here: %v: %s", err, out)
	}
	t.Cleanup(func() { // lazily: a program that another test starts has all open files until it begins
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return dir
}

// waitForRoom waits until a disk has so many free bytes. A program that another test starts has all open files until it
// begins, and until then also the room of those that are removed.
func waitForRoom(t *testing.T, dir string, bytes int64) {
	t.Helper()
	processtest.WaitUntil(t, fmt.Sprintf("%d bytes of %s are free", bytes, dir), func() bool {
		var st syscall.Statfs_t
		if err := syscall.Statfs(dir, &st); err != nil {
			t.Fatal(err)
		}
		return int64(st.Bavail)*st.Bsize >= bytes
	})
}

// TestMounted names a directory on another file system, whose files are not recorded.
func TestMounted(t *testing.T) {
	disk := tmpfs(t, "1m")
	p := newPlace(t, "")
	var left []string
	o := p.options()
	o.Roots, o.Skip = func() []string { return []string{filepath.Dir(disk)} }, []string{filepath.Dir(p.dir)}
	o.Left = func(dir string, why error) { left = append(left, dir+": "+why.Error()) }
	p.recorder.Close()
	p.recorder = undo.New(o)
	run, err := p.recorder.Begin(t.Context(), store.Header{}, undo.Scope{Anywhere: true})
	if err != nil {
		t.Fatal(err)
	}
	p.sh(t, "echo x >'"+disk+"/x'")
	if o, err := run.End(t.Context()); err != nil || o != nil {
		t.Errorf("recorded %+v, error %v", o, err)
	}
	if want := []string{disk + ": it is on another file system"}; !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}
