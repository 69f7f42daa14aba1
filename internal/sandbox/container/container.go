// Package container runs Pollux as a whole in a container of Docker, Podman or LXD: the session with its tools, hooks and MCP servers.
//
//   - Outside, [Run] gets the image, starts the container, and waits for its end. command.go has the command line of the container
//     program, mounts.go the files that the container gets. A container of LXD is there before: lxd_linux.go and devices_linux.go.
//   - Inside, the same program runs with the same arguments. [Enter] first becomes the user (enter_linux.go).
//   - proxy.go has the container of a proxy. With one, that of the session has no network.
//   - relay.go shares a directory with the container, and leads from inside to programs that listen on the loopback addresses of the machine, such as
//     model servers, and to the proxy.
package container

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"syscall"
	"time"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/process"
	"pollux/internal/sandbox/proxy"
)

// lxc is the value of tools.sandbox for a container that the user has made with LXD's program lxc. It runs before the session and after it, and
// further sessions can be in it.
const lxc = "lxc"

// Has reports whether a value of tools.sandbox stands for a container. runsc, gVisor, is a runtime of Docker.
func Has(name string) bool { return slices.Contains([]string{"docker", "podman", "runsc", lxc}, name) }

// Installed returns the first program for containers that this machine has, as has reports, "" for none.
func Installed(has func(name string) bool) string {
	for _, name := range [...]string{"docker", "podman"} {
		if has(name) {
			return name
		}
	}
	return ""
}

// Needed is the error of a session that is to run in a container. Its caller calls [Run].
type Needed struct {
	Name string // see Has
	From string // the setting or variable that asks for it
}

func (n *Needed) Error() string {
	return fmt.Sprintf("%s asks for a container (%s), and only sessions run in one", n.From, n.Name)
}

// Need returns an error with a [*Needed], which has [exit.Sandbox] where no one runs the session in a container.
func Need(name, from string) error {
	return exit.Errorf(exit.Sandbox, "%w.", &Needed{Name: name, From: from})
}

// IsNeeded reports whether an error has a [*Needed].
func IsNeeded(err error) bool {
	_, ok := errors.AsType[*Needed](err)
	return ok
}

// Options describe the container and the session in it. Paths are absolute.
type Options struct {
	Needed
	// Image is the image that settings name, "" for the default one.
	Image string
	// Args are the arguments of Pollux.
	Args []string

	Dir     string   // the directory of the project, which can be changed
	Dirs    []string // further ones of the workspace, with the repositories of worktrees
	Home    string   // the home directory
	Own     string   // the directory of Pollux's own files, in the home directory
	Staging string   // the directory for the link, see [Options.linkParent]
	Temp    string   // the directory for temporary files of all users, not the one in TMPDIR
	Rules   []string // files and directories that can be read: settings and policies of the system
	Read    []string // further ones that can be read, from settings
	Script  bool     // whether Dir's .gemini/sandbox.bashrc runs at the start, and a proxy may be a file in Dir: the folder is trusted

	User     string // the name of the user
	UID, GID int
	Host     string // the name of the machine, "" if unknown

	// Env returns a variable of the user's environment, which projects cannot set. Forward are the variables that Pollux gets inside,
	// NAME=value each, keys among them.
	Env     func(name string) string
	Forward []string
	// Loopback are addresses on the loopback interface of the machine, as host:port, that Pollux connects to.
	Loopback []string

	// Program is the path of this program, which the container gets if IsLinux; else the image has one.
	Program string
	IsLinux bool
	// Launcher starts the container program, which Find finds by its name.
	Launcher process.Launcher
	Find     func(name string) string
	// Environ is the environment of the container program.
	Environ []string
	// Conceal returns a text without secrets.
	Conceal func(text string) string

	In       io.Reader
	Out, Err io.Writer
	// HasKeyboard and HasScreen report whether In and Out are terminals.
	HasKeyboard, HasScreen bool
}

// grace is how long a container has for its end after a signal.
const grace = 10 * time.Second

