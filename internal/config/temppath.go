package config

import "path/filepath"

// ProjectTempPath returns where [Paths.ProjectTemp] is, or will be: it makes
// and claims nothing, so that a run that writes nothing leaves nothing behind.
// Only if another project of the same name comes first does the directory get
// another name in the end.
func (p *Paths) ProjectTempPath() string {
	slug := slugOf(p.dir)
	if projects, err := p.readRegistry(); err == nil && isSlug(projects[p.dir]) {
		slug = projects[p.dir]
	}
	return filepath.Join(p.tmp(), slug)
}
