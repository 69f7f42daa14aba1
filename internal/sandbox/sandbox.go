// Package sandbox confines the programs that the model, a project or an extension causes: they change files only where
// the work is, and read no secrets. It is a middleware of the launcher:
//
//	s, err := sandbox.New(profile)
//	launcher := process.NewLauncher(s.Confine)
//	defer s.Close()
//
// On Linux it restricts the thread that starts a program: files by Landlock, system calls by
// seccomp, capabilities. That needs no privileges, no namespaces and no other program, and costs a fraction of a
// millisecond. Connections to local sockets are decided on by Pollux itself, because Landlock does not know them. On macOS it starts
// programs by sandbox-exec.
package sandbox

import (
	"context"
	"errors"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"

	"pollux/internal/process"
	"pollux/internal/sandbox/broker"
	"pollux/internal/sandbox/network"
)

// Profile says which files confined programs may read and change. All paths are absolute. A path that does not exist is left out.
type Profile struct {
	// Write are the directories and files that they may change.
	Write []string
	// Hide are paths that they can neither read nor change, although Write or the root contain them. Their names can be
	// listed. In a directory of Write that has one of them, no new files can be created. A pattern with * in its last part
	// says that files of its directory are allowed one by one, those that are there.
	Hide []string
	// Unneeded are those of Hide that are hidden because work does not need them, and not for secrets in them.
	Unneeded []string
	// Keep are paths in Write that they may only read: programs that the user runs.
	Keep []string
	// ReadOnly are those of Keep that the approval mode keeps. Paths of Write in them can be changed. Source is the place that says so, for people.
	ReadOnly []string
	Source   string
	// Read are paths within Hide that they may read nevertheless, and Scratch those that they may change as well.
	Read, Scratch []string
	// Devices are the devices that they may use.
	Devices []string
	// Sockets are directories and files outside of Write with local sockets that they may connect to. HideSockets are
	// patterns of those in Write that they may not, as [path.Match] has them, for a path or a directory above it.
	Sockets, HideSockets []string
	// Processes is the number of processes and threads by which a program may increase those of the machine, 0 for any.
	Processes int
	// Memory is how much memory of its own each program may use, in bytes, 0 for any.
	Memory int64
	// Network is the policy for their connections.
	Network network.Policy
}

// ErrUnavailable is the error where this system cannot confine programs.
var ErrUnavailable = errors.New("this system cannot confine programs")

// Sandbox confines programs. Its methods may be called from several goroutines at once.
type Sandbox struct {
	options Options
	version int  // of Landlock, 0 for that of the kernel
	mute    bool // the filter does not ask, as where the machine does not allow it

	own ownSockets

	mu      sync.Mutex // guards the following
	rules   *rules     // nil before the first program, and after a change of the settings
	profile Profile    // that the rules were made from
	dirs    []string   // that the rules are for
	closed  bool
}

// Options configure a [Sandbox]. Dirs and Profile are called when a program is started, and then not at the same time.
type Options struct {
	// Dirs returns the directories of the workspace.
	Dirs func() []string
	// Profile returns the profile for a workspace with these directories.
	Profile func(dirs []string) Profile
	// Family, if set, has the programs that the programs of the sandbox may signal, and gets those. Pollux must run as long as they do.
	Family *Family
	// Base, if set, returns a profile that programs have to keep to besides, on macOS, in a workspace with these directories.
	Base func(dirs []string) *Base
	// Lookup returns the addresses of a host that programs may reach; nil asks the resolver of this machine.
	Lookup Lookup
}

// Lookup returns the addresses of a host.
type Lookup = func(ctx context.Context, name string) ([]netip.Addr, error)

// watch follows the connections of a program.
type watch struct {
	log    *network.Log // of the hosts that it is refused
	ask    Ask          // nil if no person can be asked about hosts while it waits
	pause  *process.Pause
	broker *broker.Broker // nil for a program without placeholders
	open   *atomic.Int32  // its connections at the broker
}

// Ask asks a person whether a program may reach a host, and waits for the answer until ctx ends.
type Ask func(ctx context.Context, h network.Host) Answer

