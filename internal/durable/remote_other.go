//go:build unix && !linux

package durable

// isRemote reports whether other machines may use the file system of an open file. It is not known here.
var isRemote = func(int) bool { return false }
