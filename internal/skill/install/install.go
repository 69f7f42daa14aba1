// Package install installs, links and removes skills.
//
// A skill comes from strangers: from a repository, an archive or a directory. Nothing of it runs, its size is
// bounded, and no file of it can lead out of its directory. The user sees its files before the installation.
// A skill is complete beside the installed one before it takes its place.
package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pollux/internal/durable"
	"pollux/internal/exit"
	"pollux/internal/extension/fetch"
	"pollux/internal/extension/unpack"
	"pollux/internal/skill"
	"pollux/internal/workspace"
)

// limits bound a source of skills.
var limits = unpack.Limits{Bytes: 100 << 20, Files: 10_000}

// Installer installs skills into a directory. All fields must be set.
type Installer struct {
	// Temp is the directory for files that the user has not agreed to yet: one that commands in the sandbox cannot change. "" is that for temporary files.
	Temp string
	// Dir is the directory of skills.
	Dir string
	// Root is the directory that links must not lead out of, "" if they may.
	Root string
	// Fetcher clones repositories.
	Fetcher *fetch.Fetcher
	// All installs all skills of a source that has many of them. Otherwise Pollux says how to choose, and asks the user
	// unless IsAgreed is set: an agreement in advance is not one to all that there is.
	All, IsAgreed bool
	// Consent shows the user a text, which may have several lines, and reports whether the user agrees.
	Consent func(ctx context.Context, text string) (bool, error)
	// Show shows a line about the progress.
	Show func(text string)
}

// Skill is an installed skill. IsNew reports that none was in its place.
type Skill struct {
	Name, Path string
	IsNew      bool
}

// Install copies the skills of a source: the address of a repository, an archive whose name ends with
// ".skill", or a directory. sub is a directory in it, "" for all of it. Skills with the same names are
// replaced.
func (i *Installer) Install(ctx context.Context, source, sub string) ([]Skill, error) {
	if sub != "" && !filepath.IsLocal(sub) {
		return nil, exit.Errorf(exit.General, "Invalid path: Directory traversal not allowed.")
	}
	dir, remove, err := i.get(ctx, source)
	defer remove()
	if err != nil {
		return nil, err
	}
	where := source
	if sub != "" {
		dir, where = filepath.Join(dir, sub), fmt.Sprintf("%s at path %q", source, sub)
	}
	skills, err := i.find(dir, where)
	if err != nil {
		return nil, err
	}
	if isCollection(skills, dir) && !i.All {
		if i.IsAgreed {
			return nil, exit.Errorf(exit.General, "%s has %d skills. %s", where, len(skills), choices(skills, dir, sub))
		}
		done, err := i.apply(ctx, skills, "install", source, i.copy)
		if len(done) == 0 && err != nil && ctx.Err() == nil {
			err = exit.Errorf(exit.General, "%w\n%s", err, choices(skills, dir, sub))
		}
		return done, err
	}
	return i.apply(ctx, skills, "install", source, i.copy)
}

// Link makes the skills of a directory available from where they are. A link with the same name is replaced,
// an installed skill is not.
func (i *Installer) Link(ctx context.Context, dir string) ([]Skill, error) {
	skills, err := i.find(dir, fmt.Sprintf("%q", dir))
	if err != nil {
		return nil, err
	}
	for _, k := range skills {
		at := i.path(k.Name)
		if i.Root != "" && !workspace.IsWithin(workspace.RealPath(k.Path), workspace.RealPath(i.Root)) {
			return nil, exit.Errorf(exit.General, "Skill %q is outside of the project, which uses no links to other places. Use --scope user, or install it.", k.Name)
		}
		if info, err := os.Lstat(at); err == nil && info.Mode().Type() != fs.ModeSymlink {
			return nil, exit.Errorf(exit.General, "Skill %q is already installed in %s. To replace it, uninstall it first.", k.Name, at)
		}
	}
	return i.apply(ctx, skills, "link", dir, func(_ context.Context, folder, to string) error { return os.Symlink(folder, to) })
}

// get makes the files of a source available in a directory. The caller must call remove.
func (i *Installer) get(ctx context.Context, source string) (dir string, remove func(), err error) {
	remove = func() {}
	isArchive := strings.EqualFold(filepath.Ext(source), ".skill")
	isRemote := fetch.IsRemote(source)
	if !isRemote && !isArchive {
		return source, remove, nil
	}
	if i.Temp != "" {
		err = durable.MkdirAll(i.Temp, 0o700)
	}
	temp := ""
	if err == nil {
		temp, err = os.MkdirTemp(i.Temp, "skill-")
	}
	if err != nil {
		return "", remove, fmt.Errorf("make a temporary directory: %w", err)
	}
	remove = func() { _ = os.RemoveAll(temp) } // leftovers have no effect
	if isRemote {
		r, err := fetch.Parse(source, "")
		if err != nil {
			return "", remove, err
		}
		i.Show(fmt.Sprintf("Cloning skill from %s...", source))
		got, err := i.Fetcher.Clone(ctx, r, temp)
		return got.Dir, remove, err
	}
	i.Show(fmt.Sprintf("Extracting skill from %s...", source))
	if info, err := os.Stat(source); err == nil && !info.Mode().IsRegular() { // a pipe would wait
		return "", remove, fmt.Errorf("cannot unpack %s: it is not a file", source)
	}
	if err := unpack.Archive(ctx, source, temp, limits); err != nil {
		return "", remove, fmt.Errorf("cannot unpack %s: %w", source, durable.Cause(err))
	}
	return temp, remove, nil
}

