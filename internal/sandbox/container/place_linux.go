package container

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"pollux/internal/durable"
)

// place gives this process a view of the container of its own, in which the files of the session are where the session knows them, and in which the
// names of users and of the machine can be changed. dir is the directory of the link.
func (e *entry) place(uid, gid int, dir string) error {
	runtime.LockOSThread() // the one that becomes Pollux
	err := unix.Unshare(unix.CLONE_NEWNS)
	if err == nil {
		err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_SLAVE, "")
	}
	if err != nil {
		return fmt.Errorf("mount files for the session alone: %w", err)
	}
	slices.SortStableFunc(e.Binds, func(a, b bind) int { return cmp.Compare(len(a.To), len(b.To)) }) // one may be in another one
	for _, b := range e.Binds {
		if err := e.mount(b, uid, gid); err != nil {
			return fmt.Errorf("mount %s: %w", b.To, durable.Cause(err))
		}
	}
	for _, name := range [...]string{"passwd", "group"} { // see addUser
		file, own := filepath.Join("/etc", name), filepath.Join(dir, name)
		text, err := os.ReadFile(file)
		if err != nil { // the image has no names of users
			continue
		}
		if err = os.WriteFile(own, text, 0o644); err == nil {
			err = unix.Mount(own, file, "", unix.MS_BIND, "")
		}
		if err != nil { // else it would be changed for others, too
			return fmt.Errorf("mount %s for the session alone: %w", file, durable.Cause(err))
		}
	}
	// The name of the machine is a part of the key that stored keys are encrypted with. Without it, the session says that it cannot read them.
	if e.Host != "" && unix.Unshare(unix.CLONE_NEWUTS) == nil {
		_ = unix.Sethostname([]byte(e.Host))
	}
	return nil
}

// mount mounts a file or directory at its other place, which it creates if there is none.
func (e *entry) mount(b bind, uid, gid int) error {
	info, err := os.Stat(b.From)
	if err != nil {
		return err
	}
	if _, err := os.Stat(b.To); err != nil {
		dir := b.To
		if !info.IsDir() {
			dir = filepath.Dir(b.To)
		}
		if err := e.makeDirs(dir, uid, gid); err != nil {
			return err
		}
		if !info.IsDir() {
			f, err := os.OpenFile(b.To, os.O_CREATE|os.O_WRONLY, 0o644)
			if err != nil {
				return err
			}
			_ = f.Close()
			if err := e.own(b.To, uid, gid); err != nil {
				return err
			}
		}
	}
	return unix.Mount(b.From, b.To, "", unix.MS_BIND|unix.MS_REC, "")
}

// makeDirs makes directories that do not exist: of the user if they are in the home directory, else of root.
func (e *entry) makeDirs(dir string, uid, gid int) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := e.makeDirs(filepath.Dir(dir), uid, gid); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return e.own(dir, uid, gid)
}

// own makes a file one of the user if it is in the home directory.
func (e *entry) own(file string, uid, gid int) error {
	if relative, err := filepath.Rel(e.Home, file); err != nil || !filepath.IsLocal(relative) {
		return nil
	}
	return syscall.Chown(file, uid, gid)
}
