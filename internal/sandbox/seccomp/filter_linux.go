//go:build amd64 || arm64

// Package seccomp takes system calls from a thread and all programs that it starts. Some of them are decided on by this
// process instead of the kernel: see [Listener].
package seccomp

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Available returns why the kernel does not take filters, nil if it does.
func Available() error {
	action := uint32(unix.SECCOMP_RET_ERRNO)
	_, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&action)))
	if errno != 0 {
		return fmt.Errorf("filters for system calls are not allowed here: %w", errno)
	}
	return nil
}

// Rule decides about a system call.
type Rule struct {
	Call uint32 // its number
	// Arg and Mask limit the rule to calls in whose argument number Arg, a 32-bit value, the bits of Mask are Value. A Mask
	// of 0 means every call.
	Arg         int
	Mask, Value uint32
	// Not limits it to calls with other bits instead.
	Not bool
	// Also, if set, limits the rule to calls with another argument, too. Not is unset then.
	Also *Argument
	// At, if set, limits the rule to calls at an address, such as that of [process.CallAddress]. Mask is 0 then.
	At uint64
	// Action is one of those below.
	Action Action
}

// Argument is the value of an argument of 32 bits.
type Argument struct {
	Arg   int // its number
	Value uint32
}

// Action is the answer to a system call.
type Action uint32

// Ask has a [Listener] decide.
const Ask Action = unix.SECCOMP_RET_USER_NOTIF

// Allow lets a call pass.
const Allow Action = unix.SECCOMP_RET_ALLOW

// Fail is the action that fails a call with an error.
func Fail(errno unix.Errno) Action { return unix.SECCOMP_RET_ERRNO | Action(errno) }

// Filter is a program that the kernel runs at each system call.
type Filter []unix.SockFilter

// New returns the filter with these rules, of which the first that matches counts. A call that none names is allowed. Calls of
// another architecture end the program.
func New(rules []Rule) Filter {
	f := Filter{
		load(4), // the architecture
		jump(unix.BPF_JEQ, architecture, 1, 0),
		result(unix.SECCOMP_RET_KILL_PROCESS),
		load(0), // the number
	}
	if foreign != 0 { // numbers of another interface for the same architecture
		f = append(f, jump(unix.BPF_JGE, foreign, 0, 1), result(uint32(Fail(unix.ENOSYS))))
	}
	for _, r := range rules {
		if r.At != 0 {
			f = append(f,
				jump(unix.BPF_JEQ, r.Call, 0, 6),
				load(8),
				jump(unix.BPF_JEQ, uint32(r.At), 0, 3),
				load(12),
				jump(unix.BPF_JEQ, uint32(r.At>>32), 0, 1),
				result(uint32(r.Action)),
				load(0),
			)
			continue
		}
		if r.Mask == 0 {
			f = append(f, jump(unix.BPF_JEQ, r.Call, 0, 1), result(uint32(r.Action)))
			continue
		}
		if r.Also != nil {
			f = append(f,
				jump(unix.BPF_JEQ, r.Call, 0, 7),
				load(16+8*uint32(r.Arg)),
				unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: r.Mask},
				jump(unix.BPF_JEQ, r.Value, 0, 3),
				load(16+8*uint32(r.Also.Arg)),
				jump(unix.BPF_JEQ, r.Also.Value, 0, 1),
				result(uint32(r.Action)),
				load(0),
			)
			continue
		}
		yes, no := uint8(0), uint8(1)
		if r.Not {
			yes, no = no, yes
		}
		f = append(f,
			jump(unix.BPF_JEQ, r.Call, 0, 5),
			load(16+8*uint32(r.Arg)),
			unix.SockFilter{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: r.Mask},
			jump(unix.BPF_JEQ, r.Value, yes, no),
			result(uint32(r.Action)),
			load(0),
		)
	}
	return append(f, result(unix.SECCOMP_RET_ALLOW))
}

func load(offset uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: offset}
}

func jump(how uint16, k uint32, yes, no uint8) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_JMP | how | unix.BPF_K, Jt: yes, Jf: no, K: k}
}

func result(k uint32) unix.SockFilter {
	return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: k}
}

// Install applies the filter to the calling thread, which must have given up new privileges (PR_SET_NO_NEW_PRIVS) and be
// locked to its goroutine. If asks is set, it returns the listener for calls with the action [Ask], which fail once it is
// closed.
func (f Filter) Install(asks bool) (*Listener, error) {
	prog := unix.SockFprog{Len: uint16(len(f)), Filter: &f[0]}
	flags := uintptr(0)
	if asks {
		flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER
	}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return nil, fmt.Errorf("install a filter for system calls: %w", errno)
	}
	if !asks {
		return nil, nil
	}
	return &Listener{fd: int(fd)}, nil
}
