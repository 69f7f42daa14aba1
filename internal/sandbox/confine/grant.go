package confine

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/sandbox"
	"pollux/internal/shellcmd"
	"pollux/internal/workspace"
)

// Grant is permissions that a command has in addition to those of the sandbox. The zero Grant is none.
type Grant struct {
	Paths     []string // as in tools.sandboxAllowedPaths: they can be changed, or only read where they are secrets
	Hosts     []string // as in pollux.sandboxHosts
	Network   bool     // that settings have switched off
	IsOutside bool     // the command runs without the sandbox
}

// IsZero reports whether the grant is none.
func (g Grant) IsZero() bool {
	return len(g.Paths) == 0 && len(g.Hosts) == 0 && !g.Network && !g.IsOutside
}

// With returns both grants.
func (g Grant) With(other Grant) Grant {
	g.Paths, g.Hosts = union(g.Paths, other.Paths), union(g.Hosts, other.Hosts)
	g.Network, g.IsOutside = g.Network || other.Network, g.IsOutside || other.IsOutside
	return g
}

// union returns the elements of two lists.
func union(list, other []string) []string {
	for _, element := range other {
		if !slices.Contains(list, element) {
			list = append(slices.Clip(list), element)
		}
	}
	return list
}

// key identifies the grant among others.
func (g Grant) key() string {
	join := func(list []string) string { return strings.Join(slices.Sorted(slices.Values(list)), "\x00") }
	key := join(g.Paths) + "\x00hosts\x00" + join(g.Hosts)
	if g.Network {
		key += "\x00network"
	}
	return key
}

// Lack is the permissions that a command lacked.
type Lack struct {
	Grant
	Reason string // a sentence about the refusal
	Gain   string // a sentence for a person about a run that has them
	// IsSensitive means that they lead to secrets or out of the sandbox, so that each run needs an answer of its own.
	IsSensitive bool
	// IsOfMode means that the approval mode restricts the command.
	IsOfMode bool
	// Advice is the advice for a model about the refusal, "" for none.
	Advice string
}

// final returns the lack of a command that no one can give more permission.
func (l *Lack) final() Lack { return Lack{Reason: l.Reason, Advice: l.Advice} }

// Text returns the sentences for a person.
func (l *Lack) Text() string { return strings.TrimSpace(l.Reason + " " + l.Gain) }

// Lacking returns the permissions that a command with an output lacked. There are none while the sandbox is off, and for other failures; a limit that
// was reached is a reason without permissions. Of a command that has not failed, only the output counts.
func (c *Confinement) Lacking(output string, hasFailed bool, r Run) Lack {
	c.limited(&r)
	if !c.IsOn() || r.Grant.IsOutside {
		return Lack{}
	}
	d, allowed := c.denial(output, hasFailed, &r)
	lack := c.lackOf(d, &allowed)
	lack.Advice = d.Advice()
	if r.limit.IsFinal {
		return lack.final()
	}
	if lack.IsZero() || lack.IsOutside || r.Grant.With(lack.Grant).key() != r.Grant.key() {
		return lack
	}
	if d.Kind == sandbox.KeepsFile { // it needs more than this file, such as a lock beside it
		return outside("The sandbox still does not let it change " + c.options.Paths.Display(d.Path) + ".")
	}
	return Lack{}
}

// Missed returns sentences about the files that a command was refused, as its output says, and about servers of Pollux.
func (c *Confinement) Missed(output string, r Run) (reasons []string) {
	c.limited(&r)
	if !c.IsOn() || r.Grant.IsOutside {
		return nil
	}
	denials, allowed := c.paths(output, &r)
	if d := sandbox.DenialOfServers(r.Log.Servers()); d.Kind != sandbox.NotDenied {
		denials = append(denials, d)
	}
	for _, d := range denials {
		lack := c.lackOf(d, &allowed)
		reasons = append(reasons, lack.Reason)
	}
	return reasons
}

