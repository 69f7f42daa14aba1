// Package profile says which files confined programs may change and which they must not read, so that development
// works as without a sandbox: see [Make]. Its tables are caches.go and secrets.go.
package profile

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/gitstate"
	"pollux/internal/sandbox"
	"pollux/internal/workspace"
)

// Place is where the work is, with the wishes of the user. All paths are absolute.
type Place struct {
	// Dirs are the directories of the workspace.
	Dirs []string
	// Homes are the home directories of the user: the one that programs use, and others with secrets. There may be none.
	Homes []string
	// Temp is the directory for temporary files.
	Temp string
	// Env returns a variable of the user's environment, which projects cannot set.
	Env func(name string) string
	// HasProgram reports whether a program is on the PATH.
	HasProgram func(name string) bool
	// Write are further paths that programs may change, or only read where they are secrets, and Read those that they may read although they are hidden.
	Write, Read []string
	// Private are Pollux's own files, which programs must neither read nor change. Scratch is the directory in them for the files of commands, "" for none.
	Private []string
	Scratch string
	// KeepsDirs means that programs cannot change Dirs and the repositories that belong to them, except paths of Write in there. Those in Lifted
	// they change nevertheless.
	KeepsDirs bool
	Lifted    []string
	// KeepsPrograms means that programs which tools have downloaded to caches cannot be changed: see downloaded.
	KeepsPrograms bool
	// ReadsWork means that programs read none of the person's other files: see unneeded.
	ReadsWork bool
	// Mac means that the machine has the directories of macOS, and that rules are about paths, whether there are files or not.
	Mac bool
}

// Make returns the profile for a place.
func Make(p Place) sandbox.Profile {
	r, shared := resolver{}, computing()
	z, own, caches := p.zone(r)
	existing := func(paths []string) []string { return z.existing(paths, p.Mac) }
	secrets := p.secrets()
	programs, links := p.programs(z, existing(own), existing(caches))
	out := sandbox.Profile{
		Write:       existing(slices.Concat(p.changed(own), caches)),
		Hide:        append(r.real(slices.Concat(secrets, p.Private, p.otherDevices())), z.links(secrets)...), // a link that is replaced would hide another file
		Keep:        append(r.real(programs), links...),
		Devices:     slices.Concat(devices, shared),
		Sockets:     existing(slices.Concat(services, p.Write)),
		HideSockets: p.hiddenSockets(),
	}
	if p.KeepsDirs {
		lifted := r.real(p.Lifted)
		out.ReadOnly = slices.DeleteFunc(r.real(slices.Concat(p.Dirs, p.Repositories())), func(dir string) bool { return slices.Contains(lifted, dir) })
		out.Keep = append(out.Keep, out.ReadOnly...)
	}
	out.Scratch = existing([]string{p.Scratch})
	out.Read = existing(slices.Concat(p.Read, p.showing(r), shared))
	if p.ReadsWork {
		out.Unneeded = p.unneeded(z, slices.Concat(out.Write, out.Scratch, out.Read, out.ReadOnly))
		out.Hide = append(out.Hide, out.Unneeded...)
	}
	return out
}

// zone returns the directories that programs may change, with the paths that are for the user's own files and for caches.
func (p *Place) zone(r resolver) (z *zone, own, caches []string) {
	own, caches = slices.Concat(p.Dirs, p.Repositories(), p.temporary(), p.Write), p.caches(r)
	return newZone(r, own, caches), own, caches
}

// changed returns those of the user's own directories that programs may change.
func (p *Place) changed(own []string) []string {
	if p.KeepsDirs {
		return slices.Concat(p.temporary(), p.Write)
	}
	return own
}

// shelves are the directories in a home directory in which many programs have files.
var shelves = []string{".config", ".local", ".local/share", ".local/state", ".cache", "Library", "Library/Application Support", "Library/Preferences"}

// showing returns the paths of the user's list that show the secrets in them: not a home directory, one above it, and one with files of many programs, which
// the user has listed for something else.
func (p *Place) showing(r resolver) (paths []string) {
	hasMany := func(path string) bool {
		return slices.ContainsFunc(p.Homes, func(home string) bool {
			home = r.resolve(filepath.Clean(home)).path
			return workspace.IsWithin(home, path) || slices.ContainsFunc(shelves, func(name string) bool { return r.resolve(filepath.Join(home, name)).path == path })
		}) || slices.ContainsFunc([]string{"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME"}, func(name string) bool {
			return p.directory(name) != "" && r.resolve(p.directory(name)).path == path
		})
	}
	for _, path := range p.Write {
		if filepath.IsAbs(path) && !hasMany(r.resolve(filepath.Clean(path)).path) {
			paths = append(paths, path)
		}
	}
	return paths
}

// temporary returns the directories for temporary files. One with the home directory in it is not temporary.
func (p *Place) temporary() []string {
	return slices.DeleteFunc(append([]string{p.Temp}, p.shared()...), p.isAboveHome)
}

// shared returns the directories for temporary files of all users.
func (p *Place) shared() []string {
	return slices.DeleteFunc([]string{"/tmp", "/var/tmp", "/dev/shm"}, p.isAboveHome)
}

// isAboveHome reports whether a home directory is dir or in it.
func (p *Place) isAboveHome(dir string) bool {
	return slices.ContainsFunc(p.Homes, func(home string) bool { return workspace.IsWithin(home, dir) })
}

// Repositories returns the directories outside of the workspace that the repositories in it are kept in, if it is a
// worktree or a submodule. The file that names them is the project's, and could name any: the repository must name the directory, too.
func (p *Place) Repositories() (dirs []string) {
	for _, dir := range p.Dirs {
		link, err := readSettings(filepath.Join(dir, ".git")) // fails for a directory
		target, found := strings.CutPrefix(strings.TrimSpace(string(link)), "gitdir: ")
		if err != nil || !found {
			continue
		}
		if !filepath.IsAbs(target) {
			target = filepath.Join(dir, target)
		}
		if target = workspace.RealPath(filepath.Clean(target)); !belongsTo(target, dir) {
			continue
		}
		if _, err := os.Lstat(filepath.Join(target, "commondir")); err == nil { // of a worktree: the file could name any repository
			if filepath.Base(filepath.Dir(target)) != "worktrees" {
				continue
			}
			target = filepath.Dir(filepath.Dir(target))
		}
		if gitstate.IsRepository(target) {
			dirs = append(dirs, target)
		}
	}
	return dirs
}

// belongsTo reports whether the files of a repository name the directory dir as their worktree or submodule.
func belongsTo(repository, dir string) bool {
	if link, err := readSettings(filepath.Join(repository, "gitdir")); err == nil { // of a worktree
		path := strings.TrimSpace(string(link))
		if !filepath.IsAbs(path) {
			path = filepath.Join(repository, path)
		}
		return workspace.RealPath(filepath.Dir(path)) == workspace.RealPath(dir)
	}
	config, _ := readSettings(filepath.Join(repository, "config")) // without one, it is no repository
	for line := range strings.Lines(string(config)) {
		name, path, _ := strings.Cut(line, "=")
		if !strings.EqualFold(strings.TrimSpace(name), "worktree") {
			continue
		}
		if path = strings.Trim(strings.TrimSpace(path), `"`); !filepath.IsAbs(path) {
			path = filepath.Join(repository, path)
		}
		if workspace.RealPath(path) == workspace.RealPath(dir) {
			return true
		}
	}
	return false
}
