//go:build unix && !linux && !darwin

package durable

import "os"

func (p directory) copyAttributes(*os.File, string) error { return nil }
