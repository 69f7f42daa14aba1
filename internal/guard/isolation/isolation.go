// Package isolation detects the mechanisms of a machine to confine commands. [Probe] queries the
// kernel and the installed programs, and leaves nothing behind. The platform's own mechanisms
// are in its file, those of all platforms in containers.go.
package isolation

import (
	"context"
	"slices"
	"sync"
	"time"

	"pollux/internal/crash"
	"pollux/internal/process"
)

// Kind is a mechanism to confine commands.
type Kind string

// The kinds. Those that the setting tools.sandbox accepts have the same names there.
const (
	Landlock   Kind = "landlock"        // file rules that a process applies to itself
	Seccomp    Kind = "seccomp"         // system call filters
	Namespaces Kind = "user-namespaces" // without privileges
	Bubblewrap Kind = "bwrap"
	Seatbelt   Kind = "sandbox-exec"
	Docker     Kind = "docker"
	Podman     Kind = "podman"
	LXC        Kind = "lxc"
	GVisor     Kind = "runsc"
)

// State is the result of a probe.
type State string

// The states.
const (
	Works   State = "works"
	Missing State = "missing" // not available
	Broken  State = "broken"  // available, but does not work
)

// Ability is the result of probing one mechanism.
type Ability struct {
	Kind  Kind
	State State
	// Version is the version of the program, or of Landlock's ABI; "" if there is none.
	Version string
	Program string // path of the program, "" if the kernel provides the mechanism
	// Detail is the reason why it does not work, or a limitation.
	Detail string
	// Next is the next step for the user, "" if there is none.
	Next string
}

// Options configure a probe.
type Options struct {
	// Launcher starts the programs that Programs finds, with the environment Env.
	Launcher process.Launcher
	Programs process.Finder
	Env      []string
	// IsOffline forbids connections: daemons, which may be on other machines, are not asked.
	IsOffline bool
}

// ask returns the output of a program that ends within a moment.
func (o *Options) ask(ctx context.Context, path string, args ...string) (string, error) {
	return o.Launcher.Ask(ctx, &process.Command{For: purpose, Path: path, Args: args, Env: o.Env})
}

// purpose is that of all programs that a probe starts.
var purpose = process.Purpose{Kind: process.KindProbe, Origin: process.OriginPollux}

// timeout is the maximum duration of each probe.
const timeout = 3 * time.Second

// Abilities are the mechanisms of a platform, in the order of the probes.
type Abilities []Ability

// Probe probes all mechanisms of this platform in parallel. It takes at most a few seconds and
// leaves no process behind.
func Probe(ctx context.Context, o Options) Abilities {
	list := probes()
	found := make(Abilities, len(list))
	var all sync.WaitGroup
	for i, p := range list {
		all.Go(func() {
			defer crash.Recover()
			ctx, cancel := context.WithTimeoutCause(ctx, timeout, errSlow)
			defer cancel()
			found[i] = p.look(ctx, &o)
			found[i].Kind = p.kind
		})
	}
	all.Wait()
	return found
}

// probe is the probe of one mechanism.
type probe struct {
	kind Kind
	look func(ctx context.Context, o *Options) Ability
}

// Of returns the result for a kind. Its state is [Missing] if the platform does not have it.
func (a Abilities) Of(kind Kind) Ability {
	if i := slices.IndexFunc(a, func(one Ability) bool { return one.Kind == kind }); i >= 0 {
		return a[i]
	}
	return Ability{Kind: kind, State: Missing}
}

// Best returns the kinds to confine commands with on this machine, preferring those without a
// container; nil if nothing works.
func (a Abilities) Best() []Kind {
	for _, set := range [...][]Kind{{Seatbelt}, {Bubblewrap, Seccomp}, {Landlock, Seccomp}, {Docker}, {Podman}} {
		if !slices.ContainsFunc(set, func(kind Kind) bool { return a.Of(kind).State != Works }) {
			return set
		}
	}
	return nil
}
