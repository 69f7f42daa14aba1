// Package confine is the sandbox of a session, which may be off:
//
//	c := confine.New(confine.Options{…})
//	launcher := process.NewLauncher(c.Middleware)
//	err := c.Open() // from here on, programs are confined
package confine

import (
	"context"
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"pollux/internal/config"
	"pollux/internal/process"
	"pollux/internal/sandbox"
	"pollux/internal/sandbox/limits"
	"pollux/internal/sandbox/network"
	"pollux/internal/sandbox/profile"
	"pollux/internal/secret"
	"pollux/internal/workspace"
)

// Options configure a [Confinement]. The functions are called when they are first needed.
type Options struct {
	Paths    *config.Paths
	Settings func() *config.Settings
	// Env returns a variable of the user's environment, which projects cannot set.
	Env func(name string) string
	// Secrets returns the names of variables that confined commands do not get.
	Secrets func() []string
	Host    Host // for credentials that commands use without having them
}

// Granted returns the run of a command that ctx is for, the zero Run for other programs.
type Granted func(ctx context.Context) Run

// Run is the run of a command of the model.
type Run struct {
	Grant Grant
	Log   *network.Log // of the hosts that it is refused
	// Ask asks a person about a host while the command waits for it; nil if no person can be asked.
	Ask sandbox.Ask
	// Command is its text, and Dir the directory that it begins in: "" is that of the project, which others are relative to.
	Command, Dir string

	limit limits.Limit // set by limited
}

// access is the permissions of a command, and the restrictions of the approval mode.
type access struct {
	Grant
	limit limits.Limit
}

// isZero reports whether the access is that of other programs.
func (a *access) isZero() bool { return a.IsZero() && a.limit == limits.Limit{} }

// key identifies the access among others.
func (a *access) key() string {
	if a.limit == (limits.Limit{}) {
		return a.Grant.key()
	}
	return fmt.Sprintf("%s\x00%+v", a.Grant.key(), a.limit)
}

func (r *Run) access() access { return access{r.Grant, r.limit} }

// Confinement confines the programs of a session while it is on. Its methods may be called from several goroutines at once.
type Confinement struct {
	options Options
	secrets func() []string
	sandbox atomic.Pointer[sandbox.Sandbox] // nil while it is off
	dirs    atomic.Pointer[func() []string]
	granted atomic.Pointer[Granted]
	ruled   atomic.Pointer[ruled]
	// isForAll is false while programs that a person has set up are not confined.
	isForAll atomic.Bool
	family   *sandbox.Family                   // see Alone
	base     func(dirs []string) *sandbox.Base // the profile that the user has named, nil for none; set before it is opened, as the next ones
	named    named                             // the rules of that profile that Pollux has itself
	proxied  *proxied                          // nil without a proxy

	mu     sync.Mutex                  // guards the following
	wishes []sandbox.Wish              // see Refused
	told   map[string]bool             // the hosts that advice has named of commands that have worked, as wishes
	made   []string                    // directories for caches, those above others first
	empty  []string                    // caches that another session may remove, see Close
	wider  map[string]*sandbox.Sandbox // for commands with a grant, by its key
	filled *placeholders               // nil before the first command, see fill
}

// setUp are the kinds of programs that a person has set up, by trust in a folder or by the installation of an extension: [Confinement.OpenForModel]
// leaves them out.
var setUp = [...]process.Kind{process.KindHook, process.KindServer, process.KindStatusLine, process.KindCredential}

// New returns a confinement that is off.
func New(o Options) *Confinement {
	c := &Confinement{options: o, secrets: sync.OnceValue(o.Secrets), family: &sandbox.Family{}}
	c.Follow(sync.OnceValue(func() []string { return []string{workspace.RealPath(o.Paths.Dir())} }))
	return c
}

// Follow names the function that returns the directories of the workspace, which may change. Until then, there is only that of the project.
func (c *Confinement) Follow(dirs func() []string) { c.dirs.Store(&dirs) }

