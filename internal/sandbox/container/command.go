package container

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/shell"

	"pollux/internal/exit"
	"pollux/internal/sandbox/proxy"
)

// Places in the container.
const (
	program   = "/usr/local/bin/pollux"
	shared    = "/run/pollux" // the directory of a link
	entryName = "entry"       // the file in it with an entry
)

// command is the command line of the container program. It has no secrets, because others can read it.
type command []string

// command returns the command line that runs the session in a container with this name. dir is the directory of the link, ports are to be opened
// on the machine.
func (o *Options) command(name, image, dir string, ports []int) (command, error) {
	c := command{"run", "--rm", "--init", "--workdir", o.Dir, "--entrypoint", ""}
	if o.Name == "runsc" {
		c.add("--runtime=runsc")
	}
	flags, err := o.flags()
	if err != nil {
		return nil, err
	}
	c.add(flags...)
	if o.passesInput() {
		c.add("--interactive")
	}
	if o.isTerminal() {
		c.add("--tty")
	}
	c.add("--name", name)
	switch {
	case o.hasProxy(): // which the link leads to
		c.add("--network", "none")
	case o.Client() == "docker": // podman has the name itself, and many versions of it do not know host-gateway
		c.add("--add-host", "host.docker.internal:host-gateway")
	}
	if o.Host != "" { // a part of the key that stored keys are encrypted with
		c.add("--hostname", o.Host)
	}
	mounts, err := o.mounts()
	if err != nil {
		return nil, err
	}
	for _, m := range append(mounts, mount{dir, shared, writable}) {
		c.add("--volume", m.String())
	}
	for _, port := range ports {
		c.add("--publish", fmt.Sprintf("%d:%d", port, port))
	}
	c.add("--env", Variable+"="+path.Join(shared, entryName))
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

func (c *command) add(args ...string) { *c = append(*c, args...) }

// flags returns the user's flags for the container program.
func (o *Options) flags() ([]string, error) {
	flags, err := shell.Fields(o.Env("SANDBOX_FLAGS"), o.Env)
	if err != nil {
		return nil, exit.Errorf(exit.Sandbox, "SANDBOX_FLAGS is not valid: %w.", err)
	}
	if i := slices.IndexFunc(flags, isForNetwork); o.hasProxy() && i >= 0 {
		return nil, exit.Errorf(exit.Sandbox, "SANDBOX_FLAGS has %s, but only a proxy leads out of the container. Remove it, or unset %s.", flags[i], proxy.Variable)
	}
	return flags, nil
}

// isForNetwork reports whether a flag of a container program is for the network of a container.
func isForNetwork(flag string) bool {
	name, _, _ := strings.Cut(flag, "=")
	return slices.Contains([]string{"--network", "--net", "--publish", "--publish-all", "--dns", "--link", "--pod", "--pod-id-file"}, name) ||
		strings.HasPrefix(name, "-p") || strings.HasPrefix(name, "-P")
}

// entry describes how the session begins in a container with this name.
func (o *Options) entry(name string) (*entry, error) {
	in, err := ports(o.Env("SANDBOX_PORTS"))
	if err != nil {
		return nil, err
	}
	if o.hasProxy() && len(in) > 0 {
		return nil, exit.Errorf(exit.Sandbox, "SANDBOX_PORTS opens no ports of a container that only a proxy leads out of. Unset it, or %s.", proxy.Variable)
	}
	e := &entry{
		Home: o.Home, User: o.User, Become: o.becomes(), UID: o.UID, GID: o.GID, Owner: o.Own, Leads: leads{In: in},
		Script: o.script(), Paths: o.ownPaths("PATH"), PythonPaths: o.ownPaths("PYTHONPATH"),
	}
	for pair := range strings.SplitSeq(o.Env("SANDBOX_ENV"), ",") {
		if pair = strings.TrimSpace(pair); pair == "" {
			continue
		}
		if strings.Index(pair, "=") < 1 {
			return nil, exit.Errorf(exit.Sandbox, "SANDBOX_ENV must be a comma-separated list of key=value pairs")
		}
		e.Env = append(e.Env, pair)
	}
	var leading []string
	if o.hasProxy() {
		leading = proxy.Variables(o.proxyURL(), o.Env)
	}
	e.Env = slices.Concat(o.Forward, leading, e.Env, []string{"SANDBOX=" + name})
	return e, nil
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
