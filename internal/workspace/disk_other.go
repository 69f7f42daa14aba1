//go:build !unix

package workspace

// Where an open never waits, nothing has to keep it from that.
const (
	fileFlags = 0
	dirFlags  = 0
)
