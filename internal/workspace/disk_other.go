//go:build !unix

package workspace

import "io"

// Where an open never waits, nothing has to keep it from that.
const (
	fileFlags = 0
	dirFlags  = 0
)

func openStream(path string) (io.ReadCloser, error) { return openRegular(path) }
