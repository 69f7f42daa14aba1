package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"pollux/internal/process"
	"pollux/internal/sandbox/network"
)

// Name is the name of the sandbox of this system, as settings have it.
const Name = "sandbox-exec"

// ByPath is whether the rules of this system are about paths, whether there are files or not. Else they are about files that exist.
const ByPath = true

const keepsThreads = false

// program applies a profile to a program. It is a part of the system, and no other one is used.
const program = "/usr/bin/sandbox-exec"

// rules is a profile for each program.
type rules struct {
	listing
	text   string
	params []string // arguments for the profile of the user's
}

// Available returns why this system cannot confine programs; nil if it can. The first call tries.
func Available() error {
	if err := tried().err; err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// trial is the result of a first program in the sandbox.
type trial struct {
	knows []string // those of extras that this system has
	err   error
}

// tried tries the sandbox: whether the system knows the statements of a profile, and keeps to it.
var tried = sync.OnceValue(func() trial {
	if _, err := os.Stat(program); err != nil {
		return trial{err: err}
	}
	dir, err := os.MkdirTemp("", "pollux-sandbox-")
	if err != nil {
		return trial{err: err}
	}
	defer os.RemoveAll(dir)
	open := filepath.Join(dir, "open")
	if err := errors.Join(os.Mkdir(open, 0o700), os.WriteFile(filepath.Join(open, "secret"), []byte("secret"), 0o600)); err != nil {
		return trial{err: err}
	}
	p := Profile{
		Write: []string{open}, Hide: []string{filepath.Join(open, "secret")}, Keep: []string{filepath.Join(open, "keep")}, Read: []string{filepath.Join(open, "read")},
		Scratch: []string{filepath.Join(open, "scratch")}, Devices: []string{"/dev/null"}, HideSockets: []string{filepath.Join(open, "*.sock")},
		Network: network.Policy{Off: true},
	}.canonical()
	const script = `(: >"$1/new") || exit 3; (: >"$1/../new") 2>/dev/null && exit 4; (: <"$1/secret") 2>/dev/null && exit 5; exit 0`
	knows, err := chooseExtras(func(some []string) error {
		return try(append(parameters(nil), "-p", p.seatbelt("", some), "/bin/sh", "-c", script, "sh", open)...)
	})
	return trial{knows, err}
})

// try runs sandbox-exec. Its error is the reason why the sandbox does not hold.
func try(args ...string) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), 10*time.Second, errors.New("sandbox-exec does not respond"))
	defer cancel()
	_, err := process.NewLauncher().Ask(ctx, &process.Command{
		For: process.Purpose{Kind: process.KindProbe, Origin: process.OriginPollux}, Path: program, Args: args, Dir: "/",
	})
	return err
}

// Gap returns a sentence about a part of the sandbox that this machine does not allow, "" for none.
func Gap() string { return "" }

// KeepsSignals reports whether this system keeps confined programs from signalling others.
func KeepsSignals() bool { return false }

// KnowsHosts reports whether this system can let programs reach some hosts only.
func KnowsHosts() bool { return false }

// LimitsResources is whether this system limits memory and the number of processes.
const LimitsResources = false

// build makes the rules of a profile.
func build(p Profile, _ int, _ bool, _ *ownSockets, o *Options) (*rules, error) {
	now, dirs := p.canonical().present(func(path string) bool { _, err := os.Lstat(path); return err == nil })
	made := &rules{listing: listing{}}
	for _, dir := range append(dirs, "/dev") { // terminals that the user opens later are hidden, too
		made.listing[dir], _ = changed(dir)
	}
	var base Base
	if o.Base != nil {
		base = *o.Base(o.Dirs())
		made.params = base.arguments()
	}
	made.text = now.seatbelt(base.Text, tried().knows)
	return made, nil
}

// arguments returns those by which the profile gets its values.
func (b *Base) arguments() (args []string) {
	for name, path := range b.Paths {
		args = append(args, "-D", name+"="+canonical(path))
	}
	return args
}

// check returns why a profile of the user's cannot be used.
func (b *Base) check() error {
	return try(append(b.arguments(), "-p", b.Text, "/usr/bin/true")...)
}

// apply has a program started by sandbox-exec.
func (r *rules) apply(c *process.Command, _ watch) error {
	if err := unix.Access(c.Path, unix.X_OK); err != nil { // else sandbox-exec would say so, as if it were missing itself
		return &fs.PathError{Op: "fork/exec", Path: c.Path, Err: err}
	}
	c.Name = c.String()
	c.Args = slices.Concat(r.params, parameters(terminals(c)), []string{"-p", r.text, c.Path}, c.Args)
	c.Path = program
	return nil
}

// ownTerminals returns the paths of the terminals that are the streams of this process.
func ownTerminals() (paths []string) {
	for fd := range 3 {
		if path, err := pathOf(fd); err == nil && strings.HasPrefix(path, "/dev/tty") {
			paths = append(paths, path)
		}
	}
	return paths
}

func keepFiles() {}

// canonical returns the profile with paths as the file system spells them: it may not tell upper case from lower case.
func (p Profile) canonical() Profile {
	for _, list := range []*[]string{&p.Write, &p.Hide, &p.Keep, &p.Read, &p.Scratch, &p.Sockets, &p.HideSockets} {
		made := make([]string, len(*list))
		for i, path := range *list {
			made[i] = canonical(path)
		}
		*list = made
	}
	return p
}

// canonical returns a path without links and as the file system spells it, as far as it exists.
func canonical(path string) string {
	if dir := filepath.Dir(path); dir == path {
		return path
	}
	if fd, err := unix.Open(path, unix.O_EVTONLY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0); err == nil {
		defer unix.Close(fd)
		if found, err := pathOf(fd); err == nil {
			return found
		}
	}
	return filepath.Join(canonical(filepath.Dir(path)), filepath.Base(path))
}

// pathOf returns the path of an open file.
func pathOf(fd int) (string, error) {
	var path [unix.PathMax]byte
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), unix.F_GETPATH, uintptr(unsafe.Pointer(&path[0]))); errno != 0 {
		return "", errno
	}
	return unix.ByteSliceToString(path[:]), nil
}
