//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"pollux/internal/crash"
	"pollux/internal/process"
	"pollux/internal/sandbox/landlock"
	"pollux/internal/sandbox/names"
	"pollux/internal/sandbox/seccomp"
)

// rules are those of the kernel for each program.
type rules struct {
	listing
	profile Profile
	files   *landlock.Rules
	calls   []seccomp.Rule
	asks    bool     // the filter has Pollux decide about connections
	answers *answers // nil if the filter does not ask
	own     *ownSockets
	family  *Family // nil for programs that signal no others
	// names and datagrams are for programs that reach only some hosts; nil for others.
	names     *names.Server
	datagrams *datagrams
}

// Available returns why this system cannot confine programs; nil if it can.
func Available() error {
	if err := landlock.Available(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	if err := seccomp.Available(); err != nil {
		return fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	return nil
}

// Gap returns a sentence about a part of the sandbox that this machine does not allow, "" for none.
func Gap() string {
	if err := seccomp.CanAsk(); err != nil {
		return "In the sandbox, commands can connect to all local sockets, such as those of Docker and SSH agents, and to Pollux where it works for other programs, read terminals, and change modes, owners and times of files: " +
			"this machine does not allow Pollux to decide about that (" + err.Error() + ")."
	}
	return ""
}

// KeepsSignals reports whether this system keeps confined programs from signalling others.
func KeepsSignals() bool { return landlock.Version() >= firstWithSignals }

// KnowsHosts reports whether this system can let programs reach some hosts only.
func KnowsHosts() bool { return seccomp.CanAsk() == nil }

// LimitsResources is whether this system limits memory and the number of processes.
const LimitsResources = true

// check fails: the language is that of another system.
func (*Base) check() error { return ErrUnavailable }

// build makes the rules of a profile. version is that of Landlock to use, 0 for the one of the kernel; mute
// leaves connections to the kernel; own are the sockets of programs that run.
func build(p Profile, version int, mute bool, own *ownSockets, o *Options) (*rules, error) {
	if version == 0 {
		version = landlock.Version()
	}
	files, err := landlock.New(version)
	if err != nil {
		return nil, err
	}
	allow := func(a landlock.Access) func(string) error {
		return func(path string) error { return files.Allow(path, a) }
	}
	err = files.Allow("/", landlock.List)
	listed := listing{}
	err = errors.Join(err, listed.around("/", newHoles(p.Hide), allow(landlock.Read)))
	for _, path := range p.Read {
		err = errors.Join(err, files.Allow(path, landlock.Read))
	}
	for _, path := range p.Scratch {
		err = errors.Join(err, files.Allow(path, landlock.Write))
	}
	asks := !mute && seccomp.CanAsk() == nil
	devices := p.Devices
	unchanged := newHoles(p.Hide, p.Keep, kernels)
	for _, path := range p.Write {
		err = errors.Join(err, listed.around(path, unchanged, allow(landlock.Write)))
		if isBelow(path, "/dev") {
			devices = append(slices.Clip(devices), path)
		}
	}
	if !asks {
		devices = append(slices.Clip(devices), terminalsDir) // see openTerminal
	}
	for _, path := range devices {
		err = errors.Join(err, files.Allow(path, landlock.Device))
	}
	if err != nil {
		return nil, err
	}
	sockets := online()
	made := &rules{listing: listed, profile: p, files: files, asks: asks, own: own, family: o.Family}
	switch {
	case p.Network.IsByName() && asks:
		sockets = limited()
		made.names = names.New(names.Options{Hosts: p.Network.Hosts, Lookup: o.Lookup})
		made.datagrams = newDatagrams(made.names, made.allows)
	case p.Network.Off:
		sockets = offline(asks)
	}
	if asks {
		made.answers = newAnswers()
	}
	made.calls = append(filter(version, made.answers), sockets...)
	if made.family != nil && asks && version >= firstWithSignals {
		made.calls = append(made.calls, askedSignals()...)
	}
	return made, nil
}

// terminalsDir is the directory of pseudo-terminals.
const terminalsDir = "/dev/pts"

// ownTerminals returns the paths of the terminals that are the streams of this process.
func ownTerminals() (paths []string) {
	for fd := range 3 {
		if path, err := readFD(fd); err == nil && (isBelow(path, terminalsDir) || strings.HasPrefix(path, "/dev/tty")) {
			paths = append(paths, path)
		}
	}
	return paths
}

// keepFiles keeps files from programs that this process has been started with: they may be open for writing.
func keepFiles() { _ = unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) } // since Linux 5.11, and Landlock 2 is later

// Name is the name of the sandbox of this system, as settings have it.
const Name = "landlock"

// ByPath is whether the rules of this system are about paths, whether there are files or not. Else they are about files that exist.
const ByPath = false

// keepsThreads is whether the thread that starts a program has its restrictions, and acts for it later.
const keepsThreads = true

// apply has a program started with the rules.
func (r *rules) apply(c *process.Command, w watch) error {
	process.Adopt(seccomp.NeedsDescendants) // daemons are no descendants otherwise
	inner, started := c.Confine, c.Started
	c.Confine = func() error {
		if inner != nil {
			if err := inner(); err != nil {
				return err
			}
		}
		return r.confine(terminals(c), w)
	}
	if w.broker != nil && r.names == nil {
		w.broker.Learn()
	}
	c.Started = func(pid int) {
		r.limit(pid)
		if started != nil {
			started(pid)
		}
	}
	return nil
}

// confine applies the rules to this thread, and so to the program that it starts, which has terminals with these paths.
func (r *rules) confine(terminals []string, w watch) error {
	for _, path := range terminals {
		if err := r.files.Allow(path, landlock.Device); err != nil {
			return err
		}
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if err := r.files.Restrict(); err != nil {
		return err
	}
	listener, err := seccomp.New(slices.Concat(protect(unix.Getpid(), unix.Gettid()), r.calls)).Install(r.asks)
	if err != nil || listener == nil {
		return err
	}
	p := &program{rules: r, watch: w}
	if w.ask != nil && r.names != nil {
		p.questions = newQuestions(w.ask)
	}
	go func() {
		defer listener.Close()
		defer crash.Recover()
		listener.Serve(p.answer)
	}()
	return nil
}

// kept are the capabilities that a program of root's keeps: those over files, users and processes of its own, as a container has them.
var kept = []int{
	unix.CAP_CHOWN, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_FSETID, unix.CAP_KILL, unix.CAP_SETGID, unix.CAP_SETUID,
	unix.CAP_SETPCAP, unix.CAP_SETFCAP, unix.CAP_NET_BIND_SERVICE, unix.CAP_AUDIT_WRITE,
}

// dropCapabilities takes all capabilities from this thread but those that are kept. Most users have none.
func dropCapabilities() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	if data == [2]unix.CapUserData{} {
		return nil
	}
	var mask [2]uint32
	for _, c := range kept {
		mask[c/32] |= 1 << (c % 32)
	}
	for c := range unix.CAP_LAST_CAP + 1 {
		if !slices.Contains(kept, c) {
			_ = unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0) // it is not needed to be allowed to
		}
	}
	_ = unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) // older kernels have none
	for i := range data {
		data[i].Effective &= mask[i]
		data[i].Permitted &= mask[i]
		data[i].Inheritable &= mask[i]
	}
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("give up capabilities: %w", err)
	}
	return nil
}
