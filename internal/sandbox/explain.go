package sandbox

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"pollux/internal/workspace"
)

// Verdict says whether programs may read and change a path.
type Verdict int

// The verdicts.
const (
	MayRead Verdict = iota
	MayChange
	Hidden
)

// Judge returns the verdict about an absolute path without links, and the path in the profile that decides; "" if none does.
func (p *Profile) Judge(path string) (Verdict, string) {
	within := func(list []string) string {
		i := slices.IndexFunc(list, func(dir string) bool { return path == dir || isBelow(path, dir) || Matches(dir, path) })
		if i < 0 {
			return ""
		}
		return list[i]
	}
	hidden, shown, writable, scratch := within(p.Hide), within(p.Read), within(p.Write), within(p.Scratch)
	if isKernels(path, writable) {
		writable = ""
	}
	switch {
	case scratch != "":
		return MayChange, scratch
	case writable != "" && hidden == "" && !p.keeps(path):
		return MayChange, writable
	case hidden != "" && shown == "":
		return Hidden, hidden
	}
	return MayRead, shown
}

// keeps reports whether a path in a directory that programs may change is kept from them.
func (p *Profile) keeps(path string) bool {
	isLifted := func(dir string) bool {
		return isWithinOne(path, slices.DeleteFunc(slices.Clone(p.Write), func(changed string) bool { return !isBelow(changed, dir) }))
	}
	return slices.ContainsFunc(p.Keep, func(dir string) bool {
		return (path == dir || isBelow(path, dir)) && !(slices.Contains(p.ReadOnly, dir) && isLifted(dir))
	})
}

// isKernels reports whether a path is in one of the kernel's directories, below a directory with files.
func isKernels(path, dir string) bool {
	return dir != "" && slices.ContainsFunc(kernels, func(k string) bool { return isBelow(k, dir) && (path == k || isBelow(path, k)) })
}

// Matches reports whether a pattern with * in its last part stands for a hidden path. Public keys are not hidden.
func Matches(pattern, path string) bool {
	dir, name := filepath.Split(pattern)
	rest, isThere := strings.CutPrefix(path, dir)
	if !isThere || !strings.Contains(name, "*") || strings.HasSuffix(path, ".pub") {
		return false
	}
	ok, _ := filepath.Match(name, rest)
	return ok
}

// mayConnect reports whether programs may connect to a local socket.
func (p *Profile) mayConnect(path string) bool {
	if isWithinOne(path, p.Sockets) {
		return true
	}
	isHidden := isWithinOne(path, p.Hide) || slices.ContainsFunc(p.Hide, func(pattern string) bool { return Matches(pattern, path) })
	return isWithinOne(path, p.Write) && !isHidden && !p.isHiddenSocket(path)
}

// isWithinOne reports whether a path is one of a list, or in a directory of the list.
func isWithinOne(path string, list []string) bool {
	return slices.ContainsFunc(list, func(dir string) bool { return path == dir || isBelow(path, dir) })
}

// isHiddenSocket reports whether a path is one of HideSockets, or in a directory of them.
func (p *Profile) isHiddenSocket(path string) bool {
	for part := path; filepath.IsAbs(part) && part != "/"; part = filepath.Dir(part) {
		for _, pattern := range p.HideSockets {
			if ok, _ := filepath.Match(pattern, part); ok {
				return true
			}
		}
	}
	return false
}

// Denial is a permission that the sandbox has refused a program, as far as its output shows that. The zero Denial is none.
type Denial struct {
	Kind DenialKind
	Path string // without links, that programs may not read or change; "" for the other kinds
	// Exists is the path, or the next directory above it that exists.
	Exists string
	// Most is the limit that was reached: of memory, in MB, or of processes.
	Most int64
	// Hosts are the entries for the list of hosts that programs reach, if Kind is NotListed, and addresses if Kind is ReachesNoPollux.
	Hosts []string
	// Proxy is by which programs reach other machines, if Kind is HasNoNetwork; "" for none.
	Proxy string
	// Source is the place of the approval mode's restriction because of which Path cannot be changed, or the network is off; "" for none.
	Source string
	// IsBesidePrograms says that Path cannot be created because of programs in Exists that are kept.
	IsBesidePrograms bool
	// IsUnneeded says that a hidden path is one of [Profile.Unneeded].
	IsUnneeded bool
}