// LackingHosts returns the permissions for the hosts that a command was refused, whatever its output says.
func (c *Confinement) LackingHosts(r Run) Lack {
	c.limited(&r)
	d := sandbox.DenialOf(r.Log.Refused())
	if d.Kind == sandbox.NotDenied || r.Grant.IsOutside {
		return Lack{}
	}
	allowed := c.ranWith(&r)
	lack := c.lackOf(d, &allowed)
	if r.limit.IsFinal {
		return lack.final()
	}
	if r.Grant.With(lack.Grant).key() == r.Grant.key() {
		return Lack{}
	}
	return lack
}

// Foresee returns the permissions that a command lacks to change paths outside the workspace that a person is shown, as the command has them:
// absolute ones, or words that begin with ~ or $HOME. It writes to those that are in writes, too. run is how it would run. Secrets are left out: a person
// is asked about each of them.
func (c *Confinement) Foresee(paths, writes []string, run Run) (lack Lack) {
	c.limited(&run)
	if !c.IsOn() || run.Grant.IsOutside || run.limit.IsFinal {
		return Lack{}
	}
	allowed := c.granting(run.access())
	for _, word := range paths {
		path, isPath := c.pathOf(word)
		if !isPath {
			continue
		}
		d := allowed.DenialAt(path)
		isBesideHidden := !sandbox.ByPath && (d.Kind == sandbox.KeepsDirectory || d.Kind == sandbox.KeepsFile && holdsHidden(&allowed, d.Exists))
		switch {
		case isBesideHidden && d.Exists != d.Path && slices.Contains(writes, word):
			return outside("The sandbox does not let it create " + c.options.Paths.Display(d.Path) + " beside hidden files.")
		case d.Kind == sandbox.KeepsFile && !isBesideHidden:
			path := d.Exists
			if sandbox.ByPath {
				path = d.Path
			}
			lack.Paths = union(lack.Paths, []string{path})
		}
	}
	return lack
}

// pathOf returns the absolute path that a word of a command stands for, if that is certain.
func (c *Confinement) pathOf(word string) (path string, ok bool) {
	if filepath.IsAbs(word) {
		return filepath.Clean(word), true
	}
	word = strings.ReplaceAll(word, `"`, "")
	for _, home := range [...]string{"~", "$HOME", "${HOME}"} {
		if rest, isIn := strings.CutPrefix(word+"/", home+"/"); isIn {
			word = filepath.Join(c.options.Env("HOME"), rest)
			break
		}
	}
	return filepath.Clean(word), filepath.IsAbs(word) && !strings.ContainsAny(word, "$*?[{'\\`")
}

// denial returns the permission that a command was refused, and its profile. A server that takes no key, or asks for a password, is no denial
// if there are none to hide.
func (c *Confinement) denial(output string, hasFailed bool, r *Run) (sandbox.Denial, sandbox.Profile) {
	allowed := c.ranWith(r)
	d := allowed.Denial(c.ending(output, r))
	if d.Kind == sandbox.NotDenied && hasFailed { // it may say nothing, as curl -s does, or its words may be cut away
		switch n := allowed.Network; {
		case n.IsByName() && r.starts(fetchers):
			d = sandbox.DenialOf(r.Log.Refused())
		case n.Off && !n.IsByName() && strings.TrimSpace(output) == "" && r.starts(downloaders):
			d = allowed.NoNetwork()
		}
	}
	switch {
	case d.Kind == sandbox.HasNoKeys && c.keys().IsZero(),
		d.Kind == sandbox.HasNoCredentials && len(c.credentials()) == 0 && !c.hasKeyring(),
		d.Kind == sandbox.HasNoSigningKeys && len(c.inHomes(".gnupg")) == 0 && c.keys().IsZero():
		d = sandbox.Denial{}
	}
	return d, allowed
}

