//go:build unix

package store

import (
	"testing"

	"golang.org/x/sys/unix"
)

// TestPipeForRecord has a pipe in place of a record, which no program writes into.
func TestPipeForRecord(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir(), DefaultLimit)
	add(t, openBase(t, s), "first", "one")
	if err := unix.Mkfifo(s.path(2), 0o600); err != nil {
		t.Fatal(err)
	}
	if list, damaged, err := s.List(); err != nil || len(list) != 1 || len(damaged) != 1 {
		t.Errorf("list %+v, damaged %v, error %v", list, damaged, err)
	}
}
