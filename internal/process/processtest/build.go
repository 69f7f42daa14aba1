package processtest

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Build builds the program for users, without the additions of a test binary. It returns the program's
// path, which is valid until the test ends.
func Build(t testing.TB) string {
	t.Helper()
	return BuildPackage(t, "pollux/cmd/pollux")
}

// BuildAlike builds the program as [Build] does, but with the settings of go test: of its packages, all that tests import are
// compiled already. Where there is a C compiler, the program needs the system's C library.
func BuildAlike(t testing.TB) string {
	t.Helper()
	path, err := build(t.TempDir(), "pollux/cmd/pollux", nil)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// BuildPackage builds the program in a package as [Build] does.
func BuildPackage(t testing.TB, pkg string) string {
	t.Helper()
	path, err := BuildIn(t.TempDir(), pkg)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// BuildIn builds the program in a package as [Build] does, and returns its path in a directory. With -trimpath, as in a release, no
// package that go test has compiled would be used again.
func BuildIn(dir, pkg string) (path string, err error) {
	return build(dir, pkg, []string{"CGO_ENABLED=0"})
}

func build(dir, pkg string, environ []string) (path string, err error) {
	linked, path := filepath.Join(dir, "linked"), filepath.Join(dir, filepath.Base(pkg))
	cmd := exec.Command("go", "build", "-o", linked, pkg)
	cmd.Env = append(cmd.Environ(), environ...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build %s: %w\n%s", pkg, err, out)
	}
	// The linker writes through a memory map, which leaves the file in the page cache page by page: a program so cached
	// starts a sixth slower than one that was copied, as an installed program is.
	program, err := os.ReadFile(linked)
	if err == nil {
		err = os.WriteFile(path, program, 0o700)
	}
	return path, err
}
