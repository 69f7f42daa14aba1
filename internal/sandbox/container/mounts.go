package container

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/workspace"
)

// mount is a file or directory of the machine in the container.
type mount struct{ from, to, options string }

// The options of mounts.
const (
	readable = "ro"
	writable = "rw"
)

func (m mount) String() string { return m.from + ":" + m.to + ":" + m.options }

// mounts returns the mounts of the container. Of several at the same place, the first one counts.
func (o *Options) mounts() ([]mount, error) {
	if err := os.MkdirAll(o.Own, 0o700); err != nil { // a new user's
		return nil, exit.Errorf(exit.Sandbox, "Cannot create %s: %w.", o.Own, durable.Cause(err))
	}
	var list []mount
	add := func(options string, paths ...string) {
		for _, path := range paths {
			if _, err := os.Stat(path); err == nil {
				list = append(list, mount{path, path, options})
			}
		}
	}
	add(writable, o.Dir, o.Own)
	add(writable, o.Dirs...)
	if o.IsLinux {
		list = append(list, mount{o.Program, program, readable})
	}
	list = append(list, o.linked()...)
	for _, path := range o.Rules {
		if !workspace.IsWithin(path, o.Own) {
			add(readable, path)
		}
	}
	// Commits have the user's name, and Google's libraries find their credentials.
	add(readable, filepath.Join(o.Home, ".gitconfig"), filepath.Join(o.Home, ".config", "git"), filepath.Join(o.Home, ".config", "gcloud"))
	for _, variable := range files {
		if path := o.Env(variable); filepath.IsAbs(path) {
			add(readable, path)
		}
	}
	add(readable, o.Read...)
	further, err := parseMounts(o.Env("SANDBOX_MOUNTS"))
	if err != nil {
		return nil, err
	}
	list = append(list, further...)
	if venv := o.Env("VIRTUAL_ENV"); strings.HasPrefix(filepath.Clean(venv), o.Dir+"/") {
		// Its programs are those of the machine: inside there is another one, which begins empty.
		own := filepath.Join(o.Dir, ".gemini", "sandbox.venv")
		for _, dir := range [...]string{filepath.Dir(own), own} {
			if err := os.Mkdir(dir, 0o755); err != nil && !errors.Is(err, fs.ErrExist) {
				return nil, exit.Errorf(exit.Sandbox, "Cannot create %s: %w.", dir, durable.Cause(err))
			}
			if info, err := os.Lstat(dir); err != nil || !info.IsDir() { // a link of the project could lead to any directory
				return nil, exit.Errorf(exit.Sandbox, "%s is no directory. Remove it, or unset VIRTUAL_ENV.", dir)
			}
		}
		list = append(list, mount{own, filepath.Clean(venv), writable})
	}
	var taken []string
	list = slices.DeleteFunc(list, func(m mount) bool {
		known := slices.Contains(taken, m.to)
		taken = append(taken, m.to)
		return known
	})
	return list, o.checkMounts(list)
}

// maxOwn limits how many of Pollux's own files are looked at.
const maxOwn = 20_000

// linked returns the files that links among Pollux's own lead to, such as settings that a user keeps elsewhere. Without them, the rules in there
// would be missing.
func (o *Options) linked() (list []mount) {
	n := 0
	_ = filepath.WalkDir(o.Own, func(path string, d fs.DirEntry, err error) error {
		n++
		switch {
		case err != nil:
			return nil // it cannot be read in the container either
		case n > maxOwn:
			return fs.SkipAll
		case d.IsDir() && (filepath.Dir(path) == o.Own && (d.Name() == "tmp" || d.Name() == "history") || d.Name() == "node_modules"):
			return fs.SkipDir
		case d.Type()&fs.ModeSymlink == 0:
			return nil
		}
		to, err := os.Readlink(path)
		if err != nil {
			return nil
		}
		if !filepath.IsAbs(to) {
			to = filepath.Join(filepath.Dir(path), to)
		}
		if from, err := filepath.EvalSymlinks(path); err == nil && !workspace.IsWithin(to, o.Own) {
			list = append(list, mount{from, filepath.Clean(to), readable})
		}
		return nil
	})
	return list
}

// files are variables with the path of a file that Pollux reads.
var files = [...]string{"GOOGLE_APPLICATION_CREDENTIALS", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "GEMINI_SYSTEM_MD", "GEMINI_CLI_TRUSTED_FOLDERS_PATH", "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONFIG_FILE"}

// parseMounts reads a list of FROM[:TO[:OPTIONS]], separated by commas.
func parseMounts(list string) (mounts []mount, err error) {
	for text := range strings.SplitSeq(list, ",") {
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		from, rest, _ := strings.Cut(text, ":")
		to, options, _ := strings.Cut(rest, ":")
		m := mount{from, cmp.Or(to, from), cmp.Or(options, readable)}
		if !filepath.IsAbs(m.from) {
			return nil, exit.Errorf(exit.Sandbox, "Path '%s' listed in SANDBOX_MOUNTS must be absolute", m.from)
		}
		if _, err := os.Stat(m.from); err != nil {
			return nil, exit.Errorf(exit.Sandbox, "Missing mount path '%s' listed in SANDBOX_MOUNTS", m.from)
		}
		mounts = append(mounts, m)
	}
	return mounts, nil
}

// checkMounts returns an error for paths that container programs would read otherwise.
func (o *Options) checkMounts(list []mount) error {
	forbidden, what := ":\n", "a colon or a line end"
	if o.Name == lxc {
		forbidden, what = "\n", "a line end"
	}
	for _, m := range list {
		if strings.ContainsAny(m.from+m.to, forbidden) {
			return exit.Errorf(exit.Sandbox, "%s cannot mount %q: its path contains %s.", o.Client(), m.from, what)
		}
	}
	return nil
}

// script returns the path of the project's script for the start in the container, "" if it has none.
func (o *Options) script() string {
	path := filepath.Join(o.Dir, ".gemini", "sandbox.bashrc")
	if info, err := os.Stat(path); !o.Script || err != nil || !info.Mode().IsRegular() {
		return ""
	}
	return path
}
