//go:build !linux

package workspace

// isStraight reports whether a clean absolute path exists and has no links. Here it is not known.
func isStraight(string) bool { return false }
