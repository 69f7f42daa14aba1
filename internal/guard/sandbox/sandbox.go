// Package sandbox knows what a machine has to confine commands with
// (spec/safety.md §7, §8). So far it only looks: [Probe] asks the kernel, and the
// programs there are, without leaving anything behind. The files of each platform
// hold what it has of its own; containers.go what all may have.
package sandbox

import (
	"context"
	"slices"
	"sync"
	"time"

	"pollux/internal/program"
)

// Kind is a means to confine commands.
type Kind string

// The kinds. Names that settings may hold (tools.sandbox) are theirs.
const (
	Landlock   Kind = "landlock"        // rules on files that a process makes for itself
	Seccomp    Kind = "seccomp"         // a filter on system calls
	Namespaces Kind = "user-namespaces" // without privileges
	Bubblewrap Kind = "bwrap"
	Seatbelt   Kind = "sandbox-exec"
	Docker     Kind = "docker"
	Podman     Kind = "podman"
	LXC        Kind = "lxc"
	GVisor     Kind = "runsc"
)

// State is what came of looking for one.
type State string

// The states.
const (
	Works   State = "works"
	Missing State = "missing" // it is not there
	Broken  State = "broken"  // it is there, and does not work
)

// Ability is one kind and what is known of it.
type Ability struct {
	Kind  Kind
	State State
	// Version is a program's, or the number of Landlock's ABI; "" where there is
	// none.
	Version string
	Program string // its path, "" for the kernel's own
	// Detail says why it does not work, or what is to be known about how it does.
	Detail string
	// Next is what can be done about it, "" for nothing.
	Next string
}

// Options say where to look.
type Options struct {
	Programs program.Finder
	// Env is the environment for programs that are asked.
	Env []string
}

// patience is how long each of them may take.
const patience = 3 * time.Second

// Abilities are the kinds that a platform may have, in the order of the probes.
type Abilities []Ability

// Probe looks for all kinds that this platform may have, all at once. It takes no
// longer than a few seconds, whatever programs do, and leaves no process behind.
func Probe(ctx context.Context, o Options) Abilities {
	list := probes()
	found := make(Abilities, len(list))
	var all sync.WaitGroup
	for i, p := range list {
		all.Go(func() {
			ctx, cancel := context.WithTimeoutCause(ctx, patience, errSlow)
			defer cancel()
			found[i] = p.look(ctx, &o)
			found[i].Kind = p.kind
		})
	}
	all.Wait()
	return found
}

// probe is how one kind is looked for.
type probe struct {
	kind Kind
	look func(ctx context.Context, o *Options) Ability
}

// Of returns the ability of a kind, which is missing where the platform has none.
func (a Abilities) Of(kind Kind) Ability {
	if i := slices.IndexFunc(a, func(one Ability) bool { return one.Kind == kind }); i >= 0 {
		return a[i]
	}
	return Ability{Kind: kind, State: Missing}
}

// Best returns what commands would be confined with here: what costs no container
// first. There may be none.
func (a Abilities) Best() []Kind {
	for _, set := range [...][]Kind{{Seatbelt}, {Bubblewrap, Seccomp}, {Landlock, Seccomp}, {Docker}, {Podman}} {
		if !slices.ContainsFunc(set, func(kind Kind) bool { return a.Of(kind).State != Works }) {
			return set
		}
	}
	return nil
}