// DenialKind is a kind of [Denial].
type DenialKind int

// The kinds.
const (
	NotDenied        DenialKind = iota
	HidesFile                   // Path is hidden
	KeepsFile                   // Path can be read, but not changed
	KeepsDirectory              // Path cannot be created in the directory Exists, which has hidden files
	HasNoNetwork                // another machine was not reached
	NotListed                   // Hosts were not reached
	HasNoKeys                   // SSH has found no key that the server takes
	HasNoRights                 // a program such as sudo has got no more privileges
	NotLocalSocket              // Path is a socket that programs may not connect to
	HasNoCredentials            // git has found no user name or password for a server
	HasNoSigningKeys            // git or GnuPG has found no key to sign with
	HasNoNamespaces             // a program could not create namespaces, as for containers
	NotSignalled                // a process outside was not signalled
	NestsBrowser                // a browser could not create its own sandbox, which it has an option against
	ReachesNoOthers             // another program was not opened, and none that the system starts later
	NestsSeatbelt               // sandbox-exec could not start another sandbox
	HasNoMemory                 // a program has used all of its memory
	HasNoProcesses              // no more processes or threads could be started
	ReachesNoPollux             // a server of Pollux at Hosts was not reached

	endOfKinds
)

// The words by which programs say that they were refused something.
const (
	deniedWords   = `(?i:permission denied|operation not permitted|eacces|eperm\b|read-only file system)`
	keyWords      = `(?i)permission denied \((publickey|[a-z,-]*publickey)|no identities|could not open a connection to your authentication agent`
	signalWords   = `(?i)(?m)\b(kill|pkill|killall)\b[^/\n]*(operation not permitted|\beperm\b)|^\S+\(\d+\): operation not permitted$`
	rightsWords   = `(?i)no new privileges|must be setuid root|effective uid is not 0|no valid sudoers sources found|snap-confine (has|is)|required permitted capability|/(sudo|su|login|newgrp): operation not permitted`
	passwordWords = `(?i)could not read (username|password) for 'https?:|authentication failed for 'https?:`
	signingWords  = `(?i)gpg failed to sign the data|gpg: signing failed|gpg: decryption failed: no secret key|no private key found for|couldn't load public key`
	spaceWords    = `(?i)bwrap: (creating new namespace failed|no permissions to create (a )?new namespace|setting up uid map)|unshare failed: operation not permitted|` +
		`cannot clone: operation not permitted|failed to create (a )?(new )?(user )?namespace|newuidmap: |nsenter: .*operation not permitted`
	othersWords  = `(?i)LSOpenURLsWithRole\(\) failed|not authorized to send apple events|launchctl: operation not permitted|(crontab|/at|batch): operation not permitted`
	nestedWords  = `(?i)sandbox_apply: operation not permitted|sandbox-exec: operation not permitted`
	memoryWords  = `(?i)cannot allocate (memory|\d+ bytes)|out of memory|\bENOMEM\b|std::bad_alloc|\bMemoryError\b|could not reserve enough space|memory allocation of \d+ bytes failed|memory exhausted|array buffer allocation failed|error='Not enough space'`
	forkWords    = `(?i)fork[^\n]{0,40}resource temporarily unavailable|cannot fork|failed to create new OS thread|can't start new thread|pthread_create[^\n]*(EAGAIN|failed|resource temporarily)|spawn \S+ EAGAIN|unable to create (new )?native thread|(?s:fork.{0,900}BlockingIOError: \[Errno 11\])`
	browserWords = `no usable sandbox!|failed to move to new namespace|the suid sandbox helper binary was found, but is not configured correctly|setuid sandbox is not running as root`
	offlineWords = `(?i)could(n.t| not) resolve host|network is unreachable|enetunreach|eai_again|enotfound|name or service not known|` +
		`temporary failure (in name )?resol|no such host|failed to lookup address|permission denied.*socket|socket: permission denied`
)

