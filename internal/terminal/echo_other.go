//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package terminal

func hideInput(int) (show func(), err error) { return nil, ErrCannotHide }
