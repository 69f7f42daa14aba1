package sandbox_test

import (
	"testing"

	"pollux/internal/sandbox"
)

// TestMatches checks patterns of hidden paths: only * in the last part has a meaning.
func TestMatches(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		pattern, path string
		want          bool
	}{
		{"/home/u/.ssh/id_*", "/home/u/.ssh/id_rsa", true},
		{"/home/u/.ssh/id_*", "/home/u/.ssh/id_rsa.pub", false},
		{"/home/u/.ssh/id_*", "/home/u/.ssh/id_rsa/x", false},
		{"/home/u/.ssh/id_*", "/home/v/.ssh/id_rsa", false},
		{"/home/u[1]?/.ssh/id_*", "/home/u[1]?/.ssh/id_rsa", true},
		{"/home/*/id_*", "/home/u/id_rsa", false},
		{"/home/u/.netrc", "/home/u/.netrc", false}, // it is no pattern
	} {
		if got := sandbox.Matches(tt.pattern, tt.path); got != tt.want {
			t.Errorf("%s matches %s: %v", tt.pattern, tt.path, got)
		}
	}
}
