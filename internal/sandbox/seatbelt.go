package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/sandbox/seatbelt"
)

// terminalParameters are the parameters of a profile for the paths of the program's own terminals, as many as it has streams.
var terminalParameters = []string{"TERMINAL_0", "TERMINAL_1", "TERMINAL_2"}

// extras are operations that not each version of macOS has: hard links to files, and copies that share their blocks, which have another name;
// messages to other programs, files to open in them, jobs to start later, and preferences that a service keeps.
var extras = []string{"file-link", "file-clone", "appleevent-send", "lsopen", "job-creation", "user-preference-write"}

// starters are the programs by which others start without being confined.
var starters = []string{"/bin/launchctl", "/usr/bin/crontab", "/usr/bin/at", "/usr/bin/batch"}

// resolver is the socket of the system's resolver, which passes questions on.
const resolver = "/private/var/run/mDNSResponder"

// chooseExtras returns those of extras with which a sandbox holds, and why it does not without any. try makes a program run in the sandbox.
func chooseExtras(try func(some []string) error) (known []string, err error) {
	if try(extras) == nil {
		return extras, nil
	}
	if err := try(nil); err != nil {
		return nil, err
	}
	for _, extra := range extras {
		if with := append(slices.Clip(known), extra); try(with) == nil {
			known = with
		}
	}
	return known, nil
}

// Base is a profile of the user's in the language of macOS, which programs have to keep to as well.
type Base struct {
	Text  string
	Paths map[string]string // its parameters
}

// seatbelt returns the profile in the language of macOS, for a system that knows some of extras. It means the same as [Profile.Judge], and that new files can
// be created beside hidden ones. If only some hosts can be reached, it allows none. base is the text of a profile of the user's that holds as well, "" for none.
func (p *Profile) seatbelt(base string, knows []string) string {
	var t seatbelt.Profile
	t.WriteString(seatbelt.Open)
	if base != "" {
		t.Reset()
		t.WriteString(strings.TrimSpace(base) + "\n")
	}
	p.denyFiles(&t, knows)
	if p.Network.Off {
		p.denyNetwork(&t, base == "")
	}
	p.denySockets(&t)
	p.denyPrograms(&t, knows)
	return t.String()
}

// denyFiles denies to change files outside, and to read hidden ones.
func (p *Profile) denyFiles(t *seatbelt.Profile, knows []string) {
	scratch, own := seatbelt.Each(seatbelt.Subpath, p.Scratch), seatbelt.Each(seatbelt.Parameter, terminalParameters)
	devices := append(seatbelt.Each(seatbelt.Subpath, p.Devices), seatbelt.Regex("^/dev/(ttys[0-9]+|fd/[0-9]+)$")) // terminals that it makes itself among them
	places := slices.Concat(seatbelt.Each(seatbelt.Subpath, p.Write), scratch, devices, own)
	t.Deny(seatbelt.All(seatbelt.None(places...)...), "file-write*")
	programs := slices.DeleteFunc(slices.Clone(p.Keep), func(path string) bool { return slices.Contains(p.ReadOnly, path) })
	t.Deny(seatbelt.Except(seatbelt.Any(seatbelt.Each(seatbelt.Subpath, programs)...), scratch...), "file-write*")
	for _, dir := range p.ReadOnly {
		changed := slices.DeleteFunc(slices.Clone(p.Write), func(path string) bool { return !isBelow(path, dir) })
		t.Deny(seatbelt.Except(seatbelt.Subpath(dir), append(slices.Clip(scratch), seatbelt.Each(seatbelt.Subpath, changed)...)...), "file-write*")
	}
	hidden := p.hidden()
	if hidden == "" {
		return
	}
	readable := append(seatbelt.Each(seatbelt.Subpath, p.Read), slices.Concat(scratch, own)...)
	t.Deny(seatbelt.Except(hidden, append(scratch, own...)...), "file-write*")
	t.Deny(seatbelt.Except(hidden, readable...), append([]string{"file-read-data", "file-read-xattr"}, known(knows, "file-link", "file-clone")...)...)
	t.Deny(seatbelt.Any(seatbelt.Each(seatbelt.Literal, p.aboveHidden())...), "file-write-unlink", "file-write-create") // else its files get other paths
}

// hidden returns the filter of hidden files, "" if there are none.
func (p *Profile) hidden() seatbelt.Filter {
	paths, patterns := p.splitHidden()
	list := seatbelt.Each(seatbelt.Subpath, paths)
	if globs := seatbelt.Any(seatbelt.Globs(patterns)...); globs != "" {
		list = append(list, seatbelt.Except(globs, seatbelt.Regex(`\.pub$`)))
	}
	return seatbelt.Any(list...)
}