// Answer is the answer to the question whether a program may reach a host.
type Answer uint8

// The answers. Unanswered means that no person has answered a question, as at the end of a call, and Unasked that there was none.
const (
	Unanswered Answer = iota
	Unasked
	Allowed
	Refused
)

type (
	logKey    struct{}
	askKey    struct{}
	brokerKey struct{}
)

// WithLog returns a context in which the hosts that the sandbox refuses a program are added to a log.
func WithLog(ctx context.Context, log *network.Log) context.Context {
	return context.WithValue(ctx, logKey{}, log)
}

// WithAsk returns a context in which a program's connections to hosts that the sandbox refuses wait for a person's answer, on Linux: if the program
// reaches hosts by their names, and something waits for it (see [process.Command.Pause]).
func WithAsk(ctx context.Context, ask Ask) context.Context {
	return context.WithValue(ctx, askKey{}, ask)
}

// WithBroker returns a context in which a program's connections to the hosts of credentials are led to a broker, on Linux.
func WithBroker(ctx context.Context, b *broker.Broker) context.Context {
	return context.WithValue(ctx, brokerKey{}, b)
}

// New returns a sandbox, which reads nothing yet. The error is [ErrUnavailable] where this system cannot confine programs.
func New(o Options) (*Sandbox, error) {
	if err := Available(); err != nil {
		return nil, err
	}
	if o.Base != nil {
		if err := o.Base(o.Dirs()).check(); err != nil {
			return nil, err
		}
	}
	keepFiles()
	process.Seal() // else programs could look into the threads that start them, which are confined as they are
	return &Sandbox{options: o}, nil
}

// Confine is a middleware that confines each program unless the user, the administrator or Pollux itself has chosen it.
func (s *Sandbox) Confine(next process.Handler) process.Handler {
	return func(ctx context.Context, c *process.Command) (*process.Process, error) {
		if c.For.Origin.IsTrusted() {
			return next(ctx, c)
		}
		r, err := s.current()
		if err != nil {
			return nil, err
		}
		var w watch
		w.log, _ = ctx.Value(logKey{}).(*network.Log)
		if w.pause = c.Pause; w.pause != nil {
			w.ask, _ = ctx.Value(askKey{}).(Ask)
		}
		if w.broker, _ = ctx.Value(brokerKey{}).(*broker.Broker); w.broker != nil {
			w.open = &atomic.Int32{}
		}
		if err := r.apply(c, w); err != nil {
			return nil, err
		}
		if s.options.Family == nil || !keepsThreads {
			return next(ctx, c)
		}
		c.KeepThread = true
		p, err := next(ctx, c)
		if err == nil {
			s.options.Family.add(p)
		}
		return p, err
	}
}

// terminals returns the paths of the terminals that a program has as its streams. It could open no others by their names.
func terminals(c *process.Command) (paths []string) {
	if c.TTY {
		return ownTerminals()
	}
	if path := c.TerminalPath(); path != "" {
		return []string{path}
	}
	return nil
}

// current returns the rules for the directories that the workspace has now. Programs that run keep those that they were
// started with.
func (s *Sandbox) current() (*rules, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, errors.New("the sandbox is closed")
	}
	dirs := s.options.Dirs()
	if s.rules != nil && slices.Equal(dirs, s.dirs) && !s.rules.isOutdated() {
		return s.rules, nil
	}
	profile := s.options.Profile(dirs)
	r, err := build(profile, s.version, s.mute, &s.own, &s.options)
	if err != nil {
		return nil, err
	}
	s.rules, s.profile, s.dirs = r, profile, slices.Clone(dirs)
	return r, nil
}

// Profile returns the profile of the last program, and false if it does not count any more, or there was none.
func (s *Sandbox) Profile() (Profile, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.profile, s.rules != nil
}

// Renew makes the sandbox read the profile again before it starts the next program.
func (s *Sandbox) Renew() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules = nil
}

// Close ends the sandbox: no program can be started any more. Programs that run stay confined.
func (s *Sandbox) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.rules = true, nil
}
