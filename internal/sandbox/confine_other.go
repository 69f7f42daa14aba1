//go:build !darwin && !(linux && (amd64 || arm64))

package sandbox

import (
	"pollux/internal/process"
)

// Name is the name of the sandbox that settings ask for, which this system has not.
const Name = "landlock"

// ByPath is whether the rules of this system are about paths, whether there are files or not. Else they are about files that exist.
const ByPath = false

const keepsThreads = false

type rules struct{ listing }

// Available returns why this system cannot confine programs; nil if it can.
func Available() error { return ErrUnavailable }

// Gap returns a sentence about a part of the sandbox that this machine does not allow, "" for none.
func Gap() string { return "" }

// KeepsSignals reports whether this system keeps confined programs from signalling others.
func KeepsSignals() bool { return false }

// KnowsHosts reports whether this system can let programs reach some hosts only.
func KnowsHosts() bool { return false }

// LimitsResources is whether this system limits memory and the number of processes.
const LimitsResources = false

func (*Base) check() error { return ErrUnavailable }

func build(Profile, int, bool, *ownSockets, *Options) (*rules, error) { return nil, ErrUnavailable }

func (*rules) apply(*process.Command, watch) error { return ErrUnavailable }

func ownTerminals() []string { return nil }

func keepFiles() {}
