//go:build !linux || !(amd64 || arm64)

package sandbox

type rules struct{}

// Available returns why this system cannot confine programs; nil if it can.
func Available() error { return ErrUnavailable }

func build(Profile, int) (*rules, error) { return nil, ErrUnavailable }

func (*rules) confine() error { return ErrUnavailable }
