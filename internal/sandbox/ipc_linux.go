//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"runtime"
	"strconv"
	"sync"

	"golang.org/x/sys/unix"

	"pollux/internal/sandbox/seccomp"
)

// Shared memory, semaphores and queues of System V belong to a user, not to a process, and Landlock does not know them. Programs may use those that
// programs of this Pollux have made: Pollux makes them for them, and knows their numbers.

// ipcGets returns the calls that make or find such an object, by the argument with their flags.
func ipcGets() map[uint32]int {
	return map[uint32]int{unix.SYS_SHMGET: 2, unix.SYS_SEMGET: 2, unix.SYS_MSGGET: 1}
}

// ipcUses returns the calls that use one, whose number is their first argument, by the call that has made it.
func ipcUses() map[uint32]uint32 {
	return map[uint32]uint32{
		unix.SYS_SHMAT: unix.SYS_SHMGET, unix.SYS_SHMCTL: unix.SYS_SHMGET,
		unix.SYS_SEMOP: unix.SYS_SEMGET, unix.SYS_SEMTIMEDOP: unix.SYS_SEMGET, unix.SYS_SEMCTL: unix.SYS_SEMGET,
		unix.SYS_MSGSND: unix.SYS_MSGGET, unix.SYS_MSGRCV: unix.SYS_MSGGET, unix.SYS_MSGCTL: unix.SYS_MSGGET,
	}
}

// ipcObject is an object by the call that has made it and its number.
type ipcObject struct{ get, number uint32 }

// ipcObjects are the objects that programs have made.
var ipcObjects sync.Map // of ipcObject

// getIPC makes or finds an object.
func getIPC(c *seccomp.Call, flags int) (number int64, errno unix.Errno) {
	if errno := becomeEffective(c); errno != 0 {
		return 0, errno
	}
	isPrivate := uint32(c.Args[0]) == 0 // IPC_PRIVATE
	get := func(more uint64) (ipcObject, unix.Errno) {
		args := c.Args
		args[flags] |= more
		n, _, errno := unix.Syscall(uintptr(c.Number), uintptr(args[0]), uintptr(args[1]), uintptr(args[2]))
		return ipcObject{c.Number, uint32(n)}, errno
	}
	if isPrivate || c.Args[flags]&unix.IPC_CREAT != 0 {
		made, errno := get(unix.IPC_EXCL)
		if errno == 0 {
			ipcObjects.Store(made, nil)
			return int64(made.number), 0
		}
		if isPrivate || errno != unix.EEXIST || c.Args[flags]&unix.IPC_EXCL != 0 {
			return 0, errno
		}
	}
	found, errno := get(0)
	if errno != 0 {
		return 0, errno
	}
	if _, isOurs := ipcObjects.Load(found); !isOurs {
		return 0, unix.EACCES
	}
	return int64(found.number), 0
}

// useIPC lets programs use their objects.
func useIPC(c *seccomp.Call, get uint32) {
	if _, isOurs := ipcObjects.Load(ipcObject{get, uint32(c.Args[0])}); isOurs {
		c.Continue()
		return
	}
	c.Return(0, unix.EACCES)
}

// becomeEffective makes this goroutine act as the user that the caller is, see becomeUser, for all but files.
func becomeEffective(c *seccomp.Call) unix.Errno {
	if unix.Geteuid() != 0 { // then no program can become another user
		return 0
	}
	user, err := effective(c, "Uid")
	group, err2 := effective(c, "Gid")
	if err != nil || err2 != nil || !c.IsWaiting() {
		return unix.ESRCH
	}
	if user == unix.Geteuid() && group == unix.Getegid() {
		return 0
	}
	runtime.LockOSThread() // and never unlock it
	none := ^uintptr(0)
	if _, _, errno := unix.RawSyscall(unix.SYS_SETRESGID, none, uintptr(group), none); errno != 0 {
		return errno
	}
	_, _, errno := unix.RawSyscall(unix.SYS_SETRESUID, none, uintptr(user), none)
	return errno
}

// effective returns the effective number of a caller in a line of its status.
func effective(c *seccomp.Call, line string) (int, error) {
	ids := seccomp.Status(c.PID, line)
	if len(ids) < 2 {
		return 0, errors.New("no such thread")
	}
	return strconv.Atoi(ids[1])
}
