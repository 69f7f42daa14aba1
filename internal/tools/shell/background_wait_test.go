//go:build unix

package shell

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestScanEnds looks at a log as it was at the beginning, so that a program that prints faster than Pollux reads cannot keep it from
// the end of the wait, and goes on from there.
func TestScanEnds(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "log")
	text := ""
	for i := range 10_000 {
		text += fmt.Sprintf("line %05d\n", i)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &lineScanner{pattern: regexp.MustCompile("09000"), file: f}
	const half = 55_003 // in a line
	if line, ok := s.scanTo(t.Context(), half); ok || s.at != half || s.next != half-3 {
		t.Errorf("found %q up to %d, complete up to %d", line, s.at, s.next)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if line, ok := s.scan(ended); ok {
		t.Errorf("found %q after the end of the wait", line)
	}
	if line, ok := s.scan(t.Context()); !ok || line != "line 09000" {
		t.Errorf("found %q", line)
	}
}