// otherLines are outputs with the path in another line than the reason: those of Rust's programs, and of a push to a directory.
var otherLines = []string{
	`(?i)(?m)^.*\s(/[^\s:;,()'"` + "`" + `]+)[^/\n]*\n+caused by:\n\s*(?:permission denied|read-only file system)`,
	`(?:unable to create temporary object directory|insufficient permission for adding an object)[^\n]*(?:\n[^\n]*){0,5}\nTo (?:file://)?(/[^\n]+)`,
}

// Ending is the end of a command, as far as it shows permissions that the sandbox has refused it.
type Ending struct {
	Output  string   // the last part
	Refused []string // hosts that it has not reached
	Servers []string // addresses of servers of Pollux that it has not reached
	// Dirs are the absolute directories that it ran in, which relative paths in the output begin at.
	Dirs []string
}

// Denial returns the permission that the sandbox has refused a command which has failed.
func (p *Profile) Denial(e Ending) Denial {
	output := e.Output
	if len(e.Servers) > 0 { // which needs no words
		return DenialOfServers(e.Servers)
	}
	if pattern(rightsWords).MatchString(output) { // sudo also names files that only root may read
		return Denial{Kind: HasNoRights}
	}
	if pattern(nestedWords).MatchString(output) {
		return Denial{Kind: NestsSeatbelt}
	}
	if pattern(othersWords).MatchString(output) { // it also names the program
		return Denial{Kind: ReachesNoOthers}
	}
	if KeepsSignals() && pattern(signalWords).MatchString(output) { // shells also name themselves
		return Denial{Kind: NotSignalled}
	}
	if d := p.DenialOfPath(e); d.Kind != NotDenied {
		return d
	}
	switch {
	case pattern(keyWords).MatchString(output):
		return Denial{Kind: HasNoKeys}
	case pattern(passwordWords).MatchString(output):
		return Denial{Kind: HasNoCredentials}
	case pattern(signingWords).MatchString(output):
		return Denial{Kind: HasNoSigningKeys}
	case pattern(`(?i)` + browserWords).MatchString(output):
		return Denial{Kind: NestsBrowser}
	case pattern(spaceWords).MatchString(output):
		return Denial{Kind: HasNoNamespaces}
	case p.Processes > 0 && pattern(forkWords).MatchString(output):
		return Denial{Kind: HasNoProcesses, Most: int64(p.Processes)}
	case p.Memory > 0 && pattern(memoryWords).MatchString(output):
		return Denial{Kind: HasNoMemory, Most: p.Memory >> 20}
	case p.Network.IsByName():
		d := denialOfHosts(output, e.Refused)
		if d.Kind == NotListed && p.Network.Proxy != "" {
			d = p.NoNetwork()
		}
		return d
	case p.Network.Off && pattern(offlineWords).MatchString(output):
		return p.NoNetwork()
	}
	return Denial{}
}

// SaysDenied reports whether an output has words by which programs say that they were refused a file.
func SaysDenied(output string) bool { return pattern(deniedWords).MatchString(output) }

// patterns has those that have been compiled: at the first command that needs them, not at each start.
var patterns sync.Map // of *regexp.Regexp, by their text

// pattern compiles a constant text, once.
func pattern(text string) *regexp.Regexp {
	compiled, isKnown := patterns.Load(text)
	if !isKnown {
		compiled, _ = patterns.LoadOrStore(text, regexp.MustCompile(text))
	}
	return compiled.(*regexp.Regexp)
}

// DenialOfPath returns the first of [Profile.DenialsOfPaths].
func (p *Profile) DenialOfPath(e Ending) Denial {
	if list := p.DenialsOfPaths(e, 1); len(list) > 0 {
		return list[0]
	}
	return Denial{}
}

