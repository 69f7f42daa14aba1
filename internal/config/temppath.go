package config

import "path/filepath"

// ProjectTempPath returns the present or future path of [Paths.ProjectTemp]. It creates
// nothing, so that a run that writes nothing leaves nothing behind. The directory gets another
// name only if another project with the same base name claims it first.
func (p *Paths) ProjectTempPath() string { return filepath.Join(p.tmp(), p.likely()) }

// likelySlug returns the slug that the project has, or its preferred one.
func (p *Paths) likelySlug() string {
	if projects, err := p.readRegistry(); err == nil && isSlug(projects[p.dir]) {
		return projects[p.dir]
	}
	return slugOf(p.dir)
}
