package landlock

import (
	"errors"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The reason that there is no sandbox is not always the version of the kernel.
func TestAvailable(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		version int
		errno   unix.Errno
		want    string // "" for none
	}{
		{0, unix.ENOSYS, "it needs Linux 5.19"},
		{1, 0, "it needs Linux 5.19"},
		{2, 0, ""},
		{9, 0, ""},
		{0, unix.EOPNOTSUPP, "switched Landlock off"},
		{0, unix.EPERM, "may not use Landlock"},
		{0, unix.EACCES, "may not use Landlock"},
	} {
		err := check(test.version, test.errno)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("version %d, %v: %v, want %q", test.version, test.errno, err, test.want)
		}
		if test.errno == unix.EPERM && !errors.Is(err, unix.EPERM) {
			t.Errorf("the error of the kernel is not in %v", err)
		}
	}
	if _, err := New(1); err == nil {
		t.Error("rules of a version that is too old")
	}
}
