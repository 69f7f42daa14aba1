// Package confine is the sandbox of a session, which may be off:
//
//	c := confine.New(confine.Options{…})
//	launcher := process.NewLauncher(c.Middleware)
//	err := c.Open() // from here on, programs are confined
package confine

import (
	"context"
	"os"
	"sync"
	"sync/atomic"

	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/profile"
	"pollux/internal/secret"
)

// Options configure a [Confinement]. The functions are called when they are first needed.
type Options struct {
	Paths    *config.Paths
	Settings func() *config.Settings
	// Env returns a variable of the user's environment, which projects cannot set.
	Env func(name string) string
	// Secrets returns the names of variables that confined commands do not get.
	Secrets func() []string
}

// Confinement confines the programs of a session while it is on. Its methods may be called from several goroutines at once.
type Confinement struct {
	options Options
	secrets func() []string
	sandbox atomic.Pointer[sandbox.Sandbox] // nil while it is off
	dirs    atomic.Pointer[func() []string]
}

// New returns a confinement that is off.
func New(o Options) *Confinement {
	c := &Confinement{options: o, secrets: sync.OnceValue(o.Secrets)}
	c.Follow(func() []string { return []string{o.Paths.Dir()} })
	return c
}

// Follow names the function that returns the directories of the workspace, which may change. Until then, there is only that of the project.
func (c *Confinement) Follow(dirs func() []string) { c.dirs.Store(&dirs) }

// Open turns it on. The error is [sandbox.ErrUnavailable] where this system cannot confine programs.
func (c *Confinement) Open() error {
	if c.IsOn() {
		return nil
	}
	s, err := sandbox.New(sandbox.Options{Dirs: func() []string { return (*c.dirs.Load())() }, Profile: c.prepare})
	if err == nil {
		c.sandbox.Store(s)
	}
	return err
}

// IsOn reports whether the programs of the model, the project and extensions are confined.
func (c *Confinement) IsOn() bool { return c.sandbox.Load() != nil }

// Name returns the name of the sandbox that commands run in: own while it is on, else the one of Pollux itself.
func (c *Confinement) Name(own, outer string) string {
	if c.IsOn() {
		return own
	}
	return outer
}

// Middleware confines programs while it is on. Servers keep their variables, which were chosen for them.
func (c *Confinement) Middleware(next process.Handler) process.Handler {
	return func(ctx context.Context, cmd *process.Command) (*process.Process, error) {
		s := c.sandbox.Load()
		if s == nil || cmd.For.Origin.IsTrusted() {
			return next(ctx, cmd)
		}
		if cmd.For.Kind != process.KindServer {
			cmd.Env = secret.Without(cmd.Env, c.secrets())
		}
		return s.Confine(next)(ctx, cmd)
	}
}

// Profile returns the files that confined programs may read and change, and the addresses that they can reach.
func (c *Confinement) Profile() sandbox.Profile { return c.profile(c.place((*c.dirs.Load())())) }

// prepare returns the profile for programs that are about to be started.
func (c *Confinement) prepare(dirs []string) sandbox.Profile {
	p := c.place(dirs)
	p.CreateCaches()
	return c.profile(p)
}

func (c *Confinement) profile(p profile.Place) sandbox.Profile {
	made := profile.Make(p)
	made.Network = reachable(c.options.Settings())
	return made
}

// place describes a workspace with these directories.
func (c *Confinement) place(dirs []string) profile.Place {
	o := &c.options
	write := config.SandboxAllowedPaths.In(o.Settings())
	for i := range write {
		write[i] = o.Paths.Expand(write[i])
	}
	find := process.Finder{Path: o.Env("PATH"), Outside: dirs}
	return profile.Place{
		Dirs: dirs, Home: o.Paths.Home(), Temp: os.TempDir(), Env: o.Env,
		HasProgram: func(name string) bool { return find.Find(name) != "" },
		Write:      write, Private: o.Paths.Private(), Read: o.Paths.Shown(),
	}
}

// Advise returns advice about the output of a command that has failed because it is confined, "" for none.
func (c *Confinement) Advise(output string) string {
	if !c.IsOn() {
		return ""
	}
	allowed := c.Profile()
	return allowed.Advise(output)
}