// find returns the skills in a directory. Their names are different, and can be names of directories: it
// skips others with a warning.
func (i *Installer) find(dir, where string) ([]skill.Skill, error) {
	skills, problems := skill.Find(dir)
	if len(skills) == 0 {
		skills, problems = findBelow(dir, problems)
	}
	for _, problem := range problems {
		i.Show("Warning: " + problem)
	}
	skills = slices.DeleteFunc(skills, func(k skill.Skill) bool {
		isInvalid := strings.HasPrefix(k.Name, ".") || !filepath.IsLocal(k.Name)
		if isInvalid {
			i.Show(fmt.Sprintf("Warning: Skipping the skill file %s: %q cannot be the name of a directory.", k.Path, k.Name))
		}
		return isInvalid
	})
	if len(skills) == 0 {
		return nil, exit.Errorf(exit.General, "No valid skills found in %s. Ensure a SKILL.md file exists with valid frontmatter.", where)
	}
	for n, k := range skills {
		same := func(other skill.Skill) bool { return strings.EqualFold(other.Name, k.Name) } // as some file systems have it
		if at := slices.IndexFunc(skills, same); at < n {
			return nil, exit.Errorf(exit.General, "Duplicate skill name %q found at multiple locations:\n  - %s\n  - %s", k.Name, skills[at].Path, k.Path)
		}
	}
	return skills, nil
}

func (i *Installer) path(name string) string { return filepath.Join(i.Dir, name) }

// apply asks the user, and puts each skill in its place. put makes the directory or link of a skill at a path.
func (i *Installer) apply(ctx context.Context, skills []skill.Skill, verb, source string, put func(ctx context.Context, folder, to string) error) ([]Skill, error) {
	switch agreed, err := i.Consent(ctx, i.describe(skills, verb, source)); {
	case err != nil:
		return nil, err
	case !agreed:
		return nil, exit.Errorf(exit.General, "Skill %s cancelled by user.", map[string]string{"install": "installation", "link": "linking"}[verb])
	}
	if err := durable.MkdirAll(i.Dir, 0o755); err != nil {
		return nil, fmt.Errorf("make %s: %w", i.Dir, durable.Cause(err))
	}
	var done []Skill
	for _, k := range skills {
		_, err := os.Lstat(i.path(k.Name))
		isNew := errors.Is(err, fs.ErrNotExist)
		if err := i.place(ctx, k, put); err != nil {
			return done, fmt.Errorf("cannot %s the skill %s: %w", verb, k.Name, err)
		}
		done = append(done, Skill{k.Name, i.path(k.Name), isNew})
	}
	return done, nil
}

// place makes a skill in a new directory, and then moves it to its place.
func (i *Installer) place(ctx context.Context, k skill.Skill, put func(ctx context.Context, folder, to string) error) error {
	folder := k.Folder()
	if workspace.IsWithin(workspace.RealPath(i.Dir), folder) {
		return fmt.Errorf("%s contains the directory of skills", folder)
	}
	stage, err := os.MkdirTemp(i.Dir, ".new-") // hidden, so that it is no skill
	if err != nil {
		return durable.Cause(err)
	}
	defer func() { _ = os.RemoveAll(stage) }() // leftovers are hidden
	fresh, old, at := filepath.Join(stage, "new"), filepath.Join(stage, "old"), i.path(k.Name)
	if err := put(ctx, folder, fresh); err != nil {
		return err
	}
	isReplaced := false
	if _, err := os.Lstat(at); err == nil {
		i.Show(fmt.Sprintf("Skill %q already exists. Overwriting...", k.Name))
		if err := os.Rename(at, old); err != nil {
			return durable.Cause(err)
		}
		isReplaced = true
	}
	if err := os.Rename(fresh, at); err != nil {
		if isReplaced {
			err = errors.Join(err, os.Rename(old, at))
		}
		return err
	}
	return durable.SyncDir(i.Dir)
}

// copy copies the directory of a skill.
func (i *Installer) copy(ctx context.Context, folder, to string) error {
	if err := os.Mkdir(to, 0o755); err != nil {
		return durable.Cause(err)
	}
	return unpack.Dir(ctx, folder, to, limits)
}

// Uninstall removes a skill from a directory of skills, or the link to it, and returns its path. found is
// false if there is none.
func Uninstall(dir, name string) (path string, found bool, err error) {
	skills, _ := skill.Find(dir)
	if i := slices.IndexFunc(skills, func(k skill.Skill) bool { return k.Name == name }); i >= 0 {
		path = filepath.Dir(skills[i].Path)
	} else if filepath.IsLocal(name) && filepath.Base(name) == name && !strings.HasPrefix(name, ".") {
		path = filepath.Join(dir, name) // its SKILL.md may be broken
	}
	if _, err := os.Lstat(path); err != nil || path == dir {
		return "", false, nil
	}
	if err := os.RemoveAll(path); err != nil {
		return path, true, fmt.Errorf("remove %s: %w", path, durable.Cause(err))
	}
	return path, true, nil
}
