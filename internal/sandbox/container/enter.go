package container

// Variable is the variable that tells Pollux in a container how it begins, and afterwards, as [Inside], that it is in one.
const (
	Variable = "POLLUX_CONTAINER"
	Inside   = "1"
)

// entry describes how Pollux begins in a container.
type entry struct {
	Home string
	User string
	// Become is whom Pollux becomes. UID and GID are the numbers of the user on the machine, Owner is a file of the user.
	Become   string
	UID, GID int
	Owner    string `json:",omitempty"`
	// Ports are those that the machine passes on, Relays those of servers of the machine.
	Ports, Relays []int `json:",omitempty"`
	// Script is a file for bash that runs first, "" for none.
	Script string `json:",omitempty"`
	// Paths and PythonPaths are added to PATH and PYTHONPATH.
	Paths, PythonPaths []string `json:",omitempty"`
}
