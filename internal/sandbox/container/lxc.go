package container

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"path"
	"regexp"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/sandbox/proxy"
)

// lxc is the value of tools.sandbox for a container that the user has made with LXD's program lxc. It runs before the session and after it, and
// further sessions can be in it.
const lxc = "lxc"

// defaultInstance is the name of the container of LXD that sessions use, as in Gemini CLI.
const defaultInstance = "gemini-sandbox"

// within is the directory in a container of LXD that has the files of its sessions.
const within = "/run/pollux"

// runWithLXC runs the session in a container of LXD, as [Run] does.
func (o *Options) runWithLXC(ctx context.Context, program string) error {
	name, err := o.instanceName()
	if err != nil {
		return err
	}
	link, err := o.link()
	if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot lead the container to this machine: %w.", durable.Cause(err))
	}
	defer link.close()
	e, err := o.entry(name)
	if err != nil {
		return err
	}
	opened := e.Leads.In
	e.Leads.In, e.IsShared, e.Host = nil, true, o.Host
	if err := link.write(e); err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot write to %s: %w.", link.dir, durable.Cause(err))
	}
	var random [6]byte
	_, _ = rand.Read(random[:]) // never fails
	shared := path.Join(within, hex.EncodeToString(random[:]))
	devices, err := o.devices(mount{link.dir, shared, writable}, opened)
	if err != nil {
		return err
	}
	i := &instance{options: o, program: program, name: name}
	defer i.detach()
	if err := i.attach(ctx, devices); err != nil {
		return err
	}
	cmd := &process.Command{
		For: purpose, Path: program, Args: o.execution(name, path.Join(shared, entryName)), Env: o.Environ, Dir: o.Dir, Stdout: o.Out, Stderr: o.Err, TTY: true, Grace: grace,
	}
	if o.passesInput() {
		cmd.Stdin = o.In
	}
	status, err := o.Launcher.Run(ctx, cmd)
	switch {
	case ctx.Err() != nil:
		return cancelled(ctx, status)
	case err != nil:
		return exit.Errorf(exit.Sandbox, "Cannot start %s: %w.", o.Name, durable.Cause(err))
	}
	return o.ended(status)
}

// instanceName returns the name of the container to use.
func (o *Options) instanceName() (string, error) {
	name := cmp.Or(o.Env("GEMINI_SANDBOX_IMAGE"), o.Env("GEMINI_SANDBOX_IMAGE_DEFAULT"), o.Image, defaultInstance)
	switch {
	case !regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9-]*$`).MatchString(name):
		return "", exit.Errorf(exit.Sandbox, "Invalid name of a container of LXD: %q. It is that of one on this machine, as lxc list shows it.", name)
	case o.Env("SANDBOX_FLAGS") != "":
		return "", exit.Errorf(exit.Sandbox, "SANDBOX_FLAGS has flags for docker and podman, and lxc takes none. Unset it.")
	case o.hasProxy():
		return "", exit.Errorf(exit.Sandbox, "A proxy (%s) is not possible with lxc: the network of the container is that of its profile. Unset it, or use docker or podman.", proxy.Variable)
	}
	return name, nil
}

// execution returns the command line that runs the session in a container. file is the path of its entry in there.
func (o *Options) execution(name, file string) command {
	c := command{"exec", name, "--cwd", o.Dir, "--env", Variable + "=" + file}
	if o.isTerminal() {
		c.add("--force-interactive")
	} else {
		c.add("--force-noninteractive")
	}
	if !o.passesInput() {
		c.add("--disable-stdin")
	}
	c.add("--", o.programWithin())
	c.add(o.Args...)
	return c
}

// programWithin returns the path of this program in a container of LXD. Another version of it, in another session, has another path.
func (o *Options) programWithin() string { return path.Join(within, shortHash(o.Program), "pollux") }

// state is LXD's description of a container.
type state struct {
	Status  string          `json:"status"`
	Config  keys            `json:"config"`
	Type    string          `json:"type"`
	Devices map[string]keys `json:"expanded_devices"` // those of its profiles, too
}

// state asks LXD about the container, which has to run.
func (i *instance) state(ctx context.Context) (*state, error) {
	text, err := i.ask(ctx, "query", "/1.0/instances/"+i.name)
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, exit.Errorf(exit.Sandbox, "Cannot use the container '%s' of LXD: %w. Create it with 'lxc launch ubuntu:24.04 %s', name another one in GEMINI_SANDBOX_IMAGE, or use --no-sandbox.", i.name, err, i.name)
	}
	var s state
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, exit.Errorf(exit.Sandbox, "LXD describes the container '%s' in an unknown way: %w.", i.name, err)
	}
	if s.Devices == nil {
		s.Devices = map[string]keys{}
	}
	switch {
	case s.Type != "container":
		return nil, exit.Errorf(exit.Sandbox, "'%s' of LXD is no container, but of type %q.", i.name, s.Type)
	case s.Status != "Running":
		return nil, exit.Errorf(exit.Sandbox, "The container '%s' of LXD does not run. Start it: lxc start %s", i.name, i.name)
	}
	return &s, nil
}

// knows reports whether a user of the machine is one in the container, too, unless LXD does not say that.
func (s *state) knows(uid int) bool {
	var ranges []struct{ Hostid, Maprange int } // none in a container with privileges
	err := json.Unmarshal([]byte(s.Config["volatile.idmap.current"]), &ranges)
	for _, r := range ranges {
		if uid >= r.Hostid && uid < r.Hostid+r.Maprange {
			return true
		}
	}
	return err != nil || len(ranges) == 0
}

// ask runs lxc, and returns its output.
func (i *instance) ask(ctx context.Context, args ...string) (string, error) {
	text, err := i.options.Launcher.Ask(ctx, &process.Command{For: purpose, Path: i.program, Args: args, Env: i.options.Environ})
	if err != nil && ctx.Err() == nil {
		err = errors.New(strings.TrimPrefix(err.Error(), "Error: "))
	}
	return text, err
}

// devices returns the devices that the session needs: disks for its mounts, the link and this program, and ports that are open on the machine.
func (o *Options) devices(link mount, ports []int) (list []device, err error) {
	mounts, err := o.mounts()
	if err != nil {
		return nil, err
	}
	mounts = append(mounts, link)
	slices.SortStableFunc(mounts, func(a, b mount) int { return cmp.Compare(len(a.to), len(b.to)) }) // LXD puts one over the other
	for _, m := range mounts {
		if m.to == program {
			m.to = o.programWithin()
		}
		list = append(list, o.disk(m))
	}
	for _, port := range ports {
		list = append(list, o.port(port))
	}
	return list, nil
}
