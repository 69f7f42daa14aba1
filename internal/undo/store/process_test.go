//go:build unix

package store

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// publishIn is the variable with the store in which a test process publishes, and waitIn the one in which it holds a
// base until it is killed.
const (
	publishIn = "POLLUX_TEST_PUBLISH_IN"
	waitIn    = "POLLUX_TEST_WAIT_IN"
	pendingIn = "POLLUX_TEST_PENDING" // set if it has a run that does not end
	each      = 100                   // operations of a process
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(publishIn); dir != "" {
		exitOn(publish(Open(dir, DefaultLimit)))
	}
	if dir := os.Getenv(waitIn); dir != "" {
		b, err := Open(dir, DefaultLimit).Open()
		if err == nil {
			if os.Getenv(pendingIn) != "" {
				_, err = b.BeginRun([]byte("note"))
			}
			if err == nil {
				fmt.Println(b.dir)
				_, err = bufio.NewReader(os.Stdin).ReadByte() // until the end
			}
		}
		exitOn(err)
	}
	os.Exit(m.Run())
}

func exitOn(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

func publish(s *Store) error {
	b, err := s.Open()
	if err != nil {
		return err
	}
	defer b.Close()
	for i := range each {
		w := b.Begin()
		o := &Operation{Header: Header{Kind: Call, Session: strconv.Itoa(os.Getpid()), Title: strconv.Itoa(i)}}
		if err := w.Commit(o); err != nil {
			return err
		}
		if h, err := s.header(o.Number); err != nil || h.Session != o.Session || h.Title != o.Title {
			return fmt.Errorf("operation %d is %+v, not %+v: %w", o.Number, h, o.Header, err)
		}
	}
	return nil
}

// TestProcesses lets processes publish at once: none loses an operation, or has the number of another.
func TestProcesses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	const processes = 3
	failed := make(chan error)
	for range processes {
		go func() {
			c := exec.Command(os.Args[0])
			c.Env = append(os.Environ(), publishIn+"="+dir)
			out, err := c.CombinedOutput()
			if err != nil {
				err = fmt.Errorf("%w: %s", err, out)
			}
			failed <- err
		}()
	}
	for range processes {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
	s := Open(dir, DefaultLimit)
	list, damaged, err := s.List()
	if err != nil || len(damaged) > 0 || len(list) != processes*each || list[len(list)-1].Number != processes*each {
		t.Fatalf("%d operations, damaged %v, error %v", len(list), damaged, err)
	}
	next := map[string]int{}
	for _, h := range list {
		if h.Title != strconv.Itoa(next[h.Session]) {
			t.Errorf("operation %d is number %s of its process, not %d", h.Number, h.Title, next[h.Session])
		}
		next[h.Session]++
	}
	if entries, err := os.ReadDir(filepath.Join(dir, "bases")); err != nil || len(entries) > 0 {
		t.Errorf("bases %v, error %v", entries, err)
	}
}

// TestSweep removes the base of a process that was killed, not that of a living one, and not one with pending work.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	wait := func(more ...string) (base string, kill func()) {
		c := exec.Command(os.Args[0])
		c.Env = append(append(os.Environ(), waitIn+"="+dir), more...)
		in, err := c.StdinPipe()
		if err != nil {
			t.Fatal(err)
		}
		out, err := c.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		base, err = bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(base), func() {
			_ = c.Process.Kill()
			_ = c.Wait()
			_ = in.Close()
		}
	}
	living, killLiving := wait()
	defer killLiving()
	dead, killDead := wait()
	pending, killPending := wait(pendingIn + "=1")
	killDead()
	killPending()
	s := Open(dir, DefaultLimit)
	openBase(t, s)
	for path, want := range map[string]bool{living: true, dead: false, pending: true} {
		if _, err := os.Lstat(path); (err == nil) != want {
			t.Errorf("%s: %v", path, err)
		}
	}
	list, err := s.Abandoned()
	if err != nil || len(list) != 1 || list[0].dir != pending {
		t.Fatalf("abandoned %v, error %v", list, err)
	}
	if again, err := s.Abandoned(); err != nil || len(again) != 0 {
		t.Errorf("%d bases are held twice, error %v", len(again), err)
	}
	list[0].Close()
	if _, err := os.Lstat(pending); !os.IsNotExist(err) {
		t.Errorf("pending: %v", err)
	}
}
