package config

import "path/filepath"

// ProjectTempPath returns where [Paths.ProjectTemp] is, or will be: it makes
// and claims nothing, so that a run that writes nothing leaves nothing behind.
// Only if another project of the same name comes first does the directory get
// another name in the end.
func (p *Paths) ProjectTempPath() string { return filepath.Join(p.tmp(), p.likely()) }

// likelySlug returns the slug that the project has, or would like to have.
func (p *Paths) likelySlug() string {
	if projects, err := p.readRegistry(); err == nil && isSlug(projects[p.dir]) {
		return projects[p.dir]
	}
	return slugOf(p.dir)
}
