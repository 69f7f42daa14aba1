package profile

import (
	"bytes"
	"path/filepath"
	"slices"

	"pollux/internal/durable"
	"pollux/internal/workspace"
)

// Variables returns the variables that keep programs from changing files which they cannot change while they are confined, as name=value.
//
// pnpm uses its store in the home directory only if it can create a directory beside it, where its programs are. Else it makes a store in the
// workspace, and does not take the modules that are linked to the other one. npm warns about the variable for pnpm before 11, so
// only a project with pnpm's lock file gets it.
//
// Where the directory for temporary files has the home directory in it, as in some containers, or is behind a link that programs could have made, they get
// another one; likewise where no files can be created in it.
//
// Programs of Node that look for newer versions of themselves print a warning if they cannot keep the time in ~/.config.
func (p *Place) Variables() (list []string) {
	if store := p.expand("$PNPM_HOME/store|~/.local/share/pnpm/store"); len(store) > 0 && p.hasOne("pnpm ./pnpm-lock.yaml") && !p.namesStore() {
		list = append(list, "pnpm_config_store_dir="+store[0])
		if p.hasFile("pnpm-lock.yaml") {
			list = append(list, "npm_config_store_dir="+store[0])
		}
	}
	if p.isAboveHome(p.Temp) || p.keepsIn(p.Temp) || !p.Mac && len(p.LeftOut([]string{p.Temp})) > 0 {
		temporary := slices.DeleteFunc(p.temporary(), func(dir string) bool { return dir == p.Temp || p.keepsIn(dir) })
		if dirs := (resolver{}).existing(temporary); len(dirs) > 0 {
			list = append(list, "TMPDIR="+dirs[0])
		}
	}
	if p.hasOne("node") {
		list = append(list, "NO_UPDATE_NOTIFIER=1")
	}
	return list
}

// keepsIn reports whether no files can be created in a directory because there is one of the workspace in it that is kept.
func (p *Place) keepsIn(dir string) bool {
	return p.KeepsDirs && !p.Mac && slices.ContainsFunc(p.Dirs, func(kept string) bool { return workspace.IsWithin(kept, dir) })
}

// namesStore reports whether settings of pnpm name a store.
func (p *Place) namesStore() bool {
	paths := p.expandAll("~/.npmrc ~/.config/pnpm/rc ~/.config/pnpm/config.yaml $XDG_CONFIG_HOME/pnpm/rc $XDG_CONFIG_HOME/pnpm/config.yaml")
	for _, dir := range p.Dirs {
		paths = append(paths, filepath.Join(dir, ".npmrc"), filepath.Join(dir, "pnpm-workspace.yaml"))
	}
	for _, path := range paths {
		text, err := readSettings(path)
		if err == nil && (bytes.Contains(text, []byte("store-dir")) || bytes.Contains(text, []byte("storeDir"))) {
			return true
		}
	}
	return false
}

// readSettings returns a file, if it is small enough for settings. It does not wait for a pipe.
func readSettings(path string) ([]byte, error) { return durable.ReadFile(path, 1<<20) }