// DenialsOfPaths returns up to most denials of paths that the output of a command names, each once and one for a line. They are certain enough for a
// command that goes on after them, and does not fail.
func (p *Profile) DenialsOfPaths(e Ending, most int) (list []Denial) {
	add := func(path string) bool {
		if isBelow(path, "/dev/tcp") || isBelow(path, "/dev/udp") { // by which bash connects
			return false
		}
		d := p.DenialAt(path)
		isNew := d.Kind != NotDenied && !slices.ContainsFunc(list, func(known Denial) bool { return known.Path == d.Path })
		if isNew && len(list) < most {
			list = append(list, d)
		}
		return d.Kind != NotDenied
	}
	for _, line := range pattern(`(?m)^.*`+deniedWords+`.*$`).FindAllString(e.Output, 20) {
		if slices.ContainsFunc(pathsIn(line), add) {
			continue
		}
		for _, path := range relativeIn(line) {
			if slices.ContainsFunc(e.Dirs, func(dir string) bool { return add(filepath.Join(dir, path)) }) {
				break
			}
		}
	}
	for _, words := range otherLines {
		for _, found := range pattern(words).FindAllStringSubmatch(e.Output, 5) {
			add(filepath.Clean(found[1]))
		}
	}
	return list
}

// pathsIn returns the absolute paths in a line in which a program says that it was not allowed something, beginning with the one that
// is next to these words. A program that names itself at the beginning does not mean itself.
func pathsIn(line string) (paths []string) {
	absolute := pattern(`['"‘“` + "`" + `](/[^'"‘’“”` + "`" + `]+)['"’”` + "`" + `]|(?:^|[\s'"‘“` + "`" + `:(=])(/[^\s'"‘’“”` + "`" + `:;,()\[\]]+)`)
	words := pattern(deniedWords).FindStringIndex(line)
	found := absolute.FindAllStringSubmatchIndex(line, 6)
	for i, f := range found {
		if f[2] < 0 { // not in quotes, where a path may have spaces
			found[i][2], found[i][3] = f[4], f[5]
		}
	}
	if len(found) > 0 && found[0][2] == 0 && (len(found) > 1 || isProgram(line[:found[0][3]], line[found[0][3]:])) {
		found = found[1:]
	}
	distance := func(f []int) int { return max(words[0]-f[3], f[2]-words[1]) }
	slices.SortStableFunc(found, func(a, b []int) int { return distance(a) - distance(b) })
	for _, f := range found {
		paths = append(paths, filepath.Clean(line[f[2]:f[3]]))
	}
	return paths
}

