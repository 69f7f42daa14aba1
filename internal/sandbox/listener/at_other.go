//go:build !linux

package listener

// Sees is whether this system shows which program listens at a port.
const Sees = false

// At returns Unknown.
func At(int) Kind { return Unknown }
