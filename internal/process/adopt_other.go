//go:build !linux

package process

import "os"

// adoption does nothing: only Linux has processes adopt others.
type adoption struct{}

var adopted adoption

func (*adoption) starting(start func() (*os.Process, error)) (*os.Process, error) { return start() }

func (*adoption) ended(int) {}
