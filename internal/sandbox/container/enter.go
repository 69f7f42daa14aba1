package container

// Variable is the variable that tells Pollux in a container how it begins, by the path of a file with an [entry], and afterwards, as [Inside], that
// it is in one.
const (
	Variable = "POLLUX_CONTAINER"
	Inside   = "1"
)

// forPorts is the value of [Variable] in the process that leads to ports.
const forPorts = "ports"

// entry describes how Pollux begins in a container. The file is removed when it has been read: it has the user's keys.
type entry struct {
	Home string
	User string
	// Become is whom Pollux becomes. UID and GID are the numbers of the user on the machine, Owner is a file of the user.
	Become   string
	UID, GID int
	Owner    string
	// IsShared reports whether the container is the user's own, where others are users, and which stays. Host is then the name of the machine.
	IsShared bool
	Host     string
	Leads    leads
	// Env are the variables of the session. Those of the image that have other names stay.
	Env []string
	// Script is a file for bash that runs first, "" for none.
	Script string
	// Paths and PythonPaths are added to PATH and PYTHONPATH.
	Paths, PythonPaths []string
}

// leads are the ports that lead into a container and out of it: those that the machine passes on, and those of servers of the machine and
// of the proxy. Dir is the directory of the link, and Session the process of the session, in the container.
type leads struct {
	In, Out []int
	Dir     string
	Session int
}