// Run runs the session in a container, and returns when it has ended. The error has the exit code of the session if that failed, which it has
// then told the user, and else [exit.Sandbox].
func Run(ctx context.Context, o *Options) error {
	ctx, stop := o.untilHangup(ctx)
	defer stop()
	path, err := o.containerProgram()
	if err != nil {
		return err
	}
	if o.Name == lxc {
		return o.runWithLXD(ctx, path)
	}
	image, err := o.image()
	if err != nil {
		return err
	}
	if err := o.fetch(ctx, path, image); err != nil {
		return err
	}
	parent, err := o.linkParent()
	if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot make a directory for the container: %w.", durable.Cause(err))
	}
	link, err := o.link(parent, "link-")
	if err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot lead the container to this machine: %w.", durable.Cause(err))
	}
	defer link.close()
	name := nameFor(image)
	e, err := o.entry(name)
	if err != nil {
		return err
	}
	args, err := o.command(name, image, link.dir, e.Leads.In)
	if err != nil {
		return err
	}
	if o.hasProxy() {
		g, err := o.startGateway(ctx, path, image)
		if err != nil {
			return err
		}
		defer g.close()
		var cancel context.CancelFunc
		ctx, cancel = g.watch(ctx)
		defer cancel()
		if err := link.lead(g.port, g.address); err != nil {
			return exit.Errorf(exit.Sandbox, "Cannot lead the container to its proxy: %w.", durable.Cause(err))
		}
	}
	if err := link.write(e); err != nil {
		return exit.Errorf(exit.Sandbox, "Cannot write to %s: %w.", link.dir, durable.Cause(err))
	}
	err = o.runClient(ctx, path, args)
	if ctx.Err() != nil {
		o.remove(path, name) // the container program may have ended before the container began
	}
	return err
}

// runClient runs the container program with the session, which has the terminal.
func (o *Options) runClient(ctx context.Context, path string, args command) error {
	cmd := &process.Command{
		For: purpose, Path: path, Args: args, Env: o.Environ, Dir: o.Dir, Stdout: o.Out, Stderr: o.Err, TTY: true, Grace: grace,
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

// remove removes a container, if it is still there.
func (o *Options) remove(path, name string) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_, _ = o.Launcher.Ask(ctx, &process.Command{For: purpose, Path: path, Args: []string{"rm", "--force", name}, Env: o.Environ, Dir: o.Dir})
}

// purpose is that of the container program.
var purpose = process.Purpose{Kind: process.KindContainer, Origin: process.OriginUser}

// cancelled returns the error of a container program that was to end. A session with that exit code has said why.
func cancelled(ctx context.Context, status process.Status) error {
	if cause := context.Cause(ctx); status.Code != int(exit.CodeOf(cause)) {
		return cause
	}
	return &exit.Shown{Err: context.Cause(ctx)}
}

// ended returns the error of a container program that has ended.
func (o *Options) ended(status process.Status) error {
	const failed, notFound = 125, 127 // the codes of the container program itself, which has said why
	switch {
	case status == process.Status{}:
		return nil
	case status.Signal == syscall.SIGPIPE: // the reader of the output has ended
		return nil
	case status.Signal != 0:
		return exit.Errorf(exit.Code(128+int(status.Signal)), "%s was ended (%s). The session in the container may go on.", o.Client(), status)
	case status.Code >= failed && status.Code <= notFound:
		return &exit.Shown{Err: exit.Errorf(exit.Sandbox, "%s has not started the container", o.Name)}
	}
	return &exit.Shown{Err: exit.Errorf(exit.Code(status.Code), "the session in the container has failed")}
}

// Client is the name of the program that manages the containers.
func (n *Needed) Client() string {
	if n.Name == "runsc" {
		return "docker"
	}
	return n.Name
}

func (o *Options) containerProgram() (string, error) {
	if o.Name == "runsc" && !o.IsLinux {
		return "", exit.Errorf(exit.Sandbox, "gVisor (runsc) is only available on Linux. Use docker or podman.")
	}
	if o.hasProxy() && !o.IsLinux { // elsewhere, no link leads there
		return "", exit.Errorf(exit.Sandbox, "A proxy for the container (%s) is only available on Linux.", proxy.Variable)
	}
	path := o.Find(o.Client())
	if path == "" {
		return "", exit.Errorf(exit.Sandbox, "Missing sandbox command '%s' (from %s). Install it, or use --no-sandbox to run without one.", o.Client(), o.From)
	}
	return path, nil
}

// passesInput reports whether the session gets standard input. A terminal without a screen has none: a script would wait for its end.
func (o *Options) passesInput() bool { return o.isTerminal() || !o.HasKeyboard }

// isTerminal reports whether the session has the terminal. A terminal in the container mixes standard output and standard error, and so is none for
// a script.
func (o *Options) isTerminal() bool { return o.HasKeyboard && o.HasScreen }