// Ask names the function that returns the additional permissions of commands. Until then, they have none.
func (c *Confinement) Ask(granted Granted) { c.granted.Store(&granted) }

// Alone lets no program signal the processes of another one, because Pollux may end before them. It is called before the confinement is opened.
func (c *Confinement) Alone() { c.family = nil }

// Open turns it on for all programs that the model, the project or an extension causes. The error is [sandbox.ErrUnavailable] where this system
// cannot confine programs.
func (c *Confinement) Open() error {
	err := c.OpenForModel()
	c.isForAll.Store(err == nil)
	return err
}

// OpenForModel turns it on for the programs that the model causes. Others of the project and of extensions, such as hooks and servers, are part of a
// person's set-up, and may need the whole home directory. Variables stay as they are, for programs such as gh that take their token from one.
func (c *Confinement) OpenForModel() error {
	if c.IsOn() {
		return nil
	}
	s, err := sandbox.New(sandbox.Options{Dirs: func() []string { return (*c.dirs.Load())() }, Profile: c.prepareUsual, Family: c.family, Base: c.base})
	if err == nil {
		c.sandbox.Store(s)
	}
	return err
}

// keepCaches has the caches created again if one is gone: a program could not create it.
func (c *Confinement) keepCaches() {
	c.mu.Lock()
	empty := c.empty
	c.mu.Unlock()
	isGone := func(dir string) bool {
		_, err := os.Lstat(dir)
		return err != nil
	}
	if slices.ContainsFunc(empty, isGone) {
		c.Renew()
	}
}

// Close removes the directories for caches that it has created and that no program has used.
func (c *Confinement) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closeProxy()
	for _, dir := range slices.Backward(c.made) {
		profile.Remove(dir)
	}
	c.made = nil
	if c.filled != nil {
		c.filled.close()
		c.filled = nil
	}
}

// SuitsWorkspace reports whether programs work in the sandbox as without one, as far as the workspace goes: it has no home directory in it, where
// new files could not be created beside secrets.
func (c *Confinement) SuitsWorkspace() bool {
	if sandbox.ByPath {
		return true
	}
	home := workspace.RealPath(filepath.Clean(c.options.Env("HOME")))
	for _, dir := range (*c.dirs.Load())() {
		if dir = workspace.RealPath(dir); dir != home && workspace.IsWithin(dir, home) {
			continue // the other homes, for which files are read, are not in there
		}
		if slices.ContainsFunc(c.homes(), func(home string) bool { return workspace.IsWithin(workspace.RealPath(home), dir) }) {
			return false
		}
	}
	return true
}

// IsForAll reports whether the programs of the project and of extensions are confined, too, that [Confinement.OpenForModel] leaves out.
func (c *Confinement) IsForAll() bool { return c.isForAll.Load() }

// IsOn reports whether the programs of the model are confined.
func (c *Confinement) IsOn() bool { return c.sandbox.Load() != nil }

// Name returns the name of the sandbox that commands run in: own while it is on, else the one of Pollux itself.
func (c *Confinement) Name(own, outer string) string {
	if c.IsOn() {
		return own
	}
	return outer
}

// TempDir returns the directory for files of the model that belong to no project: one that its commands can write, too. It need not exist.
func (c *Confinement) TempDir() string {
	if c.IsOn() {
		return c.options.Paths.Scratch()
	}
	return c.options.Paths.ProjectTempPath()
}

