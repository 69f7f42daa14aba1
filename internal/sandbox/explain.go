package sandbox

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
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
	case writable != "" && hidden == "":
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

// Advise returns advice about the output of a program that has failed because it is confined, "" for other failures.
func (p *Profile) Advise(output string) string {
	// The lines in which programs say that they were not allowed something, and the absolute paths in them.
	denial := regexp.MustCompile(`(?im)^.*(permission denied|operation not permitted|eacces|eperm\b|read-only file system).*$`)
	absolute := regexp.MustCompile(`(?:^|[\s'"` + "`" + `:(=])(/[^\s'"` + "`" + `:;,()\[\]]+)`)
	for _, line := range denial.FindAllString(output, 20) {
		for _, found := range absolute.FindAllStringSubmatch(line, 5) {
			path := found[1]
			switch verdict, _ := p.Judge(filepath.Clean(path)); verdict {
			case Hidden:
				return path + " is hidden from commands by the sandbox, because it may hold secrets. Work without it, or ask the user."
			case MayRead:
				return "The sandbox lets commands change files only in the workspace, in temporary directories and in caches: " + path +
					" is outside. Use a path inside, or tell the user that tools.sandboxAllowedPaths can allow it."
			}
		}
	}
	unreachable := regexp.MustCompile(`(?i)could(n.t| not) resolve host|network is unreachable|enetunreach|eai_again|enotfound|name or service not known|` +
		`temporary failure (in name )?resol|no such host|failed to lookup address|permission denied.*socket|socket: permission denied`)
	if p.Network.Off && unreachable.MatchString(output) {
		return "The sandbox gives commands no network: they reach only TCP servers on this machine's loopback addresses. " +
			"Work without it, or tell the user that networkAccess in tools.sandbox switches it off, and tools.sandboxNetworkAccess allows it."
	}
	return ""
}