// ending returns the end of a command with an output.
func (c *Confinement) ending(output string, r *Run) sandbox.Ending {
	dir := r.Dir
	if root := (*c.dirs.Load())()[0]; !filepath.IsAbs(dir) {
		dir = filepath.Join(root, dir)
	}
	e := sandbox.Ending{Output: output, Refused: r.Log.Refused(), Servers: r.Log.Servers(), Dirs: []string{dir}}
	script, err := shellcmd.Parse(r.Command)
	if err != nil { // bash has run none of it
		return e
	}
	for i := range script.Commands {
		args := script.Commands[i].Args()
		if len(args) == 0 || len(args) > 2 || args[0] != "cd" && args[0] != "pushd" {
			continue
		}
		if path, isPath := c.pathOf(append(args, "~")[1]); isPath {
			dir = path
		} else {
			dir = filepath.Join(dir, path)
		}
		e.Dirs = append(e.Dirs, dir)
	}
	slices.Reverse(e.Dirs) // the command most likely ended in the last one
	return e
}

// lackOf returns the permissions that a command with a profile lacked.
func (c *Confinement) lackOf(d sandbox.Denial, allowed *sandbox.Profile) Lack {
	name := c.options.Paths.Display(d.Path)
	switch d.Kind {
	case sandbox.HidesFile:
		if d.IsUnneeded {
			return newLack(Grant{Paths: []string{d.Path}}, "The sandbox hides "+name+": it shows only what work needs (pollux.sandboxReads).", "This run could read it.", true)
		}
		return newLack(Grant{Paths: []string{d.Path}}, "The sandbox hides "+name+", which may hold secrets.", "This run could read it.", true)
	case sandbox.NotLocalSocket:
		return newLack(Grant{Paths: []string{d.Path}}, "The sandbox does not let it connect to "+name+".", "This run could.", true)
	case sandbox.KeepsFile:
		reason, where := "The sandbox does not let it change "+name+".", c.options.Paths.Display(d.Exists)
		switch {
		case d.Source != "" && d.Exists == d.Path:
			return ofMode(d, "change "+name, where)
		case d.Source != "":
			return ofMode(d, "create "+name, where+", which it would be in")
		case d.IsBesidePrograms:
			return newLack(Grant{Paths: []string{d.Exists}}, "The sandbox does not let it create "+name+" beside programs that run outside of it.", "This run could change "+where+", with these programs.", false)
		case d.Exists != d.Path && sandbox.ByPath:
			return newLack(Grant{Paths: []string{d.Path}}, "The sandbox does not let it create "+name+".", "This run could.", false)
		case d.Exists != d.Path:
			reason, where = "The sandbox does not let it create "+name+".", where+", which it would be in"
		}
		if !sandbox.ByPath && holdsHidden(allowed, d.Exists) { // would let it create files beside secrets
			return outside(reason)
		}
		return newLack(Grant{Paths: []string{d.Exists}}, reason, "This run could change "+where+".", false)
	case sandbox.KeepsDirectory:
		return outside("The sandbox does not let it create " + name + " beside hidden files.")
	case sandbox.HasNoKeys:
		return newLack(c.keys(), "The sandbox hides your SSH keys and the SSH agent.", "This run could use them.", true)
	case sandbox.NotListed:
		return newLack(Grant{Hosts: d.Hosts}, "The sandbox does not let it reach "+strings.Join(d.Hosts, ", ")+".", "This run could.", true)
	case sandbox.HasNoNetwork:
		if d.Proxy != "" {
			return newLack(Grant{Network: true}, "The sandbox gives it no network but by the proxy "+d.Proxy+".", "This run would have the whole network.", true)
		}
		return newLack(Grant{Network: true}, "The sandbox gives it no network.", "This run would have it.", true)
	case sandbox.HasNoRights:
		return outside("In the sandbox, it gets no more privileges.")
	case sandbox.HasNoNamespaces:
		return outside("In the sandbox, it cannot create namespaces.")
	case sandbox.NotSignalled:
		return outside("In the sandbox, it can signal only " + sandbox.Signalled() + ".")
	case sandbox.ReachesNoPollux:
		return outside("The sandbox does not let it connect to Pollux at " + strings.Join(d.Hosts, ", ") + ", which works for other programs or waits for your browser.")
	case sandbox.ReachesNoOthers:
		return outside("In the sandbox, it cannot have the system open or start other programs.")
	case sandbox.NestsSeatbelt:
		return outside("In the sandbox, it cannot start a sandbox of its own.")
	case sandbox.HasNoCredentials:
		if found := c.credentials(); len(found) > 0 {
			return newLack(Grant{Paths: found}, "The sandbox hides your passwords and tokens for git servers.", "This run could read them.", true)
		}
		return outside("The sandbox hides your passwords and tokens for git servers.")
	case sandbox.HasNoSigningKeys:
		return outside("The sandbox hides your GnuPG and SSH keys, and their agents.")
	case sandbox.HasNoMemory: // only settings can give it more, for the next session
		return Lack{Reason: fmt.Sprintf("The sandbox limits the memory of each program to %d MB.", d.Most)}
	case sandbox.HasNoProcesses:
		return Lack{Reason: fmt.Sprintf("The sandbox limits the processes and threads that commands add to %d.", d.Most)}
	}
	return Lack{}
}

