package durable_test

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"pollux/internal/durable"
)

// Whoever holds the lock is alone, and what a killed session left behind stops
// nobody.
func TestLock(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "count")
	if err := os.WriteFile(file, []byte("0"), 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Minute)
	if err := os.WriteFile(file+".lock", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(file+".lock", old, old); err != nil {
		t.Fatal(err)
	}
	unlock, err := durable.Lock(file) // in spite of it
	if err != nil {
		t.Fatal(err)
	}
	unlock()
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			unlock, err := durable.Lock(file)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			data, _ := os.ReadFile(file)
			n, _ := strconv.Atoi(string(data))
			if err := os.WriteFile(file, []byte(strconv.Itoa(n+1)), 0o600); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if data, _ := os.ReadFile(file); string(data) != "8" {
		t.Errorf("%s of 8 changes are there", data)
	}
	if _, err := os.Stat(file + ".lock"); err == nil {
		t.Error("the lock is left behind")
	}
	if _, err := durable.Lock(filepath.Join(t.TempDir(), "no", "file")); err == nil {
		t.Error("locked in a directory that is not there")
	}
}
