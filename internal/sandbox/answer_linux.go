//go:build amd64 || arm64

package sandbox

import (
	"encoding/binary"
	"maps"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/sandbox/seccomp"
)

// asked returns the rules for the calls that Pollux answers, because neither Landlock nor a filter can: see [program.answer]. None of them is one that a process makes
// before it becomes the program: the threads of Pollux wait meanwhile, and could not answer.
func asked(a *answers) []seccomp.Rule {
	list := []seccomp.Rule{
		{Call: unix.SYS_CONNECT, Action: seccomp.Ask},
		{Call: unix.SYS_LISTEN, Action: seccomp.Ask},
		{Call: unix.SYS_SOCKETPAIR, Arg: kind, Mask: kinds, Value: unix.SOCK_DGRAM, Action: seccomp.Ask},
		{Call: unix.SYS_SOCKETPAIR, Arg: kind, Mask: kinds, Value: unix.SOCK_RAW, Action: seccomp.Ask},
	}
	// A program can open the other end of a pseudo-terminal that it has made, but no terminal by its path.
	list = append(list, seccomp.Rule{Call: unix.SYS_IOCTL, Arg: 1, Mask: whole, Value: unix.TIOCGPTPEER, Action: seccomp.Ask})
	// A program that closes itself to others of its user, as ssh-agent does, closes itself to Pollux, too: the call has no effect.
	closed := &seccomp.Argument{Arg: 1, Value: 0}
	list = append(list, seccomp.Rule{Call: unix.SYS_PRCTL, Arg: 0, Mask: whole, Value: unix.PR_SET_DUMPABLE, Also: closed, Action: seccomp.Fail(0)})
	for call := range a.ipcGets {
		list = append(list, seccomp.Rule{Call: call, Action: seccomp.Ask})
	}
	for call := range a.ipcUses {
		list = append(list, seccomp.Rule{Call: call, Action: seccomp.Ask})
	}
	for call := range a.changes {
		list = append(list, seccomp.Rule{Call: call, Action: seccomp.Ask})
	}
	for call, whose := range a.tunings {
		for arg, own := range whose {
			list = append(list, seccomp.Rule{Call: call, Arg: arg, Mask: whole, Value: own, Not: true, Action: seccomp.Ask})
		}
	}
	return list
}

// answers are the tables of calls that Pollux answers.
type answers struct {
	tunings map[uint32]map[int]uint32
	ipcGets map[uint32]int
	ipcUses map[uint32]uint32
	changes map[uint32]change
}

func newAnswers() *answers {
	a := &answers{tunings: tunings(), ipcGets: ipcGets(), ipcUses: ipcUses(), changes: changes()}
	maps.Copy(a.changes, oldChanges())
	return a
}

// program answers the calls of a program and of those that it starts.
type program struct {
	*rules
	watch
	questions *questions // nil if its connections do not wait for a person
}

// answer answers a system call.
func (p *program) answer(c *seccomp.Call) {
	defer crash.Recover()
	if whose, ok := p.answers.tunings[c.Number]; ok {
		if isOwn(c, whose) {
			c.Continue()
		} else {
			c.Return(0, unix.EPERM)
		}
		return
	}
	if flags, ok := p.answers.ipcGets[c.Number]; ok {
		c.Return(getIPC(c, flags))
		return
	}
	if get, ok := p.answers.ipcUses[c.Number]; ok {
		useIPC(c, get)
		return
	}
	if ch, ok := p.answers.changes[c.Number]; ok {
		c.Return(0, p.change(c, ch))
		return
	}
	switch c.Number {
	case unix.SYS_CONNECT:
		c.Return(0, p.connect(c))
	case unix.SYS_KILL:
		p.kill(c)
	case unix.SYS_LISTEN:
		p.listen(c)
	case unix.SYS_SOCKETPAIR:
		c.Return(0, pair(c))
	case unix.SYS_IOCTL:
		c.Return(openTerminal(c))
	default:
		p.datagrams.answer(c, p.client())
	}
}

