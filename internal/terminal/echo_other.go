//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package terminal

func hide(int) (show func(), err error) { return nil, ErrShown }
