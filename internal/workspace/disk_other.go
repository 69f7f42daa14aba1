//go:build !unix

package workspace

// openFlags is empty where an open never waits.
const openFlags = 0
