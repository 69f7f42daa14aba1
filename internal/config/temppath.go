package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// ProjectTempPath returns the present or future path of [Paths.ProjectTemp]. It creates
// nothing, so that a run that writes nothing leaves nothing behind. The directory gets another
// name only if another project with the same base name claims it first.
func (p *Paths) ProjectTempPath() string { return filepath.Join(p.tmp(), p.likely()) }

// Scratch returns the path of the directory in [Paths.ProjectTempPath] for files of a model's commands. It creates nothing.
func (p *Paths) Scratch() string { return filepath.Join(p.ProjectTempPath(), "scratch") }

// likelySlug returns the slug that the project has, or else the one that it will get unless another project is faster.
func (p *Paths) likelySlug() string {
	projects, err := p.readRegistry()
	if err == nil && isSlug(projects[p.key()]) {
		return projects[p.key()]
	}
	base, taken := slugOf(p.dir), takenSlugs(projects)
	slug := base
	for n := 1; taken[slug]; n++ { // see settle
		slug = base + "-" + strconv.Itoa(n)
	}
	return slug
}

// ExistingProjectTemp returns the path of [Paths.ProjectTemp] if the project has such a directory, if
// only from an older version, else "". It creates nothing.
func (p *Paths) ExistingProjectTemp() string {
	if slug := p.claimed.Load(); slug != nil {
		if dir := filepath.Join(p.tmp(), *slug); isDirectory(dir) {
			return dir
		}
	}
	key := p.dir
	if runtime.GOOS == "windows" {
		key = strings.ToLower(key)
	}
	projects, _ := p.readRegistry() // the markers are authoritative
	if slug := projects[key]; isSlug(slug) {
		dir := filepath.Join(p.tmp(), slug)
		if owner, err := readMarker(dir); err == nil && (owner == key || owner == "" && isDirectory(dir)) {
			return dir
		}
	}
	slugs := p.marked(key)
	if slug := slugOf(key); len(slugs) == 0 && p.isUnmarked(slug, projects) {
		slugs = append(slugs, slug)
	}
	for _, slug := range append(slugs, p.ProjectHash()) {
		if dir := filepath.Join(p.tmp(), slug); isDirectory(dir) {
			return dir
		}
	}
	return ""
}

// isUnmarked reports whether a slug belongs to no project, as far as its marker and the known projects say. A power
// failure can take both of a first session, but not its file: the next session of the project takes the slug again.
func (p *Paths) isUnmarked(slug string, projects map[string]string) bool {
	owner, err := readMarker(filepath.Join(p.tmp(), slug))
	return err == nil && owner == "" && !takenSlugs(projects)[slug]
}

func isDirectory(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// Project is a project that has files below the directory for temporary files.
type Project struct {
	Dir  string // of the project, which may be gone
	Temp string // its directory as returned by [Paths.ProjectTemp]
}

// Projects returns all projects of the user that have files, by the names of their directories.
func (p *Paths) Projects() []Project {
	entries, _ := os.ReadDir(p.tmp()) // the directory may be missing or unreadable
	var projects []Project
	for _, entry := range entries {
		temp := filepath.Join(p.tmp(), entry.Name())
		if !entry.IsDir() || !isSlug(entry.Name()) {
			continue
		}
		if owner, err := readMarker(temp); err == nil && owner != "" {
			projects = append(projects, Project{owner, temp})
		}
	}
	return projects
}
