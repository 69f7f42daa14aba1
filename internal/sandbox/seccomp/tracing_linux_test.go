//go:build amd64 || arm64

package seccomp

import (
	"os"
	"path/filepath"
	"testing"
)

// Yama and SELinux let a process look into itself even where they deny it for the programs that it starts.
func TestTracing(t *testing.T) {
	t.Parallel()
	const scope, denied = "proc/sys/kernel/yama/ptrace_scope", "sys/fs/selinux/booleans/deny_ptrace"
	for _, test := range []struct {
		name, file, content string
		isCapable           bool
		reason              string
		forDescendants      bool
	}{
		{name: "no Yama"},
		{name: "any process", file: scope, content: "0\n"},
		{name: "descendants", file: scope, content: "1\n", forDescendants: true},
		{name: "descendants, root", file: scope, content: "1\n", isCapable: true},
		{name: "root only", file: scope, content: "2\n", reason: "kernel.yama.ptrace_scope is 2"},
		{name: "root only, root", file: scope, content: "2\n", isCapable: true},
		{name: "none", file: scope, content: "3\n", reason: "kernel.yama.ptrace_scope is 3"},
		{name: "none, root", file: scope, content: "3\n", isCapable: true, reason: "kernel.yama.ptrace_scope is 3"},
		{name: "SELinux allows", file: denied, content: "0 0"},
		{name: "SELinux denies", file: denied, content: "1 1", isCapable: true, reason: "the SELinux boolean deny_ptrace is on"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if test.file != "" {
				path := filepath.Join(root, test.file)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(test.content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			is := tracingOf(root)
			is.isCapable = test.isCapable
			reason := ""
			if err := is.check(); err != nil {
				reason = err.Error()
			}
			if reason != test.reason {
				t.Errorf("the reason is %q, not %q", reason, test.reason)
			}
			if got := is.isForDescendants(); got != test.forDescendants {
				t.Errorf("only descendants: %t", got)
			}
		})
	}
}
