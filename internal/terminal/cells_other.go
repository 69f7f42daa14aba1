//go:build !unix

package terminal

// CellSize returns the size of a cell in pixels, 0 if the terminal does not tell it.
func (c *Console) CellSize() (width, height int) { return 0, 0 }