// Middleware confines programs while it is on. Servers keep their variables, which were chosen for them.
func (c *Confinement) Middleware(next process.Handler) process.Handler {
	return func(ctx context.Context, cmd *process.Command) (*process.Process, error) {
		s := c.sandbox.Load()
		if s == nil || cmd.For.Origin.IsTrusted() || !c.isForAll.Load() && slices.Contains(setUp[:], cmd.For.Kind) {
			return next(ctx, cmd)
		}
		c.keepCaches()
		var run Run
		var err error
		if granted := c.granted.Load(); granted != nil {
			run = (*granted)(ctx)
		}
		if cmd.For.Kind == process.KindShell {
			c.limited(&run)
		}
		if run.Grant.IsOutside {
			return next(ctx, cmd)
		}
		if s, err = c.widened(s, run.access()); err != nil {
			return nil, err
		}
		ctx = sandbox.WithAsk(sandbox.WithLog(ctx, run.Log), run.Ask)
		if cmd.For.Kind != process.KindServer {
			cmd.Env = c.environ(cmd.Env, run.access())
		}
		if cmd.Env, err = c.leadToProxy(ctx, cmd.Env, run.access()); err != nil {
			return nil, err
		}
		if ctx, err = c.fill(ctx, cmd); err != nil {
			return nil, err
		}
		return s.Confine(next)(ctx, cmd)
	}
}

// environ returns the variables of a confined command: those that it would have, and those that keep programs from changing files which they
// cannot change. They are without secrets unless only the programs of the model are confined: a person or a rule has allowed theirs.
func (c *Confinement) environ(env []string, a access) []string {
	if c.isForAll.Load() {
		env = secret.Without(env, c.secrets())
	}
	p := c.place((*c.dirs.Load())(), a)
	for _, v := range p.Variables() {
		name, _, _ := strings.Cut(v, "=")
		if name == "TMPDIR" || process.Getenv(env, name) == "" { // a directory for temporary files that cannot be used is none
			env = append(slices.Clip(env), v)
		}
	}
	return env
}

// maxWider limits the sandboxes for commands with a grant that are kept.
const maxWider = 32

