// Package landlock restricts the files that a thread, and all programs that it starts, can read and change. It is the kernel's Landlock:
// no privileges are needed, and a restriction cannot be lifted.
//
//	rules, err := landlock.New(landlock.Version())
//	err = rules.Allow("/usr", landlock.Read)
//	err = rules.Restrict() // this thread
//
// A set of rules only allows: everything else is denied. A rule for a directory holds for all that is in it, then and
// later.
package landlock

// Access is the access that a rule allows.
type Access uint8

// The kinds of access.
const (
	// List allows to list a directory and those in it.
	List Access = 1 << iota
	// Read allows to read and to run files, and to list directories.
	Read
	// Write allows all that Read does, and to change, create, remove and rename files. It does not allow to create device
	// nodes.
	Write
	// Device allows to read, to write and to control devices.
	Device
)
