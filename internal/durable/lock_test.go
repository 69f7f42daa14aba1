package durable_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"pollux/internal/durable"
)

// add adds 1 to the number in a file, under the lock, and fails if another goroutine is
// doing the same.
func add(file string) error {
	unlock, err := durable.Lock(file)
	if err != nil {
		return err
	}
	defer unlock()
	inside := file + ".inside"
	if err := os.Mkdir(inside, 0o700); err != nil {
		return fmt.Errorf("not alone: %w", err)
	}
	data, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	n, _ := strconv.Atoi(string(data))
	return errors.Join(os.WriteFile(file, []byte(strconv.Itoa(n+1)), 0o600), os.Remove(inside))
}

// leave leaves a lock behind, as one that was killed a while ago does.
func leave(t *testing.T, lock string, file bool) {
	t.Helper()
	var err error
	if file {
		err = os.WriteFile(lock, nil, 0o600)
	} else {
		err = os.Mkdir(lock, 0o700)
	}
	old := time.Now().Add(-time.Minute)
	if err := errors.Join(err, os.Chtimes(lock, old, old)); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, file, want string) {
	t.Helper()
	if data, _ := os.ReadFile(file); string(data) != want {
		t.Errorf("%s of %s changes are there", data, want)
	}
	if _, err := os.Lstat(file + ".lock"); err == nil {
		t.Error("the lock is left behind")
	}
}

// Only one process holds the lock, and a lock file left by a killed session does not block
// others.
func TestLock(t *testing.T) {
	t.Parallel()
	for _, asFile := range []bool{false, true} {
		file := filepath.Join(t.TempDir(), "count")
		leave(t, file+".lock", asFile)
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if err := add(file); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
		check(t, file, "8")
	}
	if _, err := durable.Lock(filepath.Join(t.TempDir(), "no", "file")); err == nil {
		t.Error("locked in a directory that is not there")
	}
}

// A holder that was asleep for long still has its lock.
func TestLockOfSleeper(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "count")
	unlock, err := durable.Lock(file)
	if err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.Chtimes(file+".lock", old, old); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 1)
	go func() { got <- add(file) }()
	for deadline := time.Now().Add(50 * time.Millisecond); time.Now().Before(deadline); {
		select {
		case err := <-got:
			t.Fatalf("the lock was broken (%v)", err)
		case <-time.After(5 * time.Millisecond):
		}
	}
	unlock()
	if err := <-got; err != nil {
		t.Error(err)
	}
	check(t, file, "1")
}

// The lock of a Pollux that was killed is taken over at once; another program's, which does not show
// whether its holder lives, is not.
func TestLockOfKilled(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	held := filepath.Join(dir, "held")
	cmd := exec.Command(os.Args[0], "-test.run=^TestLockHolder$")
	cmd.Env = append(os.Environ(), "LOCK_HOLD="+held)
	out, err := cmd.StdoutPipe()
	if err == nil {
		_, err = cmd.StdinPipe()
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("%q, %v", line, err)
	}
	lockWithin := func(file string, limit time.Duration) error {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		unlock, err := durable.LockContext(ctx, file)
		if err == nil {
			unlock()
		}
		return err
	}
	if lockWithin(held, 50*time.Millisecond) == nil {
		t.Error("the lock of a live holder was taken")
	}
	_ = cmd.Process.Kill()
	_ = cmd.Wait() // it was killed
	if runtime.GOOS == "windows" {
		t.Skip("NOT TESTED: the lock of a killed holder is taken over after ten seconds here")
	}
	if err := lockWithin(held, 9*time.Second); err != nil {
		t.Errorf("the lock of a killed holder: %v", err)
	}
	if err := os.Mkdir(held+".lock", 0o700); err != nil {
		t.Fatal(err)
	}
	if lockWithin(held, 50*time.Millisecond) == nil {
		t.Error("the lock of another program was taken")
	}
}

// TestLockHolder is the program that is killed in TestLockOfKilled.
func TestLockHolder(t *testing.T) {
	file := os.Getenv("LOCK_HOLD")
	if file == "" {
		t.Skip("runs as a child of TestLockOfKilled")
	}
	unlock, err := durable.Lock(file)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println("held")
	_, _ = os.Stdin.Read(make([]byte, 1)) // until it is killed
	unlock()
}

// Of many processes that find the same lock left behind, one at a time gets it.
func TestLockProcesses(t *testing.T) {
	t.Parallel()
	const processes, files = 6, 40
	dir := t.TempDir()
	for i := range files {
		leave(t, filepath.Join(dir, fmt.Sprint(i, ".lock")), i%4 == 3)
	}
	var children []*exec.Cmd
	var outs []*strings.Builder
	wait, start, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer wait.Close()
	defer start.Close()
	for range processes {
		cmd := exec.Command(os.Args[0], "-test.run=^TestLockChild$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("LOCK_TEST=%d %s", files, dir))
		out := &strings.Builder{}
		cmd.Stdin, cmd.Stdout, cmd.Stderr = wait, out, out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		children, outs = append(children, cmd), append(outs, out)
	}
	_ = start.Close()
	for i, cmd := range children {
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v\n%s", err, outs[i])
		}
	}
	for i := range files {
		check(t, filepath.Join(dir, strconv.Itoa(i)), strconv.Itoa(processes))
	}
}

func TestLockChild(t *testing.T) {
	n, dir, ok := strings.Cut(os.Getenv("LOCK_TEST"), " ")
	if !ok {
		t.Skip("runs as a child of TestLockProcesses")
	}
	files, err := strconv.Atoi(n)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, os.Stdin) // until all processes run
	for i := range files {
		if err := add(filepath.Join(dir, strconv.Itoa(i))); err != nil {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// Cancelling the context ends the wait for a lock.
func TestLockCancelled(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	unlock, err := durable.Lock(file)
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	time.AfterFunc(20*time.Millisecond, func() { cancel(enough) })
	if _, err := durable.LockContext(ctx, file); !errors.Is(err, enough) {
		t.Errorf("error = %v, want %v", err, enough)
	}
}