// isProgram reports whether a path at the beginning of a line is that of the program or script which has printed the line: rest follows it, with
// the number of a line, or with the file that it means.
func isProgram(path, rest string) bool {
	if pattern(`^: (line )?\d+: `).MatchString(rest) {
		return true
	}
	if pattern(`^: ` + deniedWords).MatchString(rest) {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// relativeIn returns the words in such a line that stand where programs name a file, if they can be relative paths: in quotes, next to the words
// that say so, and between colons.
func relativeIn(line string) (paths []string) {
	if pattern(keyWords).MatchString(line) { // it names a server
		return nil
	}
	for _, words := range [...]string{
		`['‘` + "`" + `]([^/'’\n][^'’\n]*)['’]`, `["“]([^/"”\n][^"”\n]*)["”]`,
		`\s([^\s/:'"‘“` + "`" + `(][^\s:]*[./][^\s:]*): ` + deniedWords, `cannot (?:create|open) ([^\s/:]+): ` + deniedWords, deniedWords + `: ([^\s/:'"‘“` + "`" + `][^\s:]*)`,
	} {
		for _, found := range pattern(words).FindAllStringSubmatch(line, 3) {
			paths = append(paths, found[1])
		}
	}
	parts := strings.Split(line, ": ") // the program, if it is there, the file, and the reason in one or two parts
	for _, part := range parts[max(0, min(1, len(parts)-2)) : len(parts)-1] {
		if !strings.ContainsAny(part, " '\"‘“`(") && !filepath.IsAbs(part) && strings.Trim(part, "0123456789") != "" {
			paths = append(paths, part)
		}
	}
	return paths
}

// DenialAt returns the permission that the sandbox refuses a program which reads, changes or creates an absolute path. If the user does not have
// the permission either, the sandbox does not refuse it.
func (p *Profile) DenialAt(path string) Denial {
	path = workspace.RealPath(path) // a program could let the link lead elsewhere before the answer
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket && !p.mayConnect(path) && userMay(path, write) {
		return Denial{Kind: NotLocalSocket, Path: path, Exists: path}
	}
	switch verdict, because := p.Judge(path); {
	case verdict == Hidden && userMay(path, read):
		return Denial{Kind: HidesFile, Path: path, Exists: path, IsUnneeded: slices.Contains(p.Unneeded, because)}
	case verdict == Hidden && existing(path) != path && !ByPath && userMay(existing(path), write):
		return Denial{Kind: KeepsDirectory, Path: path, Exists: existing(path)}
	case verdict != Hidden && existing(path) != path && !ByPath && p.hasHidden(existing(path)) && userMay(existing(path), write):
		return Denial{Kind: KeepsDirectory, Path: path, Exists: existing(path)}
	case verdict == MayChange && existing(path) != path && !ByPath && p.holdsPrograms(existing(path)) && userMay(existing(path), write):
		return Denial{Kind: KeepsFile, Path: path, Exists: existing(path), IsBesidePrograms: true}
	case verdict == MayRead && userMay(existing(path), write):
		d := Denial{Kind: KeepsFile, Path: path, Exists: existing(path)}
		if isWithinOne(path, p.ReadOnly) {
			d.Source = p.Source
		}
		return d
	}
	return Denial{}
}

// hasHidden reports whether a directory has hidden paths in it, so that programs can create no files in it.
func (p *Profile) hasHidden(dir string) bool {
	return slices.ContainsFunc(p.Hide, func(h string) bool { return isBelow(h, dir) })
}

// holdsPrograms reports whether a directory has programs in it that are kept, so that programs can create no files in it.
func (p *Profile) holdsPrograms(dir string) bool {
	return slices.ContainsFunc(p.Keep, func(kept string) bool { return isBelow(kept, dir) && !slices.Contains(p.ReadOnly, kept) })
}

// existing returns the path, or the next directory above it that exists.
func existing(path string) string {
	for filepath.Dir(path) != path {
		if _, err := os.Lstat(path); err == nil {
			break
		}
		path = filepath.Dir(path)
	}
	return path
}

// allowedPaths is the setting for more paths. A model may take it for one of the project's.
const allowedPaths = "tools.sandboxAllowedPaths of the user's own settings"

// Advice returns advice for the model about a denial, "" for none.
func (d Denial) Advice() string {
	switch d.Kind {
	case HidesFile:
		if d.IsUnneeded {
			return d.Path + " is hidden from commands by the sandbox, which shows only what work needs of home directories. Work without it, or tell the user that " + allowedPaths + " can show it."
		}
		return d.Path + " is hidden from commands by the sandbox, because it may hold secrets. Work without it, or tell the user that " + allowedPaths + " can show it."
	case KeepsFile:
		if d.Source != "" {
			return "In this approval mode, the sandbox lets commands change no files of the workspace, and not " + d.Path +
				": see " + d.Source + ". Use the tools for files where they are allowed, or tell the user."
		}
		if d.IsBesidePrograms {
			return d.Path + " does not exist, and the sandbox lets commands create no files in " + d.Exists + ", because there are programs in it that the user runs outside of the sandbox. " +
				"Work without it, or tell the user that " + d.Exists + " in " + allowedPaths + " allows it, and that commands can then change these programs."
		}
		text := "The sandbox lets commands change files only in the workspace, in temporary directories such as $TMPDIR, and in caches: " + d.Path + " is outside"
		if d.Exists != d.Path {
			text += ", and cannot be created in " + d.Exists
		}
		return text + ". Where any path will do, use one inside. Else tell the user that " + d.Exists + " in " + allowedPaths + " allows it."
	case KeepsDirectory:
		return d.Path + " does not exist, and the sandbox lets commands create no files directly in " + d.Exists + ", because it hides files there that may hold secrets. " +
			"Where any path will do, use one in the workspace or $TMPDIR. Else tell the user, who can create it, and then list it in " + allowedPaths + "."
	case NotLocalSocket:
		return "The sandbox does not let commands connect to " + d.Path + ". Work without it, or tell the user that " + allowedPaths + " can allow it."
	case HasNoNetwork:
		if d.Proxy != "" {
			return "The sandbox lets commands reach other machines only by the proxy " + d.Proxy + ", which is in HTTPS_PROXY and may refuse hosts. Use a program that takes it from there, or tell the user."
		}
		if d.Source != "" {
			return "In this approval mode, the sandbox gives commands no network: they reach only TCP servers on this machine's loopback addresses. " +
				"Work without it, or tell the user that " + d.Source + " can allow it."
		}
		return "The sandbox gives commands no network: they reach only TCP servers on this machine's loopback addresses. " +
			"Work without it, or tell the user that the network is off for commands, and that tools.sandboxNetworkAccess: true in their own settings switches it on."
	case NotListed:
		return "The sandbox lets commands reach only hosts that are allowed, and not " + strings.Join(d.Hosts, ", ") +
			". Work without, or tell the user that pollux.sandboxHosts can allow it."
	case HasNoKeys:
		return "The sandbox hides SSH keys and the SSH agent from commands. Tell the user that ~/.ssh or the agent's socket in " + allowedPaths + " allows them."
	case HasNoRights:
		return "In the sandbox, programs such as sudo get no more privileges. Work without them, or tell the user to run the command."
	case HasNoCredentials:
		return "The sandbox hides the user's passwords and tokens for git servers from commands. Tell the user to run the command, or to allow it."
	case HasNoSigningKeys:
		return "The sandbox hides the user's GnuPG and SSH keys and agents from commands. Tell the user to run the command, or to allow it. Do not switch off signing unless the user says so."
	case HasNoNamespaces:
		return "In the sandbox, programs cannot create namespaces, as bwrap, unshare and containers do. Work without them, or tell the user to run the command."
	case NotSignalled:
		text := "In the sandbox, a command can signal only " + Signalled() + ". "
		if Gap() != "" {
			text += "stop_background_process ends what an earlier command has started. "
		}
		return text + "For others, tell the user to run the command."
	case NestsBrowser:
		return "In the sandbox, Chromium and Electron cannot create a sandbox of their own. Start them with --no-sandbox: " +
			"the option args of launch in Puppeteer, chromiumSandbox: false in Playwright. They stay in the sandbox that this command runs in."
	case NestsSeatbelt:
		return "In the sandbox, sandbox-exec cannot start another one. Where the program has an option against its own sandbox, use it, as swift build --disable-sandbox: " +
			"it stays in the sandbox that this command runs in. Else tell the user to run the command."
	case HasNoMemory:
		return fmt.Sprintf("Each program in the sandbox may use %d MB of its own (pollux.sandboxMemory of the user's settings). Work in smaller parts, or tell the user that it needs more.", d.Most)
	case HasNoProcesses:
		return fmt.Sprintf("Commands in the sandbox may add %d processes and threads to those of the machine (pollux.sandboxProcesses of the user's settings), or fewer where the machine has a lower limit. Start fewer at once, and look for ones that were left running, or tell the user.", d.Most)
	case ReachesNoPollux:
		return "The sandbox does not let commands connect to " + strings.Join(d.Hosts, ", ") +
			", where Pollux works for other programs, and would run commands for them outside of the sandbox, or waits for the user's browser. Work without it, or tell the user to run the command."
	case ReachesNoOthers:
		return "In the sandbox, commands cannot have the system open or start other programs, as open, osascript and launchctl do. Work without them, or tell the user to run the command."
	}
	return ""
}

// NoNetwork returns the denial of the network.
func (p *Profile) NoNetwork() Denial {
	return Denial{Kind: HasNoNetwork, Proxy: p.Network.Proxy, Source: p.Network.Source}
}

// Signalled returns the processes that a command in the sandbox can signal, for a sentence.
func Signalled() string {
	if Gap() != "" {
		return "processes that it has started itself"
	}
	return "processes that commands of this session have started in it"
}
