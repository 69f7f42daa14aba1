//go:build linux

package undo_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"pollux/internal/undo"
	"pollux/internal/undo/undotest"
)

// The variables with a directory that a person has mounted for a test.
const (
	networkIn     = "POLLUX_TEST_NETWORK_MOUNT"
	insensitiveIn = "POLLUX_TEST_CASE_INSENSITIVE"
	sharedIn      = "POLLUX_TEST_SHARED_BLOCKS"
)

// TestNetworkMount takes all disasters back in a workspace on a network mount.
func TestNetworkMount(t *testing.T) {
	t.Parallel()
	mount := os.Getenv(networkIn)
	if mount == "" {
		t.Skipf("SKIPPED: a test cannot make a network mount; set %s to a directory on one", networkIn)
	}
	for _, d := range undotest.Disasters {
		t.Run(d.Name, func(t *testing.T) { strike(t, newPlaceIn(t, directoryIn(t, mount), repository), d) })
	}
}

// TestCaseInsensitive takes changes of names back on a file system where names that differ in case are one.
func TestCaseInsensitive(t *testing.T) {
	t.Parallel()
	mount := os.Getenv(insensitiveIn)
	if mount == "" {
		mount = casefold(t)
	}
	for script, setUp := range map[string]string{
		"mv Name x; mv x name":                             "echo text >Name",
		"mv Dir x; mv x dir":                               "mkdir Dir; echo text >Dir/file",
		"mv Dir x; mv x dir; mv dir/File y; mv y dir/file": "mkdir Dir; echo text >Dir/File",
		"mv Name x; mv x name; echo more >>name":           "echo text >Name; chmod 640 Name",
		"rm Name; mkdir name; echo x >name/in":             "echo text >Name",
		"rm NAME; rm -r DIR":                               "echo text >Name; mkdir Dir; echo text >Dir/file",
		"rm Name; ln -s other nAME":                        "echo text >Name",
	} {
		for _, isWatched := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s watched=%v", script, isWatched), func(t *testing.T) {
				p := newPlaceIn(t, directoryIn(t, mount), setUp)
				p.restart(undo.Options{Walked: walked(isWatched)})
				before := undotest.Take(t, p.dir)
				o := p.run(t, script)
				after := undotest.Take(t, p.dir)
				back := p.undo(t, o.Number)
				if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
					t.Errorf("after undo (-want +got):\n%s", diff)
				}
				p.undo(t, back.Number)
				if diff := cmp.Diff(after, undotest.Take(t, p.dir)); diff != "" {
					t.Errorf("after redo (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// directoryIn returns a new directory on a mount.
func directoryIn(t *testing.T, mount string) string {
	t.Helper()
	dir, err := os.MkdirTemp(mount, "pollux-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

// TestSharedBlocks takes all disasters back on a file system that shares blocks, and a change in place of a file that is larger
// than those that are copied, whose copy takes no space.
func TestSharedBlocks(t *testing.T) {
	t.Parallel()
	dir := os.Getenv(sharedIn)
	if dir == "" {
		dir = mounted(t, sharedIn, "mkfs.btrfs", "-q")
	}
	for _, d := range undotest.Disasters {
		t.Run(d.Name, func(t *testing.T) { strike(t, newPlaceIn(t, directoryIn(t, dir), repository), d) })
	}
	used := func() uint64 {
		var s unix.Statfs_t
		if err := errors.Join(exec.Command("sync", "-f", dir).Run(), unix.Statfs(dir, &s)); err != nil {
			t.Fatal(err)
		}
		return (s.Blocks - s.Bfree) * uint64(s.Bsize)
	}
	const size, megabyte = 200, 1 << 20
	p := newPlaceIn(t, directoryIn(t, dir), fmt.Sprintf("head -c %dM /dev/urandom >large", size))
	before, least := undotest.Take(t, p.dir), used()
	o := p.run(t, "head -c 1M /dev/urandom | dd of=large bs=1M seek=7 conv=notrunc status=none; printf x >>large")
	if more := int64(used()) - int64(least); more > 20*megabyte {
		t.Errorf("the change of 1 MB in a file of %d MB takes %d MB more", size, more/megabyte)
	}
	p.undo(t, o.Number)
	if diff := cmp.Diff(before, undotest.Take(t, p.dir)); diff != "" {
		t.Errorf("after undo (-want +got):\n%s", diff)
	}
	if more := int64(used()) - int64(least); more > 20*megabyte {
		t.Errorf("after undo the disk has %d MB more", more/megabyte)
	}
}

// casefold mounts a file system whose names differ in more than case. Few kernels have one.
func casefold(t *testing.T) string {
	t.Helper()
	insensitive := filepath.Join(mounted(t, insensitiveIn, "mkfs.ext4", "-q", "-O", "casefold", "-E", "encoding=utf8"), "insensitive")
	if out, err := exec.Command("mkdir", insensitive).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if out, err := exec.Command("chattr", "+F", insensitive).CombinedOutput(); err != nil {
		t.Skipf("SKIPPED: no directory can be made case-insensitive here; set %s to one: %v: %s", insensitiveIn, err, out)
	}
	return insensitive
}

// mounted mounts a file system that a command makes, or skips the test, which the variable with a directory makes possible.
func mounted(t *testing.T, variable, make string, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	image, mount := filepath.Join(dir, "image"), filepath.Join(dir, "mount")
	do := func(name string, args ...string) {
		if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
			t.Skipf("SKIPPED: %s cannot be mounted here; set %s to a directory on such a file system: %s %q: %v: %s", make, variable, name, args, err, out)
		}
	}
	do("truncate", "-s", "1G", image)
	do(make, append(args, image)...)
	do("mkdir", mount)
	do("mount", "-o", "loop", image, mount)
	t.Cleanup(func() { // lazily: a program that another test starts has all open files until it begins
		if out, err := exec.Command("umount", "-l", mount).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return mount
}
