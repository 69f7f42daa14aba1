//go:build !linux || !(amd64 || arm64)

package sandbox

type rules struct{}

// Available returns why this system cannot confine programs; nil if it can.
func Available() error { return ErrUnavailable }

// Gap returns a sentence about a part of the sandbox that this machine does not allow, "" for none.
func Gap() string { return "" }

func build(Profile, int, bool) (*rules, error) { return nil, ErrUnavailable }

func (*rules) confine([]string) error { return ErrUnavailable }

func (*rules) limit(int) {}

func ownTerminals() []string { return nil }

func keepFiles() {}