// widened returns the sandbox for commands with an access of their own. s is the one for those without.
func (c *Confinement) widened(s *sandbox.Sandbox, a access) (*sandbox.Sandbox, error) {
	if a.isZero() {
		return s, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	key := a.key()
	if known := c.wider[key]; known != nil {
		return known, nil
	}
	made, err := sandbox.New(sandbox.Options{Dirs: func() []string { return (*c.dirs.Load())() }, Family: c.family, Base: c.base, Profile: func(dirs []string) sandbox.Profile {
		return c.prepare(dirs, a)
	}})
	if err == nil {
		if c.wider == nil || len(c.wider) >= maxWider {
			c.wider = map[string]*sandbox.Sandbox{}
		}
		c.wider[key] = made
	}
	return made, err
}

// granting returns the profile of commands with an access.
func (c *Confinement) granting(a access) sandbox.Profile {
	return c.profile(c.place((*c.dirs.Load())(), a), a)
}

// ranWith returns the profile of a run that has ended: that of the rules for its grant, if there still are some.
func (c *Confinement) ranWith(r *Run) sandbox.Profile {
	s, a := c.sandbox.Load(), r.access()
	if !a.isZero() {
		c.mu.Lock()
		s = c.wider[a.key()]
		c.mu.Unlock()
	}
	if s != nil {
		if p, ok := s.Profile(); ok {
			return p
		}
	}
	return c.granting(a)
}

// Renew makes changes of the settings count for the programs that are started from now on.
func (c *Confinement) Renew() {
	if s := c.sandbox.Load(); s != nil {
		s.Renew()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wider = nil
}

// Profile returns the files that a command of the model may read and change, and the addresses that it can reach, if its programs have no permissions of their own.
func (c *Confinement) Profile() sandbox.Profile {
	var r Run
	c.limited(&r)
	return c.granting(r.access())
}

// prepareUsual returns the profile for programs that are about to be started, without an access of their own.
func (c *Confinement) prepareUsual(dirs []string) sandbox.Profile { return c.prepare(dirs, access{}) }

// prepare returns the profile for commands that are about to be started, with an access.
func (c *Confinement) prepare(dirs []string, a access) sandbox.Profile {
	p := c.place(dirs, a)
	made, empty := p.CreateCaches()
	c.mu.Lock()
	c.made, c.empty = append(c.made, made...), empty
	c.mu.Unlock()
	if _, err := c.options.Paths.ProjectTemp(); err == nil { // without it, there is no scratch directory
		_ = os.Mkdir(p.Scratch, 0o700)
		_ = os.Mkdir(c.options.Paths.BackgroundLogs(), 0o700) // else the rules would be without it
		if len(config.SandboxCredentials.In(c.options.Settings())) > 0 {
			_ = os.Mkdir(c.options.Paths.CommandFiles(), 0o700)
		}
	}
	return c.profile(p, a)
}

func (c *Confinement) profile(p profile.Place, a access) sandbox.Profile {
	made := profile.Make(p)
	if os.Getuid() != 0 { // whom the kernel does not limit
		made.Processes = config.SandboxProcesses.In(c.options.Settings())
	}
	made.Source = a.limit.Source
	made.Memory = int64(config.SandboxMemory.In(c.options.Settings())) << 20
	if a.Network {
		return made
	}
	if made.Network = reachable(c.options.Settings(), c.offline(a.limit)); made.Network.Off {
		hosts, _ := network.ParseHosts(a.Hosts)
		made.Network.Hosts = append(made.Network.Hosts, hosts...)
	}
	if c.hasOnlyProxy() && !a.limit.IsOffline {
		listed, _ := network.ParseHosts(slices.Concat(config.SandboxHosts.In(c.options.Settings()), a.Hosts))
		made.Network = network.Policy{Off: true, Hosts: listed, Proxy: c.proxied.program.Address.Redacted()}
	}
	made.Network.Off = made.Network.Off || c.named.isOffline
	if made.Network.Off && a.limit.IsOffline && !a.limit.IsBuiltIn {
		made.Network.Source = a.limit.Source
	}
	if !sandbox.KnowsHosts() {
		made.Network.Hosts, made.Network.NamesHosts = nil, false
	}
	return made
}

// homes returns the home directories of the user: the one that programs use, that of the account, which SSH uses, and the one that is named
// for Pollux.
func (c *Confinement) homes() (list []string) {
	for _, home := range [...]string{c.options.Env("HOME"), accountHome(), c.options.Paths.Home()} {
		if home = filepath.Clean(home); filepath.IsAbs(home) && !slices.Contains(list, home) {
			list = append(list, home)
		}
	}
	return list
}

// accountHome returns the home directory of the user's account, "" if unknown.
var accountHome = sync.OnceValue(func() string {
	u, err := user.LookupId(strconv.Itoa(os.Getuid()))
	if err != nil {
		return ""
	}
	return u.HomeDir
})

// private returns the directories with Pollux's own files, and those with the files of Gemini CLI in other homes.
func (c *Confinement) private() []string {
	list := c.options.Paths.Private()
	for _, home := range c.homes() {
		list = append(list, filepath.Join(home, ".gemini"))
	}
	if path := c.maskedNPM(); path != "" { // commands read a copy with placeholders
		list = append(list, path)
	}
	return list
}

// place describes a workspace with these directories, for commands with an access.
func (c *Confinement) place(dirs []string, a access) profile.Place {
	o := &c.options
	write := config.SandboxPaths(o.Settings())
	for i := range write {
		write[i] = o.Paths.Expand(write[i])
	}
	write = slices.Concat(write, a.Paths)
	find := process.Finder{Path: o.Env("PATH"), Outside: dirs}
	return profile.Place{
		Dirs: dirs, Homes: c.homes(), Temp: os.TempDir(), Env: o.Env,
		HasProgram: func(name string) bool { return find.Find(name) != "" },
		Write:      write, Private: c.private(), Read: o.Paths.Shown(), Scratch: o.Paths.Scratch(), Mac: sandbox.ByPath,
		KeepsPrograms: config.SandboxKeepsPrograms.In(o.Settings()), KeepsDirs: a.limit.IsReadOnly, Lifted: a.Paths, ReadsWork: c.named.readsWork || config.SandboxReads.In(o.Settings()) == "work",
	}
}