func newLack(g Grant, reason, gain string, isSensitive bool) Lack {
	return Lack{Grant: g, Reason: reason, Gain: gain, IsSensitive: isSensitive}
}

// ofMode returns the permission to change a path of the workspace that the approval mode keeps.
func ofMode(d sandbox.Denial, what, where string) Lack {
	lack := newLack(Grant{Paths: []string{d.Exists}}, "In this approval mode, the sandbox does not let it "+what+".", "This run could change "+where+".", false)
	lack.IsOfMode = true
	return lack
}

// outside returns the permission to run without the sandbox, because of a sentence.
func outside(reason string) Lack {
	return newLack(Grant{IsOutside: true}, reason, "This run would be without the sandbox.", true)
}

// keys returns the grant for the SSH keys of the user and for the agent, as far as there are any.
func (c *Confinement) keys() (g Grant) {
	for _, home := range c.homes() {
		if found, _ := filepath.Glob(filepath.Join(home, ".ssh", "id_*")); len(found) > 0 {
			g.Paths = append(g.Paths, filepath.Join(home, ".ssh"))
		}
	}
	if agent := c.options.Env("SSH_AUTH_SOCK"); agent != "" {
		if _, err := os.Stat(agent); err == nil {
			g.Paths = append(g.Paths, agent)
		}
	}
	return g
}

// credentials returns the files with passwords and tokens for git servers that there are.
func (c *Confinement) credentials() []string {
	return c.inHomes(".git-credentials", ".config/git/credentials", ".config/gh/hosts.yml", ".config/glab-cli", ".netrc")
}

// inHomes returns the paths in the home directories that exist.
func (c *Confinement) inHomes(names ...string) (paths []string) {
	for _, home := range c.homes() {
		for _, name := range names {
			if _, err := os.Stat(filepath.Join(home, name)); err == nil {
				paths = append(paths, filepath.Join(home, name))
			}
		}
	}
	return paths
}

// hasKeyring reports whether git and gh can ask a keyring for passwords: on Linux by the bus of the user's session, on macOS the keychain.
func (c *Confinement) hasKeyring() bool {
	return c.options.Env("DBUS_SESSION_BUS_ADDRESS") != "" || len(c.inHomes("Library/Keychains")) > 0
}

// holdsHidden reports whether a directory has a hidden path in it, in which case no files can be created there.
func holdsHidden(p *sandbox.Profile, dir string) bool {
	dir = workspace.RealPath(dir)
	return slices.ContainsFunc(p.Hide, func(hidden string) bool { return workspace.IsWithin(hidden, dir) })
}
