//go:build unix

package workspace

import "golang.org/x/sys/unix"

// fileFlags keep an open from waiting, and a terminal from becoming ours;
// dirFlags open directories only, and no links.
const (
	fileFlags = unix.O_NONBLOCK | unix.O_NOCTTY
	dirFlags  = unix.O_NONBLOCK | unix.O_DIRECTORY | unix.O_NOFOLLOW
)
