//go:build unix

package terminal

import "golang.org/x/sys/unix"

// CellSize returns the size of a cell in pixels, 0 if the terminal does not tell it.
func (c *Console) CellSize() (width, height int) {
	size, err := unix.IoctlGetWinsize(int(c.out.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Col == 0 || size.Row == 0 {
		return 0, 0
	}
	return int(size.Xpixel) / int(size.Col), int(size.Ypixel) / int(size.Row)
}
