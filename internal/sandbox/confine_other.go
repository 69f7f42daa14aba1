//go:build !linux || !(amd64 || arm64)

package sandbox

import "pollux/internal/sandbox/network"

type rules struct{ listing }

// Available returns why this system cannot confine programs; nil if it can.
func Available() error { return ErrUnavailable }

// Gap returns a sentence about a part of the sandbox that this machine does not allow, "" for none.
func Gap() string { return "" }

// KeepsSignals reports whether this system keeps confined programs from signalling others.
func KeepsSignals() bool { return false }

func build(Profile, int, bool, *ownSockets, *Options) (*rules, error) { return nil, ErrUnavailable }

func (*rules) confine([]string, *network.Log) error { return ErrUnavailable }

func (*rules) limit(int) {}

func ownTerminals() []string { return nil }

func keepFiles() {}
