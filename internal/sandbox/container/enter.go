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
	// Binds are files and directories of the session at other places, which are to be where the session knows them. The container is then one that others
	// use, and that stays: they do not see these. Dir is the directory of the session, and Host the name of the machine.
	Binds     []bind
	Dir, Host string
	Leads     leads
	// Env are the variables of the session. Those of the image that have other names stay.
	Env []string
	// Script is a file for bash that runs first, "" for none.
	Script string
	// Paths and PythonPaths are added to PATH and PYTHONPATH.
	Paths, PythonPaths []string
}

// bind is a file or directory at two places.
type bind struct{ From, To string }

// leads are the ports that lead into a container and out of it: those that the machine passes on, and those of servers of the machine and
// of the proxy. Dir is the directory of the link, and Session the process of the session, in the container.
type leads struct {
	In, Out []int
	Dir     string
	Session int
}
