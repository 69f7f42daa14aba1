// Package listener finds out whether a program in the sandbox listens at a port: it could take the place of one that the user trusts.
//
//	if listener.At(port) == listener.Confined {
//
// Programs in the sandbox run as the user, and write to directories for temporary files, as the user's other programs do. They cannot take off
// the restrictions of the kernel, which it shows.
package listener

// Kind is a kind of program.
type Kind int

// The kinds. Unknown is that of a program that Pollux does not see, such as one of another user or outside of a container.
const (
	Unknown Kind = iota
	Free
	Confined
)
