//go:build unix && !linux && !darwin

package durable

import "os"

func (p directory) copyAttributes(*os.File, string) error { return nil }

// KeepAttributes does nothing: Pollux does not know the extended attributes of this system.
func KeepAttributes(_, _ *os.File) error { return nil }