// pair makes a pair of sockets for datagrams. It is one for packets in fact, which programs use alike: with datagrams, each socket could also
// send to other local sockets.
func pair(c *seccomp.Call) unix.Errno {
	if uint32(c.Args[domain]) != unix.AF_UNIX || uint32(c.Args[protocol]) != 0 {
		return unix.EOPNOTSUPP
	}
	flags := int(uint32(c.Args[kind]))
	sockets, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC|flags&unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return errnoOf(err)
	}
	var fds []byte
	for _, s := range sockets {
		defer unix.Close(s)
		fd, err := c.Give(s, uint32(flags&unix.SOCK_CLOEXEC)) // which is O_CLOEXEC
		if err != nil {
			return errnoOf(err)
		}
		fds = binary.NativeEndian.AppendUint32(fds, uint32(fd))
	}
	if c.SetMemory(c.Args[3], fds) != nil {
		return unix.EFAULT
	}
	return 0
}

// openTerminal opens the other end of a pseudo-terminal. By the paths of terminals, a program could also read the input of others, so
// that it may not open them.
func openTerminal(c *seccomp.Call) (fd int64, errno unix.Errno) {
	control, err := c.File(int(int32(c.Args[0])))
	if err != nil {
		return 0, unix.EBADF
	}
	defer unix.Close(control)
	flags := c.Args[2] & (unix.O_ACCMODE | unix.O_NONBLOCK)
	end, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(control), unix.TIOCGPTPEER, uintptr(flags|unix.O_NOCTTY|unix.O_CLOEXEC))
	if errno != 0 {
		return 0, errno
	}
	defer unix.Close(int(end))
	given, err := c.Give(int(end), uint32(c.Args[2]&unix.O_CLOEXEC))
	if err != nil {
		return 0, errnoOf(err)
	}
	return int64(given), 0
}

// tunings returns the calls that change how a process is run and what it may use, of any process of the user: Landlock does not restrict
// them. For each, they have the arguments that say whose process it is, with the value for the caller's own.
func tunings() map[uint32]map[int]uint32 {
	return map[uint32]map[int]uint32{
		unix.SYS_PRLIMIT64:          {0: 0},
		unix.SYS_SETPRIORITY:        {0: unix.PRIO_PROCESS, 1: 0},
		unix.SYS_IOPRIO_SET:         {0: ioprioProcess, 1: 0},
		unix.SYS_SCHED_SETAFFINITY:  {0: 0},
		unix.SYS_SCHED_SETSCHEDULER: {0: 0},
		unix.SYS_SCHED_SETPARAM:     {0: 0},
		unix.SYS_SCHED_SETATTR:      {0: 0},
	}
}

const ioprioProcess = 1 // IOPRIO_WHO_PROCESS

// isOwn reports whether the process that a call is about is one of the caller's program: itself, a descendant, or another descendant of the
// program that Pollux has started. A group of processes, or all of a user, are not.
func isOwn(c *seccomp.Call, whose map[int]uint32) bool {
	number := 0
	if _, isKind := whose[1]; isKind {
		if uint32(c.Args[0]) != whose[0] {
			return false
		}
		number = 1
	}
	pid := int(int32(c.Args[number]))
	caller := c.Process()
	top := caller // the program that Pollux has started
	for {
		parent := parentOf(top)
		if parent == os.Getpid() {
			break
		}
		if parent <= 1 { // a daemon
			top = caller
			break
		}
		top = parent
	}
	for p := threadGroup(pid); p > 1; p = parentOf(p) {
		if p == caller || p == top {
			return true
		}
	}
	return pid == 0
}

func parentOf(pid int) int {
	return number(seccomp.Status(pid, "PPid"))
}

func threadGroup(pid int) int {
	return number(seccomp.Status(pid, "Tgid"))
}

// number returns the number in a line of a status, 0 if there is no such process.
func number(words []string) int {
	if len(words) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(words[0])
	return n
}
