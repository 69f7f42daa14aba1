//go:build unix

package undo_test

import (
	"bufio"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"pollux/internal/process/processtest"
	"pollux/internal/undo"
	"pollux/internal/undo/content"
	"pollux/internal/undo/revert"
	"pollux/internal/undo/store"
	"pollux/internal/undo/undotest"
)

// TestKills kills processes at random moments of their work: nothing is half done after that, and all of it can be taken
// back. POLLUX_LONG=1 kills 1,000.
func TestKills(t *testing.T) {
	t.Parallel()
	p := newWork(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	inRun, inUndo := 0, 0
	for n := range processtest.Times(20, 1000) {
		before, last := undotest.Take(t, p.dir), p.last(t)
		c := p.command(random.Uint64(), 1<<30, os.Args[0])
		out, err := c.StdoutPipe()
		if err == nil {
			err = c.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(random.IntN(60_000)) * time.Microsecond) // the moment is random
		_ = c.Process.Kill()
		if err := c.Wait(); err == nil {
			t.Fatal("it ended before it was killed")
		}
		run, back := p.recovers(t, before, last, fmt.Sprintf("kill %d", n))
		inRun, inUndo = inRun+run, inUndo+back
		if t.Failed() {
			return
		}
	}
	t.Logf("%d were killed in a run, %d in an undo", inRun, inUndo)
}

// TestKillsAtCalls kills processes at calls of the system that have to do with files.
func TestKillsAtCalls(t *testing.T) {
	t.Parallel()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("NOT TESTED: ", err)
	}
	if !processtest.IsLong() {
		t.Skip("SKIPPED: POLLUX_LONG=1 runs it")
	}
	p := newWork(t)
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	tries := processtest.Times(0, 150)
	killed, calls := 0, 4000 // of a process, at most
	for range tries {
		before, last := undotest.Take(t, p.dir), p.last(t)
		work, n := random.Uint64(), 1+random.IntN(calls)
		c := p.command(work, 8, strace, "-f", "-qq", "-o", "/dev/null", "-e", "trace=%file,write,pwrite64,ftruncate,close",
			"-e", fmt.Sprintf("inject=%%file,write,pwrite64,ftruncate,close:signal=SIGKILL:when=%d", n), os.Args[0])
		out, err := c.CombinedOutput()
		var exit *exec.ExitError
		if err != nil && (!errors.As(err, &exit) || exit.ExitCode() != -1) {
			t.Fatalf("seed %d, call %d: %v: %s", work, n, err, out)
		}
		p.recovers(t, before, last, fmt.Sprintf("seed %d, call %d", work, n))
		if t.Failed() {
			return
		}
		if err == nil { // it had fewer calls
			calls = max(calls*3/4, 200)
			continue
		}
		killed++
	}
	t.Logf("%d were killed, at one of their first %d calls", killed, calls)
	if killed < tries/3 {
		t.Error("these are too few")
	}
}

func newWork(t *testing.T) *place {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := worker(dir)
	if err := os.Mkdir(p.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p *place) command(seed uint64, rounds int, name string, args ...string) *exec.Cmd {
	c := exec.Command(name, args...)
	c.Env = append(os.Environ(), workIn+"="+filepath.Dir(p.dir), workSeed+"="+strconv.FormatUint(seed, 10), workRounds+"="+strconv.Itoa(rounds))
	return c
}

// last returns the number of the newest operation, 0 for none.
func (p *place) last(t *testing.T) int {
	t.Helper()
	numbers, err := p.store.Numbers()
	if err != nil {
		t.Fatal(err)
	}
	return slices.Max(append(numbers, 0))
}

// recovers completes the work of a process that was killed, and takes all of it back and forth. It returns how many runs and
// undos had not ended.
func (p *place) recovers(t *testing.T, before undotest.Picture, last int, what string) (runs, undos int) {
	t.Helper()
	recorded := p.last(t)
	applying, _ := filepath.Glob(filepath.Join(p.store.Dir(), "operations", "*", "applying"))
	if err := errors.Join(undo.Recover(t.Context(), p.store, nil), revert.Finish(t.Context(), p.store)); err != nil {
		t.Errorf("%s: %v", what, err)
	}
	p.isWhole(t, what)
	after := undotest.Take(t, p.dir)
	for path := range after {
		if strings.Contains(path, revert.Temporary) {
			t.Errorf("%s: %s is left", what, path)
		}
	}
	numbers, err := p.store.Numbers()
	if err != nil {
		t.Fatal(err)
	}
	added := slices.DeleteFunc(numbers, func(n int) bool { return n <= last })
	if len(added) == 0 {
		if diff := cmp.Diff(before, after); diff != "" {
			t.Errorf("%s: changes are not recorded (-want +got):\n%s", what, diff)
		}
		return 0, 0
	}
	runs = added[len(added)-1] - recorded
	if added[0] != last+1 { // some have left
		return runs, len(applying)
	}
	number, err := p.undoAll(added)
	if err != nil {
		t.Fatalf("%s: undo: %v", what, err)
	}
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("%s: after undo (-want +got):\n%s", what, diff)
	}
	if number == 0 && maps.Equal(before, after) {
		return runs, len(applying)
	}
	if _, err := p.undoAll([]int{number}); err != nil {
		t.Fatalf("%s: redo: %v", what, err)
	}
	if diff := cmp.Diff(after, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("%s: after redo (-want +got):\n%s", what, diff)
	}
	return runs, len(applying)
}

// isWhole checks that all operations and contents can be read, and that nothing is left of dead processes.
func (p *place) isWhole(t *testing.T, what string) {
	t.Helper()
	list, damaged, err := p.store.List()
	if err != nil || len(damaged) > 0 {
		t.Errorf("%s: damaged %+v, error %v", what, damaged, err)
	}
	for _, h := range list {
		o, err := p.store.Read(h.Number)
		if err != nil {
			t.Errorf("%s: %v", what, err)
			continue
		}
		for _, c := range o.Changes {
			for _, v := range []store.Version{c.Before, c.After} {
				if err := isKept(o, &v); err != nil {
					t.Errorf("%s: operation %d: %s: %v", what, o.Number, c.Path, err)
				}
			}
		}
	}
	b, err := p.store.Open()
	if err != nil {
		t.Fatal(err)
	}
	b.Close()
	if entries, err := os.ReadDir(filepath.Join(p.store.Dir(), "bases")); err != nil || len(entries) > 0 {
		t.Errorf("%s: bases %v, error %v", what, entries, err)
	}
}

// isKept checks that the content of a version is the one that it had.
func isKept(o *store.Operation, v *store.Version) error {
	if v.Content == "" {
		return nil
	}
	f, err := o.Place(v.Content).Open()
	if err != nil {
		return err
	}
	defer f.Close()
	h := sha256.New()
	if n, err := io.Copy(h, f); err != nil || n != v.State.Size {
		return fmt.Errorf("%d bytes for %d, error %w", n, v.State.Size, err)
	}
	if v.Sum != (content.Sum{}) && v.Sum != content.Sum(h.Sum(nil)) {
		return errors.New("another content")
	}
	return nil
}
