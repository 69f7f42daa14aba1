//go:build !(linux || darwin || dragonfly || freebsd || netbsd || openbsd)

package terminal

import "errors"

func hideInput(int) (show func(), err error) { return nil, errors.ErrUnsupported }

func passUnfinished(int) (back func(), err error) { return nil, errors.ErrUnsupported }

// resetInput does nothing: shells set the modes of the input here.
func resetInput(int) {}
