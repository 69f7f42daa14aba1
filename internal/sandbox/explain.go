package sandbox

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

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
	hidden, shown, writable := within(p.Hide), within(p.Read), within(p.Write)
	switch {
	case writable != "" && hidden == "" && within(p.Keep) == "":
		return MayChange, writable
	case hidden != "" && shown == "":
		return Hidden, hidden
	}
	return MayRead, shown
}

// Matches reports whether a pattern with * stands for a hidden path. Public keys are not hidden.
func Matches(pattern, path string) bool {
	if !strings.Contains(pattern, "*") || strings.HasSuffix(path, ".pub") {
		return false
	}
	ok, _ := filepath.Match(pattern, path)
	return ok
}

// mayConnect reports whether programs may connect to a local socket.
func (p *Profile) mayConnect(path string) bool {
	if isWithinOne(path, p.Sockets) {
		return true
	}
	return isWithinOne(path, p.Write) && !isWithinOne(path, p.Hide) && !p.isHiddenSocket(path)
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
}

// DenialKind is a kind of [Denial].
type DenialKind int

// The kinds.
const (
	NotDenied      DenialKind = iota
	HidesFile                 // Path is hidden
	KeepsFile                 // Path can be read, but not changed
	HasNoNetwork              // another machine was not reached
	HasNoKeys                 // SSH has found no key that the server takes
	HasNoRights               // a program such as sudo has got no more privileges
	NotLocalSocket            // Path is a socket that programs may not connect to
)

// The words by which programs say that they were refused something.
const (
	deniedWords  = `(?i:permission denied|operation not permitted|eacces|eperm\b|read-only file system)`
	keyWords     = `(?i)permission denied \((publickey|[a-z,-]*publickey)|no identities|could not open a connection to your authentication agent`
	rightsWords  = `(?i)no new privileges|must be setuid root|effective uid is not 0`
	offlineWords = `(?i)could(n.t| not) resolve host|network is unreachable|enetunreach|eai_again|enotfound|name or service not known|` +
		`temporary failure (in name )?resol|no such host|failed to lookup address|permission denied.*socket|socket: permission denied`
)

// Denial returns the permission that the sandbox has refused a program which has failed with an output.
func (p *Profile) Denial(output string) Denial {
	for _, line := range regexp.MustCompile(`(?m)^.*`+deniedWords+`.*$`).FindAllString(output, 20) {
		for _, path := range pathsIn(line) {
			if d := p.denialOf(path); d.Kind != NotDenied {
				return d
			}
		}
	}
	switch {
	case regexp.MustCompile(keyWords).MatchString(output):
		return Denial{Kind: HasNoKeys}
	case regexp.MustCompile(rightsWords).MatchString(output):
		return Denial{Kind: HasNoRights}
	case p.Network.Off && regexp.MustCompile(offlineWords).MatchString(output):
		return Denial{Kind: HasNoNetwork}
	}
	return Denial{}
}

// pathsIn returns the absolute paths in a line in which a program says that it was not allowed something, beginning with the one that is next to
// these words. A program that names itself at the beginning does not mean itself.
func pathsIn(line string) (paths []string) {
	absolute := regexp.MustCompile(`(?:^|[\s'"` + "`" + `:(=])(/[^\s'"` + "`" + `:;,()\[\]]+)`)
	words := regexp.MustCompile(deniedWords).FindStringIndex(line)
	found := absolute.FindAllStringSubmatchIndex(line, 6)
	if len(found) > 1 && found[0][2] == 0 {
		found = found[1:]
	}
	distance := func(f []int) int { return max(words[0]-f[3], f[2]-words[1]) }
	slices.SortStableFunc(found, func(a, b []int) int { return distance(a) - distance(b) })
	for _, f := range found {
		paths = append(paths, filepath.Clean(line[f[2]:f[3]]))
	}
	return paths
}

// denialOf returns the permission that the sandbox has refused a program which failed on a path. If the user does not have the permission
// either, the sandbox has not refused it.
func (p *Profile) denialOf(path string) Denial {
	path = workspace.RealPath(path) // a program could let the link lead elsewhere before the answer
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeSocket && !p.mayConnect(path) && userMay(path, write) {
		return Denial{NotLocalSocket, path, path}
	}
	switch verdict, _ := p.Judge(path); {
	case verdict == Hidden && userMay(path, read):
		return Denial{HidesFile, path, path}
	case verdict == MayRead && userMay(existing(path), write):
		return Denial{KeepsFile, path, existing(path)}
	}
	return Denial{}
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

// Advice returns advice for the model about a denial, "" for none.
func (d Denial) Advice() string {
	switch d.Kind {
	case HidesFile:
		return d.Path + " is hidden from commands by the sandbox, because it may hold secrets. Work without it, or ask the user."
	case KeepsFile:
		return "The sandbox lets commands change files only in the workspace, in temporary directories and in caches: " + d.Path +
			" is outside. Use a path inside, or tell the user that tools.sandboxAllowedPaths can allow it."
	case NotLocalSocket:
		return "The sandbox does not let commands connect to " + d.Path + ". Work without it, or tell the user that tools.sandboxAllowedPaths can allow it."
	case HasNoNetwork:
		return "The sandbox gives commands no network: they reach only TCP servers on this machine's loopback addresses. " +
			"Work without it, or tell the user that networkAccess in tools.sandbox switches it off, and tools.sandboxNetworkAccess allows it."
	case HasNoKeys:
		return "The sandbox hides SSH keys and the SSH agent from commands. Tell the user that ~/.ssh or the agent's socket in tools.sandboxAllowedPaths allows them."
	case HasNoRights:
		return "In the sandbox, programs such as sudo get no more privileges. Work without them, or ask the user to run the command."
	}
	return ""
}
