package container

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"pollux/internal/exit"
)

// Places in the container.
const (
	program = "/usr/local/bin/pollux"
	sockets = "/run/pollux" // of the relays
)

// command is a command line of the container program.
type command struct {
	args []string
	env  []string // variables that the arguments name: values of secrets are not in a command line, which others can read
}

// command returns the command line that runs the session.
func (o *Options) command(image string, relays *relays) (*command, error) {
	name := nameFor(image)
	c := &command{args: []string{"run", "--rm", "--init", "--workdir", o.Dir, "--entrypoint", ""}}
	if o.Name == "runsc" {
		c.add("--runtime=runsc")
	}
	flags, err := shell.Fields(o.Env("SANDBOX_FLAGS"), o.Env)
	if err != nil {
		return nil, exit.Errorf(exit.Sandbox, "SANDBOX_FLAGS is not valid: %w.", err)
	}
	c.add(flags...)
	if o.passesInput() {
		c.add("--interactive")
	}
	if o.isTerminal() {
		c.add("--tty")
	}
	c.add("--name", name)
	if o.Client() == "docker" { // podman has the name itself, and many versions of it do not know host-gateway
		c.add("--add-host", "host.docker.internal:host-gateway")
	}
	if o.Host != "" { // a part of the key that stored keys are encrypted with
		c.add("--hostname", o.Host)
	}
	mounts, err := o.mounts()
	if err != nil {
		return nil, err
	}
	if relays.dir != "" {
		mounts = append(mounts, mount{relays.dir, sockets, writable})
	}
	for _, m := range mounts {
		c.add("--volume", m.String())
	}
	ports, err := ports(o.Env("SANDBOX_PORTS"))
	if err != nil {
		return nil, err
	}
	for _, port := range ports {
		c.add("--publish", fmt.Sprintf("%d:%d", port, port))
	}
	if err := c.addVariables(o, name, &entry{
		Home: o.Home, User: o.User, Become: o.becomes(), UID: o.UID, GID: o.GID, Owner: o.Own, Ports: ports, Relays: relays.ports,
		Script: o.script(), Paths: o.ownPaths("PATH"), PythonPaths: o.ownPaths("PYTHONPATH"),
	}); err != nil {
		return nil, err
	}
	if o.becomes() != becomeImage {
		c.add("--user", "0") // an image may have no names of users
	}
	c.add(image)
	if o.IsLinux {
		c.add(program)
	} else {
		c.add("pollux")
	}
	c.add(o.Args...)
	return c, nil
}

func (c *command) add(args ...string) { c.args = append(c.args, args...) }

// addVariables adds the variables of the session.
func (c *command) addVariables(o *Options, name string, e *entry) error {
	how, err := json.Marshal(e)
	if err != nil {
		return err
	}
	values := maps.Clone(o.Keys)
	if values == nil {
		values = map[string]string{}
	}
	for _, name := range o.Forward {
		if v := o.Env(name); v != "" {
			values[name] = v
		}
	}
	values["SANDBOX"], values[Variable] = name, string(how)
	for pair := range strings.SplitSeq(o.Env("SANDBOX_ENV"), ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		name, value, ok := strings.Cut(pair, "=")
		if !ok || name == "" {
			return exit.Errorf(exit.Sandbox, "SANDBOX_ENV must be a comma-separated list of key=value pairs")
		}
		values[name] = value
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		c.add("--env", name)
		c.env = append(c.env, name+"="+values[name])
	}
	return nil
}

// nameFor returns a new name for a container: that of the image with its tag, and a random part.
func nameFor(image string) string {
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	return strings.ReplaceAll(path.Base(image), ":", "-") + "-" + hex.EncodeToString(random[:])
}

// ports reads a list of ports, separated by commas.
func ports(list string) (ports []int, err error) {
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		port, err := strconv.Atoi(text)
		if err != nil || port < 1 || port > 65535 {
			return nil, exit.Errorf(exit.Sandbox, "SANDBOX_PORTS must be a comma-separated list of ports, but it has %q.", text)
		}
		ports = append(ports, port)
	}
	return ports, nil
}

// Whom [Enter] becomes.
const (
	becomeOwner = "owner" // the owner of Pollux's own files, as the container sees it: root where that stands for the user
	becomeUser  = "user"  // the user, by number
	becomeImage = "image" // whom the image names
)

func (o *Options) becomes() string {
	switch strings.ToLower(o.Env("SANDBOX_SET_UID_GID")) {
	case "1", "true":
		return becomeUser
	case "0", "false":
		return becomeImage
	}
	return becomeOwner
}

// ownPaths returns the directories of a list such as PATH that are in the project.
func (o *Options) ownPaths(variable string) (list []string) {
	for _, dir := range filepath.SplitList(o.Env(variable)) {
		if dir = filepath.Clean(dir); strings.HasPrefix(dir, o.Dir+"/") {
			list = append(list, dir)
		}
	}
	return list
}
