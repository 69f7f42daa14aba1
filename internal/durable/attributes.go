//go:build linux || darwin

package durable

import (
	"errors"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// accessList is the extended attribute with the access control list of Linux, which a new file gets from the directory.
const accessList = "system.posix_acl_access"

// copyAttributes gives f the extended attributes of the file called name, as far as the user may set them. The error is
// errAttributes if f lacks one of the user's, or the access control list.
func (p directory) copyAttributes(f *os.File, name string) error {
	from, err := p.open(name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil // it can be written, but not read
	}
	defer unix.Close(from)
	return keepAttributes(int(f.Fd()), from)
}

// KeepAttributes gives a file the extended attributes of another one, and with them its access control list, as far as the user may set them.
func KeepAttributes(to, from *os.File) error { return keepAttributes(int(to.Fd()), int(from.Fd())) }

func keepAttributes(to, from int) error {
	names := attributesOf(from)
	for _, name := range names {
		if !isKept(name) {
			continue
		}
		value, err := attribute(from, name)
		if err == nil {
			err = unix.Fsetxattr(to, name, value, 0)
		}
		if err != nil && isNeeded(name) {
			return errAttributes
		}
	}
	if !slices.Contains(names, accessList) && slices.Contains(attributesOf(to), accessList) {
		_ = unix.Fremovexattr(to, accessList)
	}
	return nil
}

// isKept reports whether a write in place would keep an attribute: the kernel removes privileges and signatures.
func isKept(name string) bool {
	return name != "security.capability" && name != "security.ima" && name != "security.evm"
}

// isNeeded reports whether no file may lose an attribute.
func isNeeded(name string) bool { return name == accessList || strings.HasPrefix(name, "user.") }

// attributesOf returns the names of the extended attributes of an open file, none where there are none.
func attributesOf(fd int) []string {
	list, err := grow(func(b []byte) (int, error) { return unix.Flistxattr(fd, b) })
	if err != nil || len(list) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(list), "\x00"), "\x00")
}

// attribute returns an extended attribute of an open file.
func attribute(fd int, name string) ([]byte, error) {
	return grow(func(b []byte) (int, error) { return unix.Fgetxattr(fd, name, b) })
}

// grow reads into a buffer that is large enough.
func grow(read func([]byte) (int, error)) ([]byte, error) {
	for size := 256; ; size *= 4 {
		b := make([]byte, size)
		n, err := read(b)
		switch {
		case err == nil:
			return b[:n], nil
		case !errors.Is(err, unix.ERANGE) || size > 1<<20:
			return nil, err
		}
	}
}