// splitHidden returns the hidden paths, and the patterns among them.
func (p *Profile) splitHidden() (paths, patterns []string) {
	for _, path := range p.Hide {
		if strings.Contains(filepath.Base(path), "*") {
			patterns = append(patterns, path)
		} else {
			paths = append(paths, path)
		}
	}
	return paths, patterns
}

// present returns the profile with the hidden paths that exist, and the patterns for directories that do: the system takes long to read many. The others may
// exist once one of dirs has changed.
func (p Profile) present(exists func(path string) bool) (now Profile, dirs []string) {
	hide := p.Hide
	p.Hide = nil
	for _, path := range hide {
		there := path
		for !exists(there) && filepath.Dir(there) != there {
			there = filepath.Dir(there)
		}
		isPattern := strings.Contains(filepath.Base(path), "*")
		if there == path || isPattern && there == filepath.Dir(path) {
			p.Hide = append(p.Hide, path)
		}
		if there != path && !slices.Contains(dirs, there) {
			dirs = append(dirs, there)
		}
	}
	return p, dirs
}

// aboveHidden returns the directories with hidden files that programs could move otherwise.
func (p *Profile) aboveHidden() (dirs []string) {
	for _, path := range p.Hide {
		for dir := filepath.Dir(path); isWithinOne(dir, p.Write) && !slices.Contains(dirs, dir); dir = filepath.Dir(dir) {
			if dirs = append(dirs, dir); filepath.Dir(dir) == dir {
				break
			}
		}
	}
	return dirs
}

// denyNetwork denies all that leads to another machine. A profile of the user's gets no permission by it.
func (p *Profile) denyNetwork(t *seatbelt.Profile, isOpen bool) {
	t.DenyAll("network*")
	t.Deny(seatbelt.Any(seatbelt.Service("com.apple.dnssd.service"), seatbelt.Service("com.apple.nsurlsessiond")), "mach-lookup")
	if !isOpen {
		return
	}
	t.Allow(seatbelt.Local("tcp", "*:*"), "network-bind", "network-inbound")
	t.Allow(seatbelt.Remote("tcp", "localhost:*"), "network-outbound")
	for _, port := range [...]string{"53", "853"} { // a resolver passes names on
		t.Deny(seatbelt.Remote("tcp", "localhost:"+port), "network-outbound")
	}
	t.Allow(seatbelt.LocalSocket, "network-bind", "network-inbound")
	t.Allow(seatbelt.AnySocket, "network-outbound") // see denySockets
}

// denySockets denies connections to local sockets, see [Profile.mayConnect].
func (p *Profile) denySockets(t *seatbelt.Profile) {
	named := slices.Concat(p.Sockets, []string{"/private/var/run/syslog"})
	if !p.Network.Off {
		named = append(named, resolver)
	}
	services := seatbelt.Each(seatbelt.Socket, named)
	t.Deny(seatbelt.Except(seatbelt.AnySocket, append(seatbelt.Each(seatbelt.Socket, p.Write), services...)...), "network-outbound")
	paths, patterns := p.splitHidden()
	hidden := append(seatbelt.Each(seatbelt.Socket, paths), seatbelt.SocketGlobs(append(patterns, p.HideSockets...))...)
	t.Deny(seatbelt.Except(seatbelt.Any(hidden...), services...), "network-outbound")
}

// denyPrograms denies to have other programs act, and to read the clipboard.
func (p *Profile) denyPrograms(t *seatbelt.Profile, knows []string) {
	t.Deny(seatbelt.Any(seatbelt.Each(seatbelt.Literal, starters)...), "process-exec")
	t.Deny(seatbelt.Any(seatbelt.Service("com.apple.pasteboard.1"), seatbelt.Service("com.apple.xpc.smd")), "mach-lookup")
	if others := known(knows, "appleevent-send", "lsopen", "job-creation", "user-preference-write"); len(others) > 0 {
		t.DenyAll(others...)
	}
}

// known returns those of the operations that a system knows.
func known(knows []string, operations ...string) []string {
	return slices.DeleteFunc(operations, func(name string) bool { return !slices.Contains(knows, name) })
}

// parameters returns the arguments of sandbox-exec for a program with terminals at these paths.
func parameters(terminals []string) (args []string) {
	for i, name := range terminalParameters {
		path := os.DevNull
		if i < len(terminals) {
			path = terminals[i]
		}
		args = append(args, "-D", name+"="+path)
	}
	return args
}
