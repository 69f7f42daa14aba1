package container

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/sandbox/proxy"
)

// defaultInstance is the name of the container of LXD that sessions use, as in Gemini CLI.
const defaultInstance = "gemini-sandbox"

// runWithLXD runs the session in a container of LXD, as [Run] does. LXD puts the files of the session at places of Pollux's own. At the places that the
// session knows, only the session sees them, see [entry.place]: LXD removes whatever is at the place of a disk, and the container has others' files.
func (o *Options) runWithLXD(ctx context.Context, lxc string) error {
	name, err := o.instanceName()
	if err != nil {
		return err
	}
	e, err := o.entry(name)
	if err != nil {
		return err
	}
	mounts, err := o.mounts()
	if err != nil {
		return err
	}
	own, link, err := o.lxdLink()
	if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot lead the container to this machine: %w.", durable.Cause(err))
	}
	defer func() {
		link.close()
		_ = os.Remove(own) // unless another session has it
	}()
	var devices []device
	for _, port := range e.Leads.In {
		devices = append(devices, o.port(port))
	}
	shared := o.disk(mount{link.dir, "", writable})
	devices = append(devices, shared)
	pollux := "" // the program
	for _, m := range mounts {
		d := o.disk(m)
		devices = append(devices, d)
		switch m.to {
		case program:
			pollux = d.place()
		case o.Own:
			e.Owner = d.place()
			fallthrough
		default:
			e.Binds = append(e.Binds, bind{d.place(), m.to})
		}
	}
	i := &instance{options: o, program: lxc, name: name, own: own}
	defer i.detach()
	if err := i.attach(ctx, devices); err != nil {
		return err
	}
	e.Leads.In, e.Host, e.Dir = nil, o.Host, o.Dir
	if err := link.write(e); err != nil { // not before: it has keys, and stays if Pollux is killed
		return exit.Errorf(exit.Sandbox, "Cannot write to %s: %w.", link.dir, durable.Cause(err))
	}
	return o.runClient(ctx, lxc, o.execution(name, pollux, filepath.Join(shared.place(), entryName)))
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

// linkStart begins the names of the directories of links below the one of [Options.lxdDir].
const linkStart = "link-"

// lxdLink returns the directory of [Options.lxdDir] and the link in it.
func (o *Options) lxdLink() (own string, l *link, err error) {
	for range 10 { // a session that ends may remove the directory
		if own, err = o.lxdDir(); err != nil {
			return "", nil, err
		}
		if l, err = o.link(own, linkStart); !errors.Is(err, fs.ErrNotExist) {
			break
		}
	}
	return own, l, err
}

// lxdDir returns the directory for sessions of the user in containers of LXD. No container has it as a whole, and it is the same for all home directories.
func (o *Options) lxdDir() (string, error) {
	dir := filepath.Join(o.Temp, "pollux-lxd-"+strconv.Itoa(o.UID))
	if err := os.Mkdir(dir, 0o700); err == nil || !errors.Is(err, fs.ErrExist) {
		return dir, err
	}
	var st syscall.Stat_t
	if err := syscall.Lstat(dir, &st); err != nil {
		return "", &fs.PathError{Op: "look at", Path: dir, Err: err}
	}
	if st.Mode&(syscall.S_IFMT|0o077) != syscall.S_IFDIR || int(st.Uid) != o.UID {
		return "", fmt.Errorf("%s is no directory of yours alone", dir)
	}
	return dir, nil
}

// execution returns the command line that runs the session in a container. program is the path of Pollux, and file that of its entry, in there.
func (o *Options) execution(name, program, file string) command {
	c := command{"exec", name, "--cwd", "/", "--env", Variable + "=" + file}
	if o.isTerminal() {
		c.add("--force-interactive")
	} else {
		c.add("--force-noninteractive")
	}
	if !o.passesInput() {
		c.add("--disable-stdin")
	}
	c.add("--", program)
	c.add(o.Args...)
	return c
}

// state is LXD's description of a container.
type state struct {
	Status  string          `json:"status"`
	Config  keys            `json:"config"`
	Type    string          `json:"type"`
	Devices map[string]keys `json:"devices"`
}

// state asks LXD about the container.
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
	return &s, nil
}

// check returns an error for a container in which no session can run.
func (i *instance) check(s *state) error {
	switch {
	case s.Type != "container":
		return exit.Errorf(exit.Sandbox, "'%s' of LXD is no container, but of type %q.", i.name, s.Type)
	case s.Status != "Running":
		return exit.Errorf(exit.Sandbox, "The container '%s' of LXD does not run. Start it: lxc start %s", i.name, i.name)
	}
	return nil
}

// checkUser returns an error for a container that does not know the user.
func (i *instance) checkUser(s *state) error {
	uid := i.options.UID
	switch {
	case s.knows(uid):
		return nil
	case uid == 0:
		return exit.Errorf(exit.Sandbox, "The container '%s' does not know root of this machine, so that it cannot use your files. Use it as another user, or one with privileges.", i.name)
	}
	return exit.Errorf(exit.Sandbox, `The container '%[1]s' does not know you (user %[2]d), so that it cannot use your files. Let it, and start it again: lxc config set %[1]s raw.idmap "$(lxc config get %[1]s raw.idmap; echo both %[2]d %[2]d)". `+
		"If it does not start then, add root:%[2]d:1 to /etc/subuid and /etc/subgid", i.name, uid)
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
